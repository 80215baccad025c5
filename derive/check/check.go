// Package check finds the meaning of a parsed derived metric: it resolves the names of metrics,
// works out type, semantics, instance domain and units of every part, and reports the first mistake
// in the words of the reference.
//
// [Check] is given an [Env], which answers for the names, and returns an [Info] with side tables;
// the tree is not changed. An error is an [*Error].
//
// [Syntax] supplies the parser with the checks of units and patterns, which it cannot do by itself.
// [ParseInDomMap] reads the file that says which instance domains are the same.
package check

import (
	"cmp"

	"pmtools/derive/internal/ere"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Check checks the meaning of e, which must be a whole expression. A nil opt is the zero Options, and a nil env has
// no metrics. The error is an *Error: the first one about a name, or else the first one in a walk that visits operands
// before their operator. The Info returned with an error holds the results up to the mistake.
func Check(e syntax.Expr, env Env, opt *Options) (*Info, error) {
	return newChecker(new(Info), opt).Check(e, env)
}

// Syntax returns the parser of PCP's language with the checks of units and patterns.
func Syntax() *syntax.Config {
	return &syntax.Config{
		CheckUnits: func(units string) error {
			_, _, err := pcp.ParseUnits(units)
			return err
		},
		CheckPattern: func(pattern string) error {
			_, err := ere.Compile(pattern)
			return err
		},
	}
}

// A Checker checks expressions that may have parts in common: the X of a [syntax.NestExpr] is
// checked once, whichever expressions it stands in. Each name is looked up once. A Checker may not
// be shared by goroutines. The zero Checker is that of nil Options.
type Checker struct {
	env  Env
	opt  Options
	info *Info
	root syntax.Expr // without parentheses

	names    map[string]lookup            // what env said
	operands operands                     // so far
	unknown  map[*syntax.MetricRef]bool   // unknown names in a choice, which are errors once something reads them
	unknowns int                          // how many of these there are so far
	vague    map[*syntax.TernaryExpr]bool // choices whose guards mention unknown names
	meta     map[*syntax.Spec]metadata    // what the last meta= of each constant refers to
	bounds   map[place]*bound
	checks   map[syntax.Expr]*checked
}

// NewChecker returns a Checker with empty tables. A nil opt is the zero Options.
func NewChecker(opt *Options) *Checker {
	return newChecker(&Info{
		Types:    make(map[syntax.Expr]Type),
		Metrics:  make(map[*syntax.MetricRef]pcp.Desc),
		Mentions: make(map[syntax.Node]pcp.Desc),
		Consts:   make(map[syntax.Expr]pcp.Value),
		Scales:   make(map[*syntax.BinaryExpr]Scale),
		Choices:  make(map[*syntax.TernaryExpr]Choice),
		Defined:  make(map[*syntax.CallExpr]bool),
		Rescale:  make(map[*syntax.RescaleExpr]pcp.Units),
		Patterns: make(map[*syntax.MatchInstExpr]func(string) bool),
		Groups:   make(map[pcp.InDom]Grouping),
	}, opt)
}

func newChecker(info *Info, opt *Options) *Checker {
	c := &Checker{info: info}
	if opt != nil {
		c.opt = *opt
	}
	return c
}

// Check is [Check] with what is already known. The tables of all Infos are the same, so that they
// also have the nodes of other expressions. It may be called from env.Describe.
func (c *Checker) Check(e syntax.Expr, env Env) (*Info, error) {
	if c.info == nil {
		*c = *NewChecker(nil)
	}
	defer func(env Env, root syntax.Expr) { c.env, c.root = env, root }(c.env, c.root)
	c.env, c.root = cmp.Or(env, Env(noMetrics{})), syntax.Unparen(e)
	b := c.bindWhole(e, false)
	if b.err != nil {
		return c.found(Type{}, b.operands), b.err
	}
	t := c.checkWhole(e)
	if t.err != nil {
		return c.found(Type{}, b.operands), t.err
	}
	all := operands{list: b.operands[:len(b.operands):len(b.operands)]}
	all.add(t.operands...)
	return c.found(t.typ, all.list), nil
}

// noMetrics is an Env without metrics.
type noMetrics struct{}

func (noMetrics) Lookup(string) (pcp.ID, bool, error) { return pcp.NullID, false, pmerr.Name }
func (noMetrics) Describe(pcp.ID) (pcp.Desc, error)   { return pcp.Desc{}, pmerr.PMID }

func (c *Checker) found(root Type, operands []pcp.ID) *Info {
	info := *c.info
	info.Root, info.Operands = root, operands
	return &info
}

// put adds an entry to a table, which is made for the first one: most expressions need few tables.
func put[K comparable, V any](table *map[K]V, key K, v V) {
	if *table == nil {
		*table = make(map[K]V)
	}
	(*table)[key] = v
}
