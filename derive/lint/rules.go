package lint

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A Rule looks for one kind of mistake.
type Rule struct {
	Name string
	Doc  string // what is reported and why, one paragraph
	Bad  string // an example that is reported, a file; the metrics are in docs/examples/metrics.cases
	Good string // what to write instead

	node   func(*pass, *definition, syntax.Node) // looks at a node of an expression whose types are known
	syntax func(*pass, *definition, syntax.Node) // looks at a node of any expression
	whole  func(*pass, *definition)              // looks at a definition
}

// rules are all rules, by their names.
var rules = []*Rule{
	{
		Name: "constant-units",
		Doc: "A number without units is compared with a value that has some. PCP compares the bare numbers, so the meaning changes when " +
			"the units of the metric do, and nobody sees which were meant. 0 needs no units.",
		Bad:  "mem.low = mem.util.free < 100000\n",
		Good: "mem.low = mem.util.free < mkconst(100000, units=\"Kbyte\")\n",
		node: constantUnits,
	},
	{
		Name: "counter",
		Doc: "The value of a counter is compared, is a condition, or an average or extreme of counters is taken: that is about all the time " +
			"since the counter began. rate() says how fast it grows, delta() by how much since the last sample.",
		Bad:  "disk.busy = disk.dev.total > 1000\n",
		Good: "disk.busy = rate(disk.dev.total) > mkconst(1000, units=\"count / sec\")\n",
		node: comparedCounter,
	},
	{
		// The readers of files report ignored lines that are not definitions under the same name.
		Name: "ignored",
		Doc: "PCP ignores it without a word: a number in the units of rescale(), all but the last of several values of a tag, a last line " +
			"without a newline, the line after a comment that ends in a backslash, text after the quotes of a help text.",
		Bad:    "mem.blocks = rescale(mem.util.used, \"4 Kbyte\")\n",
		Good:   "mem.blocks = rescale(mem.util.used, \"Kbyte\") / 4\n",
		syntax: ignored,
	},
	{
		Name: "no-help",
		Doc:  "The definition has no one-line help text, so nobody but its author knows what it is about. pminfo -t shows it.",
		Bad:  "disk.reads = rate(disk.dev.total)\n",
		Good: "disk.reads = rate(disk.dev.total)\ndisk.reads(oneline) = transfers for each disk\n",
		whole: func(p *pass, d *definition) {
			if !p.texts[[2]string{d.Name(), "oneline"}] {
				p.report(d, -1, d.Name()+" has no help text", d.Name()+"(oneline) = ... gives it one")
			}
		},
	},
	{
		Name: "no-values",
		Doc: "No instance is left: an instance does not exist, a pattern matches none, or two instances of a domain are operands, which do not " +
			"meet even if each is selected by itself: scalar() makes single values of them.",
		Bad:  "disk.both = disk.dev.total[sda] + disk.dev.total[nvme0n1]\n",
		Good: "disk.both = scalar(disk.dev.total[sda]) + scalar(disk.dev.total[nvme0n1])\n",
		node: noValues,
	},
	{
		Name: "non-counter",
		Doc: "rate() and delta() of a metric that is not a counter: its values go up and down, and so does the difference of two of them. " +
			"Often a counter of a similar name was meant, or the value itself.",
		Bad:  "mem.change = rate(mem.util.used)\n",
		Good: "disk.reads = rate(disk.dev.total)\n",
		node: nonCounter,
	},
	{
		Name: "novalue",
		Doc: "The type, the semantics or the units in novalue() are not those of the other arm. Which arm counts is decided by the metrics " +
			"that a host has, so the same metric is another one elsewhere, and recordings of the hosts do not go together. Without " +
			"semantics= it is discrete, without units= it has none.",
		Bad:  "disk.busy = defined(disk.dev.avactive) ? rate(disk.dev.avactive) : novalue(type=double)\n",
		Good: "disk.busy = defined(disk.dev.avactive) ? rate(disk.dev.avactive) : novalue(type=double, semantics=instant)\n",
		node: novalue,
	},
	{
		Name: "rounded",
		Doc: "rescale() of an integer to a larger unit: the result is an integer too, so a size in Gbyte is a whole number of them. " +
			"A factor of 1.0 makes a floating-point number of it first.",
		Bad:  "mem.gb = rescale(mem.util.used, \"Gbyte\")\n",
		Good: "mem.gb = rescale(mem.util.used * 1.0, \"Gbyte\")\n",
		node: func(p *pass, d *definition, n syntax.Node) {
			if r, ok := n.(*syntax.RescaleExpr); ok {
				if to, ok := rounds(r, d.info); ok {
					p.report(d, start(r), roundedText(d.text(r.X), to))
				}
			}
		},
	},
	{
		Name: "scale",
		Doc: "Values in units of different scale are compared, such as byte with Kbyte. PCP converts operands of + - * and / to the same " +
			"scale, but compares numbers as they are.",
		Bad:  "mem.much = mem.util.used > mkconst(8, units=\"Gbyte\")\n",
		Good: "mem.much = rescale(mem.util.used * 1.0, \"Gbyte\") > mkconst(8, units=\"Gbyte\")\n",
		node: unscaled,
	},
	{
		Name: "shadowed",
		Doc: "The name is taken: the source has a metric of that name, which hides the definition, or metrics below it, so that the name is " +
			"both a metric and a branch of the name space and some tools find only one of the two.",
		Bad:   "disk.dev = sum(disk.dev.total)\n",
		Good:  "disk.all.total = sum(disk.dev.total)\n",
		whole: shadowed,
	},
	{
		Name: "wrap",
		Doc: "delta() of a counter of 32 bits: where it wraps around the difference is a large negative number; rate() notices, and has no " +
			"value then.",
		Bad:  "disk.used = delta(disk.dev.avactive)\n",
		Good: "disk.used = rate(disk.dev.avactive)\n",
		node: wraps,
	},
}

