package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"pmtools/derive/query"
	"strings"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
)

// lines returns the definition with an expression, which may be an expanded one, as the lines of a
// configuration file.
func lines(d *query.Definition, expr syntax.Expr) string {
	var b strings.Builder
	for _, c := range d.Comments {
		b.WriteString(c + "\n")
	}
	b.WriteString(syntax.FormatDefinition(d.Name, expr))
	if d.OneLine != "" {
		b.WriteString(d.Name + "(oneline) = " + quote(d.OneLine) + "\n")
	}
	if d.Help != "" {
		b.WriteString(d.Name + "(helptext) = " + quote(d.Help) + "\n")
	}
	return b.String()
}

// quote returns a help text as a configuration file has it: as it is if it can be read so, else in
// quotes.
func quote(text string) string {
	if !strings.ContainsAny(text, "\n\\") && !strings.ContainsAny(text[:1], "\"' \t\v\f\r") {
		return text
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		if text[i] == '"' || text[i] == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	b.WriteByte('"')
	return b.String()
}

// runLoad reads a configuration file.
func runLoad(ctx context.Context, s *Session, name string, w io.Writer) error {
	if s.opt.Files == nil {
		return query.Problemf("there are no files here")
	}
	src, err := s.opt.Files.ReadFile(name)
	if err != nil {
		return &Problem{Msg: err.Error(), Err: err}
	}
	l := newLoading(s.defs.Own)
	l.file(name, src)
	s.define(s.defs.Replace(l.own))
	s.files[name] = len(l.problems) == 0 && l.dropped == 0
	fmt.Fprintf(w, "%s from %s\n", query.Plural(l.taken, "definition"), name)
	if err := s.recheck(ctx, w); err != nil {
		return err
	}
	if len(l.problems) == 0 {
		return nil
	}
	return &Problem{Msg: query.Plural(len(l.problems), "line") + " of " + name + " left out", Notes: l.problems}
}

// A loading is the work on one file.
type loading struct {
	own      []*query.Definition
	index    map[string]int // into own
	lines    map[string]int // of the first definition of each name in the file
	comments []string
	taken    int
	dropped  int      // lines that are lost, without being wrong
	problems []string // one for each line that is wrong
}

// newLoading returns a loading that adds to some definitions.
func newLoading(own []*query.Definition) *loading {
	l := &loading{index: make(map[string]int), lines: make(map[string]int)}
	for _, d := range own {
		l.put(d)
	}
	return l
}

// put adds a definition, or replaces that of the same name.
func (l *loading) put(d *query.Definition) {
	if i, ok := l.index[d.Name]; ok {
		l.own[i] = d
		return
	}
	l.index[d.Name] = len(l.own)
	l.own = append(l.own, d)
}

// file takes over what a configuration file defines.
func (l *loading) file(name string, src []byte) {
	for c := range syntax.Chunks(name, src) {
		switch {
		case c.Comment():
			l.comments = append(l.comments, strings.TrimRight(c.Raw, "\r\n"))
		case len(c.Items) == 0:
			l.loose()
		}
		for _, it := range c.Items {
			switch it := it.(type) {
			case *syntax.FileError:
				l.problem(it.Line, strings.TrimPrefix(it.Msg, "pmLoadDerivedConfig: "))
			case *syntax.Control:
				l.problem(it.Line, "control lines are for -c; this one is left out")
			case *syntax.Definition:
				l.definition(it)
			case *syntax.Attribute:
				l.attribute(it)
			}
		}
	}
	l.loose()
}

// loose forgets comments that stand before no definition.
func (l *loading) loose() {
	l.dropped += len(l.comments)
	l.comments = nil
}

// problem notes what is wrong in a line.
func (l *loading) problem(line int, msg string) {
	l.problems = append(l.problems, fmt.Sprintf("line %d: %s", line, msg))
}

// definition takes a definition over. Of several of a name in one file the first holds, as for all
// who load files.
func (l *loading) definition(d *syntax.Definition) {
	def := &query.Definition{Name: d.Name, Expr: oneLine(d.Expr()), Comments: l.comments}
	l.comments = nil
	if first, twice := l.lines[d.Name]; twice {
		l.problem(d.Line, fmt.Sprintf("%s is defined in line %d already; the first definition holds", d.Name, first))
		return
	}
	var err error
	if def.Program, err = derive.Compile(def.Name, def.Expr); err != nil {
		l.problem(d.Line, d.Name+": "+diagnose.Syntax(def.Expr, err).Error())
		return
	}
	l.put(def)
	l.lines[d.Name] = d.Line
	l.taken++
}

// attribute takes a help text over.
func (l *loading) attribute(a *syntax.Attribute) {
	l.loose()
	i, ok := l.index[a.Name]
	if !ok {
		l.problem(a.Line, a.Name+" is not defined before its "+a.Attr)
		return
	}
	def := *l.own[i]
	switch a.Attr {
	case "oneline":
		def.OneLine = a.Value
	case "helptext":
		def.Help = a.Value
	default:
		l.problem(a.Line, "there is no attribute "+a.Attr)
		return
	}
	l.put(&def)
}

func runSave(ctx context.Context, s *Session, name string, w io.Writer) error {
	return s.save(ctx, name, s.files[name], w)
}

func runSaveOver(ctx context.Context, s *Session, name string, w io.Writer) error {
	return s.save(ctx, name, true, w)
}

// save writes the definitions, expanded, to a file.
func (s *Session) save(ctx context.Context, name string, replace bool, w io.Writer) error {
	if s.opt.Files == nil {
		return query.Problemf("there are no files here")
	}
	text, err := s.config(ctx)
	if err != nil {
		return err
	}
	switch err := s.opt.Files.WriteFile(name, []byte(text), replace); {
	case errors.Is(err, fs.ErrExist):
		why := "this session has not read or written it"
		if _, known := s.files[name]; known {
			why = "not all of what is in it was read"
		}
		return &Problem{Msg: name + " is not overwritten: " + why, Notes: []string{":save! " + name + " writes it all the same"}, Err: err}
	case err != nil:
		return &Problem{Msg: err.Error(), Err: err}
	}
	s.files[name], s.dirty = true, false
	fmt.Fprintf(w, "%s to %s\n", query.Plural(len(s.defs.Own), "definition"), name)
	return nil
}

// config returns the session's definitions as a configuration file. One that cannot be expanded is
// written as it is.
func (s *Session) config(ctx context.Context) (string, error) {
	found, err := s.binder().Check(ctx, s.defs.Own)
	if err != nil {
		return "", err
	}
	var list []string
	for i, d := range s.defs.Own {
		x := found[i].Expr
		if x == nil {
			x = d.Program.Expr()
		}
		list = append(list, lines(d, x))
	}
	return strings.Join(list, "\n"), nil
}
