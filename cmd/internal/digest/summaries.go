package digest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/summary"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// Summaries are tables of summaries. Programs get rows as parts come, people get a table of all.
type Summaries struct {
	Form
	Show      func(t *answer.Table) error
	Hosts     bool // there are parts of several, and a column of these
	Intervals bool // and of these
	Change    bool
	Instances bool               // some rows are of instances
	Quantiles []summary.Quantile // in the place of the usual ones
	written   bool
	rows      []summary.Row // for people
}

// atOnce is how many rows are made for programs at once: intervals may have a million.
const atOnce = 1000

// Add adds the rows of a part.
func (s *Summaries) Add(p *Part) error {
	for i := range p.Rows {
		if s.Hosts {
			p.Rows[i].Host = p.Source.Host
		}
	}
	if s.forPeople() {
		s.rows = append(s.rows, p.Rows...)
		return nil
	}
	t := &answer.Table{Keys: s.columns(), Records: [][]string{}, Objects: []any{s.head(p)}}
	if s.written {
		t.Keys = []string{}
	}
	s.written = true
	err := s.Show(t)
	for rows := range slices.Chunk(p.Rows, atOnce) {
		if err != nil {
			break
		}
		err = s.Show(s.table(rows, []string{}))
	}
	return err
}

// End shows the table, if it is for people.
func (s *Summaries) End() error {
	if !s.forPeople() || s.Hosts && len(s.rows) == 0 {
		return nil
	}
	t := s.table(s.rows, s.columns())
	drop := []string{"to", "min_time", "max_time", "marks", "gaps", "last", "p99", "samples", "p50", "min"}
	for _, q := range s.Quantiles { // which somebody wants: they have room if any have
		drop = append(slices.DeleteFunc(drop, func(name string) bool { return name == q.Name }), q.Name)
	}
	align(t, drop)
	metric := slices.Index(t.Keys, "metric")
	for i := range s.rows {
		if s.rows[i].One {
			clear(t.Rows[i][:metric+1]) // they stand above its instances
		}
	}
	return s.Show(t)
}

// columns returns the names of the columns.
func (s *Summaries) columns() (names []string) {
	if s.Hosts {
		names = append(names, "host")
	}
	if s.Intervals {
		names = append(names, "from", "to")
	}
	if names = append(names, "metric"); s.named() {
		names = append(names, "instance")
	}
	names = append(names, "units", "samples", "gaps", "marks", "min", "min_time", "max", "max_time", "mean")
	names = append(append(names, s.quantileNames()...), "last")
	if s.Change {
		names = append(names, "change")
	}
	return names
}

// named reports whether there is a column of instances.
func (s *Summaries) named() bool { return s.Instances || !s.forPeople() }

// table returns the table of rows. The numbers of a metric and of its instances are in the same unit.
func (s *Summaries) table(rows []summary.Row, keys []string) *answer.Table {
	t, sizes, layout := &answer.Table{Keys: keys, Records: [][]string{}, Objects: []any{}}, make(map[*summary.Metric]format.Magnitude), ""
	if s.forPeople() {
		layout = timeLayout(s.Zone, rows)
		for i := range rows {
			if r := &rows[i]; !r.One {
				size := sizes[r.Metric]
				noteExtremes(&size, r)
				sizes[r.Metric] = size
			}
		}
	}
	for i := range rows {
		r := &rows[i]
		s.put(t, r.Metric, sizes[r.Metric], layout, func(f *texts) []string { return s.cells(r, f) }, func() any { return s.object(r) })
	}
	return t
}

func (s *Summaries) cells(r *summary.Row, f *texts) (cells []string) {
	at := f.time
	if r.Samples == 0 {
		at = func(pcp.Timestamp) string { return f.number(math.NaN()) }
	}
	if s.Hosts {
		cells = append(cells, r.Host)
	}
	if s.Intervals {
		cells = append(cells, at(r.From), at(r.To))
	}
	if cells = append(cells, r.Name); s.named() {
		cells = append(cells, r.Instance)
	}
	cells = append(cells,
		r.Desc.Units.String(), strconv.Itoa(r.Samples), strconv.Itoa(r.Gaps), strconv.Itoa(r.Marks),
		f.number(r.Min), at(r.MinTime), f.number(r.Max), at(r.MaxTime), f.number(r.Mean),
	)
	for _, x := range s.quantiles(r) {
		cells = append(cells, f.number(x))
	}
	cells = append(cells, f.number(r.Last))
	if s.Change {
		cells = append(cells, f.number(r.Change()))
	}
	return cells
}

// quantiles returns the quantiles of a row that are wanted.
func (s *Summaries) quantiles(r *summary.Row) []float64 {
	if len(s.Quantiles) == 0 {
		return []float64{r.P50, r.P95, r.P99}
	}
	return r.Quantiles
}

