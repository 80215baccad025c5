package lsp

import (
	"context"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// Bounds of a document that is looked at.
const (
	maxDocument    = 8 << 20 // bytes
	maxDefinitions = 100_000
)

// A document is one version of a text. It does not change.
type document struct {
	uri     string
	version int
	text    string
	lines   []int32 // offsets of the lines as the protocol counts them
	rows    []int32 // the same as the checker does: only a newline ends one

	current context.Context // of one that is kept: ends when there is another version
	outdate context.CancelFunc
	found   *findings // nil before there are some; guarded by the server

	mu     sync.Mutex // guards the parts while they are made
	*parts            // nil before they are needed
}

type parts struct {
	chunks []int32 // their offsets
	defs   []*definition
	byName map[string]*definition // the first of each name, which is the one that holds
	names  []mention              // in the order of the text
}

type definition struct {
	*syntax.Definition
	places *syntax.Places
	raw    string // its chunk
	at     int    // offset of the chunk
	name   int    // of the name
}

type mention struct {
	name    string
	from    int
	defines bool
	def     *definition // that it stands in; nil for that of a help text
}

func newDocument(uri string, version int, text string) *document {
	d := &document{uri: uri, version: version, text: text, lines: []int32{0}, rows: []int32{0}}
	for i := range len(text) {
		switch {
		case text[i] == '\n':
			d.lines, d.rows = append(d.lines, int32(i+1)), append(d.rows, int32(i+1))
		case text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n"):
			d.lines = append(d.lines, int32(i+1))
		}
	}
	return d
}

// unitsOf returns how many units of UTF-16 a character has that begins with a byte of UTF-8; 0 if none
// begins there.
func unitsOf(c byte) uint32 {
	switch {
	case c >= 0xF0: // of four bytes: two surrogates
		return 2
	case c < 0x80 || c >= 0xC0:
		return 1
	}
	return 0
}

// offset returns the offset of a position. A position after the end of a line stands for its end, a
// position in the middle of a character for its beginning.
func (d *document) offset(p position) int {
	if uint64(p.Line) >= uint64(len(d.lines)) {
		return len(d.text)
	}
	off, end := int(d.lines[p.Line]), len(d.text)
	if int(p.Line)+1 < len(d.lines) {
		end = int(d.lines[p.Line+1])
	}
	end = off + len(strings.TrimRight(d.text[off:end], "\r\n"))
	for units := uint32(0); off < end; off++ {
		if units += unitsOf(d.text[off]); units > p.Character {
			break
		}
	}
	return off
}

func (d *document) position(off int) position {
	off = min(max(off, 0), len(d.text))
	line := sort.Search(len(d.lines), func(i int) bool { return int(d.lines[i]) > off }) - 1
	p := position{Line: uint32(line)}
	for i := int(d.lines[line]); i < off; i++ {
		p.Character += unitsOf(d.text[i])
	}
	return p
}

func (d *document) span(from, to int) span { return span{d.position(from), d.position(to)} }

// place returns the offset of a line and a column, in bytes, both from 1.
func (d *document) place(line, column int) int {
	if line > len(d.rows) {
		return len(d.text)
	}
	return min(int(d.rows[max(line, 1)-1])+max(column, 1)-1, len(d.text))
}

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

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// parse cuts the text into definitions and finds the names in it. The error is that of the context; the
// next call begins anew.
func (d *document) parse(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.parts != nil {
		return nil
	}
	p := &parts{byName: make(map[string]*definition)}
	at := 0
	for c := range syntax.Chunks("", []byte(d.text)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(p.defs) > maxDefinitions {
			return rpcErrorf(codeFailed, "more than %d definitions, the limit for an editor; pmderive check takes more", maxDefinitions)
		}
		p.chunks = append(p.chunks, int32(at))
		for _, it := range c.Items {
			switch it := it.(type) {
			case *syntax.Definition:
				p.define(&c, it, at)
			case *syntax.Attribute:
				p.names = append(p.names, mention{name: it.Name, from: at + max(strings.Index(c.Raw, it.Name), 0)})
			}
		}
		at += len(c.Raw)
	}
	d.parts = p
	return nil
}

func (p *parts) define(c *syntax.Chunk, it *syntax.Definition, at int) {
	def := &definition{Definition: it, places: c.Places(), raw: c.Raw, at: at, name: at + max(strings.Index(c.Raw, it.Name), 0)}
	p.defs = append(p.defs, def)
	if p.byName[def.Name] == nil {
		p.byName[def.Name] = def
	}
	p.names = append(p.names, mention{it.Name, def.name, true, def})
	tree := def.tree()
	if tree == nil {
		for _, l := range check.OfLine(it).Syntax().Lexemes(it.Expr()) {
			if l.Tok == syntax.NAME {
				p.names = append(p.names, mention{l.Text, def.offset(l.Pos), false, def})
			}
		}
		return
	}
	for name, pos := range syntax.Mentions(tree) {
		p.names = append(p.names, mention{name, def.offset(pos), false, def})
	}
}

// tree parses the expression; nil means that it cannot be parsed, which the checker reports. Keeping the
// trees of all definitions would take ten times as much memory as their text.
func (def *definition) tree() syntax.Expr {
	tree, _ := check.OfLine(def.Definition).Syntax().Parse(def.Expr())
	return tree
}

// offset returns the offset in the document of a byte of the expression.
func (def *definition) offset(pos syntax.Pos) int {
	return def.at + def.places.Offset(def.Offset+int(pos))
}

// definitionAt returns the definition that an offset is in, and where in its expression: negative
// before it. Without one it returns nil.
func (p *parts) definitionAt(text string, off int) (def *definition, pos syntax.Pos) {
	i := sort.Search(len(p.defs), func(i int) bool { return p.defs[i].at > off }) - 1
	if i < 0 || off > p.defs[i].at+len(p.defs[i].raw) {
		return nil, 0
	}
	def = p.defs[i]
	_, before, ok := strings.Cut(text[def.at:off], "=")
	if !ok {
		return def, -1
	}
	return def, syntax.Pos(len(joined(before)) - def.Offset)
}

func (p *parts) mentionAt(off int) *mention {
	i := sort.Search(len(p.names), func(i int) bool { return p.names[i].from > off }) - 1
	if i < 0 || off > p.names[i].from+len(p.names[i].name) {
		return nil
	}
	return &p.names[i]
}

func joined(text string) string { return strings.ReplaceAll(text, "\\\n", "") }
