package main

import (
	"context"
	"fmt"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/samples"
	"pmtools/lib/format"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

func (f *form) setOutput(arg string) error {
	if arg != "csv" && arg != "json" {
		return &option.RuntimeError{Text: fmt.Sprintf("unknown output format '%s'; there are csv and json, see --help", arg)}
	}
	f.output = arg
	return nil
}

type formReporter struct {
	w      sampling.Writer
	rate   bool
	values format.Options
	row    sampling.Sample
	list   []sampling.Value
}

func (s *session) newForm() (*formReporter, error) {
	if s.flags.plot && !s.desc.Type.Arithmetic() {
		return nil, fmt.Errorf("%s cannot be plotted: its values are not numbers (%s)", s.name, s.desc.Type.Text())
	}
	m := sampling.Metric{Name: s.name, Desc: s.desc}
	if s.rate {
		m.Counter = &s.desc
		m.Desc.Type, m.Desc.Sem, m.Desc.Units = pcp.Double, pcp.Instant, rateUnits(s.desc.Units)
	}
	h := &sampling.Header{Metrics: []sampling.Metric{m}, Source: s.source(), Zone: s.zone, Samples: s.samples}
	if s.timeline != nil {
		h.Start = s.origin
	}
	if s.bounded {
		h.End = s.end
	}
	if !s.request.Records {
		h.Interval = s.interval
	}
	f := s.flags
	s.env.Paints(f.plot && s.colored(), s.redrawn())
	opt := &samples.Options{
		Precision: f.precision, CSV: samples.CSV{Long: f.long, Units: f.units, Safe: f.safe}, Live: s.redrawn(), Color: s.colored(),
	}
	opt.Width, opt.Height = cli.TerminalSize(s.env.Stdout)
	if f.plot {
		opt.ASCII, opt.Scale = s.env.ASCIIOnly(), f.precision < 0
		if opt.Scale {
			opt.Precision = format.Readable
		}
	}
	r := &formReporter{rate: s.rate, values: s.values, row: sampling.Sample{Sets: make([]sampling.Set, 1)}}
	var err error
	switch f.output {
	case "csv":
		r.w, err = samples.NewCSV(s.env.Out, h, opt)
	case "json":
		r.w, err = samples.NewJSON(s.env.Out, h, opt)
	default:
		r.w, err = samples.NewChart(s.env.Out, h, opt)
	}
	return r, err
}

func (s *session) source() sampling.Source {
	kind, name := s.options.Source()
	out := sampling.Source{Kind: "host", Name: name, Host: s.host}
	switch kind {
	case option.Archive:
		out.Kind = "archive"
	case option.Local:
		out.Kind = "local"
	}
	return out
}

// redrawn reports whether a chart is redrawn after each sample: on a terminal, where the samples
// come in time.
func (s *session) redrawn() bool {
	return s.flags.plot && cli.IsTerminal(s.env.Stdout) && (s.timeline == nil || s.flags.delay)
}

func (s *session) colored() bool {
	return (s.flags.color || s.flags.plot) && s.env.ColorWanted(s.env.Stdout)
}

func (r *formReporter) labels([]column) {}

func (r *formReporter) sample(ctx context.Context, s *sample) error {
	r.row.Time, r.row.Missing = s.time, ""
	r.list = r.list[:0]
	for i := range s.columns {
		c := &s.columns[i]
		r.list = append(r.list, sampling.Value{ID: c.inst, Instance: c.name, Value: r.value(s, s.cells[i])})
	}
	r.row.Sets[0] = sampling.SetOf(r.list...)
	return r.w.Sample(ctx, &r.row)
}

// value returns the value of a cell. A value that does not fit the metric's type is a string of all
// its readings.
func (r *formReporter) value(s *sample, c cell) pcp.Value {
	switch {
	case c.kind != isReal && c.kind != isValue:
		return pcp.Value{}
	case r.rate:
		return pcp.DoubleValue(c.real)
	case odd(s.values, c.at):
		return pcp.BlobValue(pcp.String, r.values.AppendValue(nil, s.values, c.at, 1))
	}
	return s.values.Value(c.at)
}

func (r *formReporter) gap(t pcp.Timestamp, why string) {
	r.row.Time, r.row.Missing = t, why
	_ = r.w.Sample(context.Background(), &r.row) // write errors are noticed when the program ends
}

func (r *formReporter) end() error { return r.w.Close() }
