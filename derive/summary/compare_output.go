package summary

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"pmtools/derive/internal/table"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// A Window is one of two that are compared.
type Window struct {
	*Head
	*Summary
}

// changeColumns are the names of the columns of CSV and of tables.
var changeColumns = []string{
	"metric", "instance", "units", "mean_a", "mean_b", "p95_a", "p95_b", "max_a", "max_b", "difference", "ratio", "score", "score_by",
}

// cells returns the texts of a change in the order of changeColumns.
func (c *Change) cells(number, plain func(float64) string) []string {
	cells := []string{c.Name, c.Instance, c.Desc.Units.String()}
	for _, figure := range []func(s *Series) float64{
		(*Series).Mean,
		func(s *Series) float64 { return s.Quantile(0.95) },
		func(s *Series) float64 { return s.Max },
	} {
		for _, s := range []*Series{c.A, c.B} {
			x := math.NaN()
			if s != nil {
				x = figure(s)
			}
			cells = append(cells, number(x))
		}
	}
	if c.A == nil || c.B == nil {
		return append(cells, number(math.NaN()), plain(math.NaN()), plain(math.NaN()), "")
	}
	return append(cells, number(c.Difference()), plain(c.Ratio()), plain(c.score.Value), c.score.By)
}

// Table returns the table of the changes. The numbers of a change are in one unit.
func (c *Comparison) Table(form format.NumberForm) *table.Table {
	t := &table.Table{Header: slices.Clone(changeColumns), Drop: []int{5, 6, 7, 8, 9, 10}}
	t.Header[len(t.Header)-1] = "by"
	plain := func(x float64) string {
		if math.IsNaN(x) {
			return "-"
		}
		if math.Abs(x) >= 1000 {
			return strconv.FormatFloat(x, 'f', 0, 64)
		}
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	for _, list := range [][]Change{c.Rows, c.first(c.OnlyA), c.first(c.OnlyB)} {
		for i := range list {
			r := &list[i]
			numbers := form.Numbers(&r.Desc, r.Fixed, r.magnitude())
			cells := r.cells(func(x float64) string {
				if math.IsNaN(x) {
					return "-"
				}
				return string(numbers.AppendFloat(nil, x))
			}, plain)
			cells[2] = numbers.Unit
			t.Rows = append(t.Rows, cells)
		}
	}
	for i := range t.Header {
		if t.Right = append(t.Right, i > 2 && i < len(t.Header)-1); i > 2 && i < 10 {
			alignPoints(t.Rows, i)
		}
	}
	return t
}

// scoreText says what scores are.
const scoreText = "deviations between the means, or between distributions (ks)"

// Before writes what a table is about: the two windows, and what a score is.
func (c *Comparison) Before(w io.Writer, a, b *Window) error {
	for i, win := range []*Window{a, b} {
		span := format.Span(win.First.Time(), win.Last.Time(), win.Zone)
		if win.Records == 0 {
			span = "nothing in that time"
		}
		if _, err := fmt.Fprintf(w, "%c: %s, %s\n", "ab"[i], cmp.Or(win.Source.Name, win.Source.Kind, "local daemon"), span); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "score: %s; %v or more\n", scoreText, c.Threshold)
	return err
}

// magnitude returns the size of the numbers of a change.
func (c *Change) magnitude() (most format.Magnitude) {
	for _, s := range []*Series{c.A, c.B} {
		if s != nil {
			most.Note(pcp.DoubleValue(s.Min))
			most.Note(pcp.DoubleValue(s.Max))
		}
	}
	return most
}

// first returns as many of a list as are wanted.
func (c *Comparison) first(list []Change) []Change {
	if c.Top > 0 {
		return list[:min(len(list), c.Top)]
	}
	return list
}

// After writes how many changes there are.
func (c *Comparison) After(w io.Writer) error {
	more := ""
	if c.Top > 0 && max(c.Changed, len(c.OnlyA), len(c.OnlyB)) > c.Top {
		more = "; --top 0 shows all"
	}
	_, err := fmt.Fprintf(w, "%d changed, %d hardly or not, %d only in a, %d only in b%s\n", c.Changed, c.Same, len(c.OnlyA), len(c.OnlyB), more)
	return err
}

// WriteCSV writes a line for each change, and for what only one window has.
func (c *Comparison) WriteCSV(w io.Writer, number func(float64) string) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	_ = out.Write(changeColumns) // Flush has the error
	for _, list := range [][]Change{c.Rows, c.first(c.OnlyA), c.first(c.OnlyB)} {
		for i := range list {
			_ = out.Write(list[i].cells(number, number))
		}
	}
	out.Flush()
	return out.Error()
}

type jsonComparison struct {
	A         jsonHead   `json:"a"`
	B         jsonHead   `json:"b"`
	Score     string     `json:"score"`
	Threshold jsonNumber `json:"threshold"`
	Changed   int        `json:"changed"`
	Same      int        `json:"same"`
	OnlyA     int        `json:"only_a"`
	OnlyB     int        `json:"only_b"`
}

type jsonChange struct {
	Metric   string        `json:"metric"`
	Instance *jsonInstance `json:"instance,omitempty"`
	jsonDesc
	A          *jsonFigures `json:"a,omitempty"`
	B          *jsonFigures `json:"b,omitempty"`
	Difference *jsonNumber  `json:"difference,omitempty"`
	Ratio      *jsonNumber  `json:"ratio,omitempty"`
	Score      *jsonNumber  `json:"score,omitempty"`
	ScoreBy    string       `json:"score_by,omitempty"`
	KS         *jsonNumber  `json:"ks,omitempty"`
}

type jsonFigures struct {
	Samples int         `json:"samples"`
	Mean    *jsonNumber `json:"mean"`
	P95     *jsonNumber `json:"p95"`
	Max     *jsonNumber `json:"max"`
}

// WriteJSON writes an object with what was compared, and one for each change and for what only one
// window has, each on a line.
func (c *Comparison) WriteJSON(w io.Writer, a, b *Window) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	err := enc.Encode(jsonComparison{
		a.json(a.Summary), b.json(b.Summary), scoreText, jsonNumber(c.Threshold), c.Changed, c.Same, len(c.OnlyA), len(c.OnlyB),
	})
	for _, list := range [][]Change{c.Rows, c.first(c.OnlyA), c.first(c.OnlyB)} {
		for i := range list {
			if err == nil {
				err = enc.Encode(list[i].json())
			}
		}
	}
	return err
}

func (c *Change) json() *jsonChange {
	figures := func(s *Series) *jsonFigures {
		if s == nil {
			return nil
		}
		return &jsonFigures{s.Samples, number(s.Mean()), number(s.Quantile(0.95)), number(s.Max)}
	}
	out := &jsonChange{Metric: c.Name, jsonDesc: *newJSONDesc(&c.Desc), A: figures(c.A), B: figures(c.B)}
	if c.One {
		out.Instance = &jsonInstance{c.ID, c.Instance}
	}
	if c.A != nil && c.B != nil {
		out.Difference, out.Ratio = number(c.Difference()), number(c.Ratio())
		out.Score, out.ScoreBy, out.KS = number(c.score.Value), c.score.By, number(c.score.KS)
	}
	return out
}