// quantileNames returns the names of the quantiles that are wanted.
func (s *Summaries) quantileNames() []string {
	if len(s.Quantiles) == 0 {
		return []string{"p50", "p95", "p99"}
	}
	names := make([]string, len(s.Quantiles))
	for i := range names {
		names[i] = s.Quantiles[i].Name
	}
	return names
}

// A jsonRow has members for the quantiles between those of its parts.
type jsonRow struct {
	jsonRowHead
	names     []string
	quantiles []float64
	jsonRowTail
}

// MarshalJSON returns one object.
func (r *jsonRow) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(&r.jsonRowHead)
	if err != nil {
		return nil, err
	}
	tail, err := json.Marshal(&r.jsonRowTail)
	if err != nil {
		return nil, err
	}
	out := head[:len(head)-1]
	for i, x := range r.quantiles {
		if !math.IsNaN(x) {
			out = fmt.Appendf(out, ",%q:%s", r.names[i], format.AppendShort(nil, x, 64))
		}
	}
	return append(append(out, ','), tail[1:]...), nil
}

type jsonRowHead struct {
	Host     string           `json:"host,omitempty"`
	From     string           `json:"from,omitempty"`
	To       string           `json:"to,omitempty"`
	Metric   string           `json:"metric"`
	Instance *answer.Instance `json:"instance,omitempty"`
	answer.Desc
	InDom   string       `json:"indom,omitempty"`
	Counter *answer.Desc `json:"counter,omitempty"`
	Samples int          `json:"samples"`
	Gaps    int          `json:"gaps"`
	Marks   int          `json:"marks"`
	Min     jsonNumber   `json:"min,omitzero"`
	MinTime string       `json:"min_time,omitempty"`
	Max     jsonNumber   `json:"max,omitzero"`
	MaxTime string       `json:"max_time,omitempty"`
	Mean    jsonNumber   `json:"mean,omitzero"`
	Seconds jsonNumber   `json:"seconds"`
}

type jsonRowTail struct {
	Error  jsonNumber `json:"quantile_error"`
	Last   jsonNumber `json:"last,omitzero"`
	Change jsonNumber `json:"change,omitzero"`
}

func (s *Summaries) object(r *summary.Row) any {
	out := &jsonRow{jsonRowHead{
		Host: r.Host, Metric: r.Name, InDom: answer.InDom(&r.Desc), Instance: newInstance(r), Desc: answer.DescOf(&r.Desc),
		Samples: r.Samples, Gaps: r.Gaps, Marks: r.Marks, Min: jsonNumber(r.Min), Max: jsonNumber(r.Max),
		Mean: jsonNumber(r.Mean), Seconds: jsonNumber(r.Seconds),
	}, s.quantileNames(), s.quantiles(r), jsonRowTail{
		Error: jsonNumber(r.QuantileError), Last: jsonNumber(r.Last), Change: jsonNumber(math.NaN()),
	}}
	if s.Intervals {
		out.From, out.To = s.time(r.From), s.time(r.To)
	}
	if s.Change {
		out.Change = jsonNumber(r.Change())
	}
	if r.Samples > 0 {
		out.MinTime, out.MaxTime = s.time(r.MinTime), s.time(r.MaxTime)
	}
	if r.Counter != nil {
		counter := answer.DescOf(r.Counter)
		out.Counter = &counter
	}
	return out
}

// timeLayout returns the layout of the times of extremes and intervals.
func timeLayout(zone *time.Location, rows []summary.Row) string {
	shown := clock{zone: zone}
	for i := range rows {
		r := &rows[i]
		if r.Samples == 0 {
			continue
		}
		shown.note(r.MinTime)
		shown.note(r.MaxTime)
		shown.twice = shown.twice || r.From != r.To && (isTwice(r.From.Time().In(zone)) || isTwice(r.To.Time().In(zone)))
	}
	return shown.layout()
}

// A clock is what times have in common that are shown.
type clock struct {
	zone         *time.Location
	day          string // of them; "" before the first
	days         bool   // there are several
	parts, twice bool   // of seconds; the clocks show one of them twice
}

func (c *clock) note(at pcp.Timestamp) {
	t := at.Time().In(c.zone)
	day := t.Format(time.DateOnly)
	c.days = c.days || c.day != "" && c.day != day
	c.day = day
	c.parts = c.parts || at.Nsec != 0
	c.twice = c.twice || isTwice(t)
}

// layout returns the layout with no more than the times need: the day if there are several, and the offset from UTC
// if the clocks show a time twice, because they are put back.
func (c *clock) layout() string {
	layout := time.TimeOnly
	if c.days {
		layout = time.DateTime
	}
	if c.parts {
		layout += ".000"
	}
	if c.twice {
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
