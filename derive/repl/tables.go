package repl

import (
	"fmt"
	"io"
	"unicode/utf8"

	"pmtools/lib/pcp"
)

// maxKept is how many samples of a run over time are kept for one table. Longer runs are cut into several.
const maxKept = 1000

// tableSink draws tables below a line of metadata for each expression: a row a sample and a column a value, as many tables
// below each other as the width needs.
type tableSink struct {
	s     *Session
	w     io.Writer
	q     *query
	kept  []*reading
	began bool
}

func (t *tableSink) sample(smp *reading) error {
	t.kept = append(t.kept, smp)
	// Over a live source each sample is shown when it is there.
	if t.s.line == nil || len(t.kept) >= maxKept {
		return t.flush()
	}
	return nil
}

func (t *tableSink) end() error { return t.flush() }

// flush draws what was kept.
func (t *tableSink) flush() error {
	if len(t.kept) == 0 {
		return nil
	}
	kept := t.kept
	t.kept = nil
	if !t.began {
		t.began = true
		for i, c := range t.q.exprs {
			fmt.Fprintf(t.w, "%s: %s\n", t.q.names[i], t.s.describe(c))
		}
	}
	columns := t.columns(kept)
	for first := true; first || len(columns) > 0; first = false {
		n := t.fitting(columns, kept)
		if err := t.s.table(t.w, t.draw(columns[:n], kept)); err != nil {
			return err
		}
		if columns = columns[n:]; len(columns) > 0 {
			fmt.Fprintln(t.w)
		}
	}
	return nil
}

// A tableColumn is one value of one expression with all that is shown of it.
type tableColumn struct {
	csvColumn
	head  string
	cells []string
	width int
}

// columns returns the columns of some samples.
func (t *tableSink) columns(kept []*reading) []tableColumn {
	var list []tableColumn
	index := make(map[csvColumn]int)
	for i, c := range t.q.exprs {
		for _, smp := range kept {
			for _, v := range smp.Sets[i].Values {
				key := csvColumn{i, v.ID}
				if _, known := index[key]; known {
					continue
				}
				index[key] = len(list)
				head := t.q.names[i]
				switch {
				case len(t.q.exprs) == 1 && !c.info.Root.Singular():
					head = v.Instance
				case !c.info.Root.Singular():
					head += "[" + v.Instance + "]"
				}
				list = append(list, tableColumn{csvColumn: key, head: head, cells: make([]string, len(kept))})
			}
		}
	}
	for j, smp := range kept {
		for i, c := range t.q.exprs {
			for _, v := range smp.Sets[i].Values {
				list[index[csvColumn{i, v.ID}]].cells[j] = t.s.set.value(t.s.shownValue(c, v))
			}
		}
	}
	for i := range list {
		col := &list[i]
		col.width = utf8.RuneCountInString(col.head)
		for j, cell := range col.cells {
			if cell == "" {
				col.cells[j] = "-"
			}
			col.width = max(col.width, utf8.RuneCountInString(cell))
		}
	}
	return list
}

// timeWidth is the width of the column of times with the gap behind it.
const timeWidth = 28

// fitting returns how many columns fit beside each other, at least one if there is one.
func (t *tableSink) fitting(columns []tableColumn, kept []*reading) int {
	width := t.s.width()
	if width == 0 {
		return len(columns)
	}
	used := timeWidth
	for i := range columns {
		if used += columns[i].width + 2; used > width && i > 0 {
			return i
		}
	}
	return len(columns)
}

// draw makes a table of columns.
func (t *tableSink) draw(columns []tableColumn, kept []*reading) *Table {
	out := &Table{Header: []string{"time"}, Right: []bool{false}}
	for i := range columns {
		out.Header = append(out.Header, columns[i].head)
		out.Right = append(out.Right, t.q.exprs[columns[i].expr].info.Root.Type != pcp.String)
	}
	for j, smp := range kept {
		row := []string{t.s.showTime(smp.Time)}
		for i := range columns {
			row = append(row, columns[i].cells[j])
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
