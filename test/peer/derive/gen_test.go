package derive

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A generator makes random expressions over some metrics of a world. It keeps what is well-formed
// and puts it together to something larger.
type generator struct {
	*rand.Rand
	w       *world
	metrics []*metric // a few that go together
	pool    []operand
	syntax  *syntax.Config
}

// An operand is a well-formed expression.
type operand struct {
	text string
	typ  check.Type
	atom bool // no parentheses needed
}

// newGenerator returns a generator. The same seed and number make the same expressions.
func newGenerator(w *world, seed, number uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, number)), w: w, syntax: check.Syntax()}
	g.choose()
	for _, m := range g.metrics {
		g.keep(m.name, true)
	}
	for range 3 {
		g.keep(g.number(), true)
		g.keep(g.mkconst(), true)
	}
	return g
}

// choose takes a few metrics at random and, for each, some that are akin to it.
func (g *generator) choose() {
	for range 3 {
		m := g.w.metrics[g.IntN(len(g.w.metrics))]
		var kin []*metric
		for _, o := range g.w.metrics {
			if o.desc.InDom == m.desc.InDom && (o.desc.Units == m.desc.Units || o.desc.Sem == m.desc.Sem) {
				kin = append(kin, o)
			}
		}
		g.metrics = append(g.metrics, m)
		for range 3 {
			g.metrics = append(g.metrics, kin[g.IntN(len(kin))])
		}
	}
	for range 2 {
		g.metrics = append(g.metrics, g.w.metrics[g.IntN(len(g.w.metrics))])
	}
}

// typeOf checks an expression.
func (g *generator) typeOf(text string) (check.Type, bool) {
	e, err := g.syntax.Parse(text)
	if err != nil {
		return check.Type{}, false
	}
	info, err := check.Check(e, g.w, nil)
	if err != nil {
		return check.Type{}, false
	}
	return info.Root, true
}

// keep puts an expression into the pool if it is well-formed.
func (g *generator) keep(text string, atom bool) bool {
	t, ok := g.typeOf(text)
	if ok && len(text) < 160 {
		g.pool = append(g.pool, operand{text, t, atom})
	}
	return ok
}

// expression returns the next expression. About half of them are well-formed.
func (g *generator) expression() string {
	r := rules[g.rule()]
	tries := 1 + g.IntN(2)*g.IntN(4)
	var text string
	for range tries {
		text = r.make(g)
		if strings.TrimSpace(text) != "" && g.keep(text, r.atom) {
			break
		}
	}
	switch {
	case g.one(4):
		return g.edit(text)
	case g.one(40):
		return g.space() + text + g.space()
	}
	return text
}

// extension returns an expression that only the extended language has, of well-formed ones.
func (g *generator) extension() string {
	var text string
	for range 20 {
		x := g.operand()
		if g.one(2) {
			x = g.set()
		}
		if g.one(3) {
			x.text = g.pick("rate", "delta", "instant", "-", "2.5*", "0-") + "(" + x.text + ")"
		}
		switch g.IntN(8) {
		case 6, 7:
			text = g.pick("avg_over(", "max_over(", "min_over(", "quantile_over(0.7,", "quantile_over(1,", "shift(", "smooth(") + x.text + ", " +
				g.pick("1sec", "2500msec", "5s", "30s", "1min", "5 min", "1hour", "2days") + ")"
		case 0:
			text = g.pick("min", "max") + "(" + x.text + ", " + g.pick(g.number(), g.akin(x).text) + ")"
		case 1:
			text = "clamp(" + x.text + "," + g.number() + "," + g.pick(g.number(), g.akin(x).text) + ")"
		case 2:
			text = g.pick("topn", "bottomn") + "(" + g.pick("1", "2", "3", "10") + ", " + x.text + ")"
		case 3:
			text = g.pick("median(", "stddev(", "quantile(0.9, ", "quantile(.25,", "quantile(0,", "quantile(1, ") + x.text + ")"
		case 4:
			text = g.pick("sum", "avg", "min", "max", "count") + "((" + x.text + "))" + g.pick("", g.by())
		default:
			text = g.pick("abs", "ceil", "floor", "round", "sqrt", "abs", "ceil", "floor", "round", "ln", "exp") + "(" + x.text + ")"
		}
		if g.one(4) {
			text = g.pick("1+", "2*", "-", "!", "rate", "sum") + "(" + text + ")"
		}
		if g.keep(text, false) {
			break
		}
	}
	return text
}

// rule returns the number of a rule, by weight.
func (g *generator) rule() int {
	total := 0
	for _, r := range rules {
		total += r.weight
	}
	n := g.IntN(total)
	for i, r := range rules {
		if n -= r.weight; n < 0 {
			return i
		}
	}
	panic("no rule")
}

// one reports true once in n times.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

// pick returns one of words.
func (g *generator) pick(words ...string) string { return words[g.IntN(len(words))] }

