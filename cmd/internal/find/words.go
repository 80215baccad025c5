package find

import "strings"

// words calls f for each word of a text, in lower case: a run of letters and digits.
func words(text string, f func(word string)) {
	start := -1
	for i := 0; i <= len(text); i++ {
		switch {
		case i < len(text) && wordByte(text[i]):
			if start < 0 {
				start = i
			}
		case start >= 0:
			f(strings.ToLower(text[start:i]))
			start = -1
		}
	}
}

// wordByte reports whether a byte is part of a word. All bytes of characters beyond ASCII are.
func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// stop has the words that say nothing about a metric. In names they count.
var stop = setOf(`a about all am an and any are as at be by can do does for from has have how i if in into is it its
	many me metric metrics most much my number of on or per show shows than that the their there these this those to tell use uses using
	value values was what when where which who why will with`)

// setOf returns the words of a text.
func setOf(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// stem returns what the forms of a word have in common: "disks" and "disk" are one stem, and so are
// "queue", "queued" and "queueing". It need not be a word itself. Forms that are spelled alike by
// chance ("caring", "cars") may share a stem.
func stem(w string) string {
	w = singular(w)
	for _, end := range []string{"ing", "ed"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) >= 2 && vowel(base) && !strings.HasSuffix(w, "eed") {
			w = undouble(base)
			break
		}
	}
	if len(w) > 2 && w[len(w)-1] == 'e' {
		w = w[:len(w)-1]
	}
	return w
}

// singular removes the ending of a plural.
func singular(w string) string {
	n := len(w)
	switch {
	case n < 4 || w[n-1] != 's' || w[n-2] == 's' || w[n-2] == 'u' || w[n-2] == 'i':
		return w
	case strings.HasSuffix(w, "ies") && n > 4:
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		return w[:n-2]
	}
	return w[:n-1]
}

// vowel reports whether a text has a vowel: the end of "string" is not that of a verb.
func vowel(w string) bool { return strings.ContainsAny(w, "aeiouy") }

// undouble makes one of two equal consonants at the end: "swapping" is of "swap". Words like "fill"
// and "miss" keep theirs.
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
