package derive

import (
	"fmt"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A node is a part of an expression as debugging output shows it. The original's trees differ from those of the parser:
// parentheses leave no node, a choice has two, a pattern and the units of rescale have one each.
type node struct {
	kind        string
	expr        syntax.Expr // whose metadata and values the node has; nil for nodes without
	role        role
	label       string // what stands in brackets, or the text of a pattern
	id          string
	saveLast    bool // delta and rate compare its values with those before
	left, right *node
}

// A role sets apart the nodes that are shown in a way of their own.
type role uint8

const (
	inner   role = iota
	leaf         // a name or a number
	guarded      // COLON: both arms of a choice
	units        // of rescale
	named        // PATTERN: an instance name
	matched      // PATTERN: a regular expression
	hollow       // DEFINED and NOVALUE, whose operands are not evaluated
	meta         // the metric that a constant takes its metadata from
	anonArg      // the type of anon
)

// newNode returns the tree of an expression, whose metric has the given number.
func newNode(e syntax.Expr, metric int) *node {
	n := build(e)
	count := 0
	n.walk(func(n *node) {
		n.id = fmt.Sprintf("%d.%d", metric, count)
		count++
	})
	return n
}

// maxExplained is how many nodes a tree may have if each of them is to be looked at by itself, which takes time that grows
// with the square of their number. Larger trees are shown with less.
const maxExplained = 1000

// small reports whether a tree has at most maxExplained nodes.
func (n *node) small() bool {
	count := 0
	n.walk(func(*node) { count++ })
	return count <= maxExplained
}

// walk calls f with a node and all nodes below it, operators before their operands.
func (n *node) walk(f func(*node)) {
	if n == nil {
		return
	}
	f(n)
	n.left.walk(f)
	n.right.walk(f)
}

// build returns the tree of an expression without numbers.
func build(e syntax.Expr) *node {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return build(e.X)
	case *syntax.MetricRef:
		return &node{kind: "NAME", expr: e, role: leaf, label: e.Name}
	case *syntax.IntLit:
		return &node{kind: "INTEGER", expr: e, role: leaf, label: e.Text}
	case *syntax.FloatLit:
		return &node{kind: "DOUBLE", expr: e, role: leaf, label: e.Text}
	case *syntax.UnaryExpr:
		kind := "NEG"
		if e.Op == syntax.NOT {
			kind = "NOT"
		}
		return &node{kind: kind, expr: e, left: build(e.X)}
	case *syntax.BinaryExpr:
		return &node{kind: e.Op.String(), expr: e, left: build(e.X), right: build(e.Y)}
	case *syntax.TernaryExpr:
		arms := &node{kind: "COLON", expr: e, role: guarded, left: build(e.X), right: build(e.Y)}
		return &node{kind: "QUEST", expr: e, left: build(e.Cond), right: arms}
	case *syntax.InstExpr:
		pattern := &node{kind: "PATTERN", expr: e, role: named, label: e.Name}
		return &node{kind: "FILTERINST", expr: e, left: pattern, right: build(e.X)}
	case *syntax.MatchInstExpr:
		pattern := &node{kind: "PATTERN", expr: e, role: matched, label: e.Pattern}
		return &node{kind: "FILTERINST", expr: e, left: pattern, right: build(e.X)}
	case *syntax.RescaleExpr:
		return &node{kind: "RESCALE", expr: e, left: build(e.X), right: &node{kind: "SCALE", role: units, label: unitsText(e.Units)}}
	case *syntax.CallExpr:
		return buildCall(e)
	case *syntax.ConstExpr:
		n := build(e.X)
		n.expr, n.left = e, buildMeta(e.Specs)
		return n
	case *syntax.NovalueExpr:
		return &node{kind: "NOVALUE", expr: e, role: hollow, left: buildMeta(e.Specs)}
	}
	panic(fmt.Sprintf("derive: unexpected node %T", e))
}

// buildCall returns the tree of a call.
func buildCall(e *syntax.CallExpr) *node {
	n := &node{kind: e.Fun.String(), expr: e}
	x := build(e.X)
	switch e.Fun {
	case syntax.DEFINED:
		n.role, n.label = hollow, "("+x.label+")"
	case syntax.ANON:
		x.kind, x.expr, x.role = "INTEGER", e, anonArg
	case syntax.DELTA, syntax.RATE:
		x.saveLast = true
	}
	n.left = x
	return n
}

// buildMeta returns the node of the metric that the last meta= names, or nil.
func buildMeta(specs []*syntax.Spec) *node {
	var n *node
	for _, s := range specs {
		if s.Tag == syntax.META {
			n = &node{kind: "NAME", role: meta, label: s.Value}
		}
	}
	return n
}

// unitsText returns units in the form in which they are printed.
func unitsText(text string) string {
	u, _, err := pcp.ParseUnits(text)
	if err != nil {
		return text
	}
	return u.String()
}

// operand returns the left operand of a node. That of defined() is gone once its result is known.
func (s *shown) operand(n *node) *node {
	if s != nil {
		if _, known := s.defined[n]; known {
			return nil
		}
	}
	return n.left
}

// showID returns the identifier of a node.
func (n *node) showID() string {
	if n == nil {
		return "(nil)"
	}
	return n.id
}

// head returns the line about a node itself. A bound tree is part of a Source.
func (n *node) head(s *shown) string {
	if n.role == named || n.role == matched {
		return fmt.Sprintf("expr node %s type=PATTERN pattern: %s type: %s\n", n.id, n.label, s.pattern(n))
	}
	kind := n.kind
	label := ""
	switch n.role {
	case hollow:
		kind += n.label
	case guarded:
		kind += s.choice(n)
	case leaf, anonArg, meta:
		if s.lost(n) {
			kind = "NOVALUE"
			break
		}
		primary := 1
		if s != nil {
			primary = 0
		}
		label = fmt.Sprintf(" [%s] primary=%d", n.label, primary)
	case units:
		label = fmt.Sprintf(" [%s]", n.label)
	}
	save := 0
	if n.saveLast {
		save = 1
	}
	return fmt.Sprintf("expr node %s type=%s left=%s right=%s save_last=%d%s\n",
		n.id, kind, s.operand(n).showID(), n.right.showID(), save, label)
}
