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
		line.Units = m.Units()
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
	case j.h.Hosts != nil:
		j.b = append(j.b, `,"hosts":[`...)
	case m.Singular() && set.Len() == 0:
		j.b = append(j.b, `,"value":null`...)
	case m.Singular():
		j.b = j.appendValue(append(j.b, `,"value":`...), set.At(0).Value)
	default:
		j.b = append(j.b, `,"instances":[`...)
	}
	if set.Err == nil && (j.h.Hosts != nil || !m.Singular()) {
		if column, ok := set.Column(); ok {
			err = j.column(ctx, metric, &column)
		} else {
			err = j.values(ctx, metric, set)
		}
		j.b = append(j.b, ']')
	}
	j.b = append(j.b, '}')
	return err
}

// values writes the values of hosts or instances.
func (j *jsonWriter) values(ctx context.Context, metric int, set *sampling.Set) error {
	host := ""
	for i := range set.Len() {
		if i > 0 {
			j.b = append(j.b, ',')
		}
		v := set.At(i)
		if i == 0 || v.Host != host {
			host, j.open = v.Host, append(j.open[:0], '{')
			if j.h.Hosts != nil {
				j.open = append(format.AppendJSONString(append(j.open, `"host":`...), host), ',')
			}
		}
		j.b = append(append(j.b, j.open...), j.name(metric, i, v.ID, v.Instance)...)
		j.b = append(j.appendValue(j.b, v.Value), '}')
		if err := j.next(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// column writes the numbers of instances.
func (j *jsonWriter) column(ctx context.Context, metric int, column *sampling.Column) error {
	for i, word := range column.Words {
		if i > 0 {
			j.b = append(j.b, ',')
		}
		j.b = append(append(j.b, '{'), j.name(metric, i, column.Insts[i], column.Name(i))...)
		j.b = append(format.AppendJSONWord(j.b, column.Type, word, j.opt.Precision), '}')
		if err := j.next(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// name returns what stands before the value of the instance at a place.
func (j *jsonWriter) name(metric, place int, id int32, name string) []byte {
	x, made := j.names[metric].at(place, id, name)
	if !made {
		if !j.h.Metrics[metric].Singular() {
			x.text = strconv.AppendInt(append(x.text, `"id":`...), int64(id), 10)
			x.text = append(format.AppendJSONString(append(x.text, `,"name":`...), name), ',')
		}
		x.text = append(x.text, `"value":`...)
	}
	return x.text
}

// appendValue appends a value.
func (j *jsonWriter) appendValue(b []byte, v pcp.Value) []byte {
	return format.AppendJSON(b, v, j.opt.Precision, j.h.Location())
}

// Close implements Writer.
func (j *jsonWriter) Close() error { return nil }
