package digest

import (
	"fmt"
	"slices"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/summary"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// An Interval is a time in which an expression is not 0, or holds.
type Interval struct {
	ID       int32 // of the instance
	Instance string
	From, To pcp.Timestamp
	Begun    bool // it may have begun before
	GoesOn   bool // it may go on
	Peak     float64
	Mean     float64
}

// Seconds returns how long an interval is.
func (x *Interval) Seconds() float64 { return x.To.Sub(x.From) }

// open says which ends are not known.
func (x *Interval) open() string {
	switch {
	case x.Begun && x.GoesOn:
		return "both"
	case x.Begun:
		return "begin"
	case x.GoesOn:
		return "end"
	}
	return ""
}

// Intervals are those of an expression, with peaks and means of a metric.
type Intervals struct {
	Form
	Expr   string
	Metric *sampling.Metric
	List   []Interval
}

// Table returns the table of the intervals, which ends with how many there are and how long all of them take.
func (x *Intervals) Table() *answer.Table {
	var size format.Magnitude
	shown, seconds := clock{zone: x.Zone}, 0.0
	for i := range x.List {
		in := &x.List[i]
		size.Note(pcp.DoubleValue(in.Peak))
		size.Note(pcp.DoubleValue(in.Mean))
		shown.note(in.From)
		shown.note(in.To)
		seconds += in.Seconds()
	}
	m := &summary.Metric{Name: x.Metric.Name, Desc: x.Metric.Desc, Fixed: x.Metric.Fixed}
	t := &answer.Table{Keys: x.columns(), Records: [][]string{}, Objects: []any{
		&jsonIntervals{x.Expr, m.Name, answer.DescOf(&m.Desc), len(x.List), jsonNumber(seconds)},
	}}
	for i := range x.List {
		in := &x.List[i]
		x.put(t, m, size, shown.layout(), func(f *texts) []string { return x.cells(in, f) }, func() any { return x.object(in) })
	}
	many := "intervals"
	if len(x.List) == 1 {
		many = "interval"
	}
	zone := ""
	if len(x.List) > 0 {
		zone = "; times: " + format.Zone(x.List[0].From.Time().In(x.Zone))
	}
	t.Notes = []string{fmt.Sprintf("%d %s, %s in all%s; peak and mean: %s", len(x.List), many, length(seconds), zone, m.Name)}
	if x.forPeople() && len(t.Rows) > 0 {
		align(t, []string{"to", "mean", "units"})
		t.Right[slices.Index(t.Keys, "duration")] = true
	}
	return t
}

func (x *Intervals) columns() []string {
	if !x.forPeople() {
		return []string{"from", "to", "seconds", "open", "instance", "units", "peak", "mean"}
	}
	names := []string{"from", "to", "duration", "open", "instance", "units", "peak", "mean"}
	if x.Metric.Singular() {
		names = slices.Delete(names, 4, 5)
	}
	return names
}

func (x *Intervals) cells(in *Interval, f *texts) []string {
	cells := []string{f.time(in.From), f.time(in.To), length(in.Seconds()), in.open()}
	if !x.forPeople() {
		cells[2] = f.plain(in.Seconds())
	}
	if !x.Metric.Singular() || !x.forPeople() {
		cells = append(cells, in.Instance)
	}
	return append(cells, x.Metric.Desc.Units.String(), f.number(in.Peak), f.number(in.Mean))
}

// length returns the text of a time in seconds: 1h20m0s.
func length(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
}

type jsonIntervals struct {
	Expr string `json:"expr"`
	Of   string `json:"of"` // what peaks and means are of
	answer.Desc
	Intervals int        `json:"intervals"`
	Seconds   jsonNumber `json:"seconds"`
}

type jsonInterval struct {
	From     string           `json:"from"`
	To       string           `json:"to"`
	Seconds  jsonNumber       `json:"seconds"`
	Open     string           `json:"open,omitempty"`
	Instance *answer.Instance `json:"instance,omitempty"`
	Peak     jsonNumber       `json:"peak"`
	Mean     jsonNumber       `json:"mean"`
}

func (x *Intervals) object(in *Interval) any {
	out := &jsonInterval{
		From: x.time(in.From), To: x.time(in.To), Seconds: jsonNumber(in.Seconds()), Open: in.open(), Peak: jsonNumber(in.Peak), Mean: jsonNumber(in.Mean),
	}
	if !x.Metric.Singular() {
		out.Instance = &answer.Instance{ID: in.ID, Name: in.Instance}
	}
	return out
}
