package lsp

import (
	"context"
	"slices"
	"strings"

	"pmtools/cmd/internal/manual"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
)

func (s *server) hover(ctx context.Context, d *document, p *params) (any, error) {
	if err := d.parse(ctx); err != nil {
		return nil, err
	}
	off := d.offset(p.Position)
	h := &hoverer{server: s, d: d}
	if m := d.mentionAt(off); m != nil {
		return h.name(m), nil
	}
	def, pos := d.definitionAt(d.text, off)
	if def == nil || pos < 0 {
		return nil, nil
	}
	tree := def.tree()
	if tree == nil {
		return nil, nil
	}
	n := syntax.At(tree, pos)
	if n == nil {
		return nil, nil
	}
	from, to := n.Span()
	if fun := functionAt(def.Expr(), pos); fun != nil {
		h.code(manual.Function(*fun))
	}
	h.tree(def.Expr()[from:to])
	return h.result(def.offset(from), def.offset(to)), nil
}

func functionAt(text string, pos syntax.Pos) *check.Function {
	from, to := int(pos), int(pos)
	for from > 0 && isWord(text[from-1]) {
		from--
	}
	for to < len(text) && isWord(text[to]) {
		to++
	}
	list := check.Extended.Functions()
	i := slices.IndexFunc(list, func(f check.Function) bool { return f.Name == text[from:to] })
	if i < 0 || !strings.HasPrefix(text[to:], "(") {
		return nil
	}
	return &list[i]
}

type hoverer struct {
	*server
	d    *document
	text strings.Builder
}

const maxShown = 20_000

func (h *hoverer) code(text string) {
	text = textwidth.Cut(text, maxShown)
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

func (h *hoverer) result(from, to int) any {
	if h.text.Len() == 0 {
		return nil
	}
	return hover{markup{"markdown", h.text.String()}, h.d.span(from, to)}
}

func (h *hoverer) name(m *mention) any {
	def := h.d.byName[m.name]
	if def != nil {
		h.code(def.Name + " = " + joined(def.Expr()))
	}
	session, err := h.session()
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

func (h *hoverer) session() (Session, error) {
	use := h.use
	session, err := use.get(forQuestions)
	if err == nil {
		err = use.prepare(h.ctx, session, h.d)
	}
	return session, err
}

func (h *hoverer) tree(expr string) {
	session, err := h.session()
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
