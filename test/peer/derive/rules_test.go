package derive

import (
	"strings"

	"pmtools/lib/pcp"
)

// A rule makes one kind of expression.
type rule struct {
	weight int
	atom   bool
	make   func(g *generator) string
}

// rules are all kinds of expressions.
var rules = []rule{
	{20, false, (*generator).sum},
	{14, false, (*generator).relation},
	{9, false, (*generator).boolean},
	{8, false, (*generator).prefix},
	{9, true, (*generator).aggregate},
	{12, true, (*generator).function},
	{7, true, (*generator).rescale},
	{9, true, (*generator).matchinst},
	{7, true, (*generator).instance},
	{16, false, (*generator).ternary},
	{3, true, (*generator).mkconst},
	{1, true, (*generator).rare},
}

// binary puts an operator between two operands.
func (g *generator) binary(x, op, y string) string { return x + g.space() + op + g.space() + y }

// sum makes an arithmetic expression of two or, seldom, three operands.
func (g *generator) sum() string {
	a := g.operand()
	b := g.akin(a)
	text := g.binary(a.text, g.pick("+", "-", "*", "/"), b.text)
	if g.one(5) {
		text = g.binary(text, g.pick("+", "-", "*", "/"), g.pick("", "-", "!")+g.operand().text)
	}
	return text
}

// relation makes a comparison.
func (g *generator) relation() string {
	a := g.operand()
	b := g.akin(a)
	if g.one(3) {
		b.text = g.number()
	}
	return g.binary(a.text, g.pick("<", "<=", "==", ">=", ">", "!="), b.text)
}

// boolean makes a conjunction or a disjunction.
func (g *generator) boolean() string {
	a := g.operand()
	text := g.binary(a.text, g.pick("&&", "||"), g.pick("", "", "!")+g.akin(a).text)
	if g.one(4) {
		text = g.binary(text, g.pick("&&", "||"), g.operand().text)
	}
	return text
}

// prefix makes a negation.
func (g *generator) prefix() string {
	op, o := g.pick("-", "-", "-", "!", "!", "!!", "--", "-!"), g.operand()
	for range 8 { // the negation of anything else is known to differ
		if t := o.typ.Type; !strings.Contains(op, "!") || t == pcp.Int32 || t == pcp.Uint32 {
			break
		}
		o = g.operand()
	}
	return op + g.space() + o.text
}

// aggregate makes a call of a function that wants a name.
func (g *generator) aggregate() string {
	return g.pick("avg", "count", "max", "min", "sum", "defined") + "(" + g.space() + g.name() + g.space() + ")"
}

// function makes a call of a function that takes an expression.
func (g *generator) function() string {
	f := g.pick("delta", "rate", "instant", "scalar", "scalar")
	o := g.pool[g.IntN(len(g.pool))]
	if f == "scalar" {
		o = g.set()
	}
	return f + "(" + g.space() + o.text + g.space() + ")"
}

// rescale makes a conversion to other units.
func (g *generator) rescale() string {
	o := g.pool[g.IntN(len(g.pool))]
	for range 5 {
		if !o.typ.Units.Dimensionless() {
			break
		}
		o = g.pool[g.IntN(len(g.pool))]
	}
	return "rescale(" + o.text + g.space() + "," + g.space() + `"` + g.baseText(o.typ.Units) + `"` + ")"
}

// matchinst makes a selection by pattern.
func (g *generator) matchinst() string {
	return "matchinst(" + g.space() + g.pick("", "", "!", "! ") + "/" + g.pattern() + "/" + g.space() + "," + g.space() + g.set().text + g.space() + ")"
}

