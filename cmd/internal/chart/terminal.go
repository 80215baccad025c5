package chart

import (
	"fmt"
	"math"
	"strings"

	"pmtools/internal/textwidth"
)

// A Terminal says what a chart may be drawn with.
type Terminal struct {
	Width, Height int // in characters; a height of 0 is no limit
	Color         bool
	ASCII         bool // there are no other characters
}

// The size of a chart in characters.
const (
	leastWidth = 10 // of the lines, whatever the terminal has
	mostRows   = 12 // of a panel
	leastRows  = 3
	allRows    = 24 // of all panels
	mostWindow = 2  // of the window, which is short
	around     = 4  // the title, the axis of time with its labels, and the prompt
)

// paints are the numbers of the colours of lines. They can be read on black and on white.
var paints = [MaxLines]int{36, 33, 35, 32, 31, 34, 96, 91}

// Text draws the chart. Lines of one unit are told apart by colours or, without these, by panels of their own. If the chart
// replaces the one before, it fits the terminal: otherwise it may be higher.
func (c *Chart) Text(t *Terminal, replaces bool) string {
	most, width := MaxLines, t.Width
	if replaces && t.Height > 0 && !t.Color {
		most = max(1, min(most, (t.Height-around-mostWindow)/(leastRows+1)))
	}
	if c = c.Choose(most); len(c.Lines) == 0 {
		return "No values available\n"
	}
	panels := c.Panels(1, !t.Color)
	window := textwidth.Wrap(c.Window(), width)
	legends, used := make([][]string, len(panels)), around+len(window)
	for i, p := range panels {
		legends[i] = t.legend(p, c, width)
		used += len(legends[i])
	}
	rows := min(mostRows, max(leastRows+1, allRows/len(panels)))
	if t.Height > 0 {
		rows = min(rows, max(leastRows, (t.Height-used)/len(panels)))
	}
	panels = c.Panels(max(1, min(rows-2, 2+rows/6)), !t.Color)
	margin := 0
	for _, p := range panels {
		for _, tick := range p.Ticks {
			margin = max(margin, len(tick.Label)+1)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", textwidth.Cut(c.Title, width), strings.Join(window, "\n"))
	columns := max(width-margin-1, leastWidth)
	for i, p := range panels {
		b.WriteString(strings.Join(legends[i], ""))
		t.panel(&b, c, p, margin, columns, rows)
	}
	t.times(&b, c, margin, columns)
	return b.String()
}

// chars returns what the axes are drawn with: beside a panel, at a mark there, at the corner, below, and at a mark there.
func (t *Terminal) chars() []string {
	if t.ASCII {
		return []string{"|", "+", "+", "-", "+"}
	}
	return []string{"│", "┤", "└", "─", "┬"}
}

// paint returns a text in the colour of a line.
func (t *Terminal) paint(c *Chart, l *Line, text string) string {
	for i := range c.Lines {
		if c.Lines[i] == l && t.Color {
			return fmt.Sprintf("\x1b[%dm%s\x1b[0m", paints[i], text)
		}
	}
	return text
}

// legend returns the lines that name those of a panel.
func (t *Terminal) legend(p *Panel, c *Chart, width int) (list []string) {
	const gap = 3
	text, used := "", 0
	for _, l := range p.Lines {
		name := textwidth.Middle(l.Legend, width-gap)
		n := gap + textwidth.Width(name)
		if used > 0 && used+n > width {
			list = append(list, text+"\n")
			text, used = "", 0
		}
		text, used = text+strings.Repeat(" ", gap)+t.paint(c, l, name), used+n
	}
	return append(list, text+"\n")
}

// A cell is a character of a panel.
type cell struct {
	dots rune
	line *Line
}

// dots are the bits of a cell, by rows and columns: those of Braille characters, or of the upper and the lower half.
func (t *Terminal) dots() [][]rune {
	if t.ASCII {
		return [][]rune{{1}, {2}}
	}
	return [][]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}
}

// text returns the character of a cell.
func (t *Terminal) text(c *cell) string {
	switch {
	case c.dots == 0:
		return " "
	case t.ASCII:
		return " '.:"[c.dots : c.dots+1]
	}
	return string(0x2800 + c.dots)
}

// panel draws the lines of a panel beside its axis.
func (t *Terminal) panel(b *strings.Builder, c *Chart, p *Panel, margin, columns, rows int) {
	dots := t.dots()
	cells := make([]cell, rows*columns)
	last := float64(rows*len(dots) - 1)
	for _, l := range p.Lines {
		c.Strokes(p, l, func(x, y []float64) {
			fromX, fromY := x[0], y[0]
			for i := range x {
				walk(fromX*float64(columns*len(dots[0])-1), (1-fromY)*last, x[i]*float64(columns*len(dots[0])-1), (1-y[i])*last, func(x, y int) {
					at := &cells[y/len(dots)*columns+x/len(dots[0])]
					at.dots, at.line = at.dots|dots[y%len(dots)][x%len(dots[0])], l
				})
				fromX, fromY = x[i], y[i]
			}
		})
	}
	labels := make(map[int]string)
	for _, tick := range p.Ticks {
		labels[int(math.Round((1-tick.At)*last))/len(dots)] = tick.Label
	}
	for row := range rows {
		label, marked := labels[row]
		axis := t.chars()[0]
		if marked {
			axis = t.chars()[1]
		}
		line := textwidth.Pad(label, margin-1, true) + " " + axis
		for _, run := range runs(cells[row*columns : (row+1)*columns]) {
			text := ""
			for i := range run {
				text += t.text(&run[i])
			}
			line += t.paint(c, run[0].line, text)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// runs returns the parts of cells that have the same line.
func runs(cells []cell) (list [][]cell) {
	start := 0
	for i := range cells {
		if cells[i].line != cells[start].line {
			list, start = append(list, cells[start:i]), i
		}
	}
	return append(list, cells[start:])
}

// walk calls a function with the dots of a straight line.
func walk(x, y, toX, toY float64, dot func(x, y int)) {
	steps := math.Ceil(max(math.Abs(toX-x), math.Abs(toY-y), 1))
	for i := range int(steps) + 1 {
		part := float64(i) / steps
		dot(int(math.Round(x+(toX-x)*part)), int(math.Round(y+(toY-y)*part)))
	}
}

// times draws the axis of time.
func (t *Terminal) times(b *strings.Builder, c *Chart, margin, columns int) {
	chars := t.chars()
	axis := make([]string, columns)
	for i := range axis {
		axis[i] = chars[3]
	}
	labels := ""
	for _, tick := range c.TimeTicks(columns) {
		at := int(math.Round(tick.At * float64(columns-1)))
		axis[at] = chars[4]
		start := max(0, min(margin+1+at-len(tick.Label)/2, margin+1+columns-len(tick.Label)))
		if labels == "" || start > len(labels) {
			labels = textwidth.Pad(labels, start, false) + tick.Label
		}
	}
	fmt.Fprintf(b, "%s%s\n%s\n", strings.Repeat(" ", margin)+chars[2], strings.Join(axis, ""), labels)
}
