package option

import (
	"errors"
	"strconv"
	"strings"

	"pmtools/internal/ctext"
)

// Number parses a decimal number as the reference does with strtol and an int: blanks and a sign
// may precede it, the empty text is 0, and a number beyond 64 bits saturates before it is cut to
// 32. The second result is false if there is other text.
func Number(text string) (int, bool) {
	n, rest := LeadingNumber(text)
	return int(int32(n)), rest == ""
}

// LeadingNumber returns the number at the beginning of a text and the rest of the text; if there is
// no number, the rest is the whole text.
func LeadingNumber(text string) (n int64, rest string) {
	number := strings.TrimLeft(text, ctext.Space)
	i := 0
	if number != "" && (number[0] == '-' || number[0] == '+') {
		i = 1
	}
	for i < len(number) && ctext.IsDigit(number[i]) {
		i++
	}
	// Beyond 64 bits the result is the number nearest to it.
	n, err := strconv.ParseInt(number[:i], 10, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, text
	}
	return n, number[i:]
}
