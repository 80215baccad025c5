package eval_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A source of choices that runs dry: then all are 0.
type choices struct {
	data     []byte
	extended bool
}

func (c *choices) byte() byte {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b
}

func (c *choices) n(limit int) int { return int(c.byte()) % limit }

func (c *choices) pick(list ...string) string { return list[c.n(len(list))] }

// fuzzMetrics are the operands of random expressions.
var fuzzMetrics = []string{
	"i32", "u32", "i64", "u64", "f", "d", "s", "i32s", "j32s", "u32s", "ds", "fs", "strs", "b.c", "k.c", "b", "k", "kx", "sec",
	"ms.c", "min.c", "u64c", "i64c", "i32c", "fc", "dc", "no.such",
}

// metric returns the name of an operand.
func (c *choices) metric() string { return c.pick(fuzzMetrics...) }

// expr returns a random expression; deeper ones need more choices.
func (c *choices) expr(depth int) string {
	if depth == 0 {
		switch c.n(4) {
		case 0:
			return c.pick("0", "1", "2", "0.5", "4294967295", "mkconst(3,type=32)", "mkconst(7,type=u64)", "mkconst(2,indom=60.1)",
				"mkconst(2,type=32,semantics=instant)", "mkconst(1,units=byte)", "mkconst(2.5,type=float)")
		default:
			return c.metric()
		}
	}
	sub := func() string { return c.expr(depth - 1) }
	if c.extended && c.n(2) == 0 {
		switch c.n(6) {
		case 4:
			return c.pick("sum(", "avg(", "min(", "max(", "count(", "median(", "stddev(", "quantile(.3,") + sub() + ") by (" + c.pick("a", "b", "a, b", "type") + ")"
		case 0:
			return c.pick("min", "max", "pow") + "(" + sub() + "," + sub() + ")"
		case 1:
			return "clamp(" + sub() + "," + c.pick("0", "1.5", sub()) + "," + c.pick("2", "7.25", sub()) + ")"
		case 2:
			return c.pick("topn(1,", "topn(2,", "bottomn(1,", "bottomn(3,", "quantile(0,", "quantile(.3,", "quantile(0.9,", "quantile(1,", "median(", "stddev(") + sub() + ")"
		case 3:
			return c.pick("smooth(", "avg_over(", "max_over(", "min_over(", "shift(", "quantile_over(0.7,", "quantile_over(0,") + sub() + "," +
				c.pick("1s", "2s", "2500msec", "1min") + ")"
		}
		return c.pick("abs", "ceil", "exp", "floor", "ln", "round", "sqrt", "sum", "avg", "min", "max", "count") + "(" + sub() + ")"
	}
	switch c.n(12) {
	case 0, 1, 2:
		return "(" + sub() + ")" + c.pick("+", "-", "*", "/", "<", "<=", "==", ">=", ">", "!=", "&&", "||") + "(" + sub() + ")"
	case 3:
		return c.pick("-", "!") + "(" + sub() + ")"
	case 4:
		return c.pick("avg", "sum", "min", "max", "count") + "(" + c.metric() + ")"
	case 5:
		return c.pick("delta", "rate") + "(" + c.metric() + ")"
	case 6:
		return c.pick("delta", "rate", "instant", "scalar") + "(" + sub() + ")"
	case 7:
		return "(" + sub() + ")[" + c.pick("one", "two", "three", "i6", "nosuch") + "]"
	case 8:
		return "matchinst(" + c.pick("", "!") + c.pick("/^t/", "/i/", "/[0-9]$/") + ",(" + sub() + "))"
	case 9:
		return `rescale((` + sub() + `),"` + c.pick("Kbyte", "byte", "sec", "count", "millisec") + `")`
	case 10:
		return "(" + sub() + ") ? (" + sub() + ") : " + c.pick("novalue()", "("+sub()+")")
	}
	return c.pick("defined("+c.metric()+")", "("+sub()+")", "1 ? ("+sub()+") : ("+sub()+")", "instant("+sub()+")")
}

