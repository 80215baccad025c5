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
	indent   int    // of the last line that begins a setting; less than 0 before the first one
	settings []*setting
	keys     map[string]bool
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

// add adds a line to the value, from a column of the line on. It returns the mistake in the value,
// or "".
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

// read parses the sections of a file, and records its mistakes.
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

// line parses a line of a file.
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
	case now != nil && now.indent >= 0 && indent > now.indent:
		if n := len(now.settings); n > 0 {
			r.extend(now.settings[n-1], source, line, indent)
		}
	case text[0] == '[':
		r.section(text, source, line)
	case now == nil:
		r.fault(line, indent+1, source, "a section [NAME] comes before the first setting")
	case key < 0:
		r.fault(line, indent+1, source, "this is neither a section [NAME] nor a setting KEY = VALUE")
	default:
		now.indent = indent
		r.setting(now, source, line, indent+key)
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
	r.sections = append(r.sections, &section{name: name, file: r.file, line: line, indent: -1,
		about: textwidth.Clean(strings.Join(r.comment, " ")), keys: make(map[string]bool)})
}

// extend adds a line to a setting, from a column on.
func (r *reader) extend(s *setting, source string, line, from int) {
	wrong := s.add(source, line, from)
	if wrong == "" {
		return
	}
	if len(source) > maxValue {
		source = ""
	}
	r.fault(line, 1+max(strings.IndexByte(source, '%'), 0), source, "%s", wrong)
}

// setting begins a setting, whose key ends at the sign after it.
func (r *reader) setting(of *section, source string, line, sign int) {
	key := strings.TrimRight(source[of.indent:sign], blanks)
	switch {
	case key == "":
		r.fault(line, of.indent+1, source, "there is no key before %q", source[sign:sign+1])
	case of.keys[key]:
		r.fault(line, of.indent+1, source, "the section has %s already", textwidth.Clean(key))
	default:
		of.keys[key] = true
		s := &setting{key: key, file: r.file, line: line}
		of.settings = append(of.settings, s)
		value := strings.TrimLeft(source[sign+1:], blanks)
		r.extend(s, source, line, len(source)-len(value))
	}
}
