package when

import "strings"

// classify returns the token that a word in lower case stands for (values.md
// V13.4). Months and days go before zones, zones before units; single letters
// that are nothing else are military zones.
func classify(word string) token {
	switch word {
	case "am", "a.m.":
		return token{half, 0}
	case "pm", "p.m.":
		return token{half, 12}
	case "dst":
		return token{summerTime, 0}
	}
	if t, ok := calendarWord(word); ok {
		return t
	}
	if t, ok := zoneWord(word); ok {
		return t
	}
	if t, ok := unitWord(word); ok {
		return t
	}
	if t, ok := unitWord(strings.TrimSuffix(word, "s")); ok {
		return t
	}
	if t, ok := otherWord(word); ok {
		return t
	}
	if t, ok := militaryZone(word); ok {
		return t
	}
	if bare := strings.ReplaceAll(word, ".", ""); bare != word {
		if t, ok := zoneWord(bare); ok {
			return t
		}
	}
	return token{}
}

// calendarWord knows the names of months and days: in full, the first three
// letters with or without a dot, and a few longer abbreviations.
func calendarWord(word string) (token, bool) {
	short := word
	if len(word) == 4 && word[3] == '.' {
		short = word[:3]
	}
	if len(short) == 3 {
		if n, _ := scanAbbrev(short, 0, months); n > 0 {
			return token{monthName, int64(n)}, true
		}
		if n, _ := scanAbbrev(short, 0, weekdays); n > 0 {
			return token{dayName, int64(n - 1)}, true
		}
		return token{}, false
	}
	for i, name := range []string{"january", "february", "march", "april", "may", "june", "july", "august",
		"september", "october", "november", "december"} {
		if word == name {
			return token{monthName, int64(i + 1)}, true
		}
	}
	for i, name := range []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"} {
		if word == name {
			return token{dayName, int64(i)}, true
		}
	}
	switch word {
	case "sept":
		return token{monthName, 9}, true
	case "tues":
		return token{dayName, 2}, true
	case "wednes":
		return token{dayName, 3}, true
	case "thur", "thurs":
		return token{dayName, 4}, true
	}
	return token{}, false
}

// zoneWord knows the abbreviations of zones, by hours west of UTC.
func zoneWord(word string) (token, bool) {
	hours := func(k kind, h int64) (token, bool) { return token{k, h * 60}, true }
	switch word {
	case "gmt", "ut", "utc", "wet":
		return hours(zoneName, 0)
	case "bst":
		return hours(summerName, 0)
	case "wat":
		return hours(zoneName, 1)
	case "at":
		return hours(zoneName, 2)
	case "ast":
		return hours(zoneName, 4)
	case "adt":
		return hours(summerName, 4)
	case "est":
		return hours(zoneName, 5)
	case "edt":
		return hours(summerName, 5)
	case "cst":
		return hours(zoneName, 6)
	case "cdt":
		return hours(summerName, 6)
	case "mst":
		return hours(zoneName, 7)
	case "mdt":
		return hours(summerName, 7)
	case "pst":
		return hours(zoneName, 8)
	case "pdt":
		return hours(summerName, 8)
	case "yst":
		return hours(zoneName, 9)
	case "ydt":
		return hours(summerName, 9)
	case "hst", "cat", "ahst":
		return hours(zoneName, 10)
	case "hdt":
		return hours(summerName, 10)
	case "nt":
		return hours(zoneName, 11)
	case "idlw":
		return hours(zoneName, 12)
	}
	return eastZoneWord(word)
}

// eastZoneWord is zoneWord for zones east of UTC.
func eastZoneWord(word string) (token, bool) {
	hours := func(k kind, h int64) (token, bool) { return token{k, -h * 60}, true }
	switch word {
	case "cet", "met", "mewt", "swt", "fwt":
		return hours(zoneName, 1)
	case "mest", "sst", "fst":
		return hours(summerName, 1)
	case "eet":
		return hours(zoneName, 2)
	case "bt":
		return hours(zoneName, 3)
	case "wast":
		return hours(zoneName, 7)
	case "wadt":
		return hours(summerName, 7)
	case "cct":
		return hours(zoneName, 8)
	case "jst":
		return hours(zoneName, 9)
	case "east", "gst":
		return hours(zoneName, 10)
	case "eadt":
		return hours(summerName, 10)
	case "nzt", "nzst", "idle":
		return hours(zoneName, 12)
	case "nzdt":
		return hours(summerName, 12)
	}
	return token{}, false
}

// unitWord knows the units of relative times.
func unitWord(word string) (token, bool) {
	const day = 24 * 60 * 60
	switch word {
	case "year":
		return token{monthUnit, 12}, true
	case "month":
		return token{monthUnit, 1}, true
	case "fortnight":
		return token{secondUnit, 14 * day}, true
	case "week":
		return token{secondUnit, 7 * day}, true
	case "day":
		return token{secondUnit, day}, true
	case "hour":
		return token{secondUnit, 60 * 60}, true
	case "minute", "min":
		return token{secondUnit, 60}, true
	case "second", "sec":
		return token{secondUnit, 1}, true
	}
	return token{}, false
}

// otherWord knows relative days and the words that stand for numbers. There is
// no word for 2 but next: second is the unit.
func otherWord(word string) (token, bool) {
	switch word {
	case "tomorrow":
		return token{dayUnit, 1}, true
	case "yesterday":
		return token{dayUnit, -1}, true
	case "today":
		return token{dayUnit, 0}, true
	case "now", "this":
		return token{secondUnit, 0}, true
	case "last":
		return token{unsigned, -1}, true
	case "next":
		return token{unsigned, 2}, true
	case "ago":
		return token{agoWord, 0}, true
	}
	for i, name := range []string{"first", "next", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
		"ninth", "tenth", "eleventh", "twelfth"} {
		if word == name {
			return token{unsigned, int64(i + 1)}, true
		}
	}
	return token{}, false
}

// militaryZone knows the zones of one letter; there is no j.
func militaryZone(word string) (token, bool) {
	if len(word) != 1 {
		return token{}, false
	}
	switch c := int64(word[0]); {
	case c >= 'a' && c <= 'i':
		return token{zoneName, (c - 'a' + 1) * 60}, true
	case c >= 'k' && c <= 'm':
		return token{zoneName, (c - 'k' + 10) * 60}, true
	case c >= 'n' && c <= 'y':
		return token{zoneName, -(c - 'n' + 1) * 60}, true
	case c == 'z':
		return token{zoneName, 0}, true
	}
	return token{}, false
}
