// Package answer has what verbs answer with, and its forms for programs.
package answer

import "strings"

// A Table is rows of text in columns, for people. Programs get its records or objects.
type Table struct {
	Header []string // empty for none
	Units  []string // of the columns, below the header; empty for none
	Rows   [][]string
	Right  []bool   // columns that are aligned at their right; missing ones are not
	Drop   []int    // columns that are left out where there is no room for all, the first one first
	Wrap   bool     // the last column is broken at words where there is no room for it
	Above  []string // lines above the table
	Notes  []string // lines below it

	Keys    []string   // the names of the columns in CSV; nil for those of the header
	Records [][]string // the rows of CSV, in full; nil for Rows
	Objects []any      // what JSON has, an object on each line; nil for the records with their keys
}

// Vertical returns the table with a line for each cell: the heading of the column, and the text.
func (t *Table) Vertical() *Table {
	out := &Table{Wrap: true}
	for i, row := range t.Rows {
		if i > 0 {
			out.Rows = append(out.Rows, []string{"", ""})
		}
		for j, cell := range row {
			cell = strings.TrimSpace(cell)
			if j < len(t.Units) {
				cell = strings.TrimSpace(cell + " " + t.Units[j])
			}
			out.Rows = append(out.Rows, []string{t.Header[j], cell})
		}
	}
	return out
}
