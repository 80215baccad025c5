// Package deps finds out which metrics definitions of derived metrics are made of, and writes that
// down: as a list, as JSON, as a graph, and as the configuration with which pmlogger records all
// that is needed to evaluate the definitions later.
package deps

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/derive"
	"pmtools/derive/syntax"
)

// A Node is a definition with what it is made of.
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
// asks about has to be recorded to be found, and so has the one whose metadata meta= takes.
func New(list []*derive.Definition, others func(name string) *derive.Definition) *Graph {
	g, f := outline(list, others)
	for i, p := range list {
		g.Nodes[i].Base = f.base(p)
	}
	return g
}

// Outline is New without the Base of each Node: all of these together may be much longer than the definitions.
func Outline(list []*derive.Definition, others func(name string) *derive.Definition) *Graph {
	g, _ := outline(list, others)
	return g
}

func outline(list []*derive.Definition, others func(name string) *derive.Definition) (*Graph, *finder) {
	f := &finder{byName: make(map[string]*derive.Definition), others: others}
	for _, p := range list {
		if _, twice := f.byName[p.Name()]; p.Name() != "" && !twice {
			f.byName[p.Name()] = p
		}
	}
	g := &Graph{Nodes: []Node{}, Base: f.base(list...)}
	for _, p := range list {
		g.Nodes = append(g.Nodes, Node{Name: p.Name(), Expr: p.String(), Operands: append([]string{}, p.Metrics()...)})
	}
	return g, f
}

type finder struct {
	byName map[string]*derive.Definition
	others func(name string) *derive.Definition
}

// base returns the metrics that programs need in the end. Definitions may be in a circle.
func (f *finder) base(list ...*derive.Definition) []string {
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
		inner := f.byName[name]
		if inner == nil && f.others != nil {
			inner = f.others(name)
		}
		if inner == nil {
			base = append(base, name)
		} else {
			todo = append(todo, inner.Metrics()...)
		}
	}
	slices.Sort(base)
	return base
}

// WriteList writes the metrics that are needed in the end, one a line.
func (g *Graph) WriteList(w io.Writer) error { return writeLines(w, "", g.Base, "") }

// WriteJSON writes the graph as an object.
func (g *Graph) WriteJSON(w io.Writer) error {
	return answer.WriteLines(w, g)
}

// WriteDOT writes the graph in the language of Graphviz. Metrics without a definition are boxes.
func (g *Graph) WriteDOT(w io.Writer) error {
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
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func dotName(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(name) + `"`
}

// WriteLogger writes a configuration of pmlogger(1). pmlogger accepts metrics that are not there.
func (g *Graph) WriteLogger(w io.Writer, interval time.Duration) error {
	if len(g.Base) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "log advisory on %d msec {\n", interval.Milliseconds()); err != nil {
		return err
	}
	return writeLines(w, "\t", g.Base, "}\n")
}

func writeLines(w io.Writer, indent string, names []string, end string) error {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(indent + name + "\n")
	}
	_, err := io.WriteString(w, b.String()+end)
	return err
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
