package samples

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"pmtools/lib/format"
)

// An openMetricsWriter writes the text format of OpenMetrics, for one sample.
type openMetricsWriter struct {
	text
	h    *Header
	opt  Options
	done bool
}

// NewOpenMetrics returns a Writer of OpenMetrics, which takes one sample.
func NewOpenMetrics(w io.Writer, h *Header, opt *Options) (Writer, error) {
	return &openMetricsWriter{text: text{w: w}, h: h, opt: *opt}, nil
}

// Sample implements Writer.
func (o *openMetricsWriter) Sample(ctx context.Context, s *Sample) error {
	if o.done {
		return errors.New("openmetrics is for one sample only")
	}
	o.done = true
	if err := s.sort(ctx); err != nil {
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
		for j := range s.Sets[i].Len() {
			if v := s.Sets[i].Values.At(j); v.Value.IsSet() {
				o.b = fmt.Appendf(o.b, "%s%s%s %d.%09d\n", name, f.Suffix, o.sample(m, &v, f.Factor), s.Time.Sec, s.Time.Nsec)
			}
			if err := o.next(ctx, j); err != nil {
				return err
			}
		}
	}
	o.b = append(o.b, "# EOF\n"...)
	return o.flush()
}

// Close implements Writer.
func (o *openMetricsWriter) Close() error { return nil }

// sample returns the labels and the number of a sample. A string is a label, and its number is 1.
func (o *openMetricsWriter) sample(m *Metric, v *Value, factor float64) string {
	var labels []string
	if o.h.Hosts {
		labels = append(labels, `host="`+escape(v.Host)+`"`)
	}
	if !m.singular() {
		labels = append(labels, `instance="`+escape(v.Instance)+`"`)
	}
	text := string(o.h.appendValue(nil, v.Value, o.opt.Precision))
	switch f := number(v.Value); {
	case !m.Desc.Type.Arithmetic():
		labels, text = append(labels, `value="`+escape(text)+`"`), "1"
	case math.IsInf(f, 0):
		text = fmt.Sprintf("%+f", f)
	case factor != 1 && !math.IsNaN(f):
		text = string(format.AppendShort(nil, f*factor, 64))
	}
	if labels == nil {
		return " " + text
	}
	return "{" + strings.Join(labels, ",") + "} " + text
}

// escapes are the escapes of a label's value.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// escape escapes the value of a label.
func escape(s string) string {
	return escapes.Replace(strings.ToValidUTF8(s, "\uFFFD"))
}
