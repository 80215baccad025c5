package samples

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
)

// A jsonWriter writes an object for the header, and then one for each sample, each on a line.
type jsonWriter struct {
	w   io.Writer
	h   *Header
	opt Options
	buf []byte
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

// NewJSON returns a Writer of JSON.
func NewJSON(w io.Writer, h *Header, opt *Options) (Writer, error) {
	j := &jsonWriter{w: w, h: h, opt: *opt}
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
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return j, enc.Encode(head)
}

// descOf returns a descriptor as JSON has it.
func descOf(d *pcp.Desc) jsonDesc {
	return jsonDesc{d.Type.String(), d.Sem.String(), d.Units.String()}
}

// time returns a time as text.
func (j *jsonWriter) time(t pcp.Timestamp) string { return string(j.h.appendTime(nil, t)) }

// Sample implements Writer.
func (j *jsonWriter) Sample(s *Sample) error {
	b := append(j.h.appendTime(append(j.buf, `{"time":"`...), s.Time), '"')
	if s.Missing != "" {
		b = appendString(append(b, `,"missing":`...), s.Missing)
	} else {
		s.sort()
		b = append(b, `,"values":[`...)
		for i := range s.Sets {
			b = append(j.appendSet(b, &j.h.Metrics[i], &s.Sets[i]), ',')
		}
		b = closeList(b)
	}
	b = append(b, "}\n"...)
	j.buf = b[:0]
	_, err := j.w.Write(b)
	return err
}

// appendSet appends the values of a metric: one value, several with instances, or an error.
func (j *jsonWriter) appendSet(b []byte, m *Metric, set *Set) []byte {
	b = appendString(append(b, `{"metric":`...), m.Name)
	switch {
	case set.Err != nil:
		b = appendString(append(b, `,"error":`...), set.Err.Error())
	case j.h.Hosts:
		b = j.appendHosts(append(b, `,"hosts":[`...), m, set)
	case m.singular() && len(set.Values) == 0:
		b = append(b, `,"value":null`...)
	case m.singular():
		b = j.appendValue(append(b, `,"value":`...), set.Values[0].Value)
	default:
		b = append(b, `,"instances":[`...)
		for i := range set.Values {
			v := &set.Values[i]
			b = strconv.AppendInt(append(b, `{"id":`...), int64(v.ID), 10)
			b = appendString(append(b, `,"name":`...), v.Instance)
			b = append(j.appendValue(append(b, `,"value":`...), v.Value), "},"...)
		}
		b = closeList(b)
	}
	return append(b, '}')
}

// appendHosts appends the values of several hosts.
func (j *jsonWriter) appendHosts(b []byte, m *Metric, set *Set) []byte {
	for i := range set.Values {
		v := &set.Values[i]
		b = appendString(append(b, `{"host":`...), v.Host)
		if !m.singular() {
			b = strconv.AppendInt(append(b, `,"id":`...), int64(v.ID), 10)
			b = appendString(append(b, `,"name":`...), v.Instance)
		}
		b = append(j.appendValue(append(b, `,"value":`...), v.Value), "},"...)
	}
	return closeList(b)
}

// closeList ends a list whose elements each end with a comma.
func closeList(b []byte) []byte { return append(bytes.TrimSuffix(b, []byte(",")), ']') }

// appendValue appends a value: a number in full, anything else as a string. JSON has no infinities.
func (j *jsonWriter) appendValue(b []byte, v pcp.Value) []byte {
	switch t := v.Type(); {
	case !v.IsSet():
		return append(b, "null"...)
	case !t.Arithmetic():
		return appendString(b, string(j.h.appendValue(nil, v, -1)))
	case math.IsNaN(number(v)) || math.IsInf(number(v), 0):
		return append(b, "null"...)
	}
	return j.h.appendValue(b, v, j.opt.Precision)
}

// appendString appends a string.
func appendString(b []byte, s string) []byte {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		quoted, _ := json.Marshal(s) // strings have no errors
		return append(b, quoted...)
	}
	return append(append(append(b, '"'), s...), '"')
}

// Close implements Writer.
func (j *jsonWriter) Close() error { return nil }
