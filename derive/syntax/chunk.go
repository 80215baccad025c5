package syntax

import (
	"iter"
	"sort"
	"strings"
)

// A Chunk is one logical line of a configuration file together with its text. The texts of all
// chunks, one after the other, are the file.
type Chunk struct {
	Line  int    // the number of its first line, from 1
	Raw   string // its lines as they are, with their newlines
	Items []Item // what they mean; nothing for comments and empty lines
}

// Chunks yields the chunks of a configuration file (derived.md D5.2). The name is used in messages. Problems,
// which are items in their place, do not end it, except for a quoted value without an end.
//
// The reference ignores a last line that has no newline, and lets a comment that ends in a backslash swallow
// the next line. Chunks does neither.
func Chunks(name string, src []byte) iter.Seq[Chunk] {
	return func(yield func(Chunk) bool) {
		p := newFileParser(name, src)
		for p.src != "" {
			before := p.src
			p.items = nil
			p.item()
			if !yield(Chunk{p.place.Line, before[:len(before)-len(p.src)], p.items}) {
				return
			}
		}
	}
}

// Comment reports whether the chunk is a comment and nothing else.
func (c *Chunk) Comment() bool { return len(c.Items) == 0 && strings.HasPrefix(c.Raw, "#") }

// Definition returns the definition in the chunk, or nil.
func (c *Chunk) Definition() *Definition {
	for _, it := range c.Items {
		if d, ok := it.(*Definition); ok {
			return d
		}
	}
	return nil
}

// Places tells where the bytes of a chunk's definition are in the file.
type Places struct {
	raw  string
	line int   // of the first row
	rows []row // those that backslashes join
	text int   // where Definition.Text begins in the joined rows
}

type row struct {
	raw, end int // where it is in the chunk, without its newline
	joined   int // where it begins in the joined rows
}

// Places returns where the bytes of the chunk's definition are. It reads the chunk once, so that asking
// about each byte takes no time in proportion to the lines before it.
func (c *Chunk) Places() *Places {
	p := &Places{raw: c.Raw, line: c.Line, rows: []row{{}}}
	sign := strings.IndexByte(c.Raw, '=') + 1
	p.text = sign
	for {
		last := &p.rows[len(p.rows)-1]
		n := strings.IndexByte(c.Raw[last.raw:], '\n')
		if last.end = last.raw + n; n < 0 {
			last.end = len(c.Raw)
		}
		if n < 1 || c.Raw[last.end-1] != '\\' {
			return p
		}
		next := last.end + 1
		if next <= sign {
			p.text -= len("\\\n")
		}
		p.rows = append(p.rows, row{raw: next, joined: last.joined + next - last.raw - len("\\\n")})
	}
}

// At returns the line and the column, both from 1, of a byte of Definition.Text, which need not be
// one of the expression, and the row that it is in. Columns count bytes.
func (p *Places) At(off int) (line, column int, row string) {
	i := p.row(off)
	row = p.raw[p.rows[i].raw:p.rows[i].end]
	return p.line + i, p.Offset(off) - p.rows[i].raw + 1, row
}

// Offset returns where a byte of Definition.Text is in the chunk.
func (p *Places) Offset(off int) int {
	r := p.rows[p.row(off)]
	return min(r.raw+max(off+p.text-r.joined, 0), r.end)
}

func (p *Places) row(off int) int {
	return max(sort.Search(len(p.rows), func(i int) bool { return p.rows[i].joined > off+p.text })-1, 0)
}
