// Package sampling defines samples of metrics, and takes them: live ones on the schedule of a
// [when.Clock], recorded ones at steps of time or record by record.
//
// [Fetches] yields the values of a source at the times of a window. A [Sample] holds the values of
// metrics or expressions at one time, and a [Header] the common properties of the samples of a run.
// Package derive/query makes samples of expressions.
package sampling

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// A Header has the common properties of the samples of a run.
type Header struct {
	Metrics  []Metric
	Source   Source
	Hosts    []string       // whose values these are, each with its Host, in their order; nil for one source
	Live     bool           // the samples come as time goes by
	Zone     *time.Location // in which times are shown; nil means UTC
	Start    pcp.Timestamp  // of the window; zero for live samples
	End      pcp.Timestamp  // of the window; zero if it is open
	Samples  int            // at most; negative for no limit
	Interval time.Duration  // between samples; 0 if they are records
	// Instances returns the possible instances of a metric's values: all instances of a recording, or the current ones of a
	// live source. The caller may change the list. Errors are those of the source. Instances is nil if they are unknown.
	Instances func(ctx context.Context, metric int) ([]pcp.Instance, error)
}

// A Metric is a metric or an expression.
type Metric struct {
	Name    string
	Desc    pcp.Desc  // of the values
	Counter *pcp.Desc // of the counter if the values are its rate, else nil
	Fixed   bool      // the expression says in which units the values are
	Labels  []string  // by which the instances are groups, see pcp.GroupValues; nil for others
	Look    *Look     // in tables; nil for the usual one
	Unit    string    // of the values where Desc, which has no units then, cannot say it: Mbit/s
}

// A Look says how the values of a column of a table look.
type Look struct {
	Label     string // above the column
	Precision int    // digits after the point
	Width     int    // of numbers, at least
	Unit      bool   // the unit stands below the label
	Rows      bool   // instances are rows, not columns
}

// A Source tells where samples come from.
type Source struct {
	Kind string `json:"kind"`           // "archive", "host", "hosts" or "local"
	Name string `json:"name,omitempty"` // of the archive, or the specification of the host; may be empty
	Host string `json:"host,omitempty"` // whose metrics these are
}

// A Sample holds the values of all metrics of a run at one time.
type Sample struct {
	Time    pcp.Timestamp
	Missing string               // why there are no values; Sets is not used then
	Gap     bool                 // recording was interrupted since the sample before; only where that was asked for
	Average bool                 // the values are averages of those of the samples before
	Since   pcp.Timestamp        // of the fetch before; zero if that is not known
	Sets    []Set                // one for each metric
	Ordered bool                 // the values are in the order in which they are to be shown
	Absent  map[string]HostState // the Hosts of the Header that have not answered; nil for none
}

// A Value is the value of an instance.
type Value struct {
	ID       int32
	Instance string        // empty for a metric without instances
	Value    pcp.Value     // not set if it is unknown
	Counter  pcp.Value     // the counter, if Value is its rate
	Host     string        // whose value it is, if the Header has Hosts
	Time     pcp.Timestamp // when the Host had it; zero for the time of the Sample
}

// A HostState is the state of one of several hosts in a round of samples.
type HostState byte

// The states of a host.
const (
	Answered HostState = iota // it has values, or none yet of an expression that needs two samples
	Late                      // it has not answered in time, and may still do so
	Lost                      // it cannot be asked, or its connection has ended
)

// A Writer writes samples in one form.
type Writer interface {
	// Sample writes a sample, whose values it may reorder. It returns the error of ctx if that ends
	// within a sample.
	Sample(context.Context, *Sample) error
	// Close writes the rest.
	Close() error
}

// Err returns the errors of the metrics that have one instead of values.
func (s *Sample) Err() error {
	var errs []error
	for i := range s.Sets {
		errs = append(errs, s.Sets[i].Err)
	}
	return errors.Join(errs...)
}

// Full reports whether all metrics have values.
func (s *Sample) Full() bool {
	return !slices.ContainsFunc(s.Sets, func(set Set) bool { return set.Len() == 0 })
}

// Sort puts the values of each set into the order of the instances' identifiers, or names, unless they have
// an order already.
func (s *Sample) Sort(ctx context.Context) error {
	if s.Ordered {
		return nil
	}
	for i := range s.Sets {
		sort := s.Sets[i].sortByID
		if s.Sets[i].Named {
			sort = func(ctx context.Context) error { return s.Sets[i].SortByName(ctx, 0) }
		}
		if err := sort(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Number returns the number of a value; NaN if it is not a number.
func (v *Value) Number() float64 {
	if v.Value.IsSet() && v.Value.Type().Arithmetic() {
		if f, err := v.Value.Float64(); err == nil {
			return f
		}
	}
	return math.NaN()
}

// Location returns the zone in which times are shown.
func (h *Header) Location() *time.Location {
	if h.Zone == nil {
		return time.UTC
	}
	return h.Zone
}

// Singular reports whether a metric has one value that belongs to no instance.
func (m *Metric) Singular() bool { return m.Desc.InDom == pcp.NullInDom }

// Label returns the name of an instance in a column or a line; full puts the metric before it.
func (m *Metric) Label(instance string, full bool) string {
	switch {
	case m.Singular(), full && strings.HasSuffix(m.Name, "["+instance+"]"):
		return m.Name
	case full:
		return m.Name + "[" + instance + "]"
	}
	return instance
}

// Units returns the text of the units of the values, "" for none.
func (m *Metric) Units() string { return cmp.Or(m.Unit, m.Desc.Units.String()) }

// Title returns the heading of a metric's values in a table.
func (m *Metric) Title() string {
	if m.Look != nil {
		return m.Look.Label
	}
	return m.Name
}

// Summary describes a metric in one line, and the rate that its values are.
func (m *Metric) Summary() string {
	switch {
	case m.Unit != "":
		return strings.Replace(string(format.AppendSummary(nil, &m.Desc)), "no units", m.Unit, 1)
	case m.Counter == nil:
		return string(format.AppendSummary(nil, &m.Desc))
	}
	text := string(format.AppendSummary(nil, m.Counter))
	if m.Desc.Units.Dimensionless() {
		return text + "; rate without units"
	}
	return text + "; rate in " + string(format.AppendUnits(nil, m.Desc.Units))
}
