package repl

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/item"
	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// completeWithin is how long Complete may take. An answer that comes later is there the next
// time.
const completeWithin = 180 * time.Millisecond

// Complete proposes completions of a line at an offset: each of the texts may stand in the place of
// line[start:pos]. A source that is slow, or busy, gives none for now.
func (s *Session) Complete(line string, pos int) (texts []string, start int) {
	return s.complete(line[:min(max(pos, 0), len(line))], (*completer).line)
}

// CompleteOperands is Complete for the end of the operands of a verb.
func (s *Session) CompleteOperands(v *Verb, text string) (texts []string, start int) {
	if v.Complete == nil {
		return nil, 0
	}
	return s.complete(text, v.Complete)
}

// CompleteExpr is Complete for the beginning of an expression. The names are those of definitions that are
// proposed, in the place of the session's own, and rest is an expression whose metrics a pattern may be for.
func (s *Session) CompleteExpr(before string, names []string, rest string) (texts []string, start int) {
	return s.complete(before, func(c *completer, before string) int {
		c.given, c.names, c.last = true, names, rest
		return c.expr(before)
	})
}

func (s *Session) complete(before string, offer func(c *completer, before string) int) (texts []string, start int) {
	timer := time.NewTimer(completeWithin)
	defer timer.Stop()
	select {
	case <-s.lock:
	case <-timer.C:
		return nil, len(before)
	}
	type answer struct {
		texts []string
		start int
	}
	done := make(chan answer, 1)
	go func() {
		defer s.release()
		c := completer{s: s, ctx: s.background, last: item.Parse(s.last).Text}
		start := offer(&c, before)
		slices.Sort(c.texts)
		done <- answer{slices.Compact(c.texts), start}
	}()
	select {
	case a := <-done:
		return a.texts, a.start
	case <-timer.C:
		return nil, len(before)
	}
}

// A completer collects the texts for one line.
type completer struct {
	s     *Session
	ctx   context.Context
	given bool // names has the definitions that are proposed; else they are the session's
	names []string
	last  string // an expression whose metrics a pattern may be for
	texts []string
}

func (c *completer) offer(prefix string, texts ...string) {
	for _, t := range texts {
		if strings.HasPrefix(t, prefix) {
			c.texts = append(c.texts, t)
		}
	}
}

// line completes the text before the cursor, and returns the offset of the replaced part.
func (c *completer) line(before string) int {
	blank := len(before) - len(strings.TrimLeft(before, item.Blanks))
	text := before[blank:]
	if !strings.HasPrefix(text, ":") {
		if rest, ok := strings.CutPrefix(text, "help "); ok {
			return c.argument("help", rest, len(before))
		}
		if !strings.ContainsAny(text, "=()") {
			c.offer(text, "help", "quit")
			if text == "" {
				c.texts = nil
			}
		}
		return c.expr(before)
	}
	name, arg, ok := strings.Cut(text[1:], " ")
	if ok {
		return c.argument(name, arg, len(before))
	}
	for _, v := range At(Prompt, c.s.verbs) {
		end := ""
		if v.Most > 0 {
			end = " "
		}
		for _, full := range v.names() {
			c.offer(":"+name, ":"+full+end)
		}
	}
	if name != "" {
		c.reports(":"+name, ":")
	}
	return blank
}

// reports proposes names of reports after a sign.
func (c *completer) reports(prefix, sign string) {
	for _, name := range c.s.reports(c.ctx) {
		c.offer(prefix, sign+name)
	}
}

// argument completes the argument of a verb; end is the offset after it.
func (c *completer) argument(name, arg string, end int) int {
	v, _ := findVerb(name, c.s.verbs)
	arg = strings.TrimLeft(arg, " ")
	start := end - len(arg) + lastWord(arg)
	if v == nil {
		return start
	}
	f := c.s.flags(v)
	v.New(f)
	_, rest, err := v.cut(f, arg)
	word := arg[len(arg)-(end-start):]
	if in, ok := c.option(v, f, strings.TrimSuffix(arg, word), word); ok || err != nil || v.completion() == nil {
		return start + in
	}
	return end - len(rest) + v.completion()(c, rest)
}

