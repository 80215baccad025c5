package digest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/summary"
	"pmtools/lib/format"
)

// scoredBy is the name of the only column behind units without numbers.
const scoredBy = "score_by"

// scoreText says what scores are.
const scoreText = "difference / (deviation of a + 5% + a little of its unit)"

// Differences returns the table of a comparison with a row for each change, and for what only one side has: at most
// top rows, or all if that is 0.
func Differences(f Form, x *summary.Comparison, sides [2]Part, top int) *answer.Table {
	t := &answer.Table{
		Keys:    []string{"metric", "instance", "units", "mean_a", "mean_b", "p95_a", "p95_b", "max_a", "max_b", "difference", "ratio", "score", scoredBy},
		Records: [][]string{},
		Objects: []any{&jsonComparison{
			f.head(&sides[0]), f.head(&sides[1]), scoreText, jsonNumber(x.Threshold), len(x.Changed), x.Same, x.Clocks, len(x.OnlyA), len(x.OnlyB),
		}},
	}
	shown := f.shown(x, top)
	for i := range shown {
		c := &shown[i]
		f.put(t, c.Metric, size(c), time.RFC3339Nano, func(f *texts) []string { return changeCells(c, f) }, func() any { return changeObject(c) })
	}
	if !f.forPeople() {
		return t
	}
	for i, p := range sides {
		span := format.Span(p.First.Time(), p.Last.Time(), f.Zone)
		if p.Records == 0 {
			span = "nothing in that time"
		}
		if p.Where != "" {
			span += ", " + p.Where
		}
		t.Above = append(t.Above, fmt.Sprintf("%c: %s, %s", "ab"[i], cmp.Or(p.Source.Name, p.Source.Kind, "local daemon"), span))
	}
	t.Above = append(t.Above, fmt.Sprintf("score: %s; %v or more", scoreText, x.Threshold))
	note := fmt.Sprintf("%d changed, %d hardly or not, %d only in a, %d only in b", len(x.Changed), x.Same, len(x.OnlyA), len(x.OnlyB))
	if x.Clocks > 0 {
		note += fmt.Sprintf("; left out: %d that only tell the time", x.Clocks)
	}
	if top > 0 && len(x.Changed) > top {
		note += "; one of each group comes first"
	}
	if len(shown) < len(x.Changed)+len(x.OnlyA)+len(x.OnlyB) {
		note += "; --top 0 shows all"
	}
	t.Notes = []string{note}
	if len(t.Rows) > 0 {
		align(t, []string{"p95_a", "p95_b", "max_a", "max_b", "difference", "ratio"})
		t.Header[slices.Index(t.Keys, scoredBy)] = "by"
	}
	return t
}

// shown returns the rows that are shown. Both sides have some of the room that the changes leave.
func (f *Form) shown(x *summary.Comparison, top int) []summary.Change {
	if top == 0 {
		return slices.Concat(x.Changed, x.OnlyA, x.OnlyB)
	}
	list := x.Changed[:min(len(x.Changed), top)]
	if f.forPeople() {
		list = broad(x.Changed, top)
	}
	rest := top - len(list)
	a := min(len(x.OnlyA), rest-min(len(x.OnlyB), rest/2))
	return slices.Concat(list, x.OnlyA[:a], x.OnlyB[:min(len(x.OnlyB), rest-a)])
}

// broad returns at most top changes, in their order: the first one below each node of the name space before others.
func broad(list []summary.Change, top int) (chosen []summary.Change) {
	seen, taken, left := make(map[string]bool), make([]bool, len(list)), top
	for _, first := range []bool{true, false} {
		for i := range list {
			node := list[i].Name[:max(0, strings.LastIndexByte(list[i].Name, '.'))]
			if left > 0 && !taken[i] && !(first && seen[node]) {
				seen[node], taken[i], left = true, true, left-1
			}
		}
	}
	for i := range list {
		if taken[i] {
			chosen = append(chosen, list[i])
		}
	}
	return chosen
}

// size returns that of the numbers of a change, which are in one unit.
func size(c *summary.Change) (size format.Magnitude) {
	for _, r := range []*summary.Row{c.A, c.B} {
		if r != nil {
			noteExtremes(&size, r)
		}
	}
	return size
}

func changeCells(c *summary.Change, f *texts) []string {
	cells := []string{c.Name, c.Instance, c.Desc.Units.String()}
	none := summary.Row{Figures: &summary.Figures{Mean: math.NaN(), P95: math.NaN(), Max: math.NaN()}}
	a, b := cmp.Or(c.A, &none), cmp.Or(c.B, &none)
	for _, x := range []float64{a.Mean, b.Mean, a.P95, b.P95, a.Max, b.Max} {
		cells = append(cells, f.number(x))
	}
	if c.A == nil || c.B == nil {
		return append(cells, f.number(math.NaN()), f.plain(math.NaN()), f.plain(math.NaN()), "")
	}
	return append(cells, f.number(c.Difference()), f.plain(c.Ratio()), f.plain(c.Score.Value), c.Score.By)
}

type jsonComparison struct {
	A         jsonHead   `json:"a"`
	B         jsonHead   `json:"b"`
	Score     string     `json:"score"`
	Threshold jsonNumber `json:"threshold"`
	Changed   int        `json:"changed"`
	Same      int        `json:"same"`
	Clocks    int        `json:"clocks"`
	OnlyA     int        `json:"only_a"`
	OnlyB     int        `json:"only_b"`
}

type jsonChange struct {
	Metric   string           `json:"metric"`
	Instance *answer.Instance `json:"instance,omitempty"`
	answer.Desc
	A          *jsonFigures `json:"a,omitempty"`
	B          *jsonFigures `json:"b,omitempty"`
	Difference jsonNumber   `json:"difference,omitzero"`
	Ratio      jsonNumber   `json:"ratio,omitzero"`
	Score      jsonNumber   `json:"score,omitzero"`
	ScoreBy    string       `json:"score_by,omitempty"`
	KS         jsonNumber   `json:"ks,omitzero"`
}

type jsonFigures struct {
	Samples int        `json:"samples"`
	Mean    jsonNumber `json:"mean"`
	P95     jsonNumber `json:"p95"`
	Max     jsonNumber `json:"max"`
}

func changeObject(c *summary.Change) any {
	figures := func(r *summary.Row) *jsonFigures {
		if r == nil {
			return nil
		}
		return &jsonFigures{r.Samples, jsonNumber(r.Mean), jsonNumber(r.P95), jsonNumber(r.Max)}
	}
	none := jsonNumber(math.NaN())
	out := &jsonChange{
		Metric: c.Name, Instance: newInstance(c.Row), Desc: answer.DescOf(&c.Desc), A: figures(c.A), B: figures(c.B),
		Difference: none, Ratio: none, Score: none, KS: none,
	}
	if c.A != nil && c.B != nil {
		out.Difference, out.Ratio = jsonNumber(c.Difference()), jsonNumber(c.Ratio())
		out.Score, out.ScoreBy, out.KS = jsonNumber(c.Score.Value), c.Score.By, jsonNumber(c.Score.KS)
	}
	return out
}
