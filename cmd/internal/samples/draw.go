package samples

import (
	"bytes"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
)

// A Table is rows of text in columns. Widths depend on the text alone.
type Table struct {
	Header []string // empty for none
	Rows   [][]string
	Right  []bool // columns that are aligned right; missing ones are not
}

// Write draws the table without lines, two blanks between columns.
func (t *Table) Write(w io.Writer) error {
	columns := len(t.Header)
	for _, row := range t.Rows {
		columns = max(columns, len(row))
	}
	if columns == 0 {
		return nil
	}
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
	align := make([]int, columns)
	for i := range align {
		align[i] = tablewriter.ALIGN_LEFT
		if i < len(t.Right) && t.Right[i] {
			align[i] = tablewriter.ALIGN_RIGHT
		}
	}
	tw.SetColumnAlignment(align)
	// The header is a row, because headers are all aligned the same way.
	if len(t.Header) > 0 {
		tw.Append(filled(t.Header, columns))
	}
	for _, row := range t.Rows {
		tw.Append(filled(row, columns))
	}
	tw.Render()
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// filled returns a row with as many cells as there are columns, each of one line.
func filled(row []string, columns int) []string {
	out := make([]string, columns)
	for i, cell := range row {
		out[i] = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, cell)
	}
	return out
}
