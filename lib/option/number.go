package option

import (
	"errors"
	"strconv"
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
	number := strings.TrimLeft(text, space)
	i := 0
	if number != "" && (number[0] == '-' || number[0] == '+') {
		i = 1
	}
	for i < len(number) && '0' <= number[i] && number[i] <= '9' {
		i++
	}
	// Beyond 64 bits the result is the number nearest to it.
	n, err := strconv.ParseInt(number[:i], 10, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, text
	}
	return n, number[i:]
}
