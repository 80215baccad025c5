package lint

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
)

func (w *work) add(file string, line, column int, severity, metric, source, msg string, notes ...string) *Diagnostic {
	w.found = append(w.found, Diagnostic{
		File: file, Line: line, Column: column, Severity: severity, Metric: metric, Message: msg, Notes: notes, Source: source,
	})
	return &w.found[len(w.found)-1]
}

func (w *work) warn(file string, line, column int, source, msg string) {
	if rule := "ignored"; !slices.Contains(w.directives.file, rule) && (w.opt.Rules == nil || slices.ContainsFunc(w.opt.Rules, func(r *Rule) bool { return r.Name == rule })) {
		w.add(file, line, column, SeverityWarning, "", source, msg).Rule = rule
	}
}

// Bounds on one run: every definition and every mistake takes memory, and may be as short as four bytes.
const (
	maxDefinitions = 100_000
	maxFindings    = 10_000
)

func (w *work) read(f File) error {
	w.directives = directives{}
	for c := range syntax.Chunks(f.Name, f.Text) {
		if err := w.opt.Text.Err(); err != nil {
			return err
		}
		switch {
		case len(w.found) > maxFindings:
			w.add(f.Name, c.Line, 1, SeverityError, "", firstLine(c.Raw), fmt.Sprintf("more than %d mistakes: the rest is not read", maxFindings))
			return nil
		case len(w.entries) == maxDefinitions && len(c.Items) > 0:
			w.add(f.Name, c.Line, 1, SeverityError, "", firstLine(c.Raw), fmt.Sprintf("more than %d definitions: the rest is not read", maxDefinitions))
			return nil
		}
		line := strings.TrimRight(c.Raw, "\n")
		w.comment(f.Name, &c, line)
		if c.Comment() && strings.HasSuffix(line, `\`) {
			w.warn(f.Name, c.Line, len(line), line, "PCP takes the next line for a part of this comment")
		}
		if last := line[strings.LastIndexByte(line, '\n')+1:]; !c.Comment() && strings.HasSuffix(last, "\\\r") {
			w.add(f.Name, c.Line+strings.Count(line, "\n"), len(last)-1, SeverityError, "", last,
				"a backslash continues a line that ends in LF, not one that ends in CR LF")
		}
		if len(c.Items) > 0 && !strings.HasSuffix(c.Raw, "\n") {
			w.warn(f.Name, c.Line, 1, firstLine(c.Raw), "PCP ignores a last line without a newline")
		}
		for _, it := range c.Items {
			w.item(f.Name, c, it)
		}
	}
	return nil
}

func (w *work) item(file string, c syntax.Chunk, it syntax.Item) {
	first := firstLine(c.Raw)
	switch it := it.(type) {
	case *syntax.FileError:
		msg := strings.TrimPrefix(it.Msg, "pmLoadDerivedConfig: ")
		if it.Warning {
			w.warn(file, it.Line, 1, first, msg)
			break
		}
		w.add(file, it.Line, 1, SeverityError, "", first, msg)
	case *syntax.Attribute:
		switch _, defined := w.byName[it.Name]; {
		case !defined:
			w.add(file, it.Line, 1, SeverityError, it.Name, first, it.Name+" is not defined before its "+it.Attr)
		case it.Attr != "oneline" && it.Attr != "helptext":
			w.add(file, it.Line, 1, SeverityError, it.Name, first, "there is no attribute "+it.Attr+"; there are oneline and helptext")
		case w.texts[[2]string{it.Name, it.Attr}]:
			w.add(file, it.Line, 1, SeverityError, it.Name, first, it.Name+" has its "+it.Attr+" already")
		}
		w.texts[[2]string{it.Name, it.Attr}] = true
	case *syntax.Definition:
		w.definition(file, c, it)
	}
}

func (w *work) definition(file string, c syntax.Chunk, it *syntax.Definition) {
	e := &definition{line: it, chunk: c, directive: w.take()}
	def, err := derive.CompileLine(it)
	if err != nil {
		w.problem(e, diagnose.Syntax(it.Expr(), err).Extension(query.MarkHint))
		return
	}
	e.Definition = def
	if w.byName[it.Name] != nil {
		w.add(file, it.Line, 1, SeverityError, it.Name, firstLine(c.Raw), it.Name+" is defined already")
		return
	}
	w.byName[it.Name] = e
	w.entries = append(w.entries, e)
}

func (w *work) problem(e *definition, p *diagnose.Problem) {
	pos := 0
	if p.Src == e.line.Expr() {
		pos = p.Pos
	}
	line, column, source := e.place(pos)
	w.add(e.line.File, line, column, SeverityError, e.line.Name, source, p.Msg, p.Notes...).Fixes = e.fixes(p.Fixes)
}

func (e *definition) fixes(list []syntax.Fix) (fixes []Fix) {
	for _, f := range list {
		fix := Fix{Title: f.Title, Text: f.Text}
		fix.Line, fix.Column, _ = e.place(int(f.Start))
		fix.EndLine, fix.EndColumn, _ = e.place(int(f.End))
		fixes = append(fixes, fix)
	}
	return fixes
}

// place returns where a byte of the expression is, and the line; -1 is the name.
func (e *definition) place(pos int) (line, column int, source string) {
	if pos < 0 {
		return e.chunk.Line, 1, firstLine(e.chunk.Raw)
	}
	if e.places == nil {
		e.places = e.chunk.Places()
	}
	return e.places.At(e.line.Offset + pos)
}
