package format

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
)

// Values of NumberForm.Precision besides numbers of digits after the point.
const (
	Full     = -1 // as many digits as distinguish a number from others of its type
	Readable = -2 // four significant digits, without zeros at the end
)

// A NumberForm says how numbers are shown to people.
type NumberForm struct {
	Precision int    // digits after the point, Full or Readable
	Scale     bool   // the unit is chosen so that numbers have one to four digits before the point
	Percent   bool   // ratios are multiplied by 100
	Running   bool   // more values come below the first ones: there is room for them
	Unit      string // of the numbers, which are in it; "" for that of their metric
}

// A Magnitude is the largest absolute value of some numbers, and the least that is not 0: they decide the
// unit in which the numbers are shown.
type Magnitude struct{ Most, Least float64 }

// Note takes a value into account; infinite ones, and those that are not numbers, do not count.
func (m *Magnitude) Note(v pcp.Value) {
	f, err := v.Float64()
	if abs := math.Abs(f); err == nil && v.Type().Arithmetic() && abs > 0 && abs <= math.MaxFloat64 {
		m.Most = max(m.Most, abs)
		if m.Least == 0 || abs < m.Least {
			m.Least = abs
		}
	}
}

// Numbers show the values of one metric in one unit, aligned at the decimal point.
type Numbers struct {
	Unit string // beside the values; "" for none

	form   NumberForm
	units  pcp.Units // of the metric
	fixed  bool      // they do not change
	factor float64
	whole  bool // integers in the unit of the metric
	group  bool // thousands are separated
	places int  // most digits after the point of a readable number
	before int  // width of the values that Fit has seen, before the point
	after  int  // from the point on
	other  int  // width of those with an exponent
	text   []byte
}

// Numbers returns the Numbers of a metric whose values have a size. Fixed units stay as they are.
func (f NumberForm) Numbers(d *pcp.Desc, fixed bool, size Magnitude) Numbers {
	n := Numbers{form: f, units: d.Units, fixed: fixed || !f.Scale || f.Precision != Readable, factor: 1}
	if !d.Type.Arithmetic() {
		return n
	}
	float := d.Type == pcp.Float || d.Type == pcp.Double
	n.group = f.Precision == Readable && (float || d.Sem != pcp.Discrete || !d.Units.Dimensionless())
	unit := d.Units
	switch prefix := ""; {
	case f.Unit != "":
		n.fixed, n.Unit = true, f.Unit
	case d.Units.Dimensionless() && float && f.Percent:
		n.factor, n.Unit = 100, "%"
	case f.Scale && !fixed:
		unit, prefix, n.factor = readableUnit(unit, size)
		n.Unit = UnitText(unit, prefix)
	default:
		n.Unit = UnitText(unit, "")
	}
	n.whole = !float && n.factor == 1
	if n.places = mostPlaces; f.Running {
		n.places = runningPlaces(size.Most * n.factor)
		n.reserve()
	}
	return n
}

// mostPlaces is how many digits after the point a number has at most.
const mostPlaces = 6

// runningPlaces returns how many digits after the point the numbers of a running table have at most, by
// the largest of the first ones.
func runningPlaces(most float64) int {
	switch {
	case most >= 0.1 || most == 0:
		return 3
	case most >= 0.01:
		return 4
	}
	return 5
}

// Adapts reports whether the unit may change with the size of the numbers.
func (n *Numbers) Adapts() bool { return !n.fixed }

// Outgrown reports whether numbers are far from the size that the unit was chosen for, and another unit
// is readable.
func (n *Numbers) Outgrown(size Magnitude) bool {
	f := size.Most * n.factor
	if n.fixed || f < 1e6 && f >= 1e-3 || size.Most == 0 {
		return false
	}
	_, _, factor := readableUnit(n.units, size)
	return factor != n.factor
}

// Append appends a value.
func (n *Numbers) Append(dst []byte, v pcp.Value) []byte {
	t := v.Type()
	switch {
	case !v.IsSet() || !t.Arithmetic() || n.form.Precision == Full && n.factor == 1, n.whole && !n.group:
		return AppendPlain(dst, v, n.form.Precision)
	case n.whole:
		n.text = AppendPlain(n.text[:0], v, Full)
		return appendGrouped(dst, n.text)
	}
	f, _ := v.Float64() // it is arithmetic
	return n.AppendFloat(dst, f)
}