// space returns white space, most often none or a blank.
func (g *generator) space() string {
	switch n := g.IntN(40); {
	case n < 22:
		return ""
	case n < 38:
		return " "
	}
	return g.pick("  ", "\t", " \t ", "\v", "\f", "\r ")
}

// operand returns an expression of the pool as a part of another.
func (g *generator) operand() operand {
	o := g.pool[g.IntN(len(g.pool))]
	if g.one(2) {
		o = g.pool[g.IntN(min(len(g.pool), 18))] // metrics and numbers
	}
	return g.dressed(o)
}

// dressed puts parentheses around an expression where they are wanted, and now and then where they
// are not.
func (g *generator) dressed(o operand) operand {
	if !o.atom && !g.one(5) || g.one(20) {
		o.text, o.atom = "("+g.space()+o.text+g.space()+")", true
	}
	return o
}

// akin returns an operand that suits another, if one is found soon: the same domain, or units, or
// all.
func (g *generator) akin(o operand) operand {
	var p operand
	for range 20 {
		p = g.operand()
		singular := p.typ.Singular() || o.typ.Singular() || p.typ.InDom == o.typ.InDom
		if singular && p.typ.Units == o.typ.Units && (g.one(3) || p.typ.Sem == o.typ.Sem) {
			break
		}
	}
	return p
}

// set returns an operand with instances, if one is found soon.
func (g *generator) set() operand {
	var o operand
	for range 10 {
		if o = g.operand(); !o.typ.Singular() {
			break
		}
	}
	return o
}

// name returns the name of a metric, seldom of one that does not exist.
func (g *generator) name() string {
	switch g.IntN(60) {
	case 0:
		return "no.such"
	case 1:
		return g.pick("event.missed", "event.flags", "event", "x.y")
	case 2:
		return g.metrics[g.IntN(len(g.metrics))].name + g.pick(".", "..x", "x")
	}
	return g.metrics[g.IntN(len(g.metrics))].name
}

// number returns a number.
func (g *generator) number() string {
	switch g.IntN(12) {
	case 0:
		return g.pick("4294967295", "2147483648", "2147483647", "65536", "007", "1000000", "4294967296")
	case 1:
		return g.pick(".5", "5.", ".", "0.0", "1.0", "100.25", "123456789.987654321", "0.000001", "1.2.3", "1e5")
	case 2:
		return fmt.Sprintf("%d.%d", g.IntN(1000), g.IntN(100))
	}
	return fmt.Sprint(g.IntN(12))
}

// guard returns what stands before a question mark.
func (g *generator) guard() string {
	switch g.IntN(10) {
	case 0, 1:
		return "defined(" + g.name() + ")"
	case 2:
		return g.pick("0", "1", "!0", "!1", "1.5", "2-1", "mkconst(0,type=32)", "mkconst(3,type=u64)", "(1)")
	case 3, 4:
		return "defined(" + g.name() + ")" + g.pick("&&", " || ") + g.operand().text
	case 5, 6:
		o := g.operand()
		return o.text + g.pick(">", "<", "==", "!=", " >= ", "<=") + g.pick(g.number(), g.akin(o).text)
	}
	return g.operand().text
}

// ternary returns a choice. Most often the arms go together.
func (g *generator) ternary() string {
	a := g.operand()
	if g.one(2) {
		a = g.set()
	}
	b := g.akin(a)
	if g.one(3) {
		b = operand{text: a.text + g.pick("*1", "+0", "-"+a.text, " + "+a.text)}
	}
	x, y := a.text, b.text
	switch g.IntN(10) {
	case 0:
		x = g.novalue()
	case 1:
		y = g.novalue()
	case 2:
		y = g.name()
	case 3:
		x = "no.such"
	case 4:
		if g.one(20) {
			x, y = g.novalue(), g.novalue()
		}
	}
	return g.guard() + g.space() + "?" + g.space() + x + g.space() + ":" + g.space() + y
}

// baseText returns units in words; some are not units at all.
func (g *generator) baseText(u pcp.Units) string {
	if g.one(2) && u != (pcp.Units{}) {
		for _, v := range []*int8{&u.ScaleSpace, &u.ScaleTime} {
			if *v = int8(g.IntN(6)); g.one(2) {
				*v = 3
			}
		}
		if u.DimSpace == 0 {
			u.ScaleSpace = 0
		}
		if u.DimTime == 0 {
			u.ScaleTime = 0
		}
		return u.String()
	}
	return g.pick("byte", "Kbyte", "kbyte", "Mbyte", "Gbyte", "sec", "msec", "millisec", "usec", "min", "hour", "count", "count x 10^3",
		"Kbyte / sec", "count / sec", "byte/sec", "sec^2", "1 / sec", "voltage (V)", "voltage (mV)", "temperature (C)", "power (W)",
		"current (A)", "", "none", "furlong", "byte byte", "2 kbyte", "3.5 sec", "x 10", "byte /", "sec/sec")
}
