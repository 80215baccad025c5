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

// FullDigits is the text of format.Full.
const FullDigits = "full"

// MaxPrecision is how many digits after the point may be asked for.
const MaxPrecision = 40

// ParsePrecision reads a number of digits after the point, full or auto.
func ParsePrecision(text string) (*int, error) {
	n, err := strconv.Atoi(text)
	switch {
	case text == "auto":
		return nil, nil
	case text == FullDigits:
		n = format.Full
	case err != nil || n < 0 || n > MaxPrecision:
		return nil, fmt.Errorf("a precision is a number of digits from 0 to %d, or full, not '%s'", MaxPrecision, text)
	}
	return &n, nil
}

// PrecisionText returns the text that ParsePrecision reads as the Precision.
func (n *Numbers) PrecisionText() string {
	switch {
	case n.Precision == nil:
		return "auto"
	case *n.Precision == format.Full:
		return FullDigits
	}
	return strconv.Itoa(*n.Precision)
}
