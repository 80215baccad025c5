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
		f := o.family(&o.h.Metrics[i], used)
		f.head(&b)
		for _, v := range s.Sets[i].Values {
			if v.Value.IsSet() {
				fmt.Fprintf(&b, "%s %d.%09d\n", f.sample(o, &v), s.Time.Sec, s.Time.Nsec)
			}
		}
	}
	b.WriteString("# EOF\n")
	_, err := io.WriteString(o.w, b.String())
	return err
}

// Close implements Writer.
func (o *openMetricsWriter) Close() error { return nil }

// A family is a metric as OpenMetrics has it.
type family struct {
	metric *Metric
	name   string
	kind   string // gauge, counter or info
	suffix string // of the names of its samples
	unit   string
	factor float64 // to the base unit
}

// family returns the family of a metric. Its name is none of those used.
func (o *openMetricsWriter) family(m *Metric, used map[string]bool) *family {
	f := &family{metric: m, name: familyName(m.Name), kind: "gauge"}
	f.unit, f.factor = baseUnit(m.Desc.Units)
	if f.unit != "" && !strings.HasSuffix(f.name, "_"+f.unit) {
		f.name += "_" + f.unit
	}
	for used[f.name] {
		f.name += "_"
	}
	used[f.name] = true
	switch {
	case !m.Desc.Type.Arithmetic():
		f.kind, f.suffix = "info", "_info"
	case m.Desc.Sem == pcp.Counter:
		f.kind, f.suffix = "counter", "_total"
	}
	return f
}

// head writes the lines above a family's samples.
func (f *family) head(b *strings.Builder) {
	fmt.Fprintf(b, "# TYPE %s %s\n", f.name, f.kind)
	if f.unit != "" && f.kind != "info" {
		fmt.Fprintf(b, "# UNIT %s %s\n", f.name, f.unit)
	}
	fmt.Fprintf(b, "# HELP %s %s\n", f.name, escape(f.metric.Name+" ("+string(format.AppendSummary(nil, &f.metric.Desc))+")"))
}

// sample returns a sample without its time.
func (f *family) sample(o *openMetricsWriter, v *Value) string {
	var labels []string
	if !f.metric.singular() {
		labels = append(labels, `instance="`+escape(v.Instance)+`"`)
	}
	text := "1"
	if f.kind == "info" {
		labels = append(labels, `value="`+escape(string(o.h.appendValue(nil, v.Value, -1)))+`"`)
	} else {
		text = f.number(o, v.Value)
	}
	if labels == nil {
		return f.name + f.suffix + " " + text
	}
	return f.name + f.suffix + "{" + strings.Join(labels, ",") + "} " + text
}

// number returns a number in the base unit.
func (f *family) number(o *openMetricsWriter, v pcp.Value) string {
	real := v.Type() == pcp.Float || v.Type() == pcp.Double
	switch n := number(v); {
	case f.factor == 1 && !real:
	case math.IsInf(n, 1):
		return "+Inf"
	case math.IsInf(n, -1):
		return "-Inf"
	case math.IsNaN(n):
		return "NaN"
	case f.factor != 1:
		return string(appendShort(nil, n*f.factor, 64))
	}
	return string(o.h.appendValue(nil, v, o.opt.Precision))
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
