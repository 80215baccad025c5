package debug

import (
	"fmt"
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A tree is the expression of a metric as the reference has it.
type tree struct {
	metric  *derive.Metric
	root    *node
	bound   bool // metadata is known
	novalue bool // unknown metrics have turned into novalue()
	begun   bool // there were values
	info    *check.Info
	guards  strings.Builder // lines about the guards of choices
	misfit  string          // what the arms of a choice differ in
}

// A node is a part of an expression. The reference's trees differ from those of the parser:
// parentheses leave no node, a choice has two, a pattern and the units of rescale have one each.
type node struct {
	kind        string
	role        role
	expr        syntax.Expr  // whose metadata and values the node has; nil for nodes without
	meta        *syntax.Spec // of a node for meta=
	label       string       // in brackets, or the text of a pattern
	id          string
	saveLast    bool // delta and rate compare its values with those before
	left, right *node
	binding
	watched
}

// A binding is what the check has found out about a node.
type binding struct {
	own  pcp.ID // the metric that the node is
	from pcp.ID // the metric that the metadata comes from
	check.Type
	lost    bool // OPTION_NOVALUE has replaced the name
	decided bool // the result of defined() is known
	choice  check.Choice
	div     float64 // an operator divides the values by it, 0 for no conversion
	mul     float64
}

// A watched node has its own evaluation.
type watched struct {
	state     *eval.State // nil unless the node is evaluated
	now, last *pcp.Values
	found     finding
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
	defined      // DEFINED, whose operand is not evaluated
	novalue      // NOVALUE
	meta         // the metric that a constant takes its metadata from
	anonArg      // the type of anon
)

func newTree(m *derive.Metric) *tree {
	t := &tree{metric: m, root: build(m.Expr())}
	count := 0
	t.root.walk(func(n *node) {
		n.id, n.own = address(m.Number, count), pcp.NullID
		count++
	})
	return t
}

// address returns a number that looks like an address, for a part of something that has a number.
// It is the same in each run.
func address(number, part int) string {
	return fmt.Sprintf("%#x", 0x550000000000|uint64(number)<<24|uint64(part)<<4)
}

// walk calls f with a node and all nodes below it, operators before their operands.
func (n *node) walk(f func(*node)) {
	if n != nil {
		f(n)
		n.left.walk(f)
		n.right.walk(f)
	}
}

// build returns the nodes of an expression without numbers.
func build(e syntax.Expr) *node {
	n := &node{expr: e}
	switch e := e.(type) {
	case *syntax.ParenExpr, *syntax.NestExpr:
		return build(syntax.Unparen(e))
	case *syntax.MetricRef:
		n.kind, n.role, n.label = "NAME", leaf, e.Name
	case *syntax.IntLit:
		n.kind, n.role, n.label = "INTEGER", leaf, e.Text
	case *syntax.FloatLit:
		n.kind, n.role, n.label = "DOUBLE", leaf, e.Text
	case *syntax.UnaryExpr:
		if n.kind, n.left = "NEG", build(e.X); e.Op == syntax.NOT {
			n.kind = "NOT"
		}
	case *syntax.BinaryExpr:
		n.kind, n.left, n.right = e.Op.String(), build(e.X), build(e.Y)
	case *syntax.TernaryExpr:
		n.kind, n.left = "QUEST", build(e.Cond)
		n.right = &node{kind: "COLON", expr: e, role: guarded, left: build(e.X), right: build(e.Y)}
	case *syntax.InstExpr:
		n.kind, n.right = "FILTERINST", build(e.X)
		n.left = &node{kind: "PATTERN", expr: e, role: named, label: e.Name}
	case *syntax.MatchInstExpr:
		n.kind, n.right = "FILTERINST", build(e.X)
		n.left = &node{kind: "PATTERN", expr: e, role: matched, label: e.Pattern}
	case *syntax.RescaleExpr:
		n.kind, n.left = "RESCALE", build(e.X)
		n.right = &node{kind: "SCALE", role: units, label: unitsText(e.Units)}
	case *syntax.CallExpr:
		n.call(e)
	case *syntax.ConstExpr:
		n = build(e.X)
		n.expr, n.left = e, buildMeta(e.Specs)
	case *syntax.NovalueExpr:
		n.kind, n.role, n.left = "NOVALUE", novalue, buildMeta(e.Specs)
	default:
		panic(fmt.Sprintf("debug: unexpected node %T", e))
	}
	return n
}

func (n *node) call(e *syntax.CallExpr) {
	n.kind, n.left = e.Fun.String(), build(e.X)
	switch e.Fun {
	case "defined":
		n.role, n.label = defined, "("+n.left.label+")"
	case "anon":
		n.left.kind, n.left.expr, n.left.role = "INTEGER", e, anonArg
	case "delta", "rate":
		n.left.saveLast = true
	}
}

func buildMeta(specs []*syntax.Spec) *node {
	var n *node
	for _, s := range specs {
		if s.Tag == syntax.META {
			n = &node{kind: "NAME", role: meta, meta: s, label: s.Value}
		}
	}
	return n
}

func unitsText(text string) string {
	u, _, err := pcp.ParseUnits(text)
	if err != nil {
		return text
	}
	return u.String()
}

// operand returns the left operand of a node. The operand of defined() is nil once its result is
// known.
func (n *node) operand() *node {
	if n.decided {
		return nil
	}
	return n.left
}

// base returns the operand that a node has its metadata from.
func (n *node) base() *node {
	switch {
	case n.kind == "FILTERINST":
		return n.right
	case n.right != nil && n.right.role != units && n.left.role == leaf && n.left.kind != "NAME":
		return n.right
	}
	return n.left
}
