package lsp

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// maxDocument is the size of the largest document that is looked at.
const maxDocument = 8 << 20

// A document is one version of a text. It does not change.
type document struct {
	uri     string
	version int
	text    string
	lines   []int // offsets of the lines as the protocol counts them
	rows    []int // the same as the checker does: only a newline ends one

	once  sync.Once
	defs  []*definition
	names []mention // in the order of the text
}

// A definition is one in a document.
type definition struct {
	syntax.Chunk
	*syntax.Definition
	at   int         // offset of the chunk
	name int         // of the name
	tree syntax.Expr // nil if it cannot be parsed
}

// A mention is a place where a name of a metric stands.
type mention struct {
	name    string
	from    int
	defines bool
	def     *definition // that it stands in; nil for that of a help text
}

// newDocument returns a document.
func newDocument(uri string, version int, text string) *document {
	d := &document{uri: uri, version: version, text: text, lines: []int{0}, rows: []int{0}}
	for i := range len(text) {
		switch {
		case text[i] == '\n':
			d.lines, d.rows = append(d.lines, i+1), append(d.rows, i+1)
		case text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n"):
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// line returns the text of line number i without its end, and where it begins.
func (d *document) line(i int) (text string, start int) {
	start = d.lines[i]
	text = d.text[start:]
	if i+1 < len(d.lines) {
		text = d.text[start:d.lines[i+1]]
	}
	return strings.TrimRight(text, "\r\n"), start
}

// offset returns the offset of a position. One behind a line is its end, one in the middle of a
// character its beginning.
func (d *document) offset(p position) int {
	if uint64(p.Line) >= uint64(len(d.lines)) {
		return len(d.text)
	}
	text, start := d.line(int(p.Line))
	units := 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > int(p.Character) {
			return start + i
		}
	}
	return start + len(text)
}

// position returns the position of an offset.
func (d *document) position(off int) position {
	off = min(max(off, 0), len(d.text))
	line := sort.SearchInts(d.lines, off+1) - 1
	units := 0
	for _, r := range d.text[d.lines[line]:off] {
		units += utf16.RuneLen(r)
	}
	return position{uint32(line), uint32(units)}
}

// span returns the range between two offsets.
func (d *document) span(from, to int) span { return span{d.position(from), d.position(to)} }

// place returns the offset of a line and a column, in bytes, both from 1.
func (d *document) place(line, column int) int {
	if line > len(d.rows) {
		return len(d.text)
	}
	return min(d.rows[max(line, 1)-1]+max(column, 1)-1, len(d.text))
}

// parse cuts the text into definitions and finds the names in it.
func (d *document) parse() {
	d.once.Do(func() {
		at := 0
		for _, c := range syntax.Chunks("", []byte(d.text)) {
			for _, it := range c.Items {
				switch it := it.(type) {
				case *syntax.Definition:
					d.define(c, it, at)
				case *syntax.Attribute:
					d.names = append(d.names, mention{name: it.Name, from: at + max(strings.Index(c.Raw, it.Name), 0)})
				}
			}
			at += len(c.Raw)
		}
	})
}

// define notes a definition and the names in it.
func (d *document) define(c syntax.Chunk, it *syntax.Definition, at int) {
	def := &definition{Chunk: c, Definition: it, at: at, name: at + max(strings.Index(c.Raw, it.Name), 0)}
	def.tree, _ = check.Syntax().Parse(it.Expr()) // the checker reports the error
	d.defs = append(d.defs, def)
	d.names = append(d.names, mention{it.Name, def.name, true, def})
	if def.tree == nil {
		for _, l := range check.Syntax().Lexemes(it.Expr()) {
			if l.Tok == syntax.NAME {
				d.names = append(d.names, mention{l.Text, d.inside(def, l.Pos), false, def})
			}
		}
		return
	}
	for n := range syntax.Preorder(def.tree) {
		switch n := n.(type) {
		case *syntax.MetricRef:
			d.names = append(d.names, mention{n.Name, d.inside(def, n.NamePos), false, def})
		case *syntax.Spec:
			if n.Tag == syntax.META {
				d.names = append(d.names, mention{n.Value, d.inside(def, n.ValuePos), false, def})
			}
		}
	}
}

// inside returns the offset of a byte of a definition's expression.
func (d *document) inside(def *definition, pos syntax.Pos) int {
	return d.place(def.Chunk.Place(def.Offset + int(pos)))
}

// definitionAt returns the definition that an offset is in, and where in its expression: negative
// before it. Without one it returns nil.
func (d *document) definitionAt(off int) (def *definition, pos syntax.Pos) {
	d.parse()
	i := sort.Search(len(d.defs), func(i int) bool { return d.defs[i].at > off }) - 1
	if i < 0 || off > d.defs[i].at+len(d.defs[i].Raw) {
		return nil, 0
	}
	def = d.defs[i]
	_, before, ok := strings.Cut(d.text[def.at:off], "=")
	if !ok {
		return def, -1
	}
	return def, syntax.Pos(len(joined(before)) - def.Offset)
}

// mentionAt returns the name that an offset is in or behind, or nil.
func (d *document) mentionAt(off int) *mention {
	d.parse()
	for i := range d.names {
		if m := &d.names[i]; m.from <= off && off <= m.from+len(m.name) {
			return m
		}
	}
	return nil
}

// find returns the first definition of a name, which is the one that holds, or nil.
func (d *document) find(name string) *definition {
	d.parse()
	for _, def := range d.defs {
		if def.Name == name {
			return def
		}
	}
	return nil
}

// joined returns lines that backslashes join as one.
func joined(text string) string { return strings.ReplaceAll(text, "\\\n", "") }

// word returns the end of the name, the number or else the character that begins at an offset.
func (d *document) word(from int) (to int) {
	to = from
	for to < len(d.text) && (isWord(d.text[to]) || d.text[to] == '.') {
		to++
	}
	if to == from && to < len(d.text) && d.text[to] != '\n' && d.text[to] != '\r' {
		_, n := utf8.DecodeRuneInString(d.text[to:])
		to += n
	}
	return to
}

// isWord reports whether a byte may be part of a name.
func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