// gone are rules of earlier versions. Files may still switch them off.
var gone = []string{"cost", "dead-arm", "duplicate", "missing", "units", "unknown-label", "unused"}

// Rules returns all rules by their names. The slice belongs to the caller.
func Rules() []*Rule { return slices.Clone(rules) }

// RuleNames returns the names of the rules.
func RuleNames() (names []string) {
	for _, r := range rules {
		names = append(names, r.Name)
	}
	return names
}

// RulesBut returns the rules but for those of some names, or none if one of these is "all". The error names one that does not exist.
func RulesBut(names []string) ([]*Rule, error) {
	known := append(RuleNames(), gone...)
	for _, name := range names {
		if name != "all" && !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no rule %s", name)
		}
	}
	return slices.DeleteFunc(Rules(), func(r *Rule) bool { return slices.Contains(names, r.Name) || slices.Contains(names, "all") }), nil
}

func constantUnits(p *pass, d *definition, n syntax.Node) {
	b, ok := n.(*syntax.BinaryExpr)
	if !ok || !comparison(b.Op) {
		return
	}
	for _, pair := range [][2]syntax.Expr{{b.X, b.Y}, {b.Y, b.X}} {
		lit, _, ok := number(pair[0])
		units := d.info.Types[pair[1]].Units
		if ok && !zero(pair[0]) && !dimensionless(units) {
			p.report(d, start(pair[0]), fmt.Sprintf("%s has no units, and %s is in %s", lit, d.text(pair[1]), units),
				fmt.Sprintf("mkconst(%s, units=\"%s\") says what is meant", lit, units))
		}
	}
}

func comparedCounter(p *pass, d *definition, n syntax.Node) {
	where, list := compared(n, d.info)
	for _, x := range list {
		var fixes []syntax.Fix
		if _, call := n.(*syntax.CallExpr); !call { // these take names only
			fixes = syntax.Wrap(d.String(), x, "rate", "delta", "instant")
		}
		text := d.text(x)
		p.fixable(d, start(x), fixes, fmt.Sprintf("the value of a counter is %s: %s", where, text),
			fmt.Sprintf("rate(%s) is how fast it grows, delta(%s) by how much since the last sample", text, text))
	}
}

// compared returns the counters whose values a node compares, has as a condition, or takes an average or extreme of, and
// what it does with them.
func compared(n syntax.Node, info *check.Info) (where string, list []syntax.Expr) {
	switch n := n.(type) {
	case *syntax.BinaryExpr:
		if where = "compared"; logical(n.Op) && !zero(n.X) && !zero(n.Y) {
			list = []syntax.Expr{n.X, n.Y}
		}
	case *syntax.TernaryExpr:
		where, list = "a condition", []syntax.Expr{n.Cond}
	case *syntax.CallExpr:
		if n.Fun == "avg" || n.Fun == "min" || n.Fun == "max" {
			where, list = "the operand of "+n.Fun.Symbol()+"()", []syntax.Expr{n.X}
		}
	}
	return where, slices.DeleteFunc(list, func(x syntax.Expr) bool {
		typ, known := info.Types[x]
		return !known || typ.Sem != pcp.Counter || relational(x)
	})
}

