package derive

import (
	"iter"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/internal/insts"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// Options configure a Source. The zero Options, and nil, are the default.
type Options struct {
	// Warn gets each global metric that does not fit the metrics below, once, with the line for
	// the user, without a newline at its end. Nil hands the line to what NewRegistry was given.
	Warn func(metric, line string)
	// Equivalent reports whether operators may combine two different instance domains, see
	// check.InDomMap. Nil means that they may not.
	Equivalent func(a, b pcp.InDom) bool
	// Nested lets a derived metric be an operand of another, which the language forbids: its
	// expression takes the place of its name, see package expand.
	Nested bool
	// AnyName lets Add take names that no file may define, as pmAddDerivedMetric does.
	AnyName bool
	// Records means that the Source below reads record by record: a record that has none of a
	// metric's operands is none of its samples, whatever else is fetched.
	Records bool
	// Clock means that rate() has no values in the first sample after the clock of a live Source has been set: where it has gone back, or
	// on by another time than has passed here. The language of PCP divides by such times.
	Clock bool
}

// A binding is how far a metric has got in a Source.
type binding uint8

const (
	unbound binding = iota
	inProgress
	masked  // the Source below has a metric of that name
	invalid // see metric.err
	valid
)

type metric struct {
	*Definition
	id     pcp.ID
	number int // in the Source
	local  bool
	state  binding
	err    error // why it is invalid
	desc   pcp.Desc
	tree   syntax.Expr // that info describes; nil if definitions cannot be nested in it
	info   *check.Info
	alias  bool        // it is nothing but another derived metric, and so has no values
	eval   *eval.State // nil until it is fetched
}

// A catalog is the metrics that a Source knows, with those that are not visible.
type catalog struct {
	base     pmapi.Source // below
	opt      Options
	insts    *insts.Instances
	handle   int  // number of the Source
	recorded bool // the base has a past
	alone    bool // the base has names and nothing else

	set     *Set
	globals []metric           // by number: those that the Set has read
	locals  []*metric          // by localNumber
	own     map[string]*metric // of locals, by name
	changes int                // counts changes of locals
}

// all yields the metrics in the order of their numbers.
func (c *catalog) all() iter.Seq[*metric] {
	return func(yield func(*metric) bool) {
		for i := range c.globals {
			if !yield(&c.globals[i]) {
				return
			}
		}
		for _, m := range c.locals {
			if !yield(m) {
				return
			}
		}
	}
}

// named returns the metric that a name means, or nil.
func (c *catalog) named(name string) *metric {
	if m := c.own[name]; m != nil {
		return m
	}
	return c.globalNamed(name)
}

func (c *catalog) globalNamed(name string) *metric {
	if i, ok := c.set.read.index[name]; ok {
		return &c.globals[i]
	}
	return nil
}

// visible reports whether no other derived metric hides m.
func (c *catalog) visible(m *metric) bool { return m.name == "" || c.named(m.name) == m }

// byID returns the visible derived metric that id belongs to, or nil.
func (c *catalog) byID(id pcp.ID) *metric {
	if !id.IsDerived() {
		return nil
	}
	var m *metric
	if n := number(id); n < len(c.globals) {
		m = &c.globals[n]
	} else if n := localNumber(id); n < len(c.locals) {
		m = c.locals[n]
	}
	if m == nil || !c.visible(m) {
		return nil
	}
	return m
}

func (c *catalog) derived(ids []pcp.ID) []*metric {
	var list []*metric
	for _, id := range ids {
		if m := c.byID(id); m != nil {
			list = append(list, m)
		}
	}
	return list
}
