package syntax

import (
	"bytes"
	"strings"
)

// The canonical form of configuration files: one definition a paragraph, with its comments above it
// and its help texts below. Only blanks change, and where lines are broken; comments, help texts
// and control lines stay as they are.

// Bounds of formatted lines.
const (
	lineWidth  = 80
	lineIndent = "    "
)

// maxErrors is about how many errors Format returns.
const maxErrors = 10_000

// Format returns the canonical form of a configuration file. The definitions are the same, and
// formatting it again changes nothing. A file with errors is not formatted; the name is used in
// messages. Lines that all end in CR LF still do; as PCP joins no such lines, and knows
// no empty ones, none is broken and none is empty.
func (c *Config) Format(name string, src []byte) ([]byte, []*FileError) {
	f := formatter{config: c, name: name, newline: "\n"}
	if n := bytes.Count(src, []byte("\n")); n > 0 && bytes.Count(src, []byte("\r\n")) == n {
		f.newline = "\r\n"
	}
	for c := range Chunks(name, src) {
		if metric, ok := c.helped(); ok {
			f.next = append(f.next, metric)
		}
	}
	for c := range Chunks(name, src) {
		if f.chunk(&c); len(f.errs) > maxErrors {
			break
		}
		if _, ok := c.helped(); ok {
			f.next = f.next[1:]
		}
	}
	if f.errs != nil {
		return nil, f.errs
	}
	return f.out.Bytes(), nil
}

// FormatDefinition returns a definition as Format writes it, with the newline at its end.
func FormatDefinition(name string, e Expr) string {
	head := name + " = "
	return head + wrap(Print(e), len(head)) + "\n"
}

type formatter struct {
	config  *Config
	name    string
	newline string
	next    []string // the metrics of the help texts to come, in order, "" for a definition
	out     bytes.Buffer
	errs    []*FileError

	metric  string // that the current paragraph defines
	gap     bool   // there was an empty line after the text written last
	comment bool   // a comment was written last
}

func (f *formatter) chunk(c *Chunk) {
	if strings.Trim(c.Raw, "\\\n") == "" && len(c.Items) == 0 {
		f.gap = true
		return
	}
	if len(c.Items) == 0 {
		f.commentLine(c)
		return
	}
	if !c.Comment() && strings.Contains(c.Raw, "\x00") {
		place := Place{File: f.name, Line: c.Line}
		f.errs = append(f.errs, &FileError{Place: place, Msg: "zero byte, which hides the rest of the line from PCP"})
	}
	for _, it := range c.Items {
		switch it := it.(type) {
		case *FileError:
			if !it.Warning {
				f.errs = append(f.errs, it)
			}
		case *Control:
			f.commentLine(c)
		case *Definition:
			f.definition(it)
		case *Attribute:
			f.attribute(it, c.Raw)
		}
	}
}

// paragraph puts an empty line before what comes next, unless the file begins there.
func (f *formatter) paragraph() {
	if f.out.Len() > 0 && f.newline == "\n" {
		f.out.WriteByte('\n')
	}
}

// commentLine writes a comment or a control line. A line that is followed by a help text of the current
// metric stays there.
func (f *formatter) commentLine(c *Chunk) {
	inside := f.metric != "" && len(f.next) > 0 && f.next[0] == f.metric
	switch {
	case inside:
	case !f.comment, f.gap:
		f.paragraph()
		f.metric = ""
	}
	f.line(c.Raw)
	f.comment, f.gap = true, false
}

// helped returns the metric of the first help text in a chunk, "" if a definition is before it, and
// whether there is one of both.
func (c *Chunk) helped() (metric string, ok bool) {
	for _, it := range c.Items {
		switch it := it.(type) {
		case *Attribute:
			return it.Name, true
		case *Definition:
			return "", true
		}
	}
	return "", false
}

func (f *formatter) definition(d *Definition) {
	var config Config
	if f.config != nil {
		config = *f.config
	}
	config.Extended = d.Extended
	x, err := config.Parse(d.Expr())
	if err != nil {
		if bad, ok := err.(*Error); ok {
			f.errs = append(f.errs, d.SyntaxError(bad))
		}
		return
	}
	if !f.comment || f.gap || f.metric != "" {
		f.paragraph()
	}
	if f.newline == "\n" {
		f.out.WriteString(FormatDefinition(d.Name, x))
	} else {
		f.out.WriteString(d.Name + " = " + Print(x) + f.newline)
	}
	f.metric, f.comment, f.gap = d.Name, false, false
}

// attribute writes a help text. Its value stays as it is.
func (f *formatter) attribute(a *Attribute, raw string) {
	if f.metric != a.Name {
		f.paragraph()
		f.metric = a.Name
	}
	_, value, _ := strings.Cut(raw, "=")
	value = strings.TrimLeft(value, " \t\v\f\r")
	if strings.HasPrefix(value, "\\\n") || strings.Contains(raw[:len(raw)-len(value)], "\\\n") {
		f.line(raw) // broken before its value
	} else {
		f.line(a.Name + "(" + a.Attr + ") = " + value)
	}
	f.comment, f.gap = false, false
}

// line writes lines with a newline at their end. After a backslash, with which only the last line
// of a file can end, a newline would not be one; before one a CR would be a part of a help text.
func (f *formatter) line(raw string) {
	f.out.WriteString(raw)
	if !strings.HasSuffix(raw, "\n") && !strings.HasSuffix(raw, `\`) && f.newline == "\n" {
		f.out.WriteByte('\n')
	}
}

// A breakPoint is a place where a line may be broken: the offset of an operator, and how tightly it
// binds, parentheses first.
type breakPoint struct{ off, level int }

// wrap breaks the canonical text of an expression into lines, of which the first has an indent
// already. A line is broken before the last of its loosest operators.
func wrap(text string, indent int) string {
	if indent+len(text) <= lineWidth {
		return text
	}
	points := breakPoints(text)
	var b strings.Builder
	start := 0
	for indent+len(text)-start > lineWidth {
		best := -1
		for i, p := range points {
			if best >= 0 && indent+p.off-start+len(`\`) > lineWidth {
				break
			}
			if best < 0 || p.level <= points[best].level {
				best = i // too late, if there is no place before it
			}
		}
		if best < 0 {
			break
		}
		b.WriteString(text[start:points[best].off] + "\\\n" + lineIndent)
		start, indent, points = points[best].off, len(lineIndent), points[best+1:]
	}
	return b.String() + text[start:]
}

func breakPoints(text string) []breakPoint {
	var list []breakPoint
	depth := 0
	operand := false // the token before ends an operand
	for _, l := range (&Config{Extended: true}).Lexemes(text) {
		switch l.Tok {
		case LPAREN:
			depth++
		case RPAREN:
			depth--
		}
		if operand && (l.Tok.Precedence() >= 0 || l.Tok == COLON) {
			list = append(list, breakPoint{int(l.Pos), depth*(levelProduct+1) + max(l.Tok.Precedence(), 0)})
		}
		switch l.Tok {
		case NAME, INTEGER, DOUBLE, RPAREN, INSTNAME:
			operand = true
		default:
			operand = false
		}
	}
	return list
}
