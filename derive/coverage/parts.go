package coverage

import (
	"math"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// parts returns the parts of an expression that are seen without metrics. Conversions of operands, which
// depend on these, are added when it is evaluated.
func parts(x syntax.Expr) map[key]bool {
	list := make(map[key]bool)
	start, end := x.Span()
	list[key{start, end, Result}] = true
	visit(x, func(n syntax.Expr) {
		if k, ok := keyOf(n); ok {
			list[k] = true
		}
		if t, ok := n.(*syntax.TernaryExpr); ok {
			for _, k := range choice(t) {
				list[k] = true
			}
		}
	})
	return list
}

// visit calls f for each part of an expression that can be evaluated.
func visit(x syntax.Expr, f func(syntax.Expr)) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParenExpr:
			return true
		case *syntax.ConstExpr, *syntax.NovalueExpr, *syntax.IntLit, *syntax.FloatLit, *syntax.Spec:
			return false
		case *syntax.CallExpr:
			if n.Fun == syntax.DEFINED || n.Fun == syntax.ANON {
				return false
			}
			f(n)
		case syntax.Expr:
			f(n)
		}
		return true
	})
}

// keyOf returns the part that a node itself is.
func keyOf(x syntax.Expr) (key, bool) {
	switch n := x.(type) {
	case *syntax.MetricRef:
		start, end := n.Span()
		return key{start, end, Operand}, true
	case *syntax.CallExpr:
		return key{n.FunPos, n.FunPos + syntax.Pos(len(n.Fun.Symbol())), Function}, true
	case *syntax.MatchInstExpr:
		return key{n.FunPos, n.FunPos + syntax.Pos(len("matchinst")), Function}, true
	case *syntax.InstExpr:
		return key{n.Lbrack, n.Rbrack + 1, Function}, true
	case *syntax.BinaryExpr:
		start, _ := n.Span()
		return key{n.OpPos, n.OpPos + syntax.Pos(len(n.Op.Symbol())), Function}, n.Op.IsFunction() && start == n.OpPos && !inClamp(n)
	case *syntax.RescaleExpr:
		return key{n.FunPos, n.FunPos + syntax.Pos(len("rescale")), Conversion}, true
	}
	return key{}, false
}

// inClamp reports whether a node is the max that clamp() is made of: it begins with its operand.
func inClamp(n *syntax.BinaryExpr) bool {
	start, _ := n.X.Span()
	return start == n.OpPos
}

// choice returns the parts of a choice: true, its arm, false, and its arm.
func choice(n *syntax.TernaryExpr) [4]key {
	c0, c1 := n.Cond.Span()
	x0, x1 := n.X.Span()
	y0, y1 := n.Y.Span()
	return [4]key{{c0, c1, True}, {x0, x1, Arm}, {c0, c1, False}, {y0, y1, Arm}}
}

// An action is what the values of a part reach.
type action func(v *pcp.Values)

// A watcher knows what the values of each part of an expression reach.
type watcher struct {
	info   *check.Info
	watch  map[syntax.Expr][]action
	nested map[syntax.Expr]bool // definitions that are watched
	counts func(name string) map[key]int
}

func (w *watcher) probe(part syntax.Expr, v *pcp.Values) {
	for _, act := range w.watch[part] {
		act(v)
	}
}

func (w *watcher) on(x syntax.Expr, act action) {
	x = syntax.Unparen(x)
	w.watch[x] = append(w.watch[x], act)
}

// whole watches an expression, and the definitions in it. One without a name is that of a case, not under test.
func (w *watcher) whole(name string, x syntax.Expr) {
	var counts map[key]int
	if name != "" {
		counts = w.counts(name)
		start, end := x.Span()
		w.on(x, func(v *pcp.Values) { hit(counts, key{start, end, Result}, hasValues(v)) })
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		if nest, ok := n.(*syntax.NestExpr); ok {
			if counts != nil {
				start, end := nest.Span()
				w.on(nest, func(v *pcp.Values) { hit(counts, key{start, end, Operand}, hasValues(v)) })
			}
			if !w.nested[nest.X] { // it may stand there twice
				w.nested[nest.X] = true
				w.whole(nest.Ref.Name, nest.X)
			}
			return false
		}
		if e, ok := n.(syntax.Expr); ok && counts != nil {
			w.part(counts, e)
		}
		return true
	})
}

