package derive

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// shown is what is known of the nodes of a tree that a Source has bound, or has tried to. A nil shown is that of a tree
// that was only parsed.
type shown struct {
	descs   map[*node]nodeDesc
	lostRef map[*node]bool // names that OPTION_NOVALUE has replaced
	defined map[*node]bool // results of defined()
	choices map[*node]check.Choice
	scales  map[*node]factor
	watched *watch // values, if there were any
}

// A nodeDesc is the metadata of a node.
type nodeDesc struct {
	own pcp.ID // of the metric that the node is
	id  pcp.ID // of the metric that the metadata comes from
	check.Type
}

// A factor is what an operator applies to the values of a node.
type factor struct{ div, mul float64 }

// lost reports whether a name has turned into novalue().
func (s *shown) lost(n *node) bool { return s != nil && s.lostRef[n] }

// choice returns which arm of a choice was selected beforehand.
func (s *shown) choice(n *node) string {
	if s == nil {
		return ""
	}
	return map[check.Choice]string{check.Left: " [LEFT]", check.Right: " [RIGHT]"}[s.choices[n]]
}

// pattern returns what a PATTERN has found.
func (s *shown) pattern(n *node) string {
	var found finding
	if s != nil && s.watched != nil {
		found = s.watched.findings[n]
	}
	if n.role == named {
		inst := pcp.NullInst
		if found.used > 0 {
			inst = found.inst
		}
		return fmt.Sprintf("exact match inst=%d", inst)
	}
	text := "regex"
	if e, ok := n.expr.(*syntax.MatchInstExpr); ok && e.NotPos >= 0 {
		text = "inverted regex"
	}
	text += fmt.Sprintf(" used=%d", found.used)
	if len(found.passes) > 0 {
		text += fmt.Sprintf(" (%d instances, %d matches)", len(found.passes), found.matches())
	}
	return text
}

// tree prints a tree under a heading.
func (t *tracer) tree(n *node, s *shown) {
	t.printf("Derived metric expr dump from %s...\n%s", n.id, dump(n, s))
}

// dump returns the lines about all nodes of a tree.
func dump(root *node, s *shown) string {
	var b strings.Builder
	s.dump(&b, root)
	return b.String()
}

// dump writes the lines about a node and those below it.
func (s *shown) dump(b *strings.Builder, n *node) {
	if n == nil {
		return
	}
	b.WriteString(n.head(s))
	if s != nil && n.role != named && n.role != matched && n.role != units {
		s.body(b, n)
	}
	s.dump(b, s.operand(n))
	s.dump(b, n.right)
}

// body writes the metadata of a node and its values.
func (s *shown) body(b *strings.Builder, n *node) {
	d, ok := s.descs[n]
	if !ok {
		d = nodeDesc{own: pcp.NullID}
	}
	values, last := s.values(n)
	fmt.Fprintf(b, "    PMID: %s (%s from pmDesc) numval: %d", d.own, idText(d.id), numval(values))
	if f, ok := s.scales[n]; ok {
		if f.div != 1 {
			fmt.Fprintf(b, " div_scale: %s", strconv.FormatFloat(f.div, 'f', -1, 64))
		}
		if f.mul != 1 {
			fmt.Fprintf(b, " mul_scale: %s", strconv.FormatFloat(f.mul, 'f', -1, 64))
		}
	}
	b.WriteString("\n" + descText(d.Type))
	if values == nil || values.Err != 0 {
		return
	}
	for i := range values.Insts {
		fmt.Fprintf(b, "[%d] inst=%d, val=%s", i, values.Insts[i], valueText(values, i))
		if last != nil && i < len(last.Insts) {
			fmt.Fprintf(b, " (last inst=%d, val=%s)", last.Insts[i], valueText(last, i))
		}
		b.WriteByte('\n')
	}
}

// descText returns the lines about metadata.
func descText(t check.Type) string {
	if t.Type == pcp.NoSupport {
		return "    Data Type: " + t.Type.Text() + "\n"
	}
	units := t.Units.String()
	if units == "" {
		units = "none"
	}
	return fmt.Sprintf("    Data Type: %s  InDom: %s 0x%x\n    Semantics: %s  Units: %s\n",
		t.Type.Text(), t.InDom, uint32(t.InDom), t.Sem.Text(), units)
}

// values returns the values of a node, and those before if they matter. That of defined() is known without a fetch, and the
// type of anon() turns out to be a zero.
func (s *shown) values(n *node) (now, last *pcp.Values) {
	if now, last = s.watched.values(n); now != nil {
		return now, last
	}
	is, ok := s.defined[n]
	if !ok && (n.role != anonArg || s.watched == nil || !s.watched.begun) {
		return nil, nil
	}
	now = &pcp.Values{Type: pcp.Uint32, Insts: []int32{pcp.NullInst}, Words: []uint64{0}}
	if is {
		now.Words[0] = 1
	}
	return now, nil
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
	const header = 4 // a block of values begins with its length and type
	return fmt.Sprintf("vbp=%d (len=%d)", i, len(v.Blobs[i])+header)
}

// fixed writes a number as C's %f does.
func fixed(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return string(pcp.AppendG(nil, f, 6))
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}
