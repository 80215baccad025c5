package digest

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/summary"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
	"pmtools/lib/when"
)

// A listing is lines, in columns or as objects.
type listing struct {
	columns []string // their names in CSV
	drop    []string // columns that a table can do without, the first ones first
	lines   []line
	times   clock
}

// A line of an answer is about a metric or an instance.
type line interface {
	cells(dst []string, f *texts) []string // appends the texts of the columns
	object() any                           // returns what JSON has
	metric() *summary.Metric               // in whose units the numbers are
	size() format.Magnitude                // of the numbers that are to be in one unit
}

// texts make the texts of cells.
type texts struct {
	number func(float64) string // in the unit of the line
	plain  func(float64) string // without a unit
	time   func(pcp.Timestamp) string
}

// writeCSV writes the lines, below the names of the columns if these have not been written.
func (a *listing) writeCSV(w io.Writer, named bool, number func(float64) string) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if !named {
		_ = out.Write(a.columns) // Flush has the error
	}
	var cells []string
	for _, l := range a.lines {
		cells = l.cells(cells[:0], &texts{number, number, a.times.text})
		_ = out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

// writeJSON writes an object about all, and one for each line.
func (a *listing) writeJSON(w io.Writer, head any) error {
	enc := answer.NewEncoder(w)
	err := enc.Encode(head)
	for i := 0; i < len(a.lines) && err == nil; i++ {
		err = enc.Encode(a.lines[i].object())
	}
	return err
}

// table returns the lines for people.
func (a *listing) table(form format.NumberForm, at func(pcp.Timestamp) string) *answer.Table {
	t := &answer.Table{Header: slices.Clone(a.columns)}
	units := slices.Index(a.columns, "units")
	for _, l := range a.lines {
		m := l.metric()
		numbers := form.Numbers(&m.Desc, m.Fixed, l.size())
		cells := l.cells(make([]string, 0, len(a.columns)), &texts{dash(func(x float64) string { return string(numbers.AppendFloat(nil, x)) }), dash(plain), at})
		cells[units] = numbers.Unit
		t.Rows = append(t.Rows, cells)
	}
	for i, name := range a.columns {
		if t.Right = append(t.Right, i > units && name != scoredBy); t.Right[i] {
			alignPoints(t.Rows, i)
		}
	}
	for _, name := range a.drop {
		if i := slices.Index(a.columns, name); i >= 0 {
			t.Drop = append(t.Drop, i)
		}
	}
	return t
}

// dash puts a dash in the place of a number that is not known.
func dash(number func(float64) string) func(float64) string {
	return func(x float64) string {
		if math.IsNaN(x) {
			return "-"
		}
		return number(x)
	}
}

// plain returns a number without a unit.
func plain(x float64) string {
	if math.Abs(x) >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// alignPoints adds blanks to the cells of a column, such that points stand below points.
func alignPoints(rows [][]string, column int) {
	after := func(cell string) int {
		if i := strings.LastIndexByte(cell, '.'); i >= 0 && !strings.ContainsAny(cell, "e:") {
			return len(cell) - i
		}
		return 0
	}
	most := 0
	for _, row := range rows {
		most = max(most, after(row[column]))
	}
	for _, row := range rows {
		if cell := row[column]; !strings.ContainsAny(cell, "e:") {
			row[column] += strings.Repeat(" ", most-after(cell))
		}
	}
}

// note notes the extremes of a row in a size.
func noteExtremes(size *format.Magnitude, r *summary.Row) {
	size.Note(pcp.DoubleValue(r.Min))
	size.Note(pcp.DoubleValue(r.Max))
}

// A clock makes texts of times.
type clock struct{ zone *time.Location }

func (c *clock) text(t pcp.Timestamp) string { return t.Time().In(c.zone).Format(time.RFC3339Nano) }

type jsonHead struct {
	Source  sampling.Source `json:"source"`
	Zone    string          `json:"zone"`
	First   string          `json:"first,omitempty"`
	Last    string          `json:"last,omitempty"`
	Records int             `json:"records"`
	Marks   int             `json:"marks"`
	Error   string          `json:"error,omitempty"`
}

// head returns the object about a side.
func (c *clock) head(s *side) jsonHead {
	head := jsonHead{Source: s.source(), Zone: when.Name(c.zone, s.sum.First.Time()), Records: s.sum.Records, Marks: s.sum.Marks}
	if head.Records > 0 {
		head.First, head.Last = c.text(s.sum.First), c.text(s.sum.Last)
	}
	if s.sum.Err != nil {
		head.Error = s.sum.Err.Error()
	}
	return head
}

type jsonInstance struct {
	ID   int32  `json:"id"`
	Name string `json:"name"`
}

func newJSONInstance(r *summary.Row) *jsonInstance {
	if !r.One {
		return nil
	}
	return &jsonInstance{r.ID, r.Instance}
}

type jsonDesc struct {
	Type      string `json:"type"`
	Semantics string `json:"semantics"`
	Units     string `json:"units"`
}

func newJSONDesc(d *pcp.Desc) *jsonDesc {
	return &jsonDesc{d.Type.String(), d.Sem.String(), d.Units.String()}
}

// A jsonNumber is absent, or null, if it is NaN.
type jsonNumber float64

func (n jsonNumber) IsZero() bool { return math.IsNaN(float64(n)) }

func (n jsonNumber) MarshalJSON() ([]byte, error) {
	if n.IsZero() {
		return []byte("null"), nil
	}
	return format.AppendShort(nil, float64(n), 64), nil
}