// option completes a word that is an option, or the value of the option before it, and reports whether it is. The offset of
// what is replaced is one in the word.
func (c *completer) option(v *Verb, f *Flags, before, word string) (start int, is bool) {
	_, rest, err := v.cut(f, before)
	before = strings.TrimRight(before, " ")
	last := before[strings.LastIndexByte(before, ' ')+1:]
	if flag := f.option(last); flag != nil && flag.NoOptDefVal == "" && !strings.Contains(last, "=") {
		if Completes(flag) { // the expression follows: it may be the one before
			return c.value(flag.Name, item.List(c.last), word), true
		}
		c.offer(word, ValuesOf(flag)...)
		return 0, true
	}
	if name, value, ok := strings.Cut(word, "="); ok && f.option(name) != nil && Completes(f.option(name)) {
		return len(name) + 1 + c.value(f.option(name).Name, item.List(c.last), value), true
	}
	operands := v.Operands != Words && (rest != "" || err != nil) || slices.Contains(strings.Fields(before), "--")
	if operands || !strings.HasPrefix(word, "-") || !f.HasFlags() {
		return 0, false
	}
	f.VisitAll(func(flag *pflag.Flag) { c.offer(word, "--"+flag.Name+" ") })
	return 0, len(c.texts) > 0 || strings.HasPrefix(word, "--")
}

// expr completes an expression and returns the offset of the replaced part.
func (c *completer) expr(text string) int {
	if call, word, ok := item.GroupingBefore(text); ok && c.asks() {
		c.offer(word, c.groupLabels(call)...)
		return len(text) - len(word)
	}
	sp := item.SpotOf(text)
	call := ""
	if len(sp.Calls) > 0 {
		call = sp.Calls[len(sp.Calls)-1]
	}
	switch sp.Open {
	case '"':
		word := text[sp.From:]
		word = word[strings.LastIndexAny(word, " /")+1:]
		if call == "rescale" || strings.HasSuffix(strings.TrimRight(text[:sp.From-1], item.Blanks), "units=") {
			c.offer(word, unitNames...)
		}
		return len(text) - len(word)
	case '[':
		c.instance(text[:sp.From-1], text[sp.From:])
		return sp.From
	case '/':
		c.pattern(text, text[sp.From:])
		return sp.From
	}
	word := item.WordBefore(text)
	start := len(text) - len(word)
	head := strings.TrimRight(text[:start], item.Blanks)
	comma, first := strings.HasSuffix(head, ","), strings.HasSuffix(head, "(")
	if call == "mkconst" && comma || call == "novalue" && (comma || first) {
		c.offer(word, "type=", "semantics=", "units=", "indom=", "meta=")
		return start
	}
	if tag, ok := strings.CutSuffix(head, "="); ok && (call == "mkconst" || call == "novalue") {
		tag = item.WordBefore(strings.TrimRight(tag, item.Blanks))
		if c.offer(word, tagValues[tag]...); tag == "meta" {
			c.metric(word)
		}
		return start
	}
	for _, f := range c.s.defs.Language().Functions() {
		c.offer(word, f.Name+"(")
	}
	c.metric(word)
	return start
}

// tagValues has values of tags.
var tagValues = map[string][]string{
	"type": {"32", "u32", "64", "u64", "float", "double"}, "semantics": {"counter", "instant", "discrete"},
	"units": unitNames, "indom": {"null"},
}

// UnitNames returns the words of units.
func UnitNames() []string { return slices.Clone(unitNames) }

var unitNames = []string{
	"byte", "Kbyte", "Mbyte", "Gbyte", "Tbyte", "Pbyte", "Ebyte", "nanosec", "microsec", "millisec", "sec", "min", "hour", "count",
}

func (c *completer) metric(word string) {
	parent, dot := "", strings.LastIndexByte(word, '.')
	if dot >= 0 {
		parent = word[:dot]
	}
	for _, name := range c.fitting(word) {
		if next := strings.IndexByte(name[len(word):], '.'); next >= 0 {
			name = name[:len(word)+next+1]
		}
		c.texts = append(c.texts, name)
	}
	for _, child := range c.children(parent) {
		name := child.Name
		if parent != "" {
			name = parent + "." + name
		}
		if !child.Leaf {
			name += "."
		}
		c.offer(word, name)
	}
}

