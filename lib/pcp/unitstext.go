package pcp

import "strconv"

var (
	spaceNames = [...]string{"byte", "Kbyte", "Mbyte", "Gbyte", "Tbyte", "Pbyte", "Ebyte", "Zbyte", "Ybyte"}
	timeNames  = [...]string{"nanosec", "microsec", "millisec", "sec", "min", "hour"}
)

// extraKind is one kind of extra unit: its name and its scales, the first of which is number 1.
type extraKind struct {
	name   string
	scales []string
}

var extraKinds = [...]extraKind{
	Temperature: {"temperature", []string{"C", "F", "K"}},
	Voltage:     {"voltage", []string{"V", "mV", "uV"}},
	Current:     {"current", []string{"A", "mA", "uA"}},
	Power:       {"power", []string{"kW", "W", "mW", "uW"}},
}

// extraOf returns the kind of u's extra unit, nil for an unknown one, and its number without the sign.
func extraOf(u Units) (*extraKind, int) {
	n := max(int(u.Extra), -int(u.Extra))
	if n == 0 || n >= len(extraKinds) {
		return nil, n
	}
	return &extraKinds[n], n
}

// Dimensionless reports whether u has neither a dimension nor an extra unit. It may still have a
// count scale.
func (u Units) Dimensionless() bool {
	return u.DimSpace == 0 && u.DimTime == 0 && u.DimCount == 0 && u.Extra == 0
}

// String returns u as pmUnitsStr gives it ("Mbyte / sec"), and for dimensionless units the empty string,
// which descriptions show as "none".
func (u Units) String() string {
	var buf [64]byte
	return string(u.Append(buf[:0]))
}

// Append appends the text of u to dst.
func (u Units) Append(dst []byte) []byte {
	start := len(dst)
	dst = u.appendSide(dst, 1, start)
	if u.Extra < 0 || u.DimSpace < 0 || u.DimTime < 0 || u.DimCount < 0 {
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		dst = append(dst, '/')
		dst = u.appendSide(dst, -1, start)
	}
	if len(dst) == start && u.ScaleCount != 0 {
		dst = appendCountName(dst, u.ScaleCount)
	}
	return dst
}

// appendSide appends the parts of u whose dimensions have a sign, with blanks between them.
func (u Units) appendSide(dst []byte, sign int8, start int) []byte {
	part := func(dim int8) bool {
		if int(dim)*int(sign) <= 0 {
			return false
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		return true
	}
	power := func(dim int8) {
		if n := int64(dim) * int64(sign); n != 1 {
			dst = strconv.AppendInt(append(dst, '^'), n, 10)
		}
	}
	if part(u.Extra) {
		dst = appendExtraName(dst, u)
	}
	if part(u.DimSpace) {
		dst = appendScaleName(dst, spaceNames[:], "space-", u.ScaleSpace)
		power(u.DimSpace)
	}
	if part(u.DimTime) {
		dst = appendScaleName(dst, timeNames[:], "time-", u.ScaleTime)
		power(u.DimTime)
	}
	if part(u.DimCount) {
		dst = appendCountName(dst, u.ScaleCount)
		power(u.DimCount)
	}
	return dst
}

func appendScaleName(dst []byte, names []string, prefix string, scale int8) []byte {
	if scale >= 0 && int(scale) < len(names) {
		return append(dst, names[scale]...)
	}
	return strconv.AppendInt(append(dst, prefix...), int64(scale), 10)
}

func appendCountName(dst []byte, scale int8) []byte {
	dst = append(dst, "count"...)
	switch scale {
	case 0:
		return dst
	case 1:
		return append(dst, " x 10"...)
	}
	return strconv.AppendInt(append(dst, " x 10^"...), int64(scale), 10)
}

// appendExtraName appends the extra unit and its scale. The reference cuts "temperature (scale-4)" by two
// characters.
func appendExtraName(dst []byte, u Units) []byte {
	kind, n := extraOf(u)
	if kind == nil {
		return strconv.AppendInt(append(dst, "extra-"...), int64(n), 10)
	}
	dst = append(append(dst, kind.name...), " ("...)
	if s := u.ExtraScale; s >= 1 && int(s) <= len(kind.scales) {
		dst = append(dst, kind.scales[s-1]...)
	} else {
		dst = strconv.AppendInt(append(dst, "scale-"...), int64(s), 10)
	}
	return append(dst, ')')
}
