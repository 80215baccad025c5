// Package picture draws charts of samples into files, as SVG or PNG.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"math"
	"path/filepath"

	canvas "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"pmtools/cmd/internal/chart"
	"pmtools/internal/textwidth"
	"pmtools/lib/safefile"
)

// pictures are the forms of files that charts are drawn into.
var pictures = map[string]canvas.RendererProvider{".svg": canvas.SVG, ".png": canvas.PNG}

// Is reports whether the name of a file ends as that of a picture does.
func Is(name string) bool { return pictures[filepath.Ext(name)] != nil }

// The size of a picture, and of its parts.
const (
	pictureWidth = 1000
	plotHeight   = 300 // of one panel
	panelHeight  = 180 // of one of several
	edge         = 20
	lineHeight   = 18
	fontSize     = 8
	titleSize    = 11
	sample       = 24 // the length of a line in the legend
	gap          = 6
	longestName  = 60
	valueSteps   = 6
	letterWidth  = 9 // on the axis of time
)

// A pen draws on a picture.
type pen struct {
	canvas.Renderer
	svg bool
}

// Draw draws a chart into a file: a panel for each of the units, one below the other, over one axis of time.
func Draw(name string, all *chart.Chart) error {
	c := all.Choose(chart.MaxLines)
	if len(c.Lines) == 0 {
		return errors.New("there are no values to draw")
	}
	var b bytes.Buffer
	if err := render(&b, filepath.Ext(name), c); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return safefile.Replace(name, b.Bytes())
}

// render writes a picture in a form.
func render(b *bytes.Buffer, form string, c *chart.Chart) error {
	font, err := canvas.GetDefaultFont()
	if err != nil {
		return err
	}
	// The height depends on the legends, whose texts a picture measures.
	p := &pen{svg: form == ".svg"}
	height := 0
	for range 2 {
		if p.Renderer, err = pictures[form](pictureWidth, max(height, 1)); err != nil {
			return err
		}
		p.SetDPI(canvas.DefaultDPI)
		p.SetFont(font)
		p.SetFontColor(drawing.ColorFromHex("333333"))
		height = p.chart(c, height)
	}
	return p.Save(b)
}

// chart draws a chart on a picture of a height, and returns the height that it needs.
func (p *pen) chart(c *chart.Chart, height int) int {
	p.path("ffffff", 1, true, 0, 0, pictureWidth, 0, pictureWidth, height, 0, height)
	p.SetFontSize(titleSize)
	p.text(textwidth.Cut(c.Title, 2*longestName), edge, edge+titleSize)
	p.SetFontSize(fontSize)
	p.text(c.Window(), edge, edge+titleSize+lineHeight)
	panels := c.Panels(valueSteps, false)
	left, rows, number := 0, plotHeight, 0
	if len(panels) > 1 {
		rows = panelHeight
	}
	for _, panel := range panels {
		for _, tick := range panel.Ticks {
			left = max(left, edge+p.width(tick.Label)+gap)
		}
	}
	y := edge + titleSize + 3*lineHeight
	for _, panel := range panels {
		y = p.legend(panel, left, y, number) + gap
		p.grid(c, panel, left, y, rows)
		for _, l := range panel.Lines {
			p.line(c, panel, l, number, left, y, rows)
			number++
		}
		y += rows + 2*lineHeight
	}
	for _, tick := range c.TimeTicks((pictureWidth - left) / letterWidth) {
		x := across(tick.At, left)
		p.text(tick.Label, min(x-p.width(tick.Label)/2, pictureWidth-gap-p.width(tick.Label)), y-lineHeight+gap/2)
	}
	return y
}

// across returns where a part of the axis of time is.
func across(part float64, left int) int {
	return left + int(math.Round(part*float64(pictureWidth-edge-left)))
}

// down returns where a part of an axis of values is, whose panel begins at y.
func down(part float64, y, rows int) int { return y + int(math.Round((1-part)*float64(rows))) }

// width returns how wide a text is.
func (p *pen) width(text string) int { return p.MeasureText(text).Width() }

// text writes a text. The library does not escape it.
func (p *pen) text(text string, x, y int) {
	if p.svg {
		text = html.EscapeString(text)
	}
	p.Text(text, x, y)
}

// path draws lines between points, or fills what they enclose.
func (p *pen) path(color string, width float64, fill bool, points ...int) {
	for i := 0; i < len(points); i += 2 {
		if i == 0 {
			p.MoveTo(points[0], points[1])
		} else {
			p.LineTo(points[i], points[i+1])
		}
	}
	c := drawing.ColorFromHex(color)
	p.SetStrokeColor(c)
	p.SetStrokeWidth(width)
	if p.SetFillColor(drawing.Color{}); fill {
		p.SetFillColor(c)
		p.Close()
		p.Fill()
		return
	}
	p.Stroke()
}

// legend writes which line is which above a panel, and returns where it ends. The number is that of the first line.
func (p *pen) legend(panel *chart.Panel, left, y, number int) int {
	x := left
	for i, l := range panel.Lines {
		name := textwidth.Middle(l.Legend, longestName)
		w := sample + gap + p.width(name) + 3*gap
		if x > left && x+w > pictureWidth {
			x, y = left, y+lineHeight
		}
		p.stroke(number+i, x, y-4, x+sample, y-4)
		p.text(name, x+sample+gap, y)
		x += w
	}
	return y
}

// grid draws the axes of a panel.
func (p *pen) grid(c *chart.Chart, panel *chart.Panel, left, y, rows int) {
	const light, dark = "dddddd", "888888"
	for _, tick := range c.TimeTicks((pictureWidth - left) / letterWidth) {
		x := across(tick.At, left)
		p.path(light, 1, false, x, y, x, y+rows)
	}
	for _, tick := range panel.Ticks {
		at := down(tick.At, y, rows)
		p.path(light, 1, false, left, at, pictureWidth-edge, at)
		p.text(tick.Label, left-gap-p.width(tick.Label), at+4)
	}
	p.path(dark, 1, false, left, y, left, y+rows, pictureWidth-edge, y+rows)
}

// line draws a line of a panel; a point alone is a square.
func (p *pen) line(c *chart.Chart, panel *chart.Panel, l *chart.Line, number, left, y, rows int) {
	c.Strokes(panel, l, func(xs, ys []float64) {
		var points []int
		for i := range xs {
			points = append(points, across(xs[i], left), down(ys[i], y, rows))
		}
		if x, at := points[0], points[1]; len(xs) == 1 {
			points = []int{x - 2, at, x + 2, at}
			p.stroke(number, x, at-2, x, at+2)
		}
		p.stroke(number, points...)
	})
}

// stroke draws a line in the style of its number: colours differ in grey too, and there are dashes.
func (p *pen) stroke(number int, points ...int) {
	colors := [...]string{"000000", "d55e00", "0072b2", "009e73", "cc79a7", "56b4e9", "e69f00", "666666"}
	dashes := [][]float64{nil, {8, 4}, {2, 3}, {10, 3, 2, 3}}
	p.SetStrokeDashArray(dashes[number%len(dashes)])
	p.path(colors[number%len(colors)], 1.5, false, points...)
	p.SetStrokeDashArray(nil)
}