// relational reports whether an expression is a comparison or made of some: of counters it is one
// itself, which is reported where they are.
func relational(x syntax.Expr) bool {
	b, ok := syntax.Unparen(x).(*syntax.BinaryExpr)
	return ok && logical(b.Op)
}

func ignored(p *pass, d *definition, n syntax.Node) {
	if r, ok := n.(*syntax.RescaleExpr); ok {
		if units, factor, err := pcp.ParseUnits(r.Units); err == nil && factor != 1 {
			p.report(d, r.UnitsPos, fmt.Sprintf("PCP ignores the number in \"%s\": the values are in %s", r.Units, units))
		}
	}
	last := make(map[syntax.Token]*syntax.Spec)
	for _, s := range syntax.Specs(n) {
		if old := last[s.Tag]; old != nil {
			p.report(d, old.TagPos, fmt.Sprintf("PCP ignores this %s: another one follows it", old.Tag.Symbol()))
		}
		last[s.Tag] = s
	}
}

func noValues(p *pass, d *definition, n syntax.Node) {
	if b, ok := n.(*syntax.BinaryExpr); ok {
		x, _ := syntax.Unparen(b.X).(*syntax.InstExpr)
		y, _ := syntax.Unparen(b.Y).(*syntax.InstExpr)
		if x != nil && y != nil && x.Name != y.Name {
			p.report(d, start(b), "no instance is left, so this never has values: "+d.text(b), "scalar("+d.text(b.X)+") is a single value")
		}
		return
	}
	var matches func(name string) bool
	x, _ := n.(syntax.Expr)
	switch n := n.(type) {
	case *syntax.InstExpr:
		matches = func(name string) bool { return name == n.Name || firstWord(name) == n.Name }
	case *syntax.MatchInstExpr:
		if match := d.info.Patterns[n]; match != nil {
			matches = func(name string) bool { return match(firstWord(name)) == (n.NotPos < 0) }
		}
	}
	if matches == nil || p.opt.Syntax {
		return
	}
	list := p.instances(d.info.Types[x].InDom)
	if len(list) == 0 || slices.ContainsFunc(list, matches) {
		return
	}
	var notes []string
	if len(list) <= maxListed {
		notes = []string{"the instances are " + strings.Join(list, ", ")}
	}
	p.report(d, start(x), "no instance is left, so this never has values: "+d.text(x), notes...)
}

const maxListed = 8

// instances returns the names of the instances of a domain, none if they are not known.
func (p *pass) instances(d pcp.InDom) []string {
	names, asked := p.insts[d]
	if !asked {
		list, _ := pmapi.InstancesOf(p.ctx, p.Source, d, pmapi.Ever())
		for _, in := range list {
			names = append(names, in.Name)
		}
		p.insts[d] = names
	}
	return names
}

func firstWord(name string) string {
	word, _, _ := strings.Cut(name, " ")
	return word
}

func nonCounter(p *pass, d *definition, n syntax.Node) {
	call, ok := change(n)
	if !ok {
		return
	}
	_, twice := change(syntax.Unparen(call.X)) // a change of a change is meant
	typ, known := d.info.Types[call.X]
	if known && typ.Sem != pcp.Counter && !twice {
		from, to := call.Span()
		inner, end := call.X.Span()
		fix := syntax.Fix{Title: "remove " + call.Fun.Symbol() + "()", Start: from, End: to, Text: d.String()[inner:end]}
		p.fixable(d, start(call), []syntax.Fix{fix}, fmt.Sprintf("%s() of a metric that is not a counter: %s is %s", call.Fun.Symbol(), d.text(call.X), typ.Sem.Text()))
	}
}

// change returns a node that is rate() or delta().
func change(n syntax.Node) (*syntax.CallExpr, bool) {
	call, ok := n.(*syntax.CallExpr)
	return call, ok && (call.Fun == "rate" || call.Fun == "delta")
}

