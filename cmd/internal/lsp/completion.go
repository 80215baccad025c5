package lsp

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"pmtools/derive/check"
	"pmtools/derive/lint"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
)

// completeWithin is how long completion waits for the session, which may be busy.
const completeWithin = 150 * time.Millisecond

func (s *server) completion(ctx context.Context, d *document, p *params) (any, error) {
	if err := d.parse(ctx); err != nil {
		return nil, err
	}
	off := d.offset(p.Position)
	list := &completionList{Incomplete: true, Items: []completionItem{}}
	c := completer{list, d, off}
	switch before, place := d.before(off); place {
	case inExpression:
		c.expression(s, before)
	case inName:
		c.name(before)
	case inComment:
		word := before[strings.LastIndexAny(before, " \t,")+1:]
		for _, name := range append(lint.RuleNames(), "ignore", "ignore-file", "optional") {
			c.offer(word, name, itemKeyword, "")
		}
	}
	return list, nil
}

// The places that a text is completed at.
const (
	nowhere = iota
	inExpression
	inName    // before the '='
	inComment // for the linter
)

func (d *document) before(off int) (text string, place int) {
	i := sort.Search(len(d.chunks), func(i int) bool { return int(d.chunks[i]) > off }) - 1
	if i < 0 {
		return "", inName
	}
	at, end := int(d.chunks[i]), len(d.text)
	if i+1 < len(d.chunks) {
		end = int(d.chunks[i+1])
	}
	raw := d.text[at:end]
	text = d.text[at:off]
	switch name, expr, ok := strings.Cut(text, "="); {
	case off == end && strings.HasSuffix(raw, "\n") && !strings.HasSuffix(raw, "\\\n"):
		return "", inName // after the last line
	case strings.HasPrefix(text, "#"):
		if strings.HasPrefix(strings.TrimSpace(text[1:]), "pmderive:") {
			return text, inComment
		}
		return "", nowhere
	case ok && strings.Contains(name, "("):
		return "", nowhere // a help text
	case ok:
		return joined(expr), inExpression
	}
	return text, inName
}

type completer struct {
	*completionList
	d   *document
	off int
}

// maxItems is how many texts are proposed. The client asks again when more is typed.
const maxItems = 1000

// offer proposes a text in the place of the word before the position, if it begins with that.
func (c *completer) offer(word, text string, kind int, detail string) {
	if len(c.Items) < maxItems && strings.HasPrefix(text, word) && text != word {
		detail = textwidth.Cut(detail, maxDetail)
		edit := textEdit{c.d.span(c.off-len(word), c.off), text}
		c.Items = append(c.Items, completionItem{Label: text, Kind: kind, Detail: detail, TextEdit: edit})
	}
}

func (c *completer) expression(s *server, before string) {
	use := s.use
	var names []string
	rest := ""
	if strings.Contains(before, "/") {
		rest = c.rest()
	}
	if use.lint.Expand {
		here, _ := c.d.definitionAt(c.d.text, c.off)
		for _, def := range c.d.defs {
			if def != here {
				names = append(names, def.Name)
			}
		}
	}
	var texts []string
	start := len(before)
	if session, err := use.get(forQuestions); err == nil {
		ctx, cancel := context.WithTimeout(s.ctx, completeWithin)
		defer cancel()
		// Definitions are asked for their instances only.
		if !strings.ContainsAny(before, "[/") || use.prepare(ctx, session, c.d) == nil {
			texts, start = session.CompleteExpr(before, names, rest)
		}
	}
	functions := check.Extended.Functions()
	if len(texts) == 0 { // the source is slow, or not there
		if session, err := use.get(forSyntax); err == nil {
			texts, start = session.CompleteExpr(before, names, rest)
		}
	}
	word := before[min(start, len(before)):]
	after := c.d.text[c.off:]
	for _, text := range texts {
		kind, detail := itemVariable, ""
		if i := slices.IndexFunc(functions, func(f check.Function) bool { return f.Name+"(" == text }); i >= 0 {
			kind, detail = itemFunction, functions[i].Signature
		} else if def := c.d.byName[text]; def != nil {
			detail = def.Expr()
		} else if strings.HasSuffix(text, "]") || strings.HasSuffix(text, "/, ") {
			kind = itemValue
			if end := text[len(strings.TrimRight(text, "]/, ")):]; end != "" && strings.HasPrefix(after, end[:1]) {
				text = strings.TrimSuffix(text, end)
			}
		} else if strings.HasSuffix(text, "=") {
			kind = itemKeyword
		}
		c.offer(word, text, kind, detail)
	}
}

const maxRest = 20

// rest returns the metrics after the position in its definition, or else those of the others, as
// one expression. The definition is incomplete, so it cannot be parsed.
func (c *completer) rest() string {
	var list []string
	add := func(name string) {
		if len(list) < maxRest && syntax.LegalName(name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	here, _ := c.d.definitionAt(c.d.text, c.off)
	if here != nil {
		after := joined(c.d.text[c.off : here.at+len(here.raw)])
		for word := range strings.FieldsFuncSeq(after, func(r rune) bool { return r > unicode.MaxASCII || r != '.' && !isWord(byte(r)) }) {
			add(word)
		}
	}
	own := len(list) > 0
	for i := range c.d.names {
		if len(list) >= maxRest {
			break
		}
		if m := &c.d.names[i]; !own && !m.defines && m.def != nil && m.def != here {
			add(m.name)
		}
	}
	return strings.Join(list, " + ")
}

func (c *completer) name(before string) {
	if name, attr, ok := strings.Cut(before, "("); ok {
		for _, text := range []string{"oneline", "helptext"} {
			if c.d.byName[strings.TrimSpace(name)] != nil {
				c.offer(attr, text+") = ", itemKeyword, "")
			}
		}
		return
	}
	for _, def := range c.d.defs {
		c.offer(strings.TrimLeft(before, " \t"), def.Name, itemVariable, def.Expr())
	}
}
