package option

import (
	"math"
	"strings"
)

// Number reads a decimal number as the reference does with strtol and an int:
// blanks and a sign may precede it, no text at all is 0, and a number beyond 64
// bits is cut. The second result is false if something else is in the text.
func Number(text string) (int, bool) {
	n, rest := LeadingNumber(text)
	return int(int32(n)), rest == ""
}

// LeadingNumber returns the number at the beginning of a text and what follows
// it; without a number that is the text itself.
func LeadingNumber(text string) (n int64, rest string) {
	digits := strings.TrimLeft(text, " \t\n\v\f\r")
	negative := false
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		negative = digits[0] == '-'
		digits = digits[1:]
	}
	i := 0
	for ; i < len(digits) && '0' <= digits[i] && digits[i] <= '9'; i++ {
		d := int64(digits[i] - '0')
		if n < (math.MinInt64+d)/10 {
			n = math.MinInt64
		} else {
			n = n*10 - d // downwards, so that the smallest number fits
		}
	}
	switch {
	case i == 0:
		return 0, text
	case negative:
		return n, digits[i:]
	case n == math.MinInt64:
		return math.MaxInt64, digits[i:]
	}
	return -n, digits[i:]
}