func (w *watcher) part(counts map[key]int, x syntax.Expr) {
	k, ok := keyOf(x)
	switch n := x.(type) {
	case *syntax.CallExpr:
		if n.Fun == syntax.DEFINED || n.Fun == syntax.ANON {
			return
		}
		if from, known := w.info.Types[n.X]; known && n.Fun == syntax.RATE && check.TimeFactor(from.Units) != 1 {
			w.conversion(counts, key{k.start, k.end, Conversion}, n)
		}
	case *syntax.RescaleExpr:
		if from, known := w.info.Types[n.X]; known && from.Units != w.info.Rescale[n] {
			w.conversion(counts, k, n.X)
		}
		return
	case *syntax.BinaryExpr:
		if s, scaled := w.info.Scales[n]; scaled {
			at := key{n.OpPos, n.OpPos + syntax.Pos(len(n.Op.Symbol())), Conversion}
			if s.LeftMul != 1 || s.LeftDiv != 1 {
				w.conversion(counts, at, n.X)
			}
			if s.RightMul != 1 || s.RightDiv != 1 {
				w.conversion(counts, at, n.Y)
			}
		}
	case *syntax.TernaryExpr:
		w.choice(counts, n)
	}
	if ok {
		w.on(x, func(v *pcp.Values) { hit(counts, k, hasValues(v)) })
	}
}

// conversion watches the values that are converted, or have been.
func (w *watcher) conversion(counts map[key]int, k key, x syntax.Expr) {
	typ := w.info.Types[x].Type
	hit(counts, k, false) // there is one
	w.on(x, func(v *pcp.Values) {
		for i := range v.Words {
			if truth(typ, v.Words[i]) {
				hit(counts, k, true)
				return
			}
		}
	})
}

// choice watches which arms the result of a choice comes from. A choice that is decided by which metrics there
// are has one outcome. The arm novalue() has no values: it is reached when the condition takes it.
func (w *watcher) choice(counts map[key]int, n *syntax.TernaryExpr) {
	keys := choice(n)
	if c := w.info.Choices[n]; c != check.NotStatic {
		outcome, arm, taken := keys[0], keys[1], n.X
		if c == check.Right {
			outcome, arm, taken = keys[2], keys[3], n.Y
		}
		novalue := w.info.Novalue(taken)
		w.on(n, func(v *pcp.Values) {
			hit(counts, outcome, novalue || hasValues(v))
			hit(counts, arm, novalue || hasValues(v))
		})
		return
	}
	typ, cond := w.info.Types[n.Cond], new(condition)
	novalue := [2]bool{w.info.Novalue(n.X), w.info.Novalue(n.Y)}
	w.on(n.Cond, func(v *pcp.Values) {
		cond.set(typ, v)
		for i, seen := range cond.seen {
			hit(counts, keys[2*i], seen)
			hit(counts, keys[2*i+1], seen && novalue[i])
		}
	})
	w.on(n, func(v *pcp.Values) {
		var taken [2]bool
		for _, inst := range v.Insts {
			if arm, ok := cond.arm(inst); ok {
				taken[arm] = true
			}
		}
		hit(counts, keys[1], taken[0])
		hit(counts, keys[3], taken[1])
	})
}

// A condition is the values of a choice's condition: the number of the arm for each instance.
type condition struct {
	singular bool
	arms     map[int32]int
	seen     [2]bool
}

func (c *condition) set(t check.Type, v *pcp.Values) {
	*c = condition{singular: t.Singular(), arms: make(map[int32]int, len(v.Insts))}
	for i, inst := range v.Insts {
		if i < len(v.Words) {
			arm := 0
			if !truth(t.Type, v.Words[i]) {
				arm = 1
			}
			c.arms[inst], c.seen[arm] = arm, true
		}
	}
}

func (c *condition) arm(inst int32) (int, bool) {
	if c.singular {
		inst = pcp.NullInst
	}
	arm, ok := c.arms[inst]
	return arm, ok
}

func hit(counts map[key]int, k key, reached bool) {
	n := counts[k]
	if reached {
		n++
	}
	counts[k] = n
}

func hasValues(v *pcp.Values) bool { return v.Err == 0 && len(v.Insts) > 0 }

// truth reports whether a word is a number other than 0.
func truth(t pcp.Type, word uint64) bool {
	switch t {
	case pcp.Double:
		return math.Float64frombits(word) != 0
	case pcp.Float:
		return math.Float32frombits(uint32(word)) != 0
	}
	return word != 0
}
