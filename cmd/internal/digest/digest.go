// Package digest makes tables of summaries: the numbers of metrics in windows of time, and what differs between two
// windows.
package digest

import (
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

// A Form says which texts, or objects, tables have.
type Form struct {
	Output  string // one of answer.Forms
	Numbers format.NumberForm
	Zone    *time.Location
}

// A Part is the summary of a source.
type Part struct {
	Source sampling.Source
	Where  string // which samples it has; "" for all of them
	*summary.Summary
}

// texts make the texts of cells.
type texts struct {
	number func(float64) string // in the unit of the row
	plain  func(float64) string // without a unit
	time   func(pcp.Timestamp) string
}

// forPeople reports whether a table is to have rows, not records or objects.
func (f *Form) forPeople() bool { return f.Output != "csv" && f.Output != "json" }

// put adds a row to a table: as text, with numbers in a unit that suits size, or as a record of CSV or an object of
// JSON.
func (f *Form) put(t *answer.Table, m *summary.Metric, size format.Magnitude, layout string, cells func(*texts) []string, object func() any) {
	switch f.Output {
	case "csv":
		t.Records = append(t.Records, cells(&texts{f.full, f.full, f.time}))
	case "json":
		t.Objects = append(t.Objects, object())
	default:
		numbers := f.Numbers.Numbers(&m.Desc, m.Fixed, size)
		row := cells(&texts{
			dash(func(x float64) string { return string(numbers.AppendFloat(nil, x)) }), dash(plain),
			func(at pcp.Timestamp) string { return at.Time().In(f.Zone).Format(layout) },
		})
		row[slices.Index(t.Keys, "units")] = numbers.Unit
		t.Rows = append(t.Rows, row)
	}
}

// align aligns the numbers of the rows, which stand behind their units. Columns of drop may be left out.
func align(t *answer.Table, drop []string) {
	t.Header = slices.Clone(t.Keys)
	units := slices.Index(t.Keys, "units")
	for i, name := range t.Keys {
		if t.Right = append(t.Right, i > units && name != scoredBy); t.Right[i] {
			alignPoints(t.Rows, i)
		}
	}
	for _, name := range drop {
		if i := slices.Index(t.Keys, name); i >= 0 {
			t.Drop = append(t.Drop, i)
		}
	}
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

// full returns a number in full, or with as many digits as are asked for.
func (f *Form) full(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case f.Numbers.Precision >= 0:
		return strconv.FormatFloat(x, 'f', f.Numbers.Precision, 64)
	}
	return string(format.AppendShort(nil, x, 64))
}

// time returns a time for programs.
func (f *Form) time(t pcp.Timestamp) string { return answer.Time(t, f.Zone) }

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

// noteExtremes notes the extremes of a row in a size.
func noteExtremes(size *format.Magnitude, r *summary.Row) {
	size.Note(pcp.DoubleValue(r.Min))
	size.Note(pcp.DoubleValue(r.Max))
}

type jsonHead struct {
	Source  sampling.Source `json:"source"`
	Zone    string          `json:"zone"`
	First   string          `json:"first,omitempty"`
	Last    string          `json:"last,omitempty"`
	Records int             `json:"records"`
	Marks   int             `json:"marks"`
	Where   string          `json:"where,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// head returns the object about a part.
func (f *Form) head(p *Part) jsonHead {
	head := jsonHead{Source: p.Source, Zone: when.Name(f.Zone, p.First.Time()), Records: p.Records, Marks: p.Marks, Where: p.Where}
	if head.Records > 0 {
		head.First, head.Last = f.time(p.First), f.time(p.Last)
	}
	if p.Err != nil {
		head.Error = p.Err.Error()
	}
	return head
}

func newInstance(r *summary.Row) *answer.Instance {
	if !r.One {
		return nil
	}
	return &answer.Instance{ID: r.ID, Name: r.Instance}
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
