package repl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/pcp"
)

// A sink is a form of output of samples.
type sink interface {
	// sample adds a sample.
	sample(smp *reading) error
	// end writes what has not been written yet.
	end() error
}

// newSink returns the form of output that the settings name.
func (s *Session) newSink(w io.Writer, q *query) sink {
	switch s.set.Output {
	case "csv":
		return &csvSink{s: s, w: w, q: q, long: s.set.Long}
	case "json":
		return &jsonSink{s: s, w: w, q: q}
	case "openmetrics":
		return &omSink{s: s, w: w, q: q}
	}
	return &tableSink{s: s, w: w, q: q}
}

// write writes one sample in the form of output that is set.
func (s *Session) write(w io.Writer, q *query, smp *reading) error {
	out := s.newSink(w, q)
	if err := out.sample(smp); err != nil {
		return err
	}
	if err := out.end(); err != nil {
		return err
	}
	return setErrors(smp)
}

// setErrors returns the error of the expressions that have one instead of values.
func setErrors(smp *reading) error {
	var errs []error
	for _, set := range smp.Sets {
		if set.Err != nil {
			errs = append(errs, set.Err)
		}
	}
	return errors.Join(errs...)
}

// iso returns a time in the form of RFC 3339, with as many digits of its fraction as it has.
func (s *Session) iso(t pcp.Timestamp) string { return t.Time().In(s.zone).Format(time.RFC3339Nano) }

// jsonSink writes an object for each sample.
type jsonSink struct {
	s *Session
	w io.Writer
	q *query
}

// jsonValue is one value. The order of the fields is that of the output.
type jsonValue struct {
	Metric   string          `json:"metric"`
	Instance *string         `json:"instance,omitempty"`
	Value    json.RawMessage `json:"value"`
	Units    string          `json:"units"`
	Error    string          `json:"error,omitempty"`
}

func (j *jsonSink) sample(smp *reading) error {
	line := struct {
		Time   string      `json:"time"`
		Values []jsonValue `json:"values"`
	}{j.s.iso(smp.Time), []jsonValue{}}
	for i, c := range j.q.exprs {
		v := jsonValue{Metric: j.q.names[i], Value: json.RawMessage("null"), Units: j.s.shown(c).Units.String()}
		set := smp.Sets[i]
		if set.Err != nil {
			v.Error = set.Err.Error()
			line.Values = append(line.Values, v)
			continue
		}
		for _, val := range set.Values {
			v := v
			if !c.info.Root.Singular() {
				v.Instance = &val.Instance
			}
			v.Value = j.s.jsonNumber(j.s.shownValue(c, val))
			line.Values = append(line.Values, v)
		}
	}
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = j.w.Write(append(b, '\n'))
	return err
}

func (j *jsonSink) end() error { return nil }

// jsonNumber returns a value as JSON: numbers in full, everything else as a string. JSON has no infinities.
func (s *Session) jsonNumber(v pcp.Value) json.RawMessage {
	null := json.RawMessage("null")
	switch t := v.Type(); {
	case !v.IsSet():
		return null
	case t == pcp.Float || t == pcp.Double:
		f, err := v.Float64()
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return null
		}
		return json.RawMessage(s.plain(v))
	case t.Arithmetic():
		return json.RawMessage(s.plain(v))
	}
	b, err := json.Marshal(s.plain(v))
	if err != nil {
		return null
	}
	return b
}

// plain returns a value for programs: numbers with all their digits, unless a precision is set; strings as they are.
func (s *Session) plain(v pcp.Value) string {
	if !v.IsSet() {
		return ""
	}
	switch t := v.Type(); t {
	case pcp.Float, pcp.Double:
		f, err := v.Float64()
		if err != nil {
			return ""
		}
		if s.set.Precision != nil {
			return strconv.FormatFloat(f, 'f', *s.set.Precision, 64)
		}
		bits := 64
		if t == pcp.Float {
			bits = 32
		}
		return shortFloat(f, bits)
	case pcp.String:
		return strings.TrimRight(string(v.Bytes()), "\x00")
	}
	return s.set.value(v)
}

// shortFloat returns the fewest digits that mean f, without an exponent where numbers are usual ones.
func shortFloat(f float64, bits int) string {
	if abs := math.Abs(f); f == 0 || 1e-6 <= abs && abs < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

// omSink writes the text format of OpenMetrics, for one sample.
type omSink struct {
	s    *Session
	w    io.Writer
	q    *query
	done bool
}

func (o *omSink) sample(smp *reading) error {
	if o.done {
		return problemf("openmetrics is for one sample only")
	}
	o.done = true
	var b strings.Builder
	used := make(map[string]bool)
	for i, c := range o.q.exprs {
		t := o.s.shown(c)
		unit, factor := omUnit(t.Units)
		name := omName(o.q.names[i])
		if unit != "" && !strings.HasSuffix(name, "_"+unit) {
			name += "_" + unit
		}
		for used[name] {
			name += "_"
		}
		used[name] = true
		kind, suffix := "gauge", ""
		if t.Sem == pcp.Counter {
			kind, suffix = "counter", "_total"
		}
		if !t.Type.Arithmetic() {
			kind, suffix = "info", "_info"
		}
		fmt.Fprintf(&b, "# TYPE %s %s\n", name, kind)
		if unit != "" && kind != "info" {
			fmt.Fprintf(&b, "# UNIT %s %s\n", name, unit)
		}
		fmt.Fprintf(&b, "# HELP %s %s\n", name, omEscape(o.q.names[i]+" ("+metadata(t)+")"))
		for _, v := range smp.Sets[i].Values {
			val := o.s.shownValue(c, v)
			if !val.IsSet() {
				continue
			}
			var labels []string
			if !c.info.Root.Singular() {
				labels = append(labels, `instance="`+omEscape(v.Instance)+`"`)
			}
			text := "1"
			if kind == "info" {
				labels = append(labels, `value="`+omEscape(o.s.plain(val))+`"`)
			} else {
				text = o.s.omNumber(val, factor)
			}
			b.WriteString(name + suffix)
			if labels != nil {
				b.WriteString("{" + strings.Join(labels, ",") + "}")
			}
			fmt.Fprintf(&b, " %s %d.%09d\n", text, smp.Time.Sec, smp.Time.Nsec)
		}
	}
	b.WriteString("# EOF\n")
	_, err := io.WriteString(o.w, b.String())
	return err
}

func (o *omSink) end() error { return nil }

// omNumber returns a number, converted to the base unit.
func (s *Session) omNumber(v pcp.Value, factor float64) string {
	if t := v.Type(); factor == 1 && t != pcp.Float && t != pcp.Double {
		return s.plain(v)
	}
	f, err := v.Float64()
	switch {
	case err != nil:
		return "NaN"
	case math.IsInf(f, 1):
		return "+Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	case math.IsNaN(f):
		return "NaN"
	case factor == 1:
		return s.plain(v)
	}
	return shortFloat(f*factor, 64)
}

// omUnit returns the base unit of OpenMetrics that plain units of space or time have, and what values are multiplied by.
func omUnit(u pcp.Units) (unit string, factor float64) {
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
	f, err := one.Float64()
	if err != nil {
		return "", 1
	}
	return unit, f
}

// omName returns a name with the letters that OpenMetrics has.
func omName(expr string) string {
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

// omEscape escapes a label's value.
func omEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\uFFFD"))
}
