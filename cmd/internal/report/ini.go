package report

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"pmtools/derive/lint"
	"pmtools/internal/textwidth"
)

// This file reads the syntax of configuration files: sections in brackets, settings KEY = VALUE or
// KEY: VALUE, and lines that continue a value because they are indented farther than its key. "%%"
// stands for "%".

// A section is the settings below a name in brackets.
type section struct {
	name     string
	file     string
	line     int
	about    string // the comment before it
	lines    []rawLine
	indent   int // of the last line that begins a setting
	settings []*setting
}

// A rawLine is a line of a section that has not become a setting.
type rawLine struct {
	source string
	line   int
	indent int
	sign   int // how far after the indentation the sign after the key is; less than 0 in a line that continues a value
}

// A setting is a key with its value, which remembers where it stands.
type setting struct {
	key    string
	file   string
	line   int
	value  string // its lines are separated by newlines
	pieces []piece
}

// A piece is a part of a value that stands in the file as it is.
type piece struct {
	start        int // in the value
	line, column int // of its first byte
	source       string
}

// place returns where a byte of the value is, and its line.
func (s *setting) place(pos int) (line, column int, source string) {
	i := sort.Search(len(s.pieces), func(i int) bool { return s.pieces[i].start > pos }) - 1
	if i < 0 {
		return s.line, 1, ""
	}
	p := &s.pieces[i]
	return p.line, min(p.column+pos-p.start, len(p.source)+1), p.source
}

// add adds a line to the value, from a column of the line on. The result is what is wrong with it.
func (s *setting) add(source string, line, column int) (wrong string) {
	if len(s.value)+len(source) > maxValue {
		return fmt.Sprintf("a value of more than %d bytes", maxValue)
	}
	text := strings.TrimRight(source[column:], blanks)
	if s.pieces == nil && !strings.Contains(text, "%") { // as most values are
		s.value, s.pieces = text, []piece{{line: line, column: column + 1, source: source}}
		return ""
	}
	if s.pieces != nil {
		s.value += "\n"
	}
	for first := true; first || text != ""; first = false {
		s.pieces = append(s.pieces, piece{start: len(s.value), line: line, column: column + 1, source: source})
		part, rest, found := strings.Cut(text, "%")
		s.value += part
		if column += len(part); !found {
			break
		}
		if !strings.HasPrefix(rest, "%") {
			wrong = "a percent sign is written %%"
			rest = "%" + rest
			column--
		}
		s.value += "%"
		column += 2
		text = rest[1:]
	}
	return wrong
}

// maxValue is the length of the longest value.
const maxValue = 64 << 10

const blanks = " \t\r\v\f"

// A reader reads one file.
type reader struct {
	file     string
	sections []*section
	names    map[string]bool // of sections
	faults   []lint.Diagnostic
	comment  []string  // the lines before this one
	reports  []*Report // that the sections are
}

// read reads the sections of a file, and notes what is wrong in it.
func (r *reader) read(text string) {
	r.names = make(map[string]bool)
	if i := strings.IndexByte(text, 0); i >= 0 || !utf8.ValidString(text) {
		line := 1 + strings.Count(text[:max(i, 0)], "\n")
		r.fault(line, 1, "", "this is not a text, but binary data")
		return
	}
	line := 0
	for source := range strings.Lines(text) {
		line++
		if r.line(strings.TrimSuffix(source, "\n"), line); len(r.faults) >= maxFaults {
			return
		}
	}
}

// maxFaults is how many mistakes of a file are reported.
const maxFaults = 100

func (r *reader) fault(line, column int, source, format string, args ...any) {
	r.faults = append(r.faults, lint.Diagnostic{
		File: r.file, Line: line, Column: column, Severity: lint.SeverityError, Source: source, Message: fmt.Sprintf(format, args...),
	})
}

// line reads a line.
func (r *reader) line(source string, line int) {
	text := strings.Trim(source, blanks)
	switch {
	case text == "":
		r.comment = nil
		return
	case text[0] == '#' || text[0] == ';':
		if text = strings.Trim(text, "#; \t"); text != "" {
			r.comment = append(r.comment, text)
		}
		return
	}
	defer func() { r.comment = nil }()
	indent := strings.Index(source, text)
	var now *section
	if n := len(r.sections); n > 0 {
		now = r.sections[n-1]
	}
	switch key := strings.IndexAny(text, "=:"); {
	case now != nil && now.lines != nil && indent > now.indent:
		now.lines = append(now.lines, rawLine{source, line, indent, -1})
	case text[0] == '[':
		r.section(text, source, line)
	case now == nil:
		r.fault(line, indent+1, source, "a section [NAME] comes before the first setting")
	case key < 0:
		r.fault(line, indent+1, source, "this is neither a section [NAME] nor a setting KEY = VALUE")
	default:
		now.lines, now.indent = append(now.lines, rawLine{source, line, indent, key}), indent
	}
}

func (r *reader) section(text, source string, line int) {
	end := strings.LastIndexByte(text, ']')
	if end < 2 {
		r.fault(line, strings.IndexByte(source, '[')+1, source, "the name of a section is not closed by ]")
		return
	}
	name := text[1:end]
	if r.names[name] {
		r.fault(line, 1, source, "the file has a section [%s] already", textwidth.Clean(name))
	}
	r.names[name] = true
	r.sections = append(r.sections, &section{name: name, file: r.file, line: line, about: textwidth.Clean(strings.Join(r.comment, " "))})
}

// settings makes the settings of a section of its lines.
func (r *reader) settings(of *section) {
	keys := make(map[string]bool)
	for _, l := range of.lines {
		if len(r.faults) >= maxFaults {
			return
		}
		if l.sign >= 0 {
			r.setting(of, l, keys)
		} else if n := len(of.settings); n > 0 {
			r.extend(of.settings[n-1], l, l.indent)
		}
	}
	of.lines = nil
}

// extend adds a line to a setting, from a column on.
func (r *reader) extend(s *setting, l rawLine, from int) {
	wrong := s.add(l.source, l.line, from)
	if wrong == "" {
		return
	}
	source := l.source
	if len(source) > maxValue {
		source = ""
	}
	r.fault(l.line, 1+max(strings.IndexByte(source, '%'), 0), source, "%s", wrong)
}

func (r *reader) setting(of *section, l rawLine, keys map[string]bool) {
	after := l.indent + l.sign
	key := strings.TrimRight(l.source[l.indent:after], blanks)
	switch {
	case key == "":
		r.fault(l.line, l.indent+1, l.source, "there is no key before %q", l.source[after:after+1])
	case keys[key]:
		r.fault(l.line, l.indent+1, l.source, "the section has %s already", textwidth.Clean(key))
	default:
		keys[key] = true
		s := &setting{key: key, file: r.file, line: l.line}
		of.settings = append(of.settings, s)
		after++
		r.extend(s, l, after+len(l.source[after:])-len(strings.TrimLeft(l.source[after:], blanks)))
	}
}
