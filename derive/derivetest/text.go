package derivetest

import (
	"cmp"
	"fmt"
	"strings"

	"pmtools/internal/draw"
	"pmtools/internal/textwidth"
)

// Text returns the failures of a case as text: a line for the case, and for each failure the values
// side by side and the parts of the expression.
func (r *Result) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "FAIL %s (%s:%d)\n", r.Name, r.File, r.Line)
	for i := range r.Failures {
		r.Failures[i].write(&b)
	}
	return b.String()
}

func (f *Failure) write(b *strings.Builder) {
	fmt.Fprintf(b, "  line %d: %s\n", f.Line, f.Expr)
	switch {
	case f.problem != nil:
		for _, line := range strings.Split(strings.TrimSuffix(draw.Problem(f.problem, 0, 0), "\n"), "\n") {
			fmt.Fprintf(b, "    %s\n", line)
		}
		if f.Message != f.problem.Msg {
			fmt.Fprintf(b, "    %s\n", f.Message)
		}
	case f.Message != "":
		fmt.Fprintf(b, "    %s\n", f.Message)
	}
	if len(f.Values) == 0 {
		return
	}
	rows := [][]string{{"time", "instance", "expected", "found"}}
	for _, m := range f.Values {
		rows = append(rows, []string{m.At.String(), cmp.Or(m.Instance, "-"), m.Expected, m.Found})
	}
	writeColumns(b, "    ", rows)
	if f.More > 0 {
		fmt.Fprintf(b, "    and %d more\n", f.More)
	}
	f.writeSteps(b)
}

const maxStep = 70

func (f *Failure) writeSteps(b *strings.Builder) {
	m := f.Values[0]
	fmt.Fprintf(b, "    at %v", m.At)
	if m.Instance != "" {
		fmt.Fprintf(b, ", %s", m.Instance)
	}
	b.WriteString(":\n")
	var rows [][]string
	for _, s := range f.Steps {
		expr := strings.Repeat("  ", s.Depth) + s.Expr
		if len(expr) > maxStep {
			expr = strings.ToValidUTF8(expr[:maxStep], "") + "..."
		}
		note := ""
		switch {
		case s.Lost:
			note = "<- the value is lost here"
		case s.Before != "":
			note = "before " + s.Before
		}
		rows = append(rows, []string{expr, s.Value, note})
	}
	writeColumns(b, "      ", rows)
}

func writeColumns(b *strings.Builder, indent string, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i] = textwidth.Clean(row[i])
			widths[i] = max(widths[i], textwidth.Width(row[i]))
		}
	}
	for _, row := range rows {
		line := indent
		for i, cell := range row {
			line += textwidth.Pad(cell, widths[i], false) + "  "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