// Scaled returns a number, which has not been multiplied by the factor of the unit, in the unit.
func (n *Numbers) Scaled(f float64) float64 { return f * n.factor }

// AppendFloat appends a number that has not been multiplied by the factor of the unit.
func (n *Numbers) AppendFloat(dst []byte, f float64) []byte {
	f = n.Scaled(f)
	switch {
	case n.form.Precision >= 0:
		return AppendFixed(dst, f, 1, n.form.Precision)
	case n.form.Precision == Full || f == 0:
		return AppendShort(dst, f+0, 64)
	}
	return n.appendReadable(dst, f)
}

// Numbers outside these bounds may have an exponent.
const (
	leastFixed = 1e-3
	mostFixed  = 1e15
)

// appendReadable appends a number with four significant digits, but with all digits of its integer
// part, and with no more digits after the point than the column. A number that would be shown as 0
// gets an exponent.
func (n *Numbers) appendReadable(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	places, least := 4, 0.5
	for limit := 1.0; abs >= limit && places > 0; limit *= 10 {
		places--
	}
	for limit := 0.1; abs < limit && places < n.places; limit /= 10 {
		places++
	}
	places = min(places, n.places)
	for range places {
		least /= 10
	}
	if !n.form.Running {
		least = leastFixed
	}
	if !(abs >= least) || abs >= mostFixed {
		return appendMantissa(dst, f, n.form.Running)
	}
	n.text = AppendFixed(n.text[:0], f, 1, places)
	text := n.text
	if places > 0 {
		text = bytes.TrimRight(bytes.TrimRight(text, "0"), ".")
	}
	if n.group {
		return appendGrouped(dst, text)
	}
	return append(dst, text...)
}

// appendMantissa appends a number with an exponent and four digits, or two to save room; NaN or an
// infinity.
func appendMantissa(dst []byte, f float64, short bool) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return strconv.AppendFloat(dst, f, 'g', -1, 64)
	case short:
		return strconv.AppendFloat(dst, f, 'e', 1, 64)
	}
	return pcp.AppendG(dst, f, 4)
}

// fewestGrouped is from how many digits before the point on thousands are separated.
const fewestGrouped = 5

// appendGrouped appends a number with a comma before each three digits that end its integer.
func appendGrouped(dst, text []byte) []byte {
	whole := text
	if i := bytes.IndexByte(text, '.'); i >= 0 {
		whole = text[:i]
	}
	digits := len(whole)
	if digits > 0 && whole[0] == '-' {
		digits--
	}
	if digits < fewestGrouped {
		return append(dst, text...)
	}
	for i, c := range text {
		if left := len(whole) - i; left > 0 && left%3 == 0 && left < digits {
			dst = append(dst, ',')
		}
		dst = append(dst, c)
	}
	return dst
}

// Fit makes room for a value, and returns the width of the column then.
func (n *Numbers) Fit(v pcp.Value) int {
	var room [64]byte
	if before, after, ok := pointed(n.Append(room[:0], v)); ok {
		n.before, n.after = max(n.before, before), max(n.after, after)
	} else {
		n.other = max(n.other, before)
	}
	return n.width()
}

// width returns the width of the column.
func (n *Numbers) width() int { return max(n.before+n.after, n.other) }

// pointed returns the widths of a number before its decimal point and from it on. A number that has an
// exponent has no place for its point.
func pointed(text []byte) (before, after int, ok bool) {
	point := len(text)
	for i, c := range text {
		switch c {
		case 'e':
			return len(text), 0, false
		case '.':
			point = i
		}
	}
	return point, len(text) - point, true
}

// Align makes the points of several columns stand below each other, and returns the width of them all.
func Align(list []Numbers) (width int) {
	before, after, other := 0, 0, 0
	for i := range list {
		before, after, other = max(before, list[i].before), max(after, list[i].after), max(other, list[i].other)
	}
	for i := range list {
		list[i].before, list[i].after, list[i].other = before, after, other
		width = list[i].width()
	}
	return width
}

