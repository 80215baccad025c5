package repl

import (
	"fmt"
	"strconv"

	"pmtools/lib/format"
)

// Numbers says how numbers are shown to people.
type Numbers struct {
	Precision *int  // digits after the point, or format.Full; nil means four significant digits
	Scale     *bool // values are in units in which they are readable; nil means so unless there is a Precision
	Percent   bool  // ratios are multiplied by 100
}

// Form returns the form of numbers.
func (n *Numbers) Form() format.NumberForm {
	f := format.NumberForm{Precision: format.Readable, Scale: n.Precision == nil, Percent: n.Percent}
	if n.Precision != nil {
		f.Precision = *n.Precision
	}
	if n.Scale != nil {
		f.Scale = *n.Scale
	}
	return f
}

// allDigits is the text of format.Full.
const allDigits = "full"

// maxPrecision is how many digits after the point may be asked for.
const maxPrecision = 40

// setPrecision reads a number of digits after the point, full or auto.
func (n *Numbers) setPrecision(text string) error {
	digits, err := strconv.Atoi(text)
	switch {
	case text == auto:
		n.Precision = nil
		return nil
	case text == allDigits:
		digits = format.Full
	case err != nil || digits < 0 || digits > maxPrecision:
		return fmt.Errorf("a precision is a number of digits from 0 to %d, or full, not '%s'", maxPrecision, text)
	}
	n.Precision = &digits
	return nil
}

// precision returns the text that setPrecision reads as the Precision.
func (n *Numbers) precision() string {
	switch {
	case n.Precision == nil:
		return auto
	case *n.Precision == format.Full:
		return allDigits
	}
	return strconv.Itoa(*n.Precision)
}
