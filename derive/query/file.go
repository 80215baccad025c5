package query

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
)

// Text returns a definition with an expression, which may be an expanded one, as the lines of a
// configuration file.
func Text(d *derive.Definition, expr syntax.Expr) string {
	var b strings.Builder
	for _, c := range d.Comments {
		b.WriteString(c + "\n")
	}
	b.WriteString(syntax.FormatDefinition(d.Name(), expr))
	for _, attr := range []string{"oneline", "helptext"} {
		if text := *d.Attribute(attr); text != nil && *text != "" {
			b.WriteString(d.Name() + "(" + attr + ") = " + Quote(*text) + "\n")
		}
	}
	return b.String()
}

// Quote returns a help text as a configuration file has it: as it is if it can be read so, else in
// quotes.
func Quote(text string) string {
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

// A File is what a configuration file adds to definitions.
type File struct {
	Own      []*derive.Definition // those that there were, and those of the file
	Taken    int                  // how many the file defines
	Dropped  int                  // lines that are lost, without being wrong
	Problems []string             // one for each line that is wrong, or for several in a row with the same mistake
	Wrong    int                  // how many lines are wrong

	index    map[string]int // into Own
	lines    map[string]int // of the first definition of each name in the file
	comments []string
	mistake  string // of the line before
	first    int    // the first line in a row with it
}

// ReadFile adds the definitions of a configuration file, whose name is for messages, to own. A line that
// is wrong defines nothing.
func ReadFile(name string, text []byte, own []*derive.Definition) *File {
	f := &File{index: make(map[string]int), lines: make(map[string]int)}
	for _, d := range own {
		f.put(d)
	}
	f.read(name, text)
	return f
}

// put adds a definition, or replaces that of the same name.
func (f *File) put(d *derive.Definition) {
	if i, ok := f.index[d.Name()]; ok {
		f.Own[i] = d
		return
	}
	f.index[d.Name()] = len(f.Own)
	f.Own = append(f.Own, d)
}

// read takes over the definitions of the file.
func (f *File) read(name string, src []byte) {
	for c := range syntax.Chunks(name, src) {
		switch {
		case isMark(&c): // of the language, which :save writes by itself
		case c.Comment():
			f.comments = append(f.comments, strings.TrimRight(c.Raw, "\r\n"))
		case len(c.Items) == 0:
			f.loose()
		}
		for _, it := range c.Items {
			switch it := it.(type) {
			case *syntax.FileError:
				f.problem(it.Line, strings.TrimPrefix(it.Msg, "pmLoadDerivedConfig: "))
			case *syntax.Control:
				f.problem(it.Line, "control lines are for -c; this one is left out")
			case *syntax.Definition:
				f.definition(it)
			case *syntax.Attribute:
				f.attribute(it)
			}
		}
	}
	f.loose()
}

// loose forgets comments that stand before no definition.
func (f *File) loose() {
	f.Dropped += len(f.comments)
	f.comments = nil
}

// problem records a mistake in a line.
func (f *File) problem(line int, msg string) {
	if f.Wrong++; f.mistake == msg {
		f.Problems[len(f.Problems)-1] = fmt.Sprintf("lines %d to %d: %s", f.first, line, msg)
		return
	}
	f.mistake, f.first = msg, line
	f.Problems = append(f.Problems, fmt.Sprintf("line %d: %s", line, msg))
}

// definition adds a definition. If a file has several of a name, the first one counts, as in PCP.
func (f *File) definition(d *syntax.Definition) {
	comments := f.comments
	f.comments, f.mistake = nil, ""
	if first, twice := f.lines[d.Name]; twice {
		f.problem(d.Line, fmt.Sprintf("%s is defined in line %d already; the first definition holds", d.Name, first))
		return
	}
	text := OneLine(d.Expr())
	def, err := derive.CompileIn(check.OfLine(d), d.Name, text)
	if err != nil {
		p := diagnose.Syntax(text, err).Extension(MarkHint)
		msg := d.Name + ": " + p.Error()
		if slices.Contains(p.Notes, MarkHint) {
			msg += "; " + MarkHint
		}
		f.problem(d.Line, msg)
		return
	}
	f.put(def.With(derive.Notes{Comments: comments}))
	f.lines[d.Name] = d.Line
	f.Taken++
}

// attribute takes a help text over.
func (f *File) attribute(a *syntax.Attribute) {
	f.loose()
	i, ok := f.index[a.Name]
	if !ok {
		f.problem(a.Line, a.Name+" is not defined before its "+a.Attr)
		return
	}
	notes := f.Own[i].Notes
	field := notes.Attribute(a.Attr)
	if field == nil {
		f.problem(a.Line, "there is no attribute "+a.Attr)
		return
	}
	*field = &a.Value
	f.Own[i] = f.Own[i].With(notes)
}

// OneLine returns an expression without newlines.
func OneLine(expr string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\r", " ").Replace(expr))
}
