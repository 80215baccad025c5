package debug

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// dump prints a tree under a heading.
func (p *Printer) dump(t *tree) {
	p.printf("Derived metric expr dump from %s...\n%s", t.root.id, t)
}

// String returns the lines about all nodes.
func (t *tree) String() string {
	var b strings.Builder
	t.dump(&b, t.root)
	return b.String()
}

// dump writes the lines about a node and those below it.
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

// digit returns a truth value as a number.
func digit(v bool) int {
	if v {
		return 1
	}
	return 0
}

// pattern returns what a PATTERN has found.
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

// body writes the metadata of a node and its values.
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
	describe(b, n.Type)
	if now == nil || now.Err != 0 {
		return
	}
	for i := range now.Insts {
		fmt.Fprintf(b, "[%d] inst=%d, val=%s", i, now.Insts[i], valueText(now, i))
		if last != nil && i < len(last.Insts) {
			fmt.Fprintf(b, " (last inst=%d, val=%s)", last.Insts[i], valueText(last, i))
		}
		b.WriteByte('\n')
	}
}

// describe writes the lines about metadata.
func describe(b *strings.Builder, t check.Type) {
	if t.Type == pcp.NoSupport {
		fmt.Fprintf(b, "    Data Type: %s\n", t.Type.Text())
		return
	}
	units := t.Units.String()
	if units == "" {
		units = "none"
	}
	fmt.Fprintf(b, "    Data Type: %s  InDom: %s 0x%x\n    Semantics: %s  Units: %s\n",
		t.Type.Text(), t.InDom, uint32(t.InDom), t.Sem.Text(), units)
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
	case v.Err != 0:
		return int(v.Err)
	}
	return len(v.Insts)
}

// valueText writes a value the short way.
func valueText(v *pcp.Values, i int) string {
	switch {
	case v.Type == pcp.Float || v.Type == pcp.Double:
		return string(pcp.AppendG(nil, floatOf(v, i), 6))
	case v.Type == pcp.Int32 || v.Type == pcp.Int64:
		return strconv.FormatInt(int64(v.Words[i]), 10)
	case v.Type.Arithmetic():
		return strconv.FormatUint(v.Words[i], 10)
	case v.Type == pcp.String:
		return string(v.Blobs[i])
	}
	return "[blob]"
}

// floatOf returns a value that is a float or a double.
func floatOf(v *pcp.Values, i int) float64 {
	if v.Type == pcp.Float {
		return float64(math.Float32frombits(uint32(v.Words[i])))
	}
	return math.Float64frombits(v.Words[i])
}

// resultText writes a value as the line about a result has it, with the letters of its type.
func resultText(v *pcp.Values, i int) string {
	const header = 4 // a block of values begins with its length and type
	switch v.Type {
	case pcp.Int32:
		return "l=" + valueText(v, i)
	case pcp.Uint32:
		return "u=" + valueText(v, i)
	case pcp.Int64:
		return "ll=" + valueText(v, i)
	case pcp.Uint64:
		return "ul=" + valueText(v, i)
	case pcp.Float:
		return "f=" + fixed(floatOf(v, i))
	case pcp.Double:
		return "d=" + fixed(floatOf(v, i))
	case pcp.String:
		return fmt.Sprintf("cp=%s (len=%d)", v.Blobs[i], len(v.Blobs[i])+1)
	}
	return fmt.Sprintf("vbp=%d (len=%d)", i, len(v.Blobs[i])+header)
}

// fixed writes a number as C's %f does.
func fixed(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return string(pcp.AppendG(nil, f, 6))
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}
