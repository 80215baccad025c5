package syntax

import (
	"bytes"
	"strings"
)

// control begins the lines that set options; case does not matter.
const control = "#control"

func (p *fileParser) item() {
	p.place = Place{File: p.name, Line: p.line}
	p.text = p.logical()
	switch {
	case p.text == "":
	case p.text[0] == '#':
		p.comment()
	default:
		p.statement()
	}
}

// Mark is the first line of files in the extended language. It is a comment for PCP, which refuses
// each definition that it cannot evaluate.
const Mark = "# language: extended"

func newFileParser(name string, src []byte) *fileParser {
	return &fileParser{name: name, src: string(src), line: 1, extended: IsExtended(src)}
}

// IsExtended reports whether a file says that it is in the extended language.
func IsExtended(src []byte) bool {
	first, _, _ := bytes.Cut(src, []byte("\n"))
	return string(bytes.TrimRight(first, blanks)) == Mark
}

type fileParser struct {
	name     string
	extended bool
	items    []Item // of the current logical line
	src      string // what is left
	line     int    // the number of its first line

	place Place  // of the current logical line
	text  string // the current logical line
}

// physical takes one line from the source, without its newline. At the end of the source there may
// be none.
func (p *fileParser) physical() (line string, newline bool) {
	line, p.src, newline = strings.Cut(p.src, "\n")
	p.line++
	return line, newline
}

// logical takes one line, and the next one with it for as long as there is a backslash before the
// newline. A comment is never continued.
func (p *fileParser) logical() string {
	var b strings.Builder
	for {
		comment := b.Len() == 0 && strings.HasPrefix(p.src, "#") && !isControl(p.src)
		line, newline := p.physical()
		part, joined := strings.CutSuffix(line, `\`)
		if comment || (!joined || !newline) && b.Len() == 0 {
			return line // without a copy
		}
		if !joined || !newline {
			b.WriteString(line)
			return b.String()
		}
		b.WriteString(part)
	}
}

func isControl(line string) bool {
	return len(line) >= len(control) && strings.EqualFold(line[:len(control)], control)
}

func (p *fileParser) comment() {
	if !isControl(p.text) {
		return
	}
	// Any byte may stand between the word and the options.
	options := untilNUL(p.text[min(len(control)+1, len(p.text)):])
	p.add(&Control{Place: p.place, Options: options})
}

func (p *fileParser) statement() {
	left, right, ok := strings.Cut(p.text, "=")
	if !ok {
		p.fail("missing ``='' after derived metric name", true)
		return
	}
	name, attr, hasAttr := strings.Cut(left, "(")
	if strings.Contains(name, "\x00") {
		attr = ")" // the reference then finds no name of an attribute
	}
	name = untilNUL(strings.Trim(name, blanks))
	switch {
	case name == "":
		p.fail("derived metric name missing", true)
	case !LegalName(name):
		p.fail("illegal derived metric name ("+name+")", false)
	case hasAttr:
		p.attribute(name, attr, right)
	default:
		right = untilNUL(right)
		offset := len(right) - len(strings.TrimLeft(right, blanks))
		if offset == len(right) {
			p.fail("expression missing", true)
			return
		}
		p.add(&Definition{Place: p.place, Name: name, Text: right, Offset: offset, Extended: p.extended})
	}
}

// attribute handles what follows the parenthesis of NAME(ATTR) = VALUE.
func (p *fileParser) attribute(name, attr, right string) {
	attr, _, ok := strings.Cut(attr, ")")
	attr = untilNUL(strings.Trim(attr, blanks))
	value := untilNUL(strings.TrimLeft(right, blanks))
	switch {
	case !ok:
		p.fail("missing ')' after attribute", true)
		return
	case attr == "":
		p.fail("attribute name missing", true)
		return
	case value == "", value == `"`, value == `'`:
		p.fail("attribute value missing", true)
		return
	}
	a := &Attribute{Place: p.place, Name: name, Attr: attr, Value: value, Source: untilNUL(p.text)}
	if quote := value[0]; quote == '"' || quote == '\'' {
		var extra string
		a.Value, extra, ok = p.quoted(value[1:], quote)
		if !ok {
			p.fail("missing termination ("+string(quote)+") for value", false)
			return
		}
		if extra = strings.TrimLeft(untilNUL(extra), blanks); extra != "" {
			e := p.message("extra text (" + extra + ") after attribute value will be ignored")
			e.Warning = true
			p.add(e)
		}
	}
	a.Value = untilNUL(a.Value)
	p.add(a)
}

// untilNUL returns a text up to its first zero byte, where the reference's strings end.
func untilNUL(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

// quoted returns the value that begins with the given rest of the logical line, and the text after
// its closing quote. If the line has no such quote, the value goes on in the lines after it; these
// are not joined first, and the byte after the quote is lost there.
func (p *fileParser) quoted(rest string, quote byte) (value, extra string, ok bool) {
	var b strings.Builder
	n, ok := unquote(&b, rest+"\n", quote)
	if ok {
		return b.String(), rest[n:], true
	}
	n, ok = unquote(&b, p.src, quote)
	p.line += strings.Count(p.src[:n], "\n")
	p.src = p.src[n:]
	if !ok {
		return "", "", false
	}
	extra, _ = p.physical()
	return b.String(), extra[min(1, len(extra)):], true
}

// unquote writes a text up to a closing quote and gives the length of what it read, the quote
// included.
func unquote(b *strings.Builder, text string, quote byte) (n int, ok bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case quote:
			return i + 1, true
		case '\\':
			if i++; i < len(text) && text[i] != '\n' {
				b.WriteByte(text[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return len(text), false
}

func (p *fileParser) add(it Item) { p.items = append(p.items, it) }

func (p *fileParser) message(msg string) *FileError {
	return &FileError{Place: p.place, Msg: loader + msg}
}

func (p *fileParser) fail(msg string, withLine bool) {
	e := p.message(msg)
	if withLine {
		e.Detail = untilNUL(p.text) + "\n"
	}
	p.add(e)
}
