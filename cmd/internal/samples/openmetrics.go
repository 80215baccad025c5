package samples

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"pmtools/lib/format"
	"pmtools/lib/sampling"
)

// An openMetricsWriter writes the text format of OpenMetrics, for one sample.
type openMetricsWriter struct {
	text
	h       *sampling.Header
	opt     Options
	done    bool
	doubles format.Doubles
}

// NewOpenMetrics returns a Writer of OpenMetrics, which takes one sample.
func NewOpenMetrics(w io.Writer, h *sampling.Header, opt *Options) (sampling.Writer, error) {
	return &openMetricsWriter{text: text{w: w}, h: h, opt: *opt}, nil
}

// Sample implements Writer.
func (o *openMetricsWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if o.done {
		return errors.New("openmetrics is for one sample only")
	}
	o.done = true
	if err := s.Sort(ctx); err != nil {
		return err
	}
	var families format.Families
	for i := range s.Sets {
		m := &o.h.Metrics[i]
		f := families.Family(m.Name, &m.Desc)
		name := f.Name
		o.b = fmt.Appendf(o.b, "# TYPE %s %s\n", name, f.Kind)
		if f.Unit != "" && f.Kind != "info" {
			o.b = fmt.Appendf(o.b, "# UNIT %s %s\n", name, f.Unit)
		}
		o.b = fmt.Appendf(o.b, "# HELP %s %s\n", name, escape(format.OpenMetricsHelp(m.Name, &m.Desc)))
		seen := make(map[string]bool)
		for j := range s.Sets[i].Len() {
			if v := s.Sets[i].At(j); v.Value.IsSet() {
				labels, number := o.sample(m, &v, &f)
				if seen[labels] {
					o.doubles.Add(m.Name, v.Instance, v.Host)
				} else {
					seen[labels] = true
					o.b = fmt.Appendf(o.b, "%s%s%s %s %d.%09d\n", name, f.Suffix, labels, number, s.Time.Sec, s.Time.Nsec)
				}
			}
			if err := o.next(ctx, j); err != nil {
				return err
			}
		}
	}
	o.b = append(o.b, "# EOF\n"...)
	return o.flush()
}

// Close implements Writer. The error names the series that are left out.
func (o *openMetricsWriter) Close() error { return o.doubles.Err() }

// sample returns the labels and the number of a sample. A string is a label, and its number is 1.
func (o *openMetricsWriter) sample(m *sampling.Metric, v *sampling.Value, family *format.Family) (labels, text string) {
	var list []string
	if o.h.Hosts != nil {
		list = append(list, `host="`+escape(v.Host)+`"`)
	}
	if !m.Singular() {
		list = append(list, `instance="`+escape(v.Instance)+`"`)
	}
	text = string(format.AppendExact(nil, v.Value, o.opt.Precision, o.h.Location()))
	switch f := v.Number(); {
	case !m.Desc.Type.Arithmetic():
		list, text = append(list, `value="`+escape(text)+`"`), "1"
	case math.IsInf(f, 0):
		text = fmt.Sprintf("%+f", f)
	case family.Factor != 1 && !math.IsNaN(f):
		text = string(format.AppendShort(nil, family.Scale(f), 64))
	}
	if list == nil {
		return "", text
	}
	return "{" + strings.Join(list, ",") + "}", text
}

// escape escapes the value of a label. Most values need no Replacer, and a table of the package would
// be made at each start.
func escape(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsAny(s, "\\\"\n") {
		return s
	}
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}
