package derive

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A watch evaluates every node of a metric by itself, for debugging output. The evaluator keeps the values of a node no
// longer than it needs them; so each node has a plan of its own here, with its own history.
type watch struct {
	tree     *node
	shown    *shown
	begun    bool // there were values
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

// newWatch returns a watch of a bound metric whose tree and metadata are given. Of a large tree only the root is watched.
func newWatch(m *metric, tree *node, s *shown) *watch {
	w := &watch{tree: tree, shown: s, nodes: make(map[*node]*watchedNode), findings: make(map[*node]finding)}
	small := tree.small()
	tree.walk(func(n *node) {
		if !small && n != tree {
			return
		}
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

// eval evaluates all nodes, and returns lines about what was met with on the way.
func (w *watch) eval(in *eval.Input) string {
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
	w.begun = true
	var b strings.Builder
	w.narrate(&b, w.tree, in.Instances)
	return b.String()
}

// narrate writes what the evaluation of a node, after that of its operands, has met with.
func (w *watch) narrate(b *strings.Builder, n *node, insts eval.Instances) {
	if n == nil {
		return
	}
	w.narrate(b, n.left, insts)
	w.narrate(b, n.right, insts)
	switch {
	case n.left == nil || n.right == nil:
	case n.kind == "FILTERINST":
		w.find(b, n, insts)
	case n.left.kind != "FILTERINST" && n.right.kind != "FILTERINST" && n.right.role != guarded:
		x, y := w.nodes[n.left], w.nodes[n.right]
		if x != nil && y != nil && !w.shown.descs[n.left].Singular() && !w.shown.descs[n.right].Singular() {
			mismatches(b, n.kind, x.now.Insts, y.now.Insts)
		}
	}
}

// mismatches writes how instances of two operands are brought together where they do not stand side by side: how the
// original does it, that is.
func mismatches(b *strings.Builder, kind string, x, y []int32) {
	j, k := 0, 0
	for i, inst := range x {
		if k >= min(len(x), len(y)) {
			return
		}
		if j == len(y) {
			j = 0
		}
		at := j
		if y[j] != inst {
			fmt.Fprintf(b, "eval_expr: %s: inst[%d] mismatch left [%d]=%d right [%d]=%d\n", kind, k, i, inst, j, y[j])
			if at = slices.Index(y, inst); at < 0 {
				j = 0
				continue
			}
			fmt.Fprintf(b, "eval_expr: recover @ right [%d]=%d\n", at, inst)
		}
		j, k = at+1, k+1
	}
}

// find keeps what the pattern of a FILTERINST has found among the instances of its operand.
func (w *watch) find(b *strings.Builder, n *node, insts eval.Instances) {
	operand := w.nodes[n.right]
	if operand == nil || operand.now.Err != 0 || insts == nil {
		return
	}
	f, indom := w.findings[n.left], w.shown.descs[n].InDom
	if e, ok := n.expr.(*syntax.InstExpr); ok {
		if f.used > 0 || len(operand.now.Insts) == 0 {
			return
		}
		inst, err := lookupInst(insts, indom, e.Name)
		if err != nil {
			fmt.Fprintf(b, "eval_expr: expr node %s type=FILTERINST pmLookupInDom_ctx(...,%s,%s) failed: %v\n", n.id, indom, e.Name, pmerr.Of(err))
			return
		}
		w.findings[n.left] = finding{used: 1, inst: inst}
		return
	}
	if indom == pcp.NullInDom {
		for _, inst := range operand.now.Insts {
			fmt.Fprintf(b, "eval_expr: expr node %s type=FILTERINST pmNameInDom(%s, %d, ...) failed: %v\n", n.id, indom, inst, pmerr.InDom)
		}
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

// lookupInst finds an instance by its name.
func lookupInst(insts eval.Instances, d pcp.InDom, name string) (int32, error) {
	if d == pcp.NullInDom {
		return 0, pmerr.InDom
	}
	return insts.LookupInst(d, name)
}

// report prints the result of a metric, column j, and its tree.
func (w *watch) report(t *tracer, j int, v *pcp.Values) {
	var b strings.Builder
	for i, inst := range v.Insts {
		fmt.Fprintf(&b, " vset[%d]: inst=%d %s", i, inst, resultText(v, i))
	}
	t.printf("__dmpostvalueset: [%d] root node %s: numval=%d%s\n%s", j, v.ID, numval(v), b.String(), dump(w.tree, w.shown))
}