// reserve makes room for numbers of the usual sizes.
func (n *Numbers) reserve() {
	switch {
	case n.whole:
		n.before = 6
	case n.form.Precision >= 0:
		n.before, n.after = 5, n.form.Precision+1
	case n.form.Precision == Readable:
		n.before, n.after = 6-n.places, 1+n.places
	default:
		n.before = 8
	}
}

// AppendAligned appends a value in a column of the given width, with aligned decimal points while
// numbers fit the column.
func (n *Numbers) AppendAligned(dst []byte, v pcp.Value, width int) []byte {
	start := len(dst)
	dst = n.Append(dst, v)
	if before, after, ok := pointed(dst[start:]); ok {
		for range min(n.after-after, width-before-after) {
			dst = append(dst, ' ')
		}
	}
	return alignRight(dst, start, width)
}

// unitNames makes the text of units short, and such that ParseUnits understands most of it.
func unitNames() *strings.Replacer {
	return strings.NewReplacer("nanosec", "ns", "microsec", "us", "millisec", "ms", "sec", "s", " / ", "/", "/ ", "/",
		"count x 10^3", "kcount", "count x 10^6", "Mcount")
}

// UnitText returns the text of units for people: "Mbyte/s". The prefix of a count, k to P, stands before it.
func UnitText(u pcp.Units, prefix string) string {
	if u == (pcp.Units{}) {
		return ""
	}
	text := unitNames().Replace(u.String())
	if prefix != "" {
		text = strings.Replace(text, "count", prefix+"count", 1)
	}
	return text
}

// countPrefixes stand for powers of 1000.
var countPrefixes = [...]string{"", "k", "M", "G", "T", "P"}

// Bounds of numbers that stay in their unit.
const (
	leastReadable = 1
	mostReadable  = 10000
)

// readableUnit returns the unit in which numbers of some units are readable, and the factor to it: the
// largest unit in which the largest number is at least 1 or, if its integer has up to four digits there, a
// smaller one in which the least number is at least 1 too. The dimension that changes has the power 1; a
// count gets a prefix instead.
func readableUnit(u pcp.Units, size Magnitude) (to pcp.Units, prefix string, factor float64) {
	if size.Most == 0 || leastReadable <= size.Most && size.Most < mostReadable {
		return u, "", 1
	}
	switch to = u; {
	case u.DimSpace == 1:
		to.ScaleSpace = pcp.Ebyte
		to, factor = largestUnit(u, to, func(u *pcp.Units) *int8 { return &u.ScaleSpace }, size)
		return to, "", factor
	case u.DimSpace != 0:
	case u.DimTime == 1:
		to.ScaleTime = pcp.Hour
		to, factor = largestUnit(u, to, func(u *pcp.Units) *int8 { return &u.ScaleTime }, size)
		return to, "", factor
	case u.DimCount == 1 && u.DimTime <= 0 && u.Extra == 0 && u.ScaleCount == 0:
		for power := len(countPrefixes) - 1; power > 0; power-- {
			if factor = math.Pow10(-3 * power); size.fills(factor, factor*1000) {
				return u, countPrefixes[power], factor
			}
		}
	}
	return u, "", 1
}

// fills reports whether numbers are readable in a unit, and not more so in the next smaller one, by the
// factors to these.
func (m Magnitude) fills(factor, smaller float64) bool {
	return m.Most*factor >= leastReadable && (m.Least*factor >= leastReadable || m.Most*smaller >= mostReadable)
}

// largestUnit lowers the scale of to until the numbers are large enough for it.
func largestUnit(from, to pcp.Units, scale func(*pcp.Units) *int8, size Magnitude) (pcp.Units, float64) {
	factor := func(to pcp.Units) float64 {
		s, err := pcp.NewScaler(pcp.Double, from, to)
		if err != nil {
			return 0
		}
		return math.Float64frombits(s.Word(math.Float64bits(1)))
	}
	for f := factor(to); ; {
		smaller := to
		*scale(&smaller)--
		if *scale(&to) == 0 {
			return to, f
		}
		g := factor(smaller)
		if size.fills(f, g) {
			return to, f
		}
		to, f = smaller, g
	}
}
