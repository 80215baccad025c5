package samples

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// An openMetricsWriter writes the text format of OpenMetrics, for one sample.
type openMetricsWriter struct {
	w    io.Writer
	h    *Header
	opt  Options
	done bool
}

// NewOpenMetrics returns a Writer of OpenMetrics, which takes one sample.
func NewOpenMetrics(w io.Writer, h *Header, opt *Options) (Writer, error) {
	return &openMetricsWriter{w: w, h: h, opt: *opt}, nil
}

// Sample implements Writer.
func (o *openMetricsWriter) Sample(s *Sample) error {
	if o.done {
		return errors.New("openmetrics is for one sample only")
	}
	o.done = true
	s.sort()
	var b strings.Builder
	used := make(map[string]bool)
	for i := range s.Sets {
		m := &o.h.Metrics[i]
		unit, factor := baseUnit(m.Desc.Units)
		name := familyName(m.Name)
		if unit != "" && !strings.HasSuffix(name, "_"+unit) {
			name += "_" + unit
		}
		for used[name] {
			name += "_"
		}
		used[name] = true
		kind, suffix := "gauge", ""
		switch {
		case !m.Desc.Type.Arithmetic():
			kind, suffix = "info", "_info"
		case m.Desc.Sem == pcp.Counter:
			kind, suffix = "counter", "_total"
		}
		fmt.Fprintf(&b, "# TYPE %s %s\n", name, kind)
		if unit != "" && kind != "info" {
			fmt.Fprintf(&b, "# UNIT %s %s\n", name, unit)
		}
		fmt.Fprintf(&b, "# HELP %s %s\n", name, escape(m.Name+" ("+string(format.AppendSummary(nil, &m.Desc))+")"))
		for _, v := range s.Sets[i].Values {
			if v.Value.IsSet() {
				fmt.Fprintf(&b, "%s%s%s %d.%09d\n", name, suffix, o.sample(m, &v, factor), s.Time.Sec, s.Time.Nsec)
			}
		}
	}
	b.WriteString("# EOF\n")
	_, err := io.WriteString(o.w, b.String())
	return err
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

// baseUnit returns the base unit of OpenMetrics for plain units of space or time, and the factor
// that converts to it.
func baseUnit(u pcp.Units) (unit string, factor float64) {
	base := pcp.Units{}
	switch {
	case u.Extra != 0 || u.DimCount != 0:
		return "", 1
	case u.DimSpace == 1 && u.DimTime == 0:
		unit, base.DimSpace = "bytes", 1
	case u.DimTime == 1 && u.DimSpace == 0:
		unit, base.DimTime, base.ScaleTime = "seconds", 1, pcp.Sec
	case u.DimSpace == 1 && u.DimTime == -1:
		unit, base.DimSpace, base.DimTime, base.ScaleTime = "bytes_per_second", 1, -1, pcp.Sec
	default:
		return "", 1
	}
	one, err := pcp.DoubleValue(1).ConvScale(u, base)
	if err != nil {
		return "", 1
	}
	return unit, number(one)
}

// familyName returns a name in the letters that OpenMetrics allows.
func familyName(expr string) string {
	var b strings.Builder
	for i := range len(expr) {
		switch c := expr[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', '0' <= c && c <= '9' && b.Len() > 0:
			b.WriteByte(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if name := strings.Trim(b.String(), "_"); name != "" {
		return name
	}
	return "value"
}

// escape escapes the value of a label.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\uFFFD"))
}
