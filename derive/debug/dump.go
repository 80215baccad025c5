package debug

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

func (p *Printer) dump(t *tree) {
	var b strings.Builder
	t.dump(&b, t.root)
	p.printf("Derived metric expr dump from %s...\n%s", t.root.id, b.String())
}

func (t *tree) dump(b *strings.Builder, n *node) {
	if n == nil {
		return
	}
	t.head(b, n)
	if t.bound && n.role != named && n.role != matched && n.role != units {
		t.body(b, n)
	}
	t.dump(b, n.operand())
	t.dump(b, n.right)
}

// head writes the line about a node itself. A name that is bound is not primary.
func (t *tree) head(b *strings.Builder, n *node) {
	if n.role == named || n.role == matched {
		fmt.Fprintf(b, "expr node %s type=PATTERN pattern: %s type: %s\n", n.id, n.label, n.pattern())
		return
	}
	kind, label := n.kind, ""
	switch {
	case n.role == defined:
		kind += n.label
	case n.lost:
		kind = "NOVALUE"
	case n.choice != check.NotStatic:
		kind += [...]string{check.Left: " [LEFT]", check.Right: " [RIGHT]"}[n.choice]
	case n.role == units:
		label = fmt.Sprintf(" [%s]", n.label)
	case n.role == leaf, n.role == anonArg, n.role == meta:
		label = fmt.Sprintf(" [%s] primary=%d", n.label, digit(!t.bound))
	}
	fmt.Fprintf(b, "expr node %s type=%s left=%s right=%s save_last=%d%s\n",
		n.id, kind, n.operand().address(), n.right.address(), digit(n.saveLast), label)
}

// address returns what the reference prints an address for.
func (n *node) address() string {
	if n == nil {
		return "(nil)"
	}
	return n.id
}

func digit(v bool) int {
	if v {
		return 1
	}
	return 0
}

func (n *node) pattern() string {
	f := &n.found
	if n.role == named {
		inst := pcp.NullInst
		if f.used > 0 {
			inst = f.inst
		}
		return fmt.Sprintf("exact match inst=%d", inst)
	}
	text := "regex"
	if e, ok := n.expr.(*syntax.MatchInstExpr); ok && e.NotPos >= 0 {
		text = "inverted regex"
	}
	text += fmt.Sprintf(" used=%d", f.used)
	if len(f.passes) > 0 {
		text += fmt.Sprintf(" (%d instances, %d matches)", len(f.passes), f.matches())
	}
	return text
}

func (t *tree) body(b *strings.Builder, n *node) {
	now, last := t.values(n)
	fmt.Fprintf(b, "    PMID: %s (%s from pmDesc) numval: %d", n.own, idText(n.from), numval(now))
	if n.div != 0 && n.div != 1 {
		fmt.Fprintf(b, " div_scale: %s", strconv.FormatFloat(n.div, 'f', -1, 64))
	}
	if n.mul != 0 && n.mul != 1 {
		fmt.Fprintf(b, " mul_scale: %s", strconv.FormatFloat(n.mul, 'f', -1, 64))
	}
	b.WriteByte('\n')
	if n.Type.Type == pcp.NoSupport {
		fmt.Fprintf(b, "    Data Type: %s\n", n.Type.Type.Text())
	} else {
		desc := n.Desc(n.own)
		b.Write(format.AppendDesc(nil, &desc, false))
	}
	if now == nil || now.Err != nil {
		return
	}
	before := 0
	if last != nil {
		before = len(last.Insts)
	}
	for i := range max(len(now.Insts), before) {
		fmt.Fprintf(b, "[%d]", i)
		if i < len(now.Insts) {
			fmt.Fprintf(b, " inst=%d, val=%s", now.Insts[i], valueText(now, i))
		}
		if i < before {
			fmt.Fprintf(b, " (last inst=%d, val=%s)", last.Insts[i], valueText(last, i))
		}
		b.WriteByte('\n')
	}
}

// idText writes an identifier; that of nothing is 0.0.0.
func idText(id pcp.ID) string {
	if id == 0 {
		return "0.0.0"
	}
	return id.String()
}

// numval is the number of values, or the code of the error in their place.
func numval(v *pcp.Values) int {
	switch {
	case v == nil:
		return 0
	case v.Err != nil:
		return int(pmerr.Of(v.Err))
	}
	return len(v.Insts)
}

func valueText(v *pcp.Values, i int) string {
	switch x := v.Value(i); v.Type {
	case pcp.Float, pcp.Double:
		f, _ := x.Float64()
		return string(pcp.AppendG(nil, f, 6))
	case pcp.String:
		return string(x.Bytes())
	default:
		if text, err := x.Text(); err == nil && v.Type.Arithmetic() {
			return text
		}
	}
	return "[blob]"
}

// resultText writes a value as the line about a result has it, with the letters of its type.
func resultText(v *pcp.Values, i int) string {
	const header = 4 // a block of values begins with its length and type
	switch x := v.Value(i); {
	case v.Type == pcp.String:
		return fmt.Sprintf("cp=%s (len=%d)", x.Bytes(), len(x.Bytes())+1)
	case !v.Type.Arithmetic():
		return fmt.Sprintf("vbp=%d (len=%d)", i, len(x.Bytes())+header)
	case v.Type == pcp.Float, v.Type == pcp.Double:
		if f, _ := x.Float64(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return letters[v.Type] + strconv.FormatFloat(f, 'f', 6, 64)
		}
	}
	return letters[v.Type] + valueText(v, i)
}

var letters = [...]string{pcp.Int32: "l=", pcp.Uint32: "u=", pcp.Int64: "ll=", pcp.Uint64: "ul=", pcp.Float: "f=", pcp.Double: "d="}
