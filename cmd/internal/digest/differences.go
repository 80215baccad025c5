package digest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"pmtools/derive/summary"
	"pmtools/lib/format"
)

// differences is the answer to Compare.
type differences struct {
	listing
	more bool // there are more than are shown
}

// scoredBy is the name of the only column behind units without numbers.
const scoredBy = "score_by"

// newDifferences returns the answer with a line for each change, and for what only one side has: the first top of
// each, or all if that is 0.
func newDifferences(env *Env, x *summary.Comparison, top int) *differences {
	d := &differences{}
	d.times.zone = env.Zone
	d.columns = []string{"metric", "instance", "units", "mean_a", "mean_b", "p95_a", "p95_b", "max_a", "max_b", "difference", "ratio", "score", scoredBy}
	d.drop = []string{"p95_a", "p95_b", "max_a", "max_b", "difference", "ratio"}
	for _, list := range [][]summary.Change{x.Changed, x.OnlyA, x.OnlyB} {
		if top > 0 && len(list) > top {
			list, d.more = list[:top], true
		}
		for i := range list {
			d.lines = append(d.lines, &changeLine{&list[i]})
		}
	}
	return d
}

// scoreText says what scores are.
const scoreText = "deviations between the means, or between distributions (ks)"

// show writes the table of the changes, what it is about before it, and after it how many changes there are.
func (d *differences) show(ctx context.Context, w io.Writer, env *Env, x *summary.Comparison, sides [2]*side) error {
	about := ""
	for i, s := range sides {
		span := format.Span(s.sum.First.Time(), s.sum.Last.Time(), env.Zone)
		if s.sum.Records == 0 {
			span = "nothing in that time"
		}
		about += fmt.Sprintf("%c: %s, %s\n", "ab"[i], cmp.Or(s.source().Name, s.Kind, "local daemon"), span)
	}
	if _, err := fmt.Fprintf(w, "%sscore: %s; %v or more\n", about, scoreText, x.Threshold); err != nil {
		return err
	}
	if len(d.lines) > 0 {
		t := d.table(env.Numbers, d.times.text)
		t.Header[slices.Index(d.columns, scoredBy)] = "by"
		if err := env.Table(ctx, w, t); err != nil {
			return err
		}
	}
	more := ""
	if d.more {
		more = "; --top 0 shows all"
	}
	_, err := fmt.Fprintf(w, "%d changed, %d hardly or not, %d only in a, %d only in b%s\n", len(x.Changed), x.Same, len(x.OnlyA), len(x.OnlyB), more)
	return err
}

// A changeLine is the line of a change.
type changeLine struct{ *summary.Change }

func (l *changeLine) metric() *summary.Metric { return l.Metric }

func (l *changeLine) size() (size format.Magnitude) {
	for _, r := range []*summary.Row{l.A, l.B} {
		if r != nil {
			noteExtremes(&size, r)
		}
	}
	return size
}

func (l *changeLine) cells(dst []string, f *texts) []string {
	dst = append(dst, l.Name, l.Instance, l.Desc.Units.String())
	none := summary.Row{Figures: &summary.Figures{Mean: math.NaN(), P95: math.NaN(), Max: math.NaN()}}
	a, b := cmp.Or(l.A, &none), cmp.Or(l.B, &none)
	for _, x := range []float64{a.Mean, b.Mean, a.P95, b.P95, a.Max, b.Max} {
		dst = append(dst, f.number(x))
	}
	if l.A == nil || l.B == nil {
		return append(dst, f.number(math.NaN()), f.plain(math.NaN()), f.plain(math.NaN()), "")
	}
	return append(dst, f.number(l.Difference()), f.plain(l.Ratio()), f.plain(l.Score.Value), l.Score.By)
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

// head returns the object about the comparison.
func (d *differences) head(x *summary.Comparison, sides [2]*side) *jsonComparison {
	return &jsonComparison{
		d.times.head(sides[0]), d.times.head(sides[1]), scoreText, jsonNumber(x.Threshold), len(x.Changed), x.Same, len(x.OnlyA), len(x.OnlyB),
	}
}

type jsonChange struct {
	Metric   string        `json:"metric"`
	Instance *jsonInstance `json:"instance,omitempty"`
	jsonDesc
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

func (l *changeLine) object() any {
	figures := func(r *summary.Row) *jsonFigures {
		if r == nil {
			return nil
		}
		return &jsonFigures{r.Samples, jsonNumber(r.Mean), jsonNumber(r.P95), jsonNumber(r.Max)}
	}
	none := jsonNumber(math.NaN())
	out := &jsonChange{
		Metric: l.Name, Instance: newJSONInstance(l.Row), jsonDesc: *newJSONDesc(&l.Desc), A: figures(l.A), B: figures(l.B),
		Difference: none, Ratio: none, Score: none, KS: none,
	}
	if l.A != nil && l.B != nil {
		out.Difference, out.Ratio = jsonNumber(l.Difference()), jsonNumber(l.Ratio())
		out.Score, out.ScoreBy, out.KS = jsonNumber(l.Score.Value), l.Score.By, jsonNumber(l.Score.KS)
	}
	return out
}
