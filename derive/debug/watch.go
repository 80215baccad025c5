package debug

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The evaluator keeps the values of a node no longer than it needs them. So each node of a tree
// that is shown has a plan of its own here, with its own history.

// maxEvaluated is how many nodes a tree may have if each of them is to be evaluated by itself,
// which takes time that grows with the square of their number. In a larger tree only the root is.
const maxEvaluated = 1000

type finding struct {
	used   int
	inst   int32          // of an instance name
	passes map[int32]bool // of a regular expression: all instances seen
}

func (f *finding) matches() int {
	n := 0
	for _, pass := range f.passes {
		if pass {
			n++
		}
	}
	return n
}

// Evaluated implements derive.Observer.
func (p *Printer) Evaluated(e *derive.Evaluation) {
	if !p.on(Eval) {
		return
	}
	key := treeKey{e.Source.Number, e.Metric.Number}
	p.mu.Lock()
	t := p.trees[key]
	if t == nil || t.info != e.Info {
		t = boundTree(e.Source, e.Metric, e.Info, nil)
		t.watch()
		p.trees[key] = t
	}
	p.mu.Unlock()
	var b strings.Builder
	t.eval(&b, e.Input)
	fmt.Fprintf(&b, "__dmpostvalueset: [%d] root node %s: numval=%d", e.Column, e.Values.ID, numval(e.Values))
	for i, inst := range e.Values.Insts {
		fmt.Fprintf(&b, " vset[%d]: inst=%d %s", i, inst, resultText(e.Values, i))
	}
	b.WriteByte('\n')
	t.dump(&b, t.root)
	p.print(b.String())
}

func (t *tree) watch() {
	count := 0
	t.root.walk(func(*node) { count++ })
	t.root.walk(func(n *node) {
		switch n.role {
		case guarded, units, named, matched, meta, anonArg:
			return
		}
		if _, evaluated := t.info.Types[n.expr]; evaluated && (count <= maxEvaluated || n == t.root) {
			n.state = eval.New(n.expr, t.info).NewState()
		}
	})
}

// values returns the values of a node, and those of the time before where delta and rate compare
// them. That of defined() is known without a fetch, and the type of anon() turns out to be a zero.
func (t *tree) values(n *node) (now, last *pcp.Values) {
	switch {
	case n.now != nil && n.saveLast:
		return n.now, n.last
	case n.now != nil:
		return n.now, nil
	case !n.decided && (n.role != anonArg || !t.begun):
		return nil, nil
	}
	now = &pcp.Values{Type: pcp.Uint32, Insts: []int32{pcp.NullInst}, Words: []uint64{0}}
	if e, ok := n.expr.(*syntax.CallExpr); ok && t.info.Defined[e] {
		now.Words[0] = 1
	}
	return now, nil
}

// eval evaluates all nodes, and writes lines about what happened meanwhile.
func (t *tree) eval(b *strings.Builder, in *eval.Input) {
	t.begun = true
	t.root.eval(b, in, true)
}

// eval evaluates a node after its operands, and reports whether the reference goes on: an operand
// that fails ends an evaluation, and the nodes that are not reached keep their values.
func (n *node) eval(b *strings.Builder, in *eval.Input, reached bool) bool {
	if n == nil {
		return reached
	}
	if fine := n.right.eval(b, in, n.left.eval(b, in, reached)); n.kind != "COUNT" { // an error counts as 0
		reached = fine
	}
	if n.state == nil {
		return reached
	}
	now := new(pcp.Values)
	n.state.Eval(in, now)
	if !reached {
		return false
	}
	for i, blob := range now.Blobs { // they are those of the input, which will be used again
		now.Blobs[i] = slices.Clone(blob)
	}
	if n.last = n.now; n.last != nil && n.last.Err != nil {
		n.last = nil
	}
	n.now = now
	n.narrate(b, in.Instances)
	return now.Err == nil
}

func (n *node) narrate(b *strings.Builder, insts eval.Instances) {
	x, y := n.left, n.right
	switch {
	case x != nil && x.saveLast && x.now != nil && x.last != nil:
		moved(b, n.kind, x.now.Insts, x.last.Insts)
	case x == nil || y == nil:
	case n.kind == "FILTERINST":
		n.find(b, insts)
	case x.kind != "FILTERINST" && y.kind != "FILTERINST" && y.role != guarded:
		if x.now != nil && y.now != nil && !x.Singular() && !y.Singular() {
			mismatches(b, n.kind, x.now.Insts, y.now.Insts)
		}
	}
}

// mismatches writes how the reference brings together instances of two operands that do not stand
// side by side.
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

// moved writes how the reference finds the instances of the time before that do not stand where
// they stand now.
func moved(b *strings.Builder, kind string, now, last []int32) {
	found := 0
	for i, inst := range now {
		if len(last) == 0 {
			return
		}
		j := i
		if j >= len(last) {
			j = 0
		}
		at := slices.Index(last, inst)
		if last[j] != inst {
			fmt.Fprintf(b, "eval_expr: %s: inst[%d] mismatch left [%d]=%d last [%d]=%d\n", kind, found, i, inst, j, last[j])
			if at >= 0 {
				fmt.Fprintf(b, "eval_expr: recover @ last [%d]=%d\n", at, inst)
			}
		}
		if at >= 0 {
			found++
		}
	}
}

func (n *node) find(b *strings.Builder, insts eval.Instances) {
	operand, f := n.right.now, &n.left.found
	if operand == nil || operand.Err != nil || insts == nil {
		return
	}
	if e, ok := n.expr.(*syntax.InstExpr); ok {
		if f.used > 0 || len(operand.Insts) == 0 {
			return
		}
		inst, err := insts.LookupInst(n.InDom, e.Name)
		if n.InDom == pcp.NullInDom {
			err = pmerr.InDom
		}
		if err != nil {
			fmt.Fprintf(b, "eval_expr: expr node %s type=FILTERINST pmLookupInDom_ctx(...,%s,%s) failed: %v\n", n.id, n.InDom, e.Name, pmerr.Of(err))
			return
		}
		f.used, f.inst = 1, inst
		return
	}
	if n.InDom == pcp.NullInDom {
		for _, inst := range operand.Insts {
			fmt.Fprintf(b, "eval_expr: expr node %s type=FILTERINST pmNameInDom(%s, %d, ...) failed: %v\n", n.id, n.InDom, inst, pmerr.InDom)
		}
	}
	if n.now == nil {
		return
	}
	if f.passes == nil {
		f.passes = make(map[int32]bool)
	}
	for _, inst := range operand.Insts {
		f.passes[inst] = n.now.Find(inst) >= 0
	}
	f.used++
}
