package when

import (
	"slices"
	"strings"
	"time"
)

// classify returns the token of a word in lower case (values.md V13.4). Remaining single letters are
// military zones.
func classify(word string) token {
	for _, find := range []func(string) (token, bool){calendarWord, zoneWord, unitWord, otherWord, militaryZone} {
		if t, ok := find(word); ok {
			return t
		}
	}
	t, _ := zoneWord(strings.ReplaceAll(word, ".", ""))
	return t
}

// A wordRow lists words, separated by blanks, that stand for the same token.
type wordRow struct {
	token
	words string
}

func findWord(rows []wordRow, word string) (token, bool) {
	for _, r := range rows {
		if listed(r.words, word) {
			return r.token, true
		}
	}
	return token{}, false
}

func listed(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// calendarWord knows months and days: names, their first three letters with or without a dot, and a few
// longer abbreviations.
func calendarWord(word string) (token, bool) {
	names := func(name string) bool {
		name = strings.ToLower(name)
		return word == name || strings.TrimSuffix(word, ".") == name[:3]
	}
	for m := time.January; m <= time.December; m++ {
		if names(m.String()) {
			return token{monthName, int64(m)}, true
		}
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if names(d.String()) {
			return token{dayName, int64(d)}, true
		}
	}
	return findWord([]wordRow{
		{token{monthName, 9}, "sept"}, {token{dayName, 2}, "tues"},
		{token{dayName, 3}, "wednes"}, {token{dayName, 4}, "thur thurs"},
	}, word)
}

// zoneWords are the abbreviations of zones by hours west of UTC, in standard time and in summer, an hour ahead.
var zoneWords = [...]struct {
	west             int64
	standard, summer string
}{
	{0, "gmt ut utc wet", "bst"},
	{1, "wat", ""},
	{2, "at", ""},
	{4, "ast", "adt"},
	{5, "est", "edt"},
	{6, "cst", "cdt"},
	{7, "mst", "mdt"},
	{8, "pst", "pdt"},
	{9, "yst", "ydt"},
	{10, "hst cat ahst", "hdt"},
	{11, "nt", ""},
	{12, "idlw", ""},
	{-1, "cet met mewt swt fwt", "mest sst fst"},
	{-2, "eet", ""},
	{-3, "bt", ""},
	{-7, "wast", "wadt"},
	{-8, "cct", ""},
	{-9, "jst", ""},
	{-10, "east gst", "eadt"},
	{-12, "nzt nzst idle", "nzdt"},
}

func zoneWord(word string) (token, bool) {
	for _, z := range zoneWords {
		switch {
		case listed(z.standard, word):
			return token{zoneName, z.west * 60}, true
		case listed(z.summer, word):
			return token{summerName, z.west * 60}, true
		}
	}
	return token{}, false
}

func unitWord(word string) (token, bool) {
	return findWord([]wordRow{
		{token{monthUnit, 12}, "year"},
		{token{monthUnit, 1}, "month"},
		{token{secondUnit, 14 * daySeconds}, "fortnight"},
		{token{secondUnit, 7 * daySeconds}, "week"},
		{token{secondUnit, daySeconds}, "day"},
		{token{secondUnit, 60 * 60}, "hour"},
		{token{secondUnit, 60}, "minute min"},
		{token{secondUnit, 1}, "second sec"},
	}, strings.TrimSuffix(word, "s"))
}

// otherWord knows the rest. The ordinal 2 has no word: "second" is the unit.
func otherWord(word string) (token, bool) {
	ordinals := strings.Fields("first next third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
	if i := slices.Index(ordinals, word); i >= 0 {
		return token{unsigned, int64(i + 1)}, true
	}
	return findWord([]wordRow{
		{token{half, 0}, "am a.m."},
		{token{half, 12}, "pm p.m."},
		{token{summerTime, 0}, "dst"},
		{token{dayUnit, 1}, "tomorrow"},
		{token{dayUnit, -1}, "yesterday"},
		{token{dayUnit, 0}, "today"},
		{token{secondUnit, 0}, "now this"},
		{token{unsigned, -1}, "last"},
		{token{agoWord, 0}, "ago"},
	}, word)
}

// militaryZone knows the zones of one letter: all but j.
func militaryZone(word string) (token, bool) {
	west, east := strings.Index("zabcdefghiklm", word), strings.Index("znopqrstuvwxy", word)
	if len(word) != 1 || west < 0 && east < 0 {
		return token{}, false
	}
	return token{zoneName, int64(max(west, 0)-max(east, 0)) * 60}, true
}
