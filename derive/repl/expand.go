package repl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// The language forbids derived metrics inside others. Here their expressions are put in the place of their names, in
// parentheses, before an expression is checked; places in the result are traced back to what the user wrote.

// An expansion is an expression without names of derived metrics, except behind meta=.
type expansion struct {
	orig  string // what was written
	text  string // what it stands for
	tree  syntax.Expr
	parts []part
	used  []string // the names that were replaced, at any depth
	meta  []string // derived metrics behind meta=
}

// A part is a stretch of an expansion's text that stands for a name.
type part struct {
	from, to int // in the text
	at       int // offset of the name in what was written
	name     string
}

// parse parses one expression.
func parse(text string) (syntax.Expr, error) { return check.Syntax().Parse(text) }

// place traces a place in the text back: it is in what was written, and inside is the derived metric whose definition it
// belongs to, if any.
func (x *expansion) place(pos int) (orig int, inside string) {
	shift := 0
	for _, p := range x.parts {
		if pos < p.from {
			break
		}
		if pos < p.to {
			return p.at, p.name
		}
		shift = p.at + len(p.name) - p.to
	}
	return min(pos+shift, len(x.orig)), ""
}

// expand expands an expression; self is the name that it defines, or empty. The error is a *Problem, or that of a request
// to the source.
func (sc *scope) expand(text, self string) (*expansion, error) {
	tree, err := parse(text)
	if err != nil {
		return nil, syntaxProblem(text, err)
	}
	if err := sc.learn(mentioned(tree)); err != nil {
		return nil, err
	}
	e := expander{sc: sc, memo: make(map[string]string)}
	if self != "" {
		e.path = []string{self}
	}
	out, parts, bad := e.expr(text, tree)
	if bad != nil {
		return nil, bad
	}
	x := &expansion{orig: text, text: out, tree: tree, parts: parts, used: e.used, meta: e.meta}
	if len(parts) == 0 {
		return x, nil
	}
	if x.tree, err = parse(out); err != nil {
		return nil, &Problem{Msg: "the expanded expression cannot be parsed: " + err.Error(), Src: text, Err: err}
	}
	return x, nil
}

// An expander is the work on one expression.
type expander struct {
	sc   *scope
	path []string          // names whose definitions are being expanded
	memo map[string]string // definitions that have been
	used []string
	meta []string
}

// expr expands one expression, whose tree is given.
func (e *expander) expr(text string, tree syntax.Expr) (string, []part, *Problem) {
	var b strings.Builder
	var parts []part
	done := 0
	for n := range syntax.Preorder(tree) {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if bad := e.call(text, n); bad != nil {
				return "", nil, bad
			}
		case *syntax.Spec:
			e.noteMeta(n)
		case *syntax.MetricRef:
			inner, bad := e.name(text, n)
			if bad != nil {
				return "", nil, bad
			}
			if inner == "" {
				continue
			}
			b.WriteString(text[done:n.NamePos])
			from := b.Len()
			b.WriteString("(" + inner + ")")
			parts = append(parts, part{from, b.Len(), int(n.NamePos), n.Name})
			done = int(n.NamePos) + len(n.Name)
			if b.Len() > syntax.MaxLen {
				return "", nil, &Problem{Msg: "the expanded expression is too long", Src: text, Pos: int(n.NamePos)}
			}
		}
	}
	return b.String() + text[done:], parts, nil
}

// name returns the expression that stands for a name, expanded, or nothing if the name stands for itself.
func (e *expander) name(text string, n *syntax.MetricRef) (string, *Problem) {
	if i := slices.Index(e.path, n.Name); i >= 0 && !e.sc.inSource(n.Name) {
		cycle := append(slices.Clone(e.path[i:]), n.Name)
		return "", &Problem{
			Msg: n.Name + " is defined by itself", Src: text, Pos: int(n.NamePos), Notes: []string{strings.Join(cycle, " -> ")}, Err: errCycle,
		}
	}
	d := e.sc.derived(n.Name)
	if d == nil {
		return "", nil
	}
	if !slices.Contains(e.used, n.Name) {
		e.used = append(e.used, n.Name)
	}
	if done, ok := e.memo[n.Name]; ok {
		return done, nil
	}
	if len(e.path) > maxNested {
		return "", &Problem{Msg: "definitions are nested too deeply", Src: text, Pos: int(n.NamePos)}
	}
	e.path = append(e.path, n.Name)
	out, _, bad := e.expr(d.Expr, d.tree)
	e.path = e.path[:len(e.path)-1]
	if bad != nil {
		// The user sees his own text, with the name that leads to the mistake.
		bad.Src, bad.Pos = text, int(n.NamePos)
		if !errors.Is(bad, errCycle) {
			bad.Notes = append(bad.Notes, "in the definition of "+d.Name)
		}
		return "", bad
	}
	e.memo[n.Name] = out
	return out, nil
}

// errCycle marks a definition by itself.
var errCycle = errors.New("cycle")

// maxNested is how many definitions may stand inside each other.
const maxNested = 1000

// call refuses a derived metric where the language wants a metric and takes no expression.
func (e *expander) call(text string, n *syntax.CallExpr) *Problem {
	ref, ok := n.X.(*syntax.MetricRef)
	if !ok {
		return nil
	}
	switch n.Fun {
	case syntax.AVG, syntax.COUNT, syntax.MAX, syntax.MIN, syntax.SUM, syntax.DEFINED:
	default:
		return nil
	}
	if e.sc.derived(ref.Name) == nil {
		return nil
	}
	name := n.Fun.Symbol()
	return &Problem{
		Msg: fmt.Sprintf("%s() takes the name of a metric and no expression, and %s is a derived metric", name, ref.Name),
		Src: text, Pos: int(ref.NamePos),
	}
}

// noteMeta remembers a derived metric whose metadata is wanted.
func (e *expander) noteMeta(s *syntax.Spec) {
	if s.Tag == syntax.META && e.sc.derived(s.Value) != nil && !slices.Contains(e.meta, s.Value) {
		e.meta = append(e.meta, s.Value)
	}
}