// fitting returns the names of definitions that begin with a prefix, without those that do not fit
// the source.
func (c *completer) fitting(prefix string) (names []string) {
	var defs []*derive.Definition
	if c.given {
		return slices.DeleteFunc(slices.Clone(c.names), func(name string) bool { return !strings.HasPrefix(name, prefix) })
	}
	for _, name := range c.s.defs.Names() {
		if strings.HasPrefix(name, prefix) {
			names, defs = append(names, name), append(defs, c.s.defs.Find(name))
		}
	}
	if len(defs) == 0 || !c.asks() {
		return names
	}
	found, err := c.s.binder().Check(c.ctx, defs)
	if c.s.noteLost(err) != nil {
		return names
	}
	names = names[:0]
	for i, x := range found {
		if x.Err == nil {
			names = append(names, defs[i].Name())
		}
	}
	return names
}

// maxOperands is how many names are tried as the operand of matchinst.
const maxOperands = 50

// pattern completes a pattern with the names of instances of the metrics that the expression before
// and c.last mention: the operand of matchinst stands after the pattern.
func (c *completer) pattern(text, prefix string) {
	var names []string
	for _, l := range slices.Concat(check.Extended.Syntax().Lexemes(text), check.Extended.Syntax().Lexemes(c.last)) {
		if l.Tok == syntax.NAME && !slices.Contains(names, l.Text) && len(names) < maxOperands {
			names = append(names, l.Text)
		}
	}
	for _, in := range c.instancesOf(names, false) {
		c.offer(prefix, strings.ReplaceAll(regexp.QuoteMeta(in.Name), "/", `\/`)+"/, ")
	}
}

// instancesOf returns the instances of expressions, in an archive those at the position or all that there ever were.
func (c *completer) instancesOf(exprs []string, ever bool) (insts []pcp.Instance) {
	if !c.asks() {
		return nil
	}
	when := pmapi.At(c.s.src.At)
	if ever {
		when = pmapi.Ever()
	}
	seen, binder := make(map[pcp.InDom]bool), c.s.binder()
	for _, text := range exprs {
		x, err := binder.Compile(c.ctx, text)
		if err != nil || x.Info.Root.InDom == pcp.NullInDom || seen[x.Info.Root.InDom] {
			continue
		}
		seen[x.Info.Root.InDom] = true
		list, err := pmapi.InstancesOf(c.ctx, c.s.src, x.Info.Root.InDom, when)
		if c.s.noteLost(err) != nil {
			return insts
		}
		insts = append(insts, list...)
	}
	return insts
}

// asks makes sure that there is a source that answers, and reports whether there is. It does not connect again.
func (c *completer) asks() bool { return !c.s.lost && c.s.connect(c.ctx) == nil }

// children returns what stands below a node of the source's name space.
func (c *completer) children(parent string) []pcp.Child {
	if !c.asks() {
		return nil
	}
	if list, known := c.s.children[parent]; known {
		return list
	}
	list, err := c.s.src.Children(c.ctx, parent)
	if c.s.noteLost(err) != nil {
		list = nil
	}
	if c.s.children == nil {
		c.s.children = make(map[string][]pcp.Child)
	}
	c.s.children[parent] = list
	return list
}

// instance completes the name of an instance of the operand at the end of a text.
func (c *completer) instance(text, prefix string) {
	operand := item.WordBefore(text)
	if strings.HasSuffix(text, ")") {
		operand = item.ParenBefore(text)
	}
	escape := strings.NewReplacer(`\`, `\\`, `]`, `\]`)
	for _, ever := range []bool{false, true} { // the position of an archive may have none
		for _, in := range c.instancesOf([]string{operand}, ever) {
			c.offer(prefix, escape.Replace(in.Name)+"]")
		}
		if len(c.texts) > 0 {
			return
		}
	}
}

// groupLabels returns the names of the labels that may stand after a call of a function and by.
func (c *completer) groupLabels(call string) []string {
	x, err := c.s.binder().Compile(c.ctx, call)
	if err != nil {
		return nil
	}
	n, ok := syntax.Unparen(x.Tree).(*syntax.CallExpr)
	if !ok || !n.Fun.IsGroupable() || x.Info.Types[n.X].Singular() {
		return nil
	}
	names, _ := c.s.src.LabelNames(c.ctx, x.Info.Types[n.X].InDom)
	return names
}
