package summary

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/when"
)

// A Row is the summary of a metric, or of one of its instances.
type Row struct {
	*Metric
	*Series
	Host     string // whose it is, if the Head says Hosts
	Instance string // its name; "" for all of them
	ID       int32
	One      bool          // it is that of one instance
	From, To pcp.Timestamp // of the interval, if there are several
}

// A Source is where records come from, in the words of docs/output.md.
type Source struct {
	Kind string `json:"kind"`
	Name string `json:"name,omitempty"`
	Host string `json:"host,omitempty"`
}

// A Head describes the summarized recording.
type Head struct {
	Source Source
	Zone   *time.Location
	Err    error // why the rest was not
	// Intervals and Change say that there are columns of them.
	Intervals, Change bool
	Hosts             bool // the rows are those of several hosts
	Continued         bool // the names of the columns have been written

	times map[pcp.Timestamp]string
}

// Rows returns a row for each metric, and after it one for each of its instances, if there is a
// Series for each. Intervals come one after the other. Name returns what an instance is called.
func (s *Summary) Rows(name func(pcp.InDom, int32) string) []Row {
	n := 0
	for _, m := range s.Metrics {
		for i := range m.parts {
			n += 1 + len(m.parts[i].instances)
		}
	}
	rows := make([]Row, 0, n)
	for _, m := range s.Metrics {
		for _, p := range m.parts {
			if len(m.points) > 1 {
				p.all.First, p.all.Last = math.NaN(), math.NaN() // there are several
			}
			row := Row{Metric: m, Series: p.all, ID: pcp.NullInst}
			if s.options.Every > 0 {
				row.From, row.To = pcp.TimestampOf(p.from), pcp.TimestampOf(p.to)
			}
			rows = append(rows, row)
			for _, in := range p.instances {
				row.Series, row.ID, row.Instance, row.One = in.Series, in.id, name(m.Desc.InDom, in.id), true
				rows = append(rows, row)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return a.From.Compare(b.From) })
	return rows
}

// Quantiles are those that are written.
var Quantiles = []float64{0.5, 0.95, 0.99}

// columns are the names of the columns of CSV and of tables.
var columns = []string{
	"metric", "instance", "units", "samples", "gaps", "marks", "min", "min_time", "max", "max_time", "mean", "p50", "p95", "p99", "last",
}

// columns returns the names of the columns.
func (h *Head) columns() (names []string) {
	if h.Hosts {
		names = append(names, "host")
	}
	if h.Intervals {
		names = append(names, "from", "to")
	}
	names = append(names, columns...)
	if h.Change {
		names = append(names, "change")
	}
	return names
}

// appendCells appends the texts of a row in the order of columns. Number returns that of a number.
func (h *Head) appendCells(cells []string, r *Row, number func(float64) string, at func(pcp.Timestamp) string) []string {
	when := func(t pcp.Timestamp) string {
		if r.Samples == 0 {
			return number(math.NaN())
		}
		return at(t)
	}
	if h.Hosts {
		cells = append(cells, r.Host)
	}
	if h.Intervals {
		cells = append(cells, at(r.From), at(r.To))
	}
	cells = append(cells,
		r.Name, r.Instance, r.Desc.Units.String(), strconv.Itoa(r.Samples), strconv.Itoa(r.Gaps), strconv.Itoa(r.Marks),
		number(r.Min), when(r.MinTime), number(r.Max), when(r.MaxTime), number(r.Mean()),
	)
	for _, q := range Quantiles {
		cells = append(cells, number(r.Quantile(q)))
	}
	if cells = append(cells, number(r.Last)); h.Change {
		cells = append(cells, number(r.Change()))
	}
	return cells
}

// WriteCSV writes a line with the names of the columns, and one for each row.
func WriteCSV(w io.Writer, h *Head, rows []Row, number func(float64) string) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if !h.Continued {
		_ = out.Write(h.columns()) // Flush has the error
	}
	var cells []string
	for i := range rows {
		cells = h.appendCells(cells[:0], &rows[i], number, h.time)
		_ = out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

// time returns a time as text. Many rows have the times of the same few records.
func (h *Head) time(t pcp.Timestamp) string {
	text, ok := h.times[t]
	if !ok {
		text = t.Time().In(h.Zone).Format(time.RFC3339Nano)
		if h.times == nil || len(h.times) == maxTimes {
			h.times = make(map[pcp.Timestamp]string)
		}
		h.times[t] = text
	}
	return text
}

// maxTimes is how many texts of times are kept.
const maxTimes = 1024

type jsonHead struct {
	Source  Source `json:"source"`
	Zone    string `json:"zone"`
	First   string `json:"first,omitempty"`
	Last    string `json:"last,omitempty"`
	Records int    `json:"records"`
	Marks   int    `json:"marks"`
	Error   string `json:"error,omitempty"`
}

type jsonRow struct {
	jsonScope
	Metric   string        `json:"metric"`
	Instance *jsonInstance `json:"instance,omitempty"`
	jsonDesc
	InDom   string    `json:"indom,omitempty"`
	Counter *jsonDesc `json:"counter,omitempty"`
	Samples int       `json:"samples"`
	Gaps    int       `json:"gaps"`
	Marks   int       `json:"marks"`
	jsonExtremes
	jsonDistribution
	jsonEnds
}

type jsonScope struct {
	Host string `json:"host,omitempty"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

type jsonEnds struct {
	Last   *jsonNumber `json:"last,omitempty"`
	Change *jsonNumber `json:"change,omitempty"`
}

type jsonInstance struct {
	ID   int32  `json:"id"`
	Name string `json:"name"`
}

type jsonDesc struct {
	Type      string `json:"type"`
	Semantics string `json:"semantics"`
	Units     string `json:"units"`
}

type jsonExtremes struct {
	Min     *jsonNumber `json:"min,omitempty"`
	MinTime string      `json:"min_time,omitempty"`
	Max     *jsonNumber `json:"max,omitempty"`
	MaxTime string      `json:"max_time,omitempty"`
}

type jsonDistribution struct {
	Mean    *jsonNumber `json:"mean,omitempty"`
	Seconds jsonNumber  `json:"seconds"`
	P50     *jsonNumber `json:"p50,omitempty"`
	P95     *jsonNumber `json:"p95,omitempty"`
	P99     *jsonNumber `json:"p99,omitempty"`
	Error   jsonNumber  `json:"quantile_error"`
}

func newJSONDesc(d *pcp.Desc) *jsonDesc {
	return &jsonDesc{d.Type.String(), d.Sem.String(), d.Units.String()}
}

type jsonNumber float64

func (n jsonNumber) MarshalJSON() ([]byte, error) {
	return format.AppendShort(nil, float64(n), 64), nil
}

// number returns a number for JSON, nil if it is not known.
func number(x float64) *jsonNumber {
	if math.IsNaN(x) {
		return nil
	}
	return (*jsonNumber)(&x)
}

// WriteJSON writes an object with what was summarized, and one for each row, each on a line.
func WriteJSON(w io.Writer, h *Head, s *Summary, rows []Row) error {
	head := h.json(s)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(head); err != nil {
		return err
	}
	for i := range rows {
		if err := enc.Encode(h.row(&rows[i])); err != nil {
			return err
		}
	}
	return nil
}

// json returns the object about what was summarized.
func (h *Head) json(s *Summary) jsonHead {
	head := jsonHead{Source: h.Source, Zone: when.Name(h.Zone, s.First.Time()), Records: s.Records, Marks: s.Marks}
	if s.Records > 0 {
		head.First, head.Last = h.time(s.First), h.time(s.Last)
	}
	if h.Err != nil {
		head.Error = h.Err.Error()
	}
	return head
}

func (h *Head) row(r *Row) *jsonRow {
	out := &jsonRow{
		jsonScope: jsonScope{Host: r.Host}, Metric: r.Name, jsonDesc: *newJSONDesc(&r.Desc), Samples: r.Samples, Gaps: r.Gaps, Marks: r.Marks, jsonEnds: jsonEnds{Last: number(r.Last)},
		jsonExtremes: jsonExtremes{Min: number(r.Min), Max: number(r.Max)},
		jsonDistribution: jsonDistribution{
			Mean: number(r.Mean()), Seconds: jsonNumber(r.seconds), Error: jsonNumber(r.Sketch.Error()),
			P50: number(r.Quantile(Quantiles[0])), P95: number(r.Quantile(Quantiles[1])), P99: number(r.Quantile(Quantiles[2])),
		},
	}
	if h.Intervals {
		out.From, out.To = h.time(r.From), h.time(r.To)
	}
	if h.Change {
		out.Change = number(r.Change())
	}
	if r.Samples > 0 {
		out.MinTime, out.MaxTime = h.time(r.MinTime), h.time(r.MaxTime)
	}
	if r.Desc.InDom != pcp.NullInDom {
		out.InDom = r.Desc.InDom.String()
	}
	if r.One {
		out.Instance = &jsonInstance{r.ID, r.Instance}
	}
	if r.Counter != nil {
		out.Counter = newJSONDesc(r.Counter)
	}
	return out
}
