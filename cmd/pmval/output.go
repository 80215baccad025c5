package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"pmtools/lib/pcp"
)

// An outputKind is a form of output.
type outputKind int

// The forms.
const (
	columnOutput outputKind = iota
	csvOutput
	jsonOutput
)

// setOutput takes the argument of --output.
func (f *flags) setOutput(arg string) error {
	switch arg {
	case "csv":
		f.output = csvOutput
	case "json":
		f.output = jsonOutput
	default:
		return fmt.Errorf("unknown output format '%s'; there are csv and json", arg)
	}
	return nil
}

// newReporter sets what prints the session's samples.
func (s *session) newReporter() {
	text := &textReporter{session: s}
	switch {
	case s.output == csvOutput:
		s.out = &csvReporter{session: s, w: csv.NewWriter(s.env.Out)}
	case s.output == jsonOutput:
		s.out = &jsonReporter{session: s, w: json.NewEncoder(s.env.Out)}
	case s.plot:
		s.out = newPlotReporter(text)
	default:
		s.out = text
	}
	text.colored = s.color && s.env.ColorWanted(s.env.Stdout)
}

// stamp returns a time as the machine-readable forms have it: ISO 8601 in the
// reporting zone.
func (s *session) stamp(t pcp.Timestamp) string { return t.Time().In(s.zone).Format(time.RFC3339Nano) }

// A csvReporter prints one line for each value: its time, the instance, and the
// value, which is empty where the reference has a question mark or an exclamation
// mark.
type csvReporter struct {
	*session
	w *csv.Writer
}

// begin implements reporter.
func (r *csvReporter) begin(h *header) error {
	r.put("time", "metric", "instance", "value")
	return nil
}

// put writes a line.
func (r *csvReporter) put(fields ...string) {
	// What cannot be written is noticed when the program ends.
	_ = r.w.Write(fields)
	r.w.Flush()
}

// labels implements reporter.
func (r *csvReporter) labels([]column) {}

// gap implements reporter.
func (r *csvReporter) gap(pcp.Timestamp, string) {}

// sample implements reporter.
func (r *csvReporter) sample(s *sample) error {
	at := r.stamp(s.now.Time)
	for i := range r.columns {
		c := &r.columns[i]
		r.put(at, r.name, c.name, r.bare(s, s.cell(c)))
	}
	return nil
}

// end implements reporter.
func (r *csvReporter) end() error { return nil }

// bare returns a cell as text: numbers with all their digits, strings without
// quotes.
func (s *session) bare(smp *sample, c cell) string {
	switch c.kind {
	case isReal:
		if s.precision >= 0 {
			return strconv.FormatFloat(c.real, 'f', s.precision, 64)
		}
		bits := 64
		if smp.column().Type == pcp.Float && !s.rate {
			bits = 32
		}
		return strconv.FormatFloat(c.real, 'g', -1, bits)
	case isValue:
		if v := smp.column().Value(c.at); v.Type() == pcp.String && v.IsSet() {
			return string(v.Bytes())
		}
		return string(s.values.AppendValue(nil, smp.column(), c.at, 1))
	}
	return ""
}

// A jsonReporter prints an object on a line of its own for the metric, and then
// for each sample.
type jsonReporter struct {
	*session
	w *json.Encoder
}

// jsonHeader is the first line.
type jsonHeader struct {
	Metric    string   `json:"metric"`
	Archive   string   `json:"archive,omitempty"`
	Host      string   `json:"host"`
	Start     string   `json:"start,omitempty"`
	End       string   `json:"end,omitempty"`
	Type      string   `json:"type"`
	Semantics string   `json:"semantics"`
	Units     string   `json:"units"`
	Rate      string   `json:"rate,omitempty"` // the units that a counter is converted to
	Samples   *int     `json:"samples,omitempty"`
	Interval  *float64 `json:"interval,omitempty"` // in seconds
}

// jsonSample is any other line. A value is a number or a string, and null where
// the reference has a question mark or an exclamation mark.
type jsonSample struct {
	Time      string      `json:"time"`
	Value     any         `json:"value,omitempty"`     // of a metric without instances
	Instances []jsonValue `json:"instances,omitempty"` // of one with instances
	Missing   string      `json:"missing,omitempty"`   // why there are no values
}

// jsonValue is the value of one instance.
type jsonValue struct {
	ID    int32  `json:"id"`
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// begin implements reporter.
func (r *jsonReporter) begin(h *header) error {
	line := jsonHeader{Metric: h.metric, Archive: h.archive, Host: h.host, Type: r.desc.Type.String(),
		Semantics: r.desc.Sem.String(), Units: r.desc.Units.String(), Rate: h.converted}
	if r.timeline != nil {
		line.Start = r.stamp(h.start)
		if r.bounded {
			line.End = r.stamp(h.end)
		}
	}
	if r.samples >= 0 {
		line.Samples = &r.samples
	}
	if r.records == nil {
		seconds := r.interval.Seconds()
		line.Interval = &seconds
	}
	return r.w.Encode(line)
}

// labels implements reporter.
func (r *jsonReporter) labels([]column) {}

// gap implements reporter.
func (r *jsonReporter) gap(t pcp.Timestamp, why string) {
	r.put(jsonSample{Time: r.stamp(t), Missing: why})
}

// put writes a line.
func (r *jsonReporter) put(line jsonSample) {
	// What cannot be written is noticed when the program ends.
	_ = r.w.Encode(line)
}

// sample implements reporter.
func (r *jsonReporter) sample(s *sample) error {
	line := jsonSample{Time: r.stamp(s.now.Time)}
	for i := range r.columns {
		c := &r.columns[i]
		v := r.jsonValue(s, s.cell(c))
		if r.singular() {
			line.Value = v
			if v == nil {
				line.Value = json.RawMessage("null")
			}
		} else {
			line.Instances = append(line.Instances, jsonValue{c.inst, c.name, v})
		}
	}
	r.put(line)
	return nil
}

// jsonValue returns a cell as JSON has it.
func (r *jsonReporter) jsonValue(s *sample, c cell) any {
	switch c.kind {
	case isReal:
		if math.IsNaN(c.real) || math.IsInf(c.real, 0) {
			return nil // JSON knows no such numbers
		}
		return json.RawMessage(r.bare(s, c))
	case isValue:
		if s.column().Type.Arithmetic() && (s.column().Odd == nil || !s.column().Odd[c.at].Bad) {
			return json.RawMessage(r.bare(s, c))
		}
		return r.bare(s, c)
	}
	return nil
}

// end implements reporter.
func (r *jsonReporter) end() error { return nil }
