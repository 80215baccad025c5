package digest

import (
	"context"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"pmtools/derive/summary"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// summaries is the answer to Summarize. CSV and JSON are written as recordings come; a table waits for all of them.
type summaries struct {
	listing
	env       *Env
	w         io.Writer
	hosts     bool // there are rows of several, and a column of these
	intervals bool // and of these
	change    bool
	instances bool // some rows are of instances
	written   bool
	sizes     map[*summary.Metric]format.Magnitude // of the numbers of a metric and of its instances
}

// answer returns the answer without any rows.
func (s *Summarize) answer(env *Env, w io.Writer) *summaries {
	a := &summaries{
		env: env, w: w, intervals: s.Every > 0, change: s.Order.By == "change" || s.Order.Sort == "change",
		sizes: make(map[*summary.Metric]format.Magnitude),
	}
	a.times.zone = env.Zone
	a.drop = []string{"to", "min_time", "max_time", "marks", "gaps", "last", "p99", "samples", "p50", "min"}
	return a
}

// add adds the rows of a recording.
func (a *summaries) add(s *side) error {
	a.setColumns()
	lines := make([]line, len(s.sum.Rows))
	for i := range s.sum.Rows {
		r := &s.sum.Rows[i]
		if a.hosts {
			r.Host = s.host
		}
		lines[i] = &summaryLine{r, a}
	}
	named := a.written
	a.written, a.instances = true, a.instances || s.of.Instances
	switch a.env.Output {
	case "csv":
		a.lines = lines
		return a.writeCSV(a.w, named, a.env.full)
	case "json":
		a.lines = lines
		return a.writeJSON(a.w, a.times.head(s))
	}
	a.lines = append(a.lines, lines...)
	return nil
}

// setColumns sets the names of the columns.
func (a *summaries) setColumns() {
	a.columns = nil
	if a.hosts {
		a.columns = append(a.columns, "host")
	}
	if a.intervals {
		a.columns = append(a.columns, "from", "to")
	}
	a.columns = append(a.columns, "metric", "instance", "units", "samples", "gaps", "marks", "min", "min_time", "max", "max_time", "mean", "p50", "p95", "p99", "last")
	if a.change {
		a.columns = append(a.columns, "change")
	}
}

// end writes the table, if that is wanted.
func (a *summaries) end(ctx context.Context) error {
	if a.env.Output == "csv" || a.env.Output == "json" || a.hosts && len(a.lines) == 0 {
		return nil
	}
	var rows []*summary.Row
	for _, l := range a.lines {
		r := l.(*summaryLine).Row
		if rows = append(rows, r); !r.One {
			size := a.sizes[r.Metric]
			noteExtremes(&size, r)
			a.sizes[r.Metric] = size
		}
	}
	layout := timeLayout(a.times.zone, rows)
	t := a.table(a.env.Numbers, func(t pcp.Timestamp) string { return t.Time().In(a.times.zone).Format(layout) })
	metric := slices.Index(a.columns, "metric")
	for i, r := range rows {
		if r.One {
			clear(t.Rows[i][:metric+1]) // they stand above its instances
		}
	}
	if !a.instances {
		t.Cut(metric + 1)
	}
	return a.env.Table(ctx, a.w, t)
}

// A summaryLine is the line of a row.
type summaryLine struct {
	*summary.Row
	of *summaries
}

func (l *summaryLine) metric() *summary.Metric { return l.Metric }

func (l *summaryLine) size() format.Magnitude { return l.of.sizes[l.Metric] }

func (l *summaryLine) cells(dst []string, f *texts) []string {
	at := f.time
	if l.Samples == 0 {
		at = func(pcp.Timestamp) string { return f.number(math.NaN()) }
	}
	if l.of.hosts {
		dst = append(dst, l.Host)
	}
	if l.of.intervals {
		dst = append(dst, at(l.From), at(l.To))
	}
	dst = append(dst,
		l.Name, l.Instance, l.Desc.Units.String(), strconv.Itoa(l.Samples), strconv.Itoa(l.Gaps), strconv.Itoa(l.Marks),
		f.number(l.Min), at(l.MinTime), f.number(l.Max), at(l.MaxTime), f.number(l.Mean), f.number(l.P50), f.number(l.P95), f.number(l.P99), f.number(l.Last),
	)
	if l.of.change {
		dst = append(dst, f.number(l.Change()))
	}
	return dst
}

type jsonRow struct {
	Host     string        `json:"host,omitempty"`
	From     string        `json:"from,omitempty"`
	To       string        `json:"to,omitempty"`
	Metric   string        `json:"metric"`
	Instance *jsonInstance `json:"instance,omitempty"`
	jsonDesc
	InDom   string     `json:"indom,omitempty"`
	Counter *jsonDesc  `json:"counter,omitempty"`
	Samples int        `json:"samples"`
	Gaps    int        `json:"gaps"`
	Marks   int        `json:"marks"`
	Min     jsonNumber `json:"min,omitzero"`
	MinTime string     `json:"min_time,omitempty"`
	Max     jsonNumber `json:"max,omitzero"`
	MaxTime string     `json:"max_time,omitempty"`
	Mean    jsonNumber `json:"mean,omitzero"`
	Seconds jsonNumber `json:"seconds"`
	P50     jsonNumber `json:"p50,omitzero"`
	P95     jsonNumber `json:"p95,omitzero"`
	P99     jsonNumber `json:"p99,omitzero"`
	Error   jsonNumber `json:"quantile_error"`
	Last    jsonNumber `json:"last,omitzero"`
	Change  jsonNumber `json:"change,omitzero"`
}

func (l *summaryLine) object() any {
	at := l.of.times.text
	out := &jsonRow{
		Host: l.Host, Metric: l.Name, Instance: newJSONInstance(l.Row), jsonDesc: *newJSONDesc(&l.Desc),
		Samples: l.Samples, Gaps: l.Gaps, Marks: l.Marks, Min: jsonNumber(l.Min), Max: jsonNumber(l.Max),
		Mean: jsonNumber(l.Mean), Seconds: jsonNumber(l.Seconds), P50: jsonNumber(l.P50), P95: jsonNumber(l.P95), P99: jsonNumber(l.P99),
		Error: jsonNumber(l.QuantileError), Last: jsonNumber(l.Last), Change: jsonNumber(math.NaN()),
	}
	if l.of.intervals {
		out.From, out.To = at(l.From), at(l.To)
	}
	if l.of.change {
		out.Change = jsonNumber(l.Change())
	}
	if l.Samples > 0 {
		out.MinTime, out.MaxTime = at(l.MinTime), at(l.MaxTime)
	}
	if l.Desc.InDom != pcp.NullInDom {
		out.InDom = l.Desc.InDom.String()
	}
	if l.Counter != nil {
		out.Counter = newJSONDesc(l.Counter)
	}
	return out
}

// timeLayout returns the layout of the times of extremes and intervals, with no more than they need: the day if there
// are several, and the offset from UTC if the clocks show a time twice, because they are put back.
func timeLayout(zone *time.Location, rows []*summary.Row) string {
	days := make(map[string]bool)
	parts, twice := false, false
	for _, r := range rows {
		if r.Samples == 0 {
			continue
		}
		for _, at := range []pcp.Timestamp{r.MinTime, r.MaxTime} {
			t := at.Time().In(zone)
			days[t.Format(time.DateOnly)] = true
			parts = parts || at.Nsec != 0
			twice = twice || isTwice(t)
		}
		twice = twice || r.From != r.To && (isTwice(r.From.Time().In(zone)) || isTwice(r.To.Time().In(zone)))
	}
	layout := time.DateTime
	if len(days) < 2 {
		layout = time.TimeOnly
	}
	if parts {
		layout += ".000"
	}
	if twice {
		layout += "-07:00"
	}
	return layout
}

// isTwice reports whether the clocks show a time twice.
func isTwice(t time.Time) bool {
	back := func(change time.Time) time.Duration {
		_, before := change.Add(-1).Zone()
		_, after := change.Zone()
		return time.Duration(before-after) * time.Second
	}
	last, next := t.ZoneBounds()
	return !last.IsZero() && t.Sub(last) < back(last) || !next.IsZero() && next.Sub(t) <= back(next)
}
