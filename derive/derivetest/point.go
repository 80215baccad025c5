package derivetest

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"pmtools/lib/pcp"
)

// A point is one value as it is written: base + k*delta, a text, or nothing.
type point struct {
	none        bool
	quoted      bool
	base, delta string // delta "" is none
	k           int64
}

// maxPoints bounds the values of a file, of which repetition makes more than is written. A text counts as one for every
// 16 bytes.
const maxPoints = 1 << 20

const number = `-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`

// written is a number with a step, one that has no digits, or no value, and how often. It is compiled when it is needed:
// programs that run no cases do not wait for it.
var written = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(` + number + `)(?:([-+])(` + strings.TrimPrefix(number, "-?") + `))?|(nan|-?inf)|_)(?:x([0-9]+))?$`)
})

// points returns the values of a word, which take their room from left.
func points(w word, left *int) ([]point, error) {
	var p point
	times, repeat := "", 1
	switch m := written().FindStringSubmatch(w.text); {
	case w.quoted:
		p, times = point{quoted: true, base: w.text}, strings.TrimPrefix(w.more, "x")
		if w.more != "" && (w.more[0] != 'x' || times == "") {
			return nil, fmt.Errorf("%s after a quoted text; x3 would repeat it", w.more)
		}
	case m != nil:
		p, times = point{none: w.text[0] == '_', base: m[1] + m[4], delta: strings.TrimPrefix(m[2], "+") + m[3]}, m[5]
	default:
		return nil, fmt.Errorf("%s is not a value; valid forms are 5, 5x3 (four times 5), 0+10x3 (0 10 20 30), \"a text\", and _ for none", w.text)
	}
	if times != "" {
		n, err := strconv.Atoi(times)
		if err != nil {
			n = maxPoints
		}
		if repeat = min(n, maxPoints); !p.none {
			repeat++ // as promtool counts
		}
	}
	if *left -= repeat * (1 + len(p.base)/16); *left < 0 {
		return nil, fmt.Errorf("more than %d values in the file", maxPoints)
	}
	list := make([]point, repeat)
	for i := range list {
		list[i] = p
		list[i].k = int64(i)
	}
	return list, nil
}

func (p point) String() string {
	switch {
	case p.none:
		return "_"
	case p.quoted:
		return quoted(p.base)
	case p.delta == "" || p.k == 0:
		return p.base
	}
	if n, whole := p.integer(); whole {
		return n.String()
	}
	f, _ := p.float()
	return strconv.FormatFloat(f, 'f', max(p.digits(), 0), 64)
}

func (p point) digits() int {
	n := 0
	for _, text := range []string{p.base, p.delta} {
		mantissa, exp, _ := strings.Cut(strings.ToLower(text), "e")
		_, frac, _ := strings.Cut(mantissa, ".")
		e, _ := strconv.Atoi(exp)
		n = max(n, len(frac)-e)
	}
	return min(n, 400)
}

func (p point) integer() (*big.Int, bool) {
	n, whole := new(big.Int).SetString(p.base, 10)
	if whole && p.delta != "" {
		var d *big.Int
		if d, whole = new(big.Int).SetString(p.delta, 10); whole {
			n.Add(n, d.Mul(d, big.NewInt(p.k)))
		}
	}
	return n, whole
}

func (p point) float() (float64, error) {
	f, err := strconv.ParseFloat(p.base, 64)
	if err == nil && p.delta != "" {
		var d float64
		d, err = strconv.ParseFloat(p.delta, 64)
		f += float64(p.k) * d
	}
	return f, err
}

// value returns the point as a value of a type. Integers wrap around, as counters do.
func (p point) value(t pcp.Type) (pcp.Value, error) {
	if t == pcp.String {
		if !p.quoted {
			return pcp.Value{}, fmt.Errorf("%s is not a text in quotes", p.base)
		}
		return pcp.BlobValue(t, []byte(p.base)), nil
	}
	if p.quoted {
		return pcp.Value{}, fmt.Errorf("%q is not a number", p.base)
	}
	if t == pcp.Float || t == pcp.Double {
		f, err := p.float()
		if err != nil {
			return pcp.Value{}, fmt.Errorf("%s is out of range", p.base)
		}
		if t == pcp.Float {
			return pcp.FloatValue(float32(f)), nil
		}
		return pcp.DoubleValue(f), nil
	}
	n, whole := p.integer()
	if !whole {
		return pcp.Value{}, fmt.Errorf("%s is not an integer", p.base)
	}
	return pcp.WordValue(t, wrapped(t, n)), nil
}

func wrapped(t pcp.Type, n *big.Int) uint64 {
	w := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64() // two's complement
	switch t {
	case pcp.Int32:
		return uint64(int64(int32(w)))
	case pcp.Uint32:
		return uint64(uint32(w))
	}
	return w
}

// matches reports whether a value equals the written one. Integers and texts must be equal. A
// floating-point number must round to the written digits, such as 1.5; if these have no point, it
// may differ by less than one part in 10^9.
func (p point) matches(v pcp.Value) bool {
	if p.none || !v.IsSet() {
		return p.none == !v.IsSet()
	}
	if p.quoted || !v.Type().Arithmetic() {
		return p.quoted && !v.Type().Arithmetic() && string(v.Bytes()) == p.base
	}
	switch n, whole := p.integer(); v.Type() {
	case pcp.Float, pcp.Double:
		f, _ := v.Float64()
		return p.near(f)
	case pcp.Uint32, pcp.Uint64:
		u, _ := v.Uint64()
		return whole && n.IsUint64() && n.Uint64() == u
	default:
		i, _ := v.Int64()
		return whole && n.IsInt64() && n.Int64() == i
	}
}

func (p point) near(f float64) bool {
	want, err := p.float()
	limit := 1e-9 * math.Abs(want)
	if n := p.digits(); n > 0 {
		limit = 0.500_000_001 * math.Pow10(-n) // half of the last digit, and what binary fractions lack
	}
	limit += math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want) // what is written has been rounded, too
	return err == nil && (f == want || math.Abs(f-want) <= limit && !math.IsInf(want, 0) || math.IsNaN(f) && math.IsNaN(want))
}
