// Package samples writes the values of metrics as time goes by: as a table, CSV, JSON, OpenMetrics
// or a chart. docs/output.md describes the forms.
//
// A [Header] describes the metrics; then each [Sample] holds the values of all of them at one time.
// The descriptor of a metric decides its form, whatever values there are.
package samples

import (
	"bytes"
	"context"
	"math"
	"strconv"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// A Header describes samples.
type Header struct {
	Metrics  []Metric
	Source   Source
	Hosts    bool           // the values are those of several hosts, and each has its Host
	Zone     *time.Location // in which times are written; nil means UTC
	Start    pcp.Timestamp  // of the window; zero for live samples
	End      pcp.Timestamp  // of the window; zero if it is open
	Samples  int            // at most; negative for no limit
	Interval time.Duration  // between samples; 0 if they are records
}

// A Metric is a metric or an expression.
type Metric struct {
	Name    string
	Desc    pcp.Desc  // of the values
	Counter *pcp.Desc // of the counter if the values are its rate, else nil
}

// A Source is where the samples come from.
type Source struct {
	Kind string `json:"kind"`           // "archive", "host", "hosts" or "local"
	Name string `json:"name,omitempty"` // of the archive, or the specification of the host; may be empty
	Host string `json:"host,omitempty"` // whose metrics these are
}

// A Sample holds values at one time. It belongs to the caller; a Writer may put other Values in the
// place of those of a set, in another order.
type Sample struct {
	Time    pcp.Timestamp
	Missing string // why there are no values; Sets is not used then
	Sets    []Set  // one for each metric
	Ordered bool   // the values are in the order in which they are to be shown
}

// A Set holds the values of one metric.
type Set struct {
	Err    error  // why there are none
	Values Values // nil for none
}

// Values are the values of one metric in a sample. There may be millions: a Writer looks at each
// where it is, and copies none.
type Values interface {
	Len() int
	// ID returns the instance of value i.
	ID(i int) int32
	// At returns value i.
	At(i int) Value
}

// A Value is the value of an instance.
type Value struct {
	ID       int32
	Instance string    // empty for a metric without instances
	Value    pcp.Value // not set if it is unknown
	Host     string    // whose value it is, if the header says Hosts
}

// A Writer writes samples in one of the forms. The error is that of the context if it has ended in
// the middle of a sample.
type Writer interface {
	Sample(context.Context, *Sample) error
	// Close writes what has not been written yet.
	Close() error
}

// Options are choices of form.
type Options struct {
	Precision int  // digits after the decimal point; negative for as many as needed
	Long      bool // CSV: a line for each value
	Units     bool // CSV: units after the names
	Safe      bool // CSV: no field that a spreadsheet takes for a formula
	Live      bool // the samples are to be seen as they come
	Color     bool // chart: use the colours of a terminal
	Width     int  // of the output in characters; 0 for no limit
	Height    int  // of the output in lines; 0 for no limit
	Wide      bool // table: all columns, whatever the width
	Sparks    bool // rows: the recent past beside each value
	// Timestamp is how CSV and tables write times, as format.AppendStrftime does; "" for the usual form.
	Timestamp string
	// Delimiter stands between the fields of CSV; 0 for a comma.
	Delimiter byte
	// Header is after how many rows a table repeats its header: NoHeader, HeaderOnce, or 0 to do so
	// when it has left the screen. NoHeader holds for CSV too.
	Header int
}

// Values of Options.Header.
const (
	NoHeader   = -1
	HeaderOnce = -2
)

// appendTime appends a time in the form that is asked for, or else in the usual one.
func (o *Options) appendTime(b []byte, h *Header, t pcp.Timestamp) []byte {
	if o.Timestamp == "" {
		return h.appendTime(b, t)
	}
	b, _ = format.AppendStrftime(b, o.Timestamp, t.Time().In(h.zone())) // the format has been checked
	return b
}

// singular reports whether a metric has one value that belongs to no instance.
func (m *Metric) singular() bool { return m.Desc.InDom == pcp.NullInDom }

// zone returns the zone in which times are written.
func (h *Header) zone() *time.Location {
	if h.Zone == nil {
		return time.UTC
	}
	return h.Zone
}

// appendTime appends a time in the form of RFC 3339, with as many digits of its fraction as it has.
func (h *Header) appendTime(b []byte, t pcp.Timestamp) []byte {
	return t.Time().In(h.zone()).AppendFormat(b, time.RFC3339Nano)
}

// appendValue appends a value for programs: a number with all its digits, unless a precision is
// asked for; a string as it is; nothing for an unknown value.
func (h *Header) appendValue(b []byte, v pcp.Value, precision int) []byte {
	switch t := v.Type(); {
	case !v.IsSet():
		return b
	case t == pcp.Float || t == pcp.Double:
		f, bits := number(v), 64
		switch {
		case precision >= 0:
			return strconv.AppendFloat(b, f, 'f', precision, bits)
		case t == pcp.Float:
			bits = 32
		}
		return format.AppendShort(b, f, bits)
	case t == pcp.String:
		return append(b, bytes.TrimRight(v.Bytes(), "\x00")...)
	}
	opt := format.Options{Location: h.zone()}
	return opt.AppendOne(b, v, 1)
}

// number returns a value as a double; NaN if it is not a number.
func number(v pcp.Value) float64 {
	if v.IsSet() && v.Type().Arithmetic() {
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	return math.NaN()
}