// column returns random values for a metric.
func (c *choices) column(d pcp.Desc) *pcp.Values {
	v := &pcp.Values{ID: d.ID, Type: d.Type}
	kind := c.n(16)
	if kind == 0 {
		v.Err = [...]pmerr.Code{pmerr.Again, pmerr.Value}[c.n(2)]
		return v
	}
	insts := []int32{pcp.NullInst}
	if d.InDom != pcp.NullInDom {
		insts = [...][]int32{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {3, 1}, {2, 4, 6, 1}, {77777, 2}, {}}[c.n(7)]
		if kind == 2 {
			insts = nil
			for i := range int32(40) {
				// Each instance is there once at most.
				if inst := (i*7 + int32(c.n(5)*20)) % 200; !slices.Contains(insts, inst) {
					insts = append(insts, inst)
				}
			}
		}
	} else if kind == 1 {
		insts = nil
	}
	for i, inst := range insts {
		v.Insts = append(v.Insts, inst)
		if !d.Type.Arithmetic() {
			v.Blobs = append(v.Blobs, []byte(c.pick("x", "", "text")))
			continue
		}
		v.Words = append(v.Words, c.word(d.Type))
		if c.byte() == 255 {
			v.Odd = make([]pcp.Odd, len(insts))
			v.Odd[i].Bad = true
		}
	}
	return v
}

// word returns a random number, often a special one.
func (c *choices) word(t pcp.Type) uint64 {
	var raw [8]byte
	b := c.byte()
	switch {
	case b < 128:
		raw[0] = b % 16
	case b < 160:
		return goWord(t, goConvert([...]int32{-1, math.MaxInt32, math.MinInt32, 0}[b%4], t)).Word()
	default:
		for i := range raw {
			raw[i] = c.byte()
		}
	}
	w := binary.LittleEndian.Uint64(raw[:])
	switch t {
	case pcp.Int32:
		return uint64(int64(int32(w)))
	case pcp.Uint32:
		return uint64(uint32(w))
	case pcp.Float:
		if b < 128 {
			return uint64(math.Float32bits(float32(w) / 2))
		}
		return uint64(uint32(w))
	case pcp.Double:
		if b < 128 {
			return math.Float64bits(float64(w) / 2)
		}
	}
	return w
}

// equal compares what the two evaluators found; all NaNs are the same.
func equal(got *pcp.Values, want naiveColumn) bool {
	if pmerr.Of(got.Err) != want.err || want.err == 0 && len(got.Insts) != len(want.vals) {
		return false
	}
	for i := range got.Insts {
		v, w := goValue(got, i), want.vals[i].v
		if got.Insts[i] != want.vals[i].inst || v != w && !(v != v && w != w) {
			return false
		}
	}
	return true
}

// texts writes columns.
func texts(cols []*pcp.Values) string {
	var b strings.Builder
	for _, v := range cols {
		fmt.Fprintln(&b, *v)
	}
	return b.String()
}

// FuzzEval compares the evaluator with the naive one on random expressions and columns, over
// several samples.
func FuzzEval(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte("some letters that become an expression and values of all kinds"), uint8(2))
	for i := range 24 {
		f.Add([]byte{byte(i), 1, 3, 7, byte(i * 5), 8, 130, 7, 200, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1}, uint8(i))
	}
	w := newWorld(oneWorld)
	f.Fuzz(func(t *testing.T, data []byte, depth uint8) {
		language := check.Language(depth / 5 % 2)
		c := &choices{data, language == check.Extended}
		expr := c.expr(int(depth % 5))
		if len(expr) > 5000 {
			return
		}
		e, err := language.Syntax().Parse(expr)
		if err != nil {
			if strings.Contains(expr, "/)") {
				return
			}
			t.Fatalf("%s: %v", expr, err)
		}
		info, err := check.Check(e, w, &check.Options{NoValue: depth%2 == 0})
		if err != nil {
			return
		}
		state, second := eval.New(e, info).NewState(), newNaive(info)
		var dst pcp.Values
		for i := range int64(5) {
			in := &eval.Input{Time: pcp.Timestamp{Sec: i * i}, Instances: &names{}, Groups: grouper{version: int(i)/2 + 1}}
			for _, id := range info.Operands {
				d, _ := w.Describe(id)
				in.Columns = append(in.Columns, c.column(d))
			}
			before := texts(in.Columns)
			state.Eval(in, &dst)
			second.in = in
			if want := second.eval(e); !equal(&dst, want) {
				t.Fatalf("%s: sample %d: %s, but naively %s", expr, i, text(&dst), naiveText(want))
			}
			if after := texts(in.Columns); after != before {
				t.Fatalf("%s: the input was changed", expr)
			}
		}
	})
}
