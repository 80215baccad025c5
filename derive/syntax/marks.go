package syntax

import (
	"strings"

	"pmtools/internal/textwidth"
)

// Marked draws the rows of a definition that have marked bytes, each with carets below these; the offsets of
// bytes are those of Definition.Text. Rows are cut into pieces of at most width columns, of which those
// without marks are left out; a width below 1 cuts nothing.
func (p *Places) Marked(width int, marked func(off int) bool) string {
	var b strings.Builder
	for i, r := range p.rows {
		d := drawing{width: width, out: &b}
		for j, c := range p.raw[r.raw:r.end] {
			last := i+1 < len(p.rows) && r.raw+j == r.end-1 // the backslash
			d.put(c, !last && marked(r.joined+j-p.text))
		}
		d.end()
	}
	return b.String()
}

// A drawing is a piece of a row with its carets.
type drawing struct {
	width, columns int
	row, carets    strings.Builder
	any            bool
	out            *strings.Builder
}

func (d *drawing) put(c rune, marked bool) {
	if textwidth.Obeyed(c) {
		c = ' '
	}
	n := textwidth.Columns(c)
	if d.width > 0 && d.columns+n > d.width {
		d.end()
	}
	caret := " "
	if marked {
		caret, d.any = "^", true
	}
	d.row.WriteRune(c)
	d.carets.WriteString(strings.Repeat(caret, n))
	d.columns += n
}

func (d *drawing) end() {
	if d.any {
		d.out.WriteString(strings.TrimRight(d.row.String(), " ") + "\n" + strings.TrimRight(d.carets.String(), " ") + "\n")
	}
	*d = drawing{width: d.width, out: d.out}
}
