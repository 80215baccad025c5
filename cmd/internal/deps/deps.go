// Package deps finds out which metrics definitions of derived metrics are made of, and writes that
// down: as a list, as a graph, and as the configuration with which pmlogger records all
// that is needed to evaluate the definitions later.
package deps

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pmtools/derive"
	"pmtools/derive/syntax"
)

// A Node is a definition with its operands.
type Node struct {
	Name     string   `json:"metric,omitempty"` // "" for an expression without a name
	Expr     string   `json:"expression"`
	Operands []string `json:"operands"` // as they are written, other definitions included
	Base     []string `json:"base"`     // the metrics that are needed in the end, ascending
}

// A Graph is definitions with what they are made of.
type Graph struct {
	Nodes []Node   `json:"definitions"`
	Base  []string `json:"base"` // of all of them, ascending
}

// New returns the Graph of some programs. An operand that is the name of one of them, or that others
// knows, stands for what that is made of. A metric counts wherever it is mentioned: what defined()
// asks about has to be recorded to be found, and so has the one whose metadata meta= takes. The nodes have a
// Base only if each shall have one: all of these together may be much longer than the definitions.
func New(list []*derive.Definition, others func(name string) *derive.Definition, each bool) *Graph {
	byName := make(map[string]*derive.Definition)
	for _, p := range list {
		if _, twice := byName[p.Name()]; p.Name() != "" && !twice {
			byName[p.Name()] = p
		}
	}
	find := func(name string) *derive.Definition {
		if p := byName[name]; p != nil {
			return p
		}
		return others(name)
	}
	g := &Graph{Nodes: []Node{}, Base: base(find, list...)}
	for _, p := range list {
		n := Node{Name: p.Name(), Expr: p.String(), Operands: append([]string{}, p.Metrics()...)}
		if each {
			n.Base = base(find, p)
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g
}

// base returns the metrics that programs need in the end. Definitions may be in a circle.
func base(find func(name string) *derive.Definition, list ...*derive.Definition) []string {
	base, seen := []string{}, make(map[string]bool)
	var todo []string
	for _, p := range list {
		seen[p.Name()] = true
		todo = append(todo, p.Metrics()...)
	}
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; seen[name] {
			continue
		}
		seen[name] = true
		if inner := find(name); inner != nil {
			todo = append(todo, inner.Metrics()...)
		} else {
			base = append(base, name)
		}
	}
	slices.Sort(base)
	return base
}

// List returns the metrics that are needed in the end, one a line.
func (g *Graph) List() string { return lines("", g.Base) }

// DOT returns the graph in the language of Graphviz. Metrics without a definition are boxes.
func (g *Graph) DOT() string {
	var b strings.Builder
	b.WriteString("digraph deps {\n\trankdir=LR\n")
	for _, name := range g.Base {
		fmt.Fprintf(&b, "\t%s [shape=box]\n", dotName(name))
	}
	for _, n := range g.Nodes {
		name := cmp.Or(n.Name, n.Expr)
		fmt.Fprintf(&b, "\t%s\n", dotName(name))
		for _, o := range n.Operands {
			fmt.Fprintf(&b, "\t%s -> %s\n", dotName(name), dotName(o))
		}
	}
	return b.String() + "}\n"
}

func dotName(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(name) + `"`
}

// Logger returns a configuration of pmlogger(1), "" if nothing is needed. pmlogger accepts metrics that are not there.
func (g *Graph) Logger(interval time.Duration) string {
	if len(g.Base) == 0 {
		return ""
	}
	return fmt.Sprintf("log advisory on %d msec {\n%s}\n", interval.Milliseconds(), lines("\t", g.Base))
}

func lines(indent string, names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(indent + name + "\n")
	}
	return b.String()
}

// Parse returns the definitions of a file. The errors are those of definitions that cannot be parsed.
func Parse(name string, text []byte) (list []*derive.Definition, errs []error) {
	for c := range syntax.Chunks(name, text) {
		def := c.Definition()
		if def == nil {
			continue
		}
		p, err := derive.CompileLine(def)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %s cannot be parsed; check says why", name, def.Line, def.Name))
			continue
		}
		list = append(list, p)
	}
	return list, errs
}
