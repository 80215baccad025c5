// Package coverage tells which parts of definitions the cases of derivetest have reached.
//
// A [Collector] runs files of cases and counts; its [Profile] has each definition with its parts, and is written as a listing with marks
// ([Profile.Text]), for programs ([Profile.JSON]), and for tools that read lcov ([Profile.LCOV]).
// docs/testing-definitions.md says what counts.
package coverage

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/derivetest"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
)

// A Kind is a kind of part.
type Kind int

// The kinds of parts.
const (
	Result     Kind = iota // the whole expression
	Operand                // the name of a metric
	Function               // a function, or the selection of an instance
	Arm                    // an arm of a choice
	True                   // that the condition of a choice is true
	False                  // that it is false
	Conversion             // between units
	kinds
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{"result", "operand", "function", "arm", "true", "false", "conversion"}[k]
}

// A Part is a part of an expression that cases can reach.
type Part struct {
	Kind       Kind
	Start, End syntax.Pos // in the expression; the operator for a conversion of an operand
	Text       string
	Hits       int // samples in which it was reached
}

// key identifies a part of a definition.
type key struct {
	start, end syntax.Pos
	kind       Kind
}

// A Definition is a definition with its parts by their place.
type Definition struct {
	derivetest.Definition
	Parts []Part
}

// Reached returns how many of the parts have been reached.
func (d *Definition) Reached() (n int) {
	for i := range d.Parts {
		if d.Parts[i].Hits > 0 {
			n++
		}
	}
	return n
}

// A Profile is the definitions by file and place.
type Profile []*Definition

// A Collector counts what is reached. It may not be shared by goroutines.
type Collector struct {
	hits map[string]map[key]int // of the current run, by definition
	all  map[place]*counted
}

type place struct{ file, name string }

// counted is what is known of a definition after some runs.
type counted struct {
	derivetest.Definition
	hits map[key]int
}

// New returns a Collector that has nothing.
func New() *Collector {
	return &Collector{all: make(map[place]*counted)}
}

// Run runs the cases of a file.
func (c *Collector) Run(ctx context.Context, f *derivetest.File, opt *derivetest.Options) (*derivetest.Report, error) {
	counting := *opt
	counting.Probe = c.probe
	c.hits = make(map[string]map[key]int)
	r, err := f.Run(ctx, &counting)
	if err == nil {
		c.add(r)
	}
	return r, err
}

func (c *Collector) probe(p *derive.Program, tree syntax.Expr, info *check.Info) eval.Probe {
	w := &watcher{info: info, watch: make(map[syntax.Expr][]action), nested: make(map[syntax.Expr]bool), counts: c.counts}
	w.whole(p.Name(), tree)
	return w.probe
}

// counts returns the counts of a definition in the current run.
func (c *Collector) counts(name string) map[key]int {
	if c.hits[name] == nil {
		c.hits[name] = make(map[key]int)
	}
	return c.hits[name]
}

// add adds a run's counts to those of its definitions.
func (c *Collector) add(r *derivetest.Report) {
	for _, d := range r.Definitions {
		at := place{d.File, d.Name()}
		old := c.all[at]
		if old == nil || old.String() != d.String() {
			old = &counted{d, make(map[key]int)}
			for k := range parts(d.Expr()) {
				old.hits[k] = 0
			}
			c.all[at] = old
		}
		for k, n := range c.hits[d.Name()] {
			old.hits[k] += n
		}
	}
}

// Profile returns what was counted.
func (c *Collector) Profile() Profile {
	var list Profile
	for _, d := range c.all {
		def := &Definition{Definition: d.Definition}
		for _, k := range slices.SortedFunc(maps.Keys(d.hits), key.compare) {
			text := strings.Join(strings.Fields(d.String()[k.start:k.end]), " ")
			def.Parts = append(def.Parts, Part{k.kind, k.start, k.end, text, d.hits[k]})
		}
		list = append(list, def)
	}
	slices.SortFunc(list, func(a, b *Definition) int {
		n, _, _ := a.At(a.Offset)
		m, _, _ := b.At(b.Offset)
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(n, m))
	})
	return list
}

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.start, o.start), cmp.Compare(o.end, k.end), cmp.Compare(k.kind, o.kind))
}

// A Count is how many of some parts have been reached.
type Count struct {
	Reached int `json:"reached"`
	Parts   int `json:"parts"`
}

func (c *Count) add(reached bool) {
	if c.Parts++; reached {
		c.Reached++
	}
}

// Percent returns the share, 100 of nothing.
func (c Count) Percent() float64 {
	if c.Parts == 0 {
		return 100
	}
	return 100 * float64(c.Reached) / float64(c.Parts)
}

// Total returns the counts of all parts.
func (p Profile) Total() (all Count) {
	for _, d := range p {
		all.Reached += d.Reached()
		all.Parts += len(d.Parts)
	}
	return all
}

// byKind returns the counts of each kind.
func (p Profile) byKind() (list [kinds]Count) {
	for _, d := range p {
		for i := range d.Parts {
			list[d.Parts[i].Kind].add(d.Parts[i].Hits > 0)
		}
	}
	return list
}
