package repl

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
)

// A definitionFile is what a configuration file adds to definitions.
type definitionFile struct {
	own      []*derive.Definition // those that there were, and those of the file
	taken    int                  // how many the file defines
	dropped  int                  // lines that are lost, without being wrong
	problems []string             // one for each line that is wrong, or for several in a row with the same mistake
	wrong    int                  // how many lines are wrong

	index    map[string]int // into Own
	lines    map[string]int // of the first definition of each name in the file
	comments []string
	mistake  string // of the line before
	first    int    // the first line in a row with it
}

// readDefinitions adds the definitions of a configuration file, whose name is for messages, to own. A line that
// is wrong defines nothing.
func readDefinitions(name string, text []byte, own []*derive.Definition) *definitionFile {
	f := &definitionFile{index: make(map[string]int), lines: make(map[string]int)}
	for _, d := range own {
		f.put(d)
	}
	f.read(name, text)
	return f
}

// put adds a definition, or replaces that of the same name.
func (f *definitionFile) put(d *derive.Definition) {
	if i, ok := f.index[d.Name()]; ok {
		f.own[i] = d
		return
	}
	f.index[d.Name()] = len(f.own)
	f.own = append(f.own, d)
}

// read takes over the definitions of the file.
func (f *definitionFile) read(name string, src []byte) {
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
func (f *definitionFile) loose() {
	f.dropped += len(f.comments)
	f.comments = nil
}

// problem records a mistake in a line.
func (f *definitionFile) problem(line int, msg string) {
	if f.wrong++; f.mistake == msg {
		f.problems[len(f.problems)-1] = fmt.Sprintf("lines %d to %d: %s", f.first, line, msg)
		return
	}
	f.mistake, f.first = msg, line
	f.problems = append(f.problems, fmt.Sprintf("line %d: %s", line, msg))
}

// definition adds a definition. If a file has several of a name, the first one counts, as in PCP.
func (f *definitionFile) definition(d *syntax.Definition) {
	comments := f.comments
	f.comments, f.mistake = nil, ""
	if first, twice := f.lines[d.Name]; twice {
		f.problem(d.Line, fmt.Sprintf("%s is defined in line %d already; the first definition holds", d.Name, first))
		return
	}
	text := textwidth.OneLine(d.Expr())
	def, err := derive.CompileIn(check.OfLine(d), d.Name, text)
	if err != nil {
		p := diagnose.Syntax(text, err).Extension(query.MarkHint)
		msg := d.Name + ": " + p.Error()
		if slices.Contains(p.Notes, query.MarkHint) {
			msg += "; " + query.MarkHint
		}
		f.problem(d.Line, msg)
		return
	}
	f.put(def.With(derive.Notes{Comments: comments}))
	f.lines[d.Name] = d.Line
	f.taken++
}

// attribute takes a help text over.
func (f *definitionFile) attribute(a *syntax.Attribute) {
	f.loose()
	i, ok := f.index[a.Name]
	if !ok {
		f.problem(a.Line, a.Name+" is not defined before its "+a.Attr)
		return
	}
	notes := f.own[i].Notes
	field := notes.Attribute(a.Attr)
	if field == nil {
		f.problem(a.Line, "there is no attribute "+a.Attr)
		return
	}
	*field = &a.Value
	f.own[i] = f.own[i].With(notes)
}

// isMark reports whether a chunk is the mark of a file.
func isMark(c *syntax.Chunk) bool {
	return c.Line == 1 && strings.TrimSpace(c.Raw) == syntax.Mark
}
