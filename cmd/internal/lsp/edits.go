package lsp

import (
	"context"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/lint"
	"pmtools/derive/syntax"
)

func (s *server) formatting(_ context.Context, d *document, _ *params) (any, error) {
	out, errs := check.Syntax().Format(fileName(d.uri), []byte(d.text))
	if errs != nil {
		return nil, rpcErrorf(codeFailed, "line %d: a file with errors is not formatted", errs[0].Line)
	}
	text := string(out)
	if text == d.text {
		return []textEdit{}, nil
	}
	from := 0 // the lines that are the same at the beginning
	for from < min(len(text), len(d.text)) {
		line, _, ok := strings.Cut(d.text[from:], "\n")
		if !ok || !strings.HasPrefix(text[from:], line+"\n") {
			break
		}
		from += len(line) + 1
	}
	return []textEdit{{d.span(from, len(d.text)), text[from:]}}, nil
}

func (s *server) codeActions(ctx context.Context, d *document, p *params) (any, error) {
	s.mu.Lock()
	f := d.found
	s.mu.Unlock()
	list := []codeAction{}
	if f == nil {
		return list, nil
	}
	if err := d.parse(ctx); err != nil {
		return nil, err
	}
	for i := range f.list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found := &f.list[i]
		if line := d.position(d.place(found.Line, found.Column)).Line; line < p.Range.Start.Line || line > p.Range.End.Line {
			continue
		}
		for _, fix := range d.fixes(found) {
			edit := textEdit{d.span(d.place(fix.Line, fix.Column), d.place(fix.EndLine, fix.EndColumn)), fix.Text}
			list = append(list, codeAction{fix.Title, "quickfix", []diagnostic{d.diagnostic(found)}, workspaceEdit{map[string][]textEdit{d.uri: {edit}}}})
		}
	}
	return list, nil
}

// fixes returns the changes for a finding. A rule can be switched off for the definition.
func (d *document) fixes(found *lint.Diagnostic) []lint.Fix {
	list := found.Fixes
	if def := d.byName[found.Metric]; found.Rule != "" && def != nil {
		line := def.Line
		if line == 1 && syntax.IsExtended([]byte(d.text)) {
			line++ // the mark stays the first line
		}
		list = append(list[:len(list):len(list)], lint.Fix{
			Title: "ignore " + found.Rule + " for " + def.Name,
			Line:  line, Column: 1, EndLine: line, EndColumn: 1, Text: "# pmderive: ignore " + found.Rule + "\n",
		})
	}
	return list
}
