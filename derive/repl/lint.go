package repl

import (
	"cmp"
	"context"
	"fmt"
	"pmtools/derive/query"
	"slices"
	"strings"
	"time"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/expand"
	"pmtools/derive/lint"
	"pmtools/derive/syntax"
)

// A File is a configuration file.
type File struct {
	Name string
	Text []byte
}

// Severities of diagnostics.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// A Diagnostic is something wrong or doubtful in a line of a configuration file.
type Diagnostic struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"` // in bytes, from 1
	Severity string `json:"severity"`
	Rule     string `json:"rule,omitempty"` // of package lint; "" for what PCP refuses
	Metric   string `json:"metric,omitempty"`
	Message  string `json:"message"`

	Notes  []string `json:"notes,omitempty"`
	Source string   `json:"-"` // the line
	Fixes  []Fix    `json:"-"`
}

// A Fix is a change of a file that may be what was meant. Columns are those of a Diagnostic.
type Fix struct {
	Title                            string
	Line, Column, EndLine, EndColumn int
	Text                             string
}

// String returns the diagnostic on one line, with the rule at its end.
func (d *Diagnostic) String() string {
	rule := ""
	if d.Rule != "" {
		rule = " [" + d.Rule + "]"
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s%s", d.File, d.Line, d.Column, d.Severity, d.Message, rule)
}

// Snippet returns the line with a caret under the place, and the notes.
func (d *Diagnostic) Snippet() string {
	p := Problem{Src: d.Source, Pos: min(d.Column-1, len(d.Source)), Notes: d.Notes}
	if d.Source == "" {
		p.Src = ""
	}
	_, rest, _ := strings.Cut(p.Text(), "\n")
	return rest
}

// A Lint says what is looked for.
type Lint struct {
	Syntax  bool         // only what needs no source
	Expand  bool         // definitions may stand inside others
	Unknown bool         // metrics that the source does not have are no mistakes
	Rules   []*lint.Rule // what is looked for in definitions that PCP takes

	Wanted   []string      // see lint.Facts
	Interval time.Duration // the same
	MaxCost  int           // the same

	// Text ends the work on the text, but no request to the source: a daemon's connection that a request
	// is cut short on has to be made again. Nil means that the argument of Lint ends both.
	Text context.Context
}

// Lint looks for mistakes in configuration files, which may use each other's definitions. The error
// is one of the source.
func (s *Session) Lint(ctx context.Context, files []File, opt Lint) ([]Diagnostic, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if !opt.Syntax {
		if err := s.connect(ctx); err != nil {
			return nil, err
		}
	}
	if opt.Text == nil {
		opt.Text = ctx
	}
	l := &linter{opt: opt, loading: newLoading(nil), texts: make(map[[2]string]bool), order: make(map[string]int)}
	for _, f := range files {
		l.order[f.Name] = len(l.order)
		if err := l.read(f); err != nil {
			return nil, err
		}
	}
	if err := l.meanings(ctx, s); err != nil {
		return nil, s.noteLost(err)
	}
	if err := l.rules(ctx, s); err != nil { // that of the context, between two requests
		return nil, err
	}
	l.sort()
	return l.diags, nil
}

// A linter is the work on some files.
type linter struct {
	opt Lint
	*loading
	list  []*linted
	diags []Diagnostic
	texts map[[2]string]bool // help texts that were set
	order map[string]int     // of files
	remarks
}

// A linted definition is one that can be parsed.
type linted struct {
	def    *query.Definition
	file   string
	chunk  syntax.Chunk
	places *syntax.Places // in the chunk; nil before they are needed
	start  int            // of the expression in the definition's text
	remark remark
	report derive.Report
	wrong  bool // PCP refuses it
}

// add adds a diagnostic.
func (l *linter) add(file string, line, column int, severity, metric, source, msg string, notes ...string) {
	l.diags = append(l.diags, Diagnostic{
		File: file, Line: line, Column: column, Severity: severity, Metric: metric, Message: msg, Notes: notes, Source: source,
	})
}

// warn adds a warning about what PCP ignores in a line.
func (l *linter) warn(file string, line, column int, source, msg string) {
	if rule := "ignored"; !slices.Contains(l.remarks.file, rule) && (l.opt.Rules == nil || l.has(rule)) {
		l.add(file, line, column, SeverityWarning, "", source, msg)
		l.diags[len(l.diags)-1].Rule = rule
	}
}

// read cuts a file and notes what is wrong with its lines.
func (l *linter) read(f File) error {
	l.remarks = remarks{}
	for c := range syntax.Chunks(f.Name, f.Text) {
		if err := l.opt.Text.Err(); err != nil {
			return err
		}
		line := strings.TrimRight(c.Raw, "\n")
		l.comment(f.Name, &c, line)
		if c.Comment() && strings.HasSuffix(line, `\`) {
			l.warn(f.Name, c.Line, len(line), line, "PCP takes the next line for a part of this comment")
		}
		if len(c.Items) > 0 && !strings.HasSuffix(c.Raw, "\n") {
			l.warn(f.Name, c.Line, 1, firstLine(c.Raw), "PCP ignores a last line without a newline")
		}
		for _, it := range c.Items {
			l.item(f.Name, c, it)
		}
	}
	return nil
}

// item looks at one item of a file.
func (l *linter) item(file string, c syntax.Chunk, it syntax.Item) {
	first := firstLine(c.Raw)
	switch it := it.(type) {
	case *syntax.FileError:
		msg := strings.TrimPrefix(it.Msg, "pmLoadDerivedConfig: ")
		if it.Warning {
			l.warn(file, it.Line, 1, first, msg)
			break
		}
		l.add(file, it.Line, 1, SeverityError, "", first, msg)
	case *syntax.Attribute:
		switch _, defined := l.index[it.Name]; {
		case !defined:
			l.add(file, it.Line, 1, SeverityError, it.Name, first, it.Name+" is not defined before its "+it.Attr)
		case it.Attr != "oneline" && it.Attr != "helptext":
			l.add(file, it.Line, 1, SeverityError, it.Name, first, "there is no attribute "+it.Attr+"; there are oneline and helptext")
		case l.texts[[2]string{it.Name, it.Attr}]:
			l.add(file, it.Line, 1, SeverityError, it.Name, first, it.Name+" has its "+it.Attr+" already")
		}
		l.texts[[2]string{it.Name, it.Attr}] = true
	case *syntax.Definition:
		l.definition(file, c, it)
	}
}

// definition parses a definition.
func (l *linter) definition(file string, c syntax.Chunk, it *syntax.Definition) {
	def := &query.Definition{Name: it.Name, Expr: it.Expr()}
	d := &linted{def: def, file: file, chunk: c, start: it.Offset, remark: l.take()}
	var err error
	if def.Program, err = derive.Compile(def.Name, def.Expr); err != nil {
		l.problem(d, diagnose.Syntax(def.Expr, err))
		return
	}
	if _, dup := l.index[it.Name]; dup {
		l.add(file, it.Line, 1, SeverityError, it.Name, firstLine(c.Raw), it.Name+" is defined already")
		return
	}
	l.put(def)
	l.list = append(l.list, d)
}

// problem notes what is wrong with a definition.
func (l *linter) problem(d *linted, p *Problem) {
	pos := 0
	if p.Src == d.def.Expr {
		pos = p.Pos
	}
	line, column, source := d.place(pos)
	l.add(d.file, line, column, SeverityError, d.def.Name, source, p.Msg, p.Notes...)
	l.diags[len(l.diags)-1].Fixes = d.fixes(p.Fixes)
}

// fixes returns changes of the expression as changes of the file.
func (d *linted) fixes(list []syntax.Fix) (fixes []Fix) {
	for _, f := range list {
		fix := Fix{Title: f.Title, Text: f.Text}
		fix.Line, fix.Column, _ = d.place(int(f.Start))
		fix.EndLine, fix.EndColumn, _ = d.place(int(f.End))
		fixes = append(fixes, fix)
	}
	return fixes
}

// place returns where a byte of the expression is, and the line; -1 is the name.
func (d *linted) place(pos int) (line, column int, source string) {
	if pos < 0 {
		return d.chunk.Line, 1, firstLine(d.chunk.Raw)
	}
	if d.places == nil {
		d.places = d.chunk.Places()
	}
	return d.places.At(d.start + pos)
}

// meanings checks the definitions against the source of a session, or says what can be said without
// one.
func (l *linter) meanings(ctx context.Context, s *Session) error {
	defs := s.defs.Replace(l.own)
	if l.opt.Syntax {
		n := expand.New(defs.Nested)
		for _, d := range l.list {
			if _, err := n.Expand(d.def.Program); err != nil && l.opt.Expand {
				l.problem(d, diagnose.Check(d.def.Expr, err, nil))
			}
			if err := l.opt.Text.Err(); err != nil {
				return err
			}
		}
		return nil
	}
	b := s.src.Bind(defs, l.opt.Expand)
	found, err := b.Check(ctx, l.own)
	for i, x := range found {
		d := l.list[i]
		if d.report = x; x.Err != nil {
			if p := b.Problem(ctx, d.def.Expr, x.Err); p.Unknown == "" || !l.opt.Unknown && !d.remark.optional {
				d.wrong = true
				l.problem(d, p)
			}
		}
	}
	return err
}

// sort puts the diagnostics into the order of the files and their lines.
func (l *linter) sort() {
	slices.SortStableFunc(l.diags, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(l.order[a.File], l.order[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
