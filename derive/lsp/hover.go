package lsp

import (
	"context"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/manual"
	"pmtools/derive/repl"
	"pmtools/derive/syntax"
	"pmtools/lib/textwidth"
)

// prepare makes the definitions of a document those of the session that is asked.
func (s *server) prepare(ctx context.Context, session *repl.Session, d *document) error {
	return session.Replace(ctx, d.file())
}

// hover shows what there is to know of a position.
func (s *server) hover(d *document, p *params) (any, error) {
	off := d.offset(p.Position)
	h := &hoverer{server: s, d: d}
	if m := d.mentionAt(off); m != nil {
		return h.name(m), nil
	}
	def, pos := d.definitionAt(off)
	if def == nil || pos < 0 || def.tree == nil {
		return nil, nil
	}
	n := smallest(def.tree, pos)
	if n == nil {
		return nil, nil
	}
	from, to := n.Span()
	start, end := d.inside(def, from), d.inside(def, to)
	if fun := functionAt(def.Expr(), pos); fun != nil {
		h.code(manual.Function(*fun))
	}
	h.tree(def.Expr()[from:to])
	return h.result(start, end), nil
}

// smallest returns the smallest expression that an offset is in, or nil.
func smallest(tree syntax.Expr, pos syntax.Pos) (found syntax.Expr) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		from, to := n.Span()
		x, ok := n.(syntax.Expr)
		if ok && from <= pos && pos < to {
			found = x
		}
		return from <= pos && pos <= to
	})
	return found
}

// functionAt returns the function whose name an offset is in, or nil.
func functionAt(text string, pos syntax.Pos) *check.Function {
	from, to := int(pos), int(pos)
	for from > 0 && isWord(text[from-1]) {
		from--
	}
	for to < len(text) && isWord(text[to]) {
		to++
	}
	list := check.Functions()
	i := slices.IndexFunc(list, func(f check.Function) bool { return f.Name == text[from:to] })
	if i < 0 || !strings.HasPrefix(text[to:], "(") {
		return nil
	}
	return &list[i]
}

// A hoverer writes what is shown of one place, as Markdown.
type hoverer struct {
	*server
	d    *document
	text strings.Builder
}

// code adds text that is shown as it is.
func (h *hoverer) code(text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	h.text.WriteString(fence + "text\n")
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		h.text.WriteString(textwidth.Clean(strings.TrimRight(line, "\n")) + "\n")
	}
	h.text.WriteString(fence + "\n")
}

// result returns what is shown, or nil for nothing.
func (h *hoverer) result(from, to int) any {
	if h.text.Len() == 0 {
		return nil
	}
	return hover{markup{"markdown", h.text.String()}, h.d.span(from, to)}
}

// name shows a metric, or a definition with its tree.
func (h *hoverer) name(m *mention) any {
	def := h.d.find(m.name)
	if def != nil {
		h.code(def.Name + " = " + joined(def.Expr()))
	}
	session, err := h.sessions().get(forQuestions)
	if err == nil {
		err = h.prepare(h.ctx, session, h.d)
	}
	if err == nil {
		var metadata string
		var texts []string
		if metadata, texts, err = session.About(h.ctx, m.name); err == nil {
			h.code(strings.Join(append([]string{m.name + ": " + metadata}, texts...), "\n\n"))
		}
	}
	if err != nil {
		h.code(diagnose.LowerFirst(err.Error()))
	} else if def != nil {
		h.tree(def.Expr())
	}
	return h.result(m.from, m.from+len(m.name))
}

// tree shows the explained tree of an expression.
func (h *hoverer) tree(expr string) {
	session, err := h.sessions().get(forQuestions)
	if err == nil {
		err = h.prepare(h.ctx, session, h.d)
	}
	var b strings.Builder
	if err == nil {
		err = session.Explain(h.ctx, expr, &b)
	}
	if err != nil {
		h.code(diagnose.LowerFirst(err.Error()))
		return
	}
	h.code(b.String())
}
