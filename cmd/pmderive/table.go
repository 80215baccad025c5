package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
)

// drawTable draws rows of text in columns, two blanks between them, below a header unless that is
// empty. Columns are aligned at their right where right says so. Widths depend on the text alone.
func drawTable(w io.Writer, header []string, rows [][]string, right []bool) error {
	columns := len(header)
	for _, row := range rows {
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
		if i < len(right) && right[i] {
			align[i] = tablewriter.ALIGN_RIGHT
		}
	}
	tw.SetColumnAlignment(align)
	// The header is a row, because headers are all aligned the same way.
	if len(header) > 0 {
		tw.Append(filled(header, columns))
	}
	for _, row := range rows {
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
