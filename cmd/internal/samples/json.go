package samples

import (
	"context"
	"io"
	"strconv"

	"pmtools/cmd/internal/answer"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
	"pmtools/lib/when"
)

// A jsonWriter writes an object for the header, and then one for each sample, each on a line.
type jsonWriter struct {
	text
	h     *sampling.Header
	opt   Options
	names []prefixes // of the instances of each metric
	open  []byte     // what begins each value
}

// jsonHeader is the first line.
type jsonHeader struct {
	Metrics  []jsonMetric    `json:"metrics"`
	Source   sampling.Source `json:"source"`
	Zone     string          `json:"zone"`
	Start    string          `json:"start,omitempty"`
	End      string          `json:"end,omitempty"`
	Samples  *int            `json:"samples,omitempty"`
	Interval float64         `json:"interval,omitempty"` // in seconds
}

// jsonMetric describes a metric.
type jsonMetric struct {
	Metric string `json:"metric"`
	answer.Desc
	InDom   string       `json:"indom,omitempty"`
	Counter *answer.Desc `json:"counter,omitempty"`
}

// NewJSON returns a Writer of JSON.
func NewJSON(w io.Writer, h *sampling.Header, opt *Options) (sampling.Writer, error) {
	j := &jsonWriter{text: text{w: w}, h: h, opt: *opt, names: make([]prefixes, len(h.Metrics))}
	head := jsonHeader{Source: h.Source, Zone: when.Name(h.Location(), h.Start.Time()), Interval: h.Interval.Seconds()}
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
		line := jsonMetric{Metric: m.Name, Desc: answer.DescOf(&m.Desc), InDom: answer.InDom(&m.Desc)}
		if m.Counter != nil {
			counter := answer.DescOf(m.Counter)
			line.Counter = &counter
		}
		head.Metrics = append(head.Metrics, line)
	}
	return j, answer.WriteLines(w, head)
}

// time returns a time as text.
func (j *jsonWriter) time(t pcp.Timestamp) string { return string(appendTime(nil, j.h, t)) }

// Sample implements Writer.
func (j *jsonWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	j.b = append(appendTime(append(j.b, `{"time":"`...), j.h, s.Time), '"')
	if s.Missing != "" {
		j.b = format.AppendJSONString(append(j.b, `,"missing":`...), s.Missing)
	} else {
		if err := s.Sort(ctx); err != nil {
			return err
		}
		j.b = append(j.b, `,"values":[`...)
		for i := range s.Sets {
			if i > 0 {
				j.b = append(j.b, ',')
			}
			if err := j.set(ctx, i, &s.Sets[i]); err != nil {
				return err
			}
		}
		j.b = append(j.b, ']')
	}
	j.b = append(j.b, "}\n"...)
	return j.flush()
}

// set writes the values of a metric: one value, several with instances, or an error.
func (j *jsonWriter) set(ctx context.Context, metric int, set *sampling.Set) (err error) {
	m := &j.h.Metrics[metric]
	j.b = format.AppendJSONString(append(j.b, `{"metric":`...), m.Name)
	switch {
	case set.Err != nil:
		j.b = format.AppendJSONString(append(j.b, `,"error":`...), set.Err.Error())
	case j.h.Hosts:
		j.b = append(j.b, `,"hosts":[`...)
	case m.Singular() && set.Len() == 0:
		j.b = append(j.b, `,"value":null`...)
	case m.Singular():
		j.b = j.appendValue(append(j.b, `,"value":`...), set.At(0).Value)
	default:
		j.b = append(j.b, `,"instances":[`...)
	}
	if set.Err == nil && (j.h.Hosts || !m.Singular()) {
		if column, ok := set.Column(); ok && (!j.h.Hosts || set.Host != "") {
			err = j.column(ctx, m, set.Host, &j.names[metric], &column)
		} else {
			err = j.values(ctx, m, set)
		}
		j.b = append(j.b, ']')
	}
	j.b = append(j.b, '}')
	return err
}

// values writes the values of hosts or instances.
func (j *jsonWriter) values(ctx context.Context, m *sampling.Metric, set *sampling.Set) error {
	for i := range set.Len() {
		if i > 0 {
			j.b = append(j.b, ',')
		}
		v := set.At(i)
		j.b = j.appendInstance(j.b, m, &v)
		if err := j.next(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// column writes the numbers of instances, of a host if there are several.
func (j *jsonWriter) column(ctx context.Context, m *sampling.Metric, host string, names *prefixes, column *sampling.Column) error {
	j.open = append(j.open[:0], '{')
	if j.h.Hosts {
		j.open = append(format.AppendJSONString(append(j.open, `"host":`...), host), ',')
	}
	for i, word := range column.Words {
		if i > 0 {
			j.b = append(j.b, ',')
		}
		name, made := names.at(i, column)
		if !made {
			if !m.Singular() {
				name.text = j.appendName(name.text, name.id, name.name)
			}
			name.text = append(name.text, `"value":`...)
		}
		j.b = append(append(j.b, j.open...), name.text...)
		j.b = append(format.AppendJSONWord(j.b, column.Type, word, j.opt.Precision), '}')
		if err := j.next(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// appendInstance appends a value with its host, its instance, or both.
func (j *jsonWriter) appendInstance(b []byte, m *sampling.Metric, v *sampling.Value) []byte {
	b = append(b, '{')
	if j.h.Hosts {
		b = append(format.AppendJSONString(append(b, `"host":`...), v.Host), ',')
	}
	if !m.Singular() {
		b = j.appendName(b, v.ID, v.Instance)
	}
	return append(j.appendValue(append(b, `"value":`...), v.Value), '}')
}

// appendName appends the names of an instance.
func (j *jsonWriter) appendName(b []byte, id int32, name string) []byte {
	b = strconv.AppendInt(append(b, `"id":`...), int64(id), 10)
	return append(format.AppendJSONString(append(b, `,"name":`...), name), ',')
}

// appendValue appends a value.
func (j *jsonWriter) appendValue(b []byte, v pcp.Value) []byte {
	return format.AppendJSON(b, v, j.opt.Precision, j.h.Location())
}

// Close implements Writer.
func (j *jsonWriter) Close() error { return nil }
