// Package samples writes the values of metrics as time goes by: as a table, CSV, JSON, OpenMetrics
// or a chart. docs/output.md describes the forms.
//
// A [sampling.Header] describes the metrics; then each [sampling.Sample] holds the values of all of them at one time.
// The descriptor of a metric decides the form of its values, even without any.
package samples

import (
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// Options are choices of form.
type Options struct {
	Precision int // digits after the decimal point, format.Full or, in tables, format.Readable
	People        // tables and rows
	CSV
	Live   bool   // each sample is shown when it comes
	Color  bool   // use the colours of a terminal, in charts and for heads
	ASCII  bool   // charts have no other characters
	Title  string // of a chart; "" for the names of its metrics
	Width  int    // of the output in characters; 0 for no limit
	Height int    // of the output in lines; 0 for no limit
	Wide   bool   // table: all columns, whatever the width; CSV: a column for each instance
	// Timestamp is how CSV and tables write times, as format.AppendStrftime does; "" for the usual form.
	Timestamp string
	// Header is after how many rows a table repeats its header: NoHeader, HeaderOnce, or 0 to do so
	// when it has left the screen. NoHeader holds for CSV too.
	Header int
}

// People are choices of what people see.
type People struct {
	Scale   bool // values are in units in which they are readable
	Percent bool // ratios are multiplied by 100
	Verbose bool // types, semantics and instance domains of the metrics come first
	Sparks  bool // the recent past stands beside each value
}

// CSV is choices for CSV only.
type CSV struct {
	Long      bool // a line for each value
	Units     bool // units after the names, or in a column of their own where each value has a line
	Safe      bool // no field that a spreadsheet takes for a formula
	Delimiter byte // between fields; 0 for a comma
}

// Values of Options.Header.
const (
	NoHeader   = -1
	HeaderOnce = -2
)

// form returns the form of numbers for people. Units change only where they are stated.
func (o *Options) form(h *sampling.Header) format.NumberForm {
	return format.NumberForm{Precision: o.Precision, Scale: o.Scale && o.Header != NoHeader, Percent: o.Percent, Running: h.Samples != 1}
}

// formOf returns the form of the numbers of a metric: that of its Look unless another is asked for.
func (o *Options) formOf(h *sampling.Header, m *sampling.Metric) format.NumberForm {
	f := o.form(h)
	f.Unit = m.Unit
	if m.Look != nil && o.Precision == format.Readable {
		f.Precision, f.Scale = m.Look.Precision, false
		f.Running = f.Running && m.Look.Width == 0 // else the report makes room
	}
	return f
}

// appendTime appends a time in the form that is asked for, or else in the usual one.
func (o *Options) appendTime(b []byte, h *sampling.Header, t pcp.Timestamp) []byte {
	if o.Timestamp == "" {
		return appendTime(b, h, t)
	}
	b, _ = format.AppendStrftime(b, o.Timestamp, t.Time().In(h.Location())) // the format has been checked
	return b
}

// appendTime appends a time in the form of RFC 3339, with as many digits of its fraction as it has.
func appendTime(b []byte, h *sampling.Header, t pcp.Timestamp) []byte {
	return t.Time().In(h.Location()).AppendFormat(b, time.RFC3339Nano)
}