func novalue(p *pass, d *definition, n syntax.Node) {
	c, ok := n.(*syntax.TernaryExpr)
	if !ok || d.info.Choices[c] == check.NotStatic {
		return
	}
	used, left := c.X, c.Y
	if d.info.Choices[c] == check.Right {
		used, left = c.Y, c.X
	}
	none, ok := left.(*syntax.NovalueExpr)
	typ, known := d.info.Types[used]
	if !ok || !known {
		return
	}
	if other, complete := metadata(none, typ); complete {
		if what := check.Difference(typ, other); what != "" {
			p.report(d, none.FunPos, "novalue() differs in its "+what+" from "+d.text(used))
		}
	}
}

// metadata returns what novalue() has, with the type and the domain of the other arm if it has none
// of its own; it is not complete if another metric decides.
func metadata(n *syntax.NovalueExpr, other check.Type) (t check.Type, complete bool) {
	t = check.Type{Type: other.Type, InDom: other.InDom, Sem: pcp.Discrete}
	for _, s := range n.Specs {
		switch s.Tag {
		case syntax.META:
			return t, false
		case syntax.TYPE:
			t.Type, _ = check.TypeNamed(s.Value) // the parser accepts no other name
		case syntax.SEMANTICS:
			t.Sem, _ = check.SemNamed(s.Value)
		case syntax.UNITS:
			t.Units, _, _ = pcp.ParseUnits(s.Value)
		}
	}
	return t, true
}

func unscaled(p *pass, d *definition, n syntax.Node) {
	b, ok := n.(*syntax.BinaryExpr)
	if !ok || !comparison(b.Op) || zero(b.X) || zero(b.Y) {
		return
	}
	x, y := d.info.Types[b.X].Units, d.info.Types[b.Y].Units
	if dimensionless(x) || dimensionless(y) || x == y {
		return
	}
	p.report(d, b.OpPos, fmt.Sprintf("%s is compared with %s as numbers, without a conversion", x, y),
		fmt.Sprintf("rescale(%s * 1.0, \"%s\") converts", d.text(b.X), y))
}

func shadowed(p *pass, d *definition) {
	for i, c := range d.Name() {
		if c != '.' {
			continue
		}
		if above := p.byName[d.Name()[:i]]; above != nil && !above.wrong {
			p.report(d, -1, d.Name()+" is below "+above.Name()+", which is a metric")
		}
	}
	switch {
	case p.opt.Syntax:
	case d.masked:
		p.report(d, -1, "the source has a metric "+d.Name()+", which hides this definition")
	case p.below(d.Name()):
		p.report(d, -1, "the source has metrics below "+d.Name())
	}
}

func wraps(p *pass, d *definition, n syntax.Node) {
	call, ok := n.(*syntax.CallExpr)
	if !ok || call.Fun != "delta" {
		return
	}
	syntax.Walk(call.X, func(n syntax.Node) bool {
		if ref, ok := n.(*syntax.MetricRef); ok {
			if desc := d.info.Metrics[ref]; desc.Sem == pcp.Counter && (desc.Type == pcp.Int32 || desc.Type == pcp.Uint32) {
				p.report(d, start(call), fmt.Sprintf("delta() of %s, a counter of 32 bits, is negative where it wraps around", ref.Name),
					fmt.Sprintf("rate(%s) has no value there", d.text(call.X)))
			}
		}
		_, inner := n.(*syntax.NestExpr)
		return !inner
	})
}

func comparison(op syntax.Token) bool {
	return slices.Contains([]syntax.Token{syntax.LT, syntax.LEQ, syntax.EQ, syntax.GEQ, syntax.GT, syntax.NEQ}, op)
}

func logical(op syntax.Token) bool {
	return comparison(op) || op == syntax.AND || op == syntax.OR
}

// dimensionless reports whether units are none, or a plain count, which numbers have too.
func dimensionless(u pcp.Units) bool { return u.Dimensionless() || u == pcp.Units{DimCount: 1} }

// number returns the text and the value of an expression that is a number and nothing else.
func number(x syntax.Expr) (text string, value float64, ok bool) {
	switch n := syntax.Unparen(x).(type) {
	case *syntax.IntLit:
		return n.Text, float64(n.Value), true
	case *syntax.FloatLit:
		return n.Text, n.Value, true
	}
	return "", 0, false
}

// zero reports whether an expression is the number 0, with which everything can be compared.
func zero(x syntax.Expr) bool {
	_, value, ok := number(x)
	return ok && value == 0
}

func start(n syntax.Node) syntax.Pos {
	pos, _ := n.Span()
	return pos
}
