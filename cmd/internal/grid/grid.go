// Package grid draws tables of text for terminals.
package grid

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"

	"pmtools/cmd/internal/answer"
	"pmtools/internal/textwidth"
)

// blockRows is the number of rows drawn at once: a table may have a million, and the library keeps
// several copies of its rows.
const blockRows = 1000

// Draw draws rows of text in columns, two blanks between them, below a header unless that is empty,
// within a width unless that is 0.
func Draw(ctx context.Context, w io.Writer, t *answer.Table, width int) error {
	g := newGrid(t)
	if g.columns == 0 {
		return nil
	}
	if width > 0 {
		g.fit(t, width)
	}
	least := make([]int, g.columns) // in the library's measure, so that all blocks are aligned
	for i, row := range g.rows {
		if i%blockRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for j, cell := range row {
			least[j] = max(least[j], tablewriter.DisplayWidth(cell))
		}
	}
	for rows := range slices.Chunk(g.rows, blockRows) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.draw(w, rows, least); err != nil {
			return err
		}
	}
	return nil
}

// draw draws some of the rows. The header is one of them, because the library aligns all headers the
// same way.
func (g *grid) draw(w io.Writer, rows [][]string, least []int) error {
	var b bytes.Buffer
	tw := tablewriter.NewWriter(&b)
	tw.SetAutoWrapText(false)
	tw.SetAutoFormatHeaders(false)
	tw.SetBorder(false)
	tw.SetHeaderLine(false)
	tw.SetCenterSeparator("")
	tw.SetColumnSeparator("")
	tw.SetRowSeparator("")
	tw.SetTablePadding("  ")
	tw.SetNoWhiteSpace(true)
	align := make([]int, g.columns)
	for i := range align {
		align[i] = tablewriter.ALIGN_LEFT
		if g.right[i] {
			align[i] = tablewriter.ALIGN_RIGHT
		}
		tw.SetColMinWidth(i, least[i])
	}
	tw.SetColumnAlignment(align)
	tw.AppendBulk(rows)
	tw.Render()
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// A grid is the cells of a table: as many in each row as there are columns, each of one line.
type grid struct {
	columns int
	rows    [][]string // the header, if there is one, is the first
	right   []bool
}

// newGrid returns the cells of a table.
func newGrid(t *answer.Table) *grid {
	g := &grid{}
	for _, head := range [][]string{t.Header, t.Units} {
		if len(head) > 0 {
			g.rows = append(g.rows, head)
		}
	}
	g.rows = append(g.rows, t.Rows...)
	for _, row := range g.rows {
		g.columns = max(g.columns, len(row))
	}
	for i, row := range g.rows {
		g.rows[i] = make([]string, g.columns)
		for j, cell := range row {
			g.rows[i][j] = textwidth.Clean(cell)
		}
	}
	g.right = append(slices.Clone(t.Right), make([]bool, g.columns)...)[:g.columns]
	return g
}

// widths returns the widths of the columns, and that of the whole.
func (g *grid) widths() (widths []int, all int) {
	widths = make([]int, g.columns)
	for _, row := range g.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], textwidth.Width(cell))
		}
	}
	for _, n := range widths {
		all += n
	}
	return widths, all + 2*(g.columns-1)
}

// leastColumn is how far a column is cut at most.
const leastColumn = 12

// fit makes the grid as narrow as a width: columns are dropped, and the last one is broken at words, below the others if
// there is no room beside them. Of other tables the widest columns are cut.
func (g *grid) fit(t *answer.Table, width int) {
	widths, all := g.widths()
	for k, i := range t.Drop {
		if all <= width {
			return
		}
		for _, gone := range t.Drop[:k] {
			if gone < t.Drop[k] {
				i--
			}
		}
		g.drop(i)
		widths, all = g.widths()
	}
	last := g.columns - 1
	switch room := widths[last] - (all - width); {
	case !t.Wrap || all <= width:
	case room >= leastColumn:
		g.wrap(last, room)
		return
	default:
		g.stack(width)
		return
	}
	for fixed := make([]bool, g.columns); all > width; {
		widest, to := wide(widths, fixed, all-width)
		if widest < 0 {
			return
		}
		if widths, all = g.cut(widest, to); widths[widest] > to {
			fixed[widest] = true // names that differ would look alike
		}
	}
}

// wide returns the widest column that may be cut, and how wide it is to be when columns together have an
// excess: not narrower than the next one, with which it shares the rest then. Without such a column the
// result is negative.
func wide(widths []int, fixed []bool, excess int) (widest, to int) {
	widest = -1
	for i, n := range widths {
		if !fixed[i] && n > leastColumn && (widest < 0 || n > widths[widest]) {
			widest = i
		}
	}
	if widest < 0 {
		return widest, 0
	}
	alike, next := 0, leastColumn
	for i, n := range widths {
		switch {
		case fixed[i]:
		case n == widths[widest]:
			alike++
		default:
			next = max(next, n)
		}
	}
	return widest, max(next, widths[widest]-(excess+alike-1)/alike)
}

// cut cuts the cells of a column, and returns the widths then.
func (g *grid) cut(column, width int) (widths []int, all int) {
	cells := make([]string, len(g.rows))
	for i, row := range g.rows {
		cells[i] = row[column]
	}
	for i, cell := range textwidth.Distinct(cells, width) {
		g.rows[i][column] = cell
	}
	return g.widths()
}

// drop leaves a column out.
func (g *grid) drop(column int) {
	for i, row := range g.rows {
		g.rows[i] = slices.Delete(row, column, column+1)
	}
	g.right = slices.Delete(g.right, column, column+1)
	g.columns--
}

// stack puts the cells of the last column below the others, both broken at words.
func (g *grid) stack(width int) {
	const indent = "    "
	var rows [][]string
	for _, row := range g.rows {
		last := len(row) - 1
		head := strings.TrimRight(strings.Join(row[:last], "  "), " ")
		lines := textwidth.Wrap(head, width-len(indent))
		if head == "" {
			lines = nil // as between two pages
		}
		if row[last] != "" || head == "" {
			lines = append(lines, textwidth.Wrap(row[last], width-len(indent))...)
		}
		for i, line := range lines {
			if i > 0 || head == "" {
				line = indent + line
			}
			rows = append(rows, []string{line})
		}
	}
	g.rows, g.columns, g.right = rows, 1, []bool{false}
}

// wrap breaks the cells of a column at words, into rows that are empty otherwise.
func (g *grid) wrap(column, width int) {
	var rows [][]string
	for _, row := range g.rows {
		for i, line := range textwidth.Wrap(row[column], width) {
			if i > 0 {
				row = make([]string, g.columns)
			}
			row[column] = line
			rows = append(rows, row)
		}
	}
	g.rows = rows
}
