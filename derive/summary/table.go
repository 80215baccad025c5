package summary

import (
	"math"
	"slices"
	"strings"
	"time"

	"pmtools/derive/internal/table"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// Table returns the table of rows. The numbers of a metric and of its instances are in one unit.
// Instances says that some rows are of instances.
func (h *Head) Table(rows []Row, form format.NumberForm, instances bool) *table.Table {
	layout := timeLayout(h.Zone, rows)
	at := func(t pcp.Timestamp) string { return t.Time().In(h.Zone).Format(layout) }
	sizes := magnitudes(rows)
	t := &table.Table{Header: h.columns()}
	metric := slices.Index(t.Header, "metric")
	instance, units := metric+1, metric+2
	for i := range rows {
		r := &rows[i]
		numbers := form.Numbers(&r.Desc, r.Fixed, sizes[r.Metric])
		cells := h.appendCells(make([]string, 0, len(t.Header)), r, func(x float64) string {
			if math.IsNaN(x) {
				return "-"
			}
			return string(numbers.AppendFloat(nil, x))
		}, at)
		if cells[units] = numbers.Unit; r.One {
			clear(cells[:metric+1]) // they stand above its instances
		}
		t.Rows = append(t.Rows, cells)
	}
	for i := range t.Header {
		if t.Right = append(t.Right, i > units); t.Right[i] {
			alignPoints(t.Rows, i)
		}
	}
	for _, name := range leastWanted {
		if i := slices.Index(t.Header, name); i >= 0 {
			t.Drop = append(t.Drop, i)
		}
	}
	if !instances {
		t.Cut(instance)
	}
	return t
}

// leastWanted are columns that a table can do without, the first ones first.
var leastWanted = []string{"to", "min_time", "max_time", "marks", "gaps", "last", "p99", "samples", "p50", "min"}

// magnitudes returns the sizes of the numbers of each metric.
func magnitudes(rows []Row) map[*Metric]format.Magnitude {
	sizes := make(map[*Metric]format.Magnitude)
	for i := range rows {
		if r := &rows[i]; !r.One {
			most := sizes[r.Metric]
			most.Note(pcp.DoubleValue(r.Min))
			most.Note(pcp.DoubleValue(r.Max))
			sizes[r.Metric] = most
		}
	}
	return sizes
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

// timeLayout returns the layout of the times of extremes and intervals, with no more than they need.
func timeLayout(zone *time.Location, rows []Row) string {
	layout := time.DateTime
	if sameDay(zone, rows) {
		layout = time.TimeOnly
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Samples > 0 && (r.MinTime.Nsec != 0 || r.MaxTime.Nsec != 0) }) {
		layout += ".000"
	}
	if shownTwice(zone, rows) {
		layout += "-07:00"
	}
	return layout
}

// shownTwice reports whether the clocks show a time of rows twice, because they are put back.
func shownTwice(zone *time.Location, rows []Row) bool {
	return slices.ContainsFunc(rows, func(r Row) bool {
		times := []pcp.Timestamp{r.MinTime, r.MaxTime, r.From, r.To}
		if r.From == r.To {
			times = times[:2] // without intervals
		}
		return slices.ContainsFunc(times, func(at pcp.Timestamp) bool { return isTwice(at.Time().In(zone)) })
	})
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

// sameDay reports whether all times of extremes are on one day.
func sameDay(zone *time.Location, rows []Row) bool {
	day := ""
	for i := range rows {
		for _, at := range []pcp.Timestamp{rows[i].MinTime, rows[i].MaxTime} {
			if rows[i].Samples == 0 {
				continue
			}
			d := at.Time().In(zone).Format(time.DateOnly)
			if day != "" && d != day {
				return false
			}
			day = d
		}
	}
	return true
}
