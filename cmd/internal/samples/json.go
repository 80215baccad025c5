package samples

import (
	"encoding/json"
	"io"
	"math"

	"pmtools/lib/pcp"
)

// A jsonWriter writes an object for the header, and then one for each sample, each on a line.
type jsonWriter struct {
	enc *json.Encoder
	h   *Header
	opt Options
}

// jsonHeader is the first line.
type jsonHeader struct {
	Metrics  []jsonMetric `json:"metrics"`
	Source   Source       `json:"source"`
	Zone     string       `json:"zone"`
	Start    string       `json:"start,omitempty"`
	End      string       `json:"end,omitempty"`
	Samples  *int         `json:"samples,omitempty"`
	Interval float64      `json:"interval,omitempty"` // in seconds
}

// jsonMetric describes a metric.
type jsonMetric struct {
	Metric string `json:"metric"`
	jsonDesc
	InDom   string    `json:"indom,omitempty"`
	Counter *jsonDesc `json:"counter,omitempty"`
}

// jsonDesc describes values.
type jsonDesc struct {
	Type      string `json:"type"`
	Semantics string `json:"semantics"`
	Units     string `json:"units"`
}

// jsonSample is any other line.
type jsonSample struct {
	Time    string    `json:"time"`
	Missing string    `json:"missing,omitempty"`
	Values  []jsonSet `json:"values,omitempty"`
}

// jsonSet is the values of one metric: one value, several with instances, or an error.
type jsonSet struct {
	Metric    string          `json:"metric"`
	Value     json.RawMessage `json:"value,omitempty"`
	Instances []jsonInstance  `json:"instances,omitzero"`
	Error     string          `json:"error,omitempty"`
}

// jsonInstance is the value of one instance.
type jsonInstance struct {
	ID    int32           `json:"id"`
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// NewJSON returns a Writer of JSON.
func NewJSON(w io.Writer, h *Header, opt *Options) (Writer, error) {
	j := &jsonWriter{enc: json.NewEncoder(w), h: h, opt: *opt}
	j.enc.SetEscapeHTML(false)
	head := jsonHeader{Source: h.Source, Zone: h.zone().String(), Interval: h.Interval.Seconds()}
	if h.Start != (pcp.Timestamp{}) {
		head.Start = j.time(h.Start)
	}
	if h.End != (pcp.Timestamp{}) {
		head.End = j.time(h.End)
	}
	if h.Samples >= 0 {
		head.Samples = &h.Samples
	}
	for i := range h.Metrics {
		m := &h.Metrics[i]
		line := jsonMetric{Metric: m.Name, jsonDesc: descOf(&m.Desc)}
		if !m.singular() {
			line.InDom = m.Desc.InDom.String()
		}
		if m.Counter != nil {
			counter := descOf(m.Counter)
			line.Counter = &counter
		}
		head.Metrics = append(head.Metrics, line)
	}
	return j, j.enc.Encode(head)
}

// descOf returns a descriptor as JSON has it.
func descOf(d *pcp.Desc) jsonDesc {
	return jsonDesc{d.Type.String(), d.Sem.String(), d.Units.String()}
}

// time returns a time as text.
func (j *jsonWriter) time(t pcp.Timestamp) string { return string(j.h.appendTime(nil, t)) }

// Sample implements Writer.
func (j *jsonWriter) Sample(s *Sample) error {
	line := jsonSample{Time: j.time(s.Time), Missing: s.Missing}
	if s.Missing != "" {
		return j.enc.Encode(line)
	}
	s.sort()
	for i := range s.Sets {
		line.Values = append(line.Values, j.set(&j.h.Metrics[i], &s.Sets[i]))
	}
	return j.enc.Encode(line)
}

// set returns the values of a metric as JSON has them.
func (j *jsonWriter) set(m *Metric, set *Set) jsonSet {
	out := jsonSet{Metric: m.Name}
	switch {
	case set.Err != nil:
		out.Error = set.Err.Error()
		return out
	case m.singular() && len(set.Values) == 0:
		out.Value = json.RawMessage("null")
		return out
	case m.singular():
		out.Value = j.value(set.Values[0].Value)
		return out
	}
	out.Instances = make([]jsonInstance, len(set.Values))
	for i, v := range set.Values {
		out.Instances[i] = jsonInstance{v.ID, v.Instance, j.value(v.Value)}
	}
	return out
}

// value returns a value as JSON has it: a number in full, anything else as a string. JSON has no
// infinities.
func (j *jsonWriter) value(v pcp.Value) json.RawMessage {
	text := j.h.appendValue(nil, v, j.opt.Precision)
	switch {
	case !v.IsSet():
		return json.RawMessage("null")
	case !v.Type().Arithmetic():
		text, _ = json.Marshal(string(text)) // strings have no errors
	case math.IsNaN(number(v)) || math.IsInf(number(v), 0):
		return json.RawMessage("null")
	}
	return text
}

// Close implements Writer.
func (j *jsonWriter) Close() error { return nil }