// pattern makes a pattern that has to do with the names of instances.
func (g *generator) pattern() string {
	m := g.metrics[g.IntN(len(g.metrics))]
	name := "m-0"
	if len(m.insts) > 0 {
		name = m.insts[g.IntN(len(m.insts))]
	}
	if n := len(name); n > 2 && g.one(2) {
		i := g.IntN(n - 1)
		name = name[i : i+1+g.IntN(n-i)]
	}
	name = strings.NewReplacer("/", `\/`, `\`, `\\`).Replace(name)
	switch g.IntN(10) {
	case 0, 1:
		return name
	case 2:
		return "^" + name
	case 3:
		return name + "$"
	case 4:
		return g.pick("[0-9]", "[[:digit:]]", "[^a-m]", "[a-m]+", "^.$", "^..$", "[[:alpha:]_]+[0-9]$", "[^[:alnum:]]", "[]x]", "[.]")
	case 5:
		return g.pick("(a|e|i|o|u)", "0|1", "^(s|d|h|c)", "x*", "([0-9]){2}", ".{4,}", "(.).*", "a?b", "^[^-]+-[0-9]", `\\.`, `\.`, `\/`)
	case 6:
		return g.pick("", "^", "$", "(", "*", "[", "a{", "a{2,1}", ")", `\\`, "[[:foo:]]", "[b-a]", "()", "a**", "+", "|a", "(|a)")
	case 7:
		return name + "|" + g.pick("1", "cpu0", "sd[ab]", "^lo")
	}
	return strings.Map(func(r rune) rune {
		if g.one(4) {
			return '.'
		}
		return r
	}, name)
}

// instance makes a selection of one instance.
func (g *generator) instance() string {
	o := g.set()
	name := "nosuch"
	for range 6 {
		if m := g.metrics[g.IntN(len(g.metrics))]; len(m.insts) > 0 {
			name = m.insts[g.IntN(len(m.insts))]
			if m.name == o.text || m.desc.InDom == o.typ.InDom {
				break
			}
		}
	}
	if g.one(5) {
		name, _, _ = strings.Cut(name, " ")
	}
	if g.one(12) {
		name = g.pick("", " ", name+" ", " "+name, name+"x", "0", `\`+name)
	} else {
		name = strings.NewReplacer("]", `\]`, `\`, `\\`).Replace(name)
	}
	return o.text + g.space() + "[" + name + "]"
}

// rare returns an expression of a kind that is seldom used.
func (g *generator) rare() string {
	switch g.IntN(6) {
	case 0:
		return "anon(PM_TYPE_" + g.pick("32", "U32", "64", "U64", "FLOAT", "DOUBLE") + ")"
	case 1:
		return g.name()
	case 2:
		return g.pick("novalue()", "(novalue())", "meta(a)", "type", "units + 1", "avg (a)", "indom", "")
	case 3:
		return "(" + strings.Repeat("(", g.IntN(30)) + g.operand().text + strings.Repeat(")", g.IntN(32))
	case 4:
		return g.number()
	}
	return g.name() + " " + g.name()
}

// mkconst makes a number with metadata.
func (g *generator) mkconst() string {
	return "mkconst(" + g.space() + g.number() + g.specs(",", 1) + ")"
}

// novalue makes an arm without values.
func (g *generator) novalue() string { return "novalue(" + g.specs("", 0) + ")" }

// specs makes items of metadata, at least so many.
func (g *generator) specs(sep string, least int) string {
	var b strings.Builder
	for i := range least + g.IntN(3) {
		if i > 0 {
			sep = ","
		}
		b.WriteString(g.space() + sep + g.space() + g.spec())
	}
	return b.String()
}

// spec makes an item of metadata.
func (g *generator) spec() string {
	m := g.metrics[g.IntN(len(g.metrics))]
	tag, value := "type", g.pick("32", "u32", "64", "U64", "float", "Double", "FLOAT", "double", "U32")
	switch g.IntN(12) {
	case 0, 1:
		tag, value = "semantics", g.pick("counter", "instant", "discrete", "Counter", "INSTANT")
	case 2, 3, 4:
		tag, value = "units", `"`+g.baseText(m.desc.Units)+`"`
	case 5:
		tag, value = "indom", g.pick("null", m.desc.InDom.String(), `"`+m.desc.InDom.String()+`"`, "NULL", "29.1", "1.2.3", "600.1", "7")
	case 6, 7:
		tag, value = "meta", m.name
		if g.one(8) {
			value = g.name()
		}
	case 8:
		if g.one(3) {
			tag, value = g.pick("type", "semantics", "units", "indom", "meta", "foo"), g.pick("string", "bogus", "12", "1.5", "byte", `"`+m.name+`"`)
		}
	}
	if tag != "meta" && !strings.HasPrefix(value, `"`) && g.one(4) {
		value = `"` + value + `"`
	}
	return tag + g.space() + "=" + g.space() + value
}
