package derive

import (
	"fmt"
	"strings"

	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A watch evaluates every node of a metric by itself, for debugging output. The evaluator keeps the values of a node no
// longer than it needs them; so each node has a plan of its own here, with its own history.
type watch struct {
	tree     *node
	shown    *shown
	nodes    map[*node]*watchedNode
	findings map[*node]finding
}

// A watchedNode is a node that is evaluated.
type watchedNode struct {
	state     *eval.State
	now, last *pcp.Values // last is nil if there is no sample before
}

// A finding is what a pattern has found.
type finding struct {
	used   int
	inst   int32          // of an instance name
	passes map[int32]bool // of a regular expression: all instances seen
}

// matches is how many instances pass.
func (f finding) matches() int {
	n := 0
	for _, pass := range f.passes {
		if pass {
			n++
		}
	}
	return n
}

// newWatch returns a watch of a bound metric whose tree and metadata are given.
func newWatch(m *metric, tree *node, s *shown) *watch {
	w := &watch{tree: tree, shown: s, nodes: make(map[*node]*watchedNode), findings: make(map[*node]finding)}
	tree.walk(func(n *node) {
		switch n.role {
		case guarded, units, named, matched, meta, anonArg:
			return
		}
		if _, evaluated := m.info.Types[n.expr]; evaluated {
			w.nodes[n] = &watchedNode{state: eval.New(n.expr, m.info).NewState()}
		}
	})
	s.watched = w
	return w
}

// values returns the values of a node, and of those that delta and rate compare the values of the time before.
func (w *watch) values(n *node) (now, last *pcp.Values) {
	if w == nil || w.nodes[n] == nil {
		return nil, nil
	}
	node := w.nodes[n]
	if n.saveLast {
		last = node.last
	}
	return node.now, last
}

// eval evaluates all nodes.
func (w *watch) eval(in *eval.Input) {
	for _, n := range w.nodes {
		n.last = n.now
		if n.last != nil && n.last.Err != 0 {
			n.last = nil
		}
		v := new(pcp.Values)
		n.state.Eval(in, v)
		for i, b := range v.Blobs { // they are those of the input, which will be used again
			v.Blobs[i] = append([]byte(nil), b...)
		}
		n.now = v
	}
	w.tree.walk(func(n *node) {
		if n.left != nil && (n.left.role == named || n.left.role == matched) {
			w.find(n, in.Instances)
		}
	})
}

// find keeps what the pattern of a FILTERINST has found among the instances of its operand.
func (w *watch) find(n *node, insts eval.Instances) {
	operand := w.nodes[n.right]
	if operand == nil || operand.now.Err != 0 || len(operand.now.Insts) == 0 || insts == nil {
		return
	}
	f, indom := w.findings[n.left], w.shown.descs[n].InDom
	if e, ok := n.expr.(*syntax.InstExpr); ok {
		if inst, err := insts.LookupInst(indom, e.Name); err == nil && f.used == 0 {
			w.findings[n.left] = finding{used: 1, inst: inst}
		}
		return
	}
	result := w.nodes[n]
	if result == nil {
		return
	}
	if f.passes == nil {
		f.passes = make(map[int32]bool)
	}
	for _, inst := range operand.now.Insts {
		f.passes[inst] = result.now.Find(inst) >= 0
	}
	f.used++
	w.findings[n.left] = f
}

// report prints the result of a metric, column j, and its tree.
func (w *watch) report(t *tracer, j int, v *pcp.Values) {
	var b strings.Builder
	for i, inst := range v.Insts {
		fmt.Fprintf(&b, " vset[%d]: inst=%d %s", i, inst, resultText(v, i))
	}
	t.printf("__dmpostvalueset: [%d] root node %s: numval=%d%s\n%s", j, v.ID, numval(v), b.String(), dump(w.tree, w.shown))
}
