package main

import (
	"context"
	"io"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/picture"
	"pmtools/cmd/internal/samples"
	"pmtools/derive/repl"
)

// A sink hands the samples of a session to a writer of package samples.
type sink struct {
	samples.Writer
	rates  []bool // whether the rates of an expression are written, instead of its values
	sample samples.Sample
}

// Sample implements repl.Writer.
func (k *sink) Sample(ctx context.Context, smp *repl.Sample) error {
	k.sample.Time, k.sample.Sets, k.sample.Ordered = smp.Time, k.sample.Sets[:0], smp.Ordered
	for i := range smp.Sets {
		set := &smp.Sets[i]
		k.sample.Sets = append(k.sample.Sets, samples.Set{Err: set.Err, Values: shownValues{set, k.rates[i]}})
	}
	return k.Writer.Sample(ctx, &k.sample)
}

// shownValues are the values of an expression, or their rates.
type shownValues struct {
	*repl.Set
	rates bool
}

// At implements samples.Values.
func (s shownValues) At(i int) samples.Value {
	v := s.Set.At(i)
	if s.rates {
		v.Value = v.Rate
	}
	return samples.Value{ID: v.ID, Instance: v.Instance, Host: v.Host, Value: v.Value}
}

// output returns what writes the samples of a run.
func (a *app) output(w io.Writer, r *repl.Run) (repl.Writer, error) {
	if a.push != nil {
		return a.push.begin(r), nil
	}
	h := &samples.Header{
		Source: samples.Source{Kind: r.Kind, Name: r.Name, Host: r.Host}, Hosts: r.Hosts, Zone: r.Zone,
		Start: r.Window.Start, End: r.Window.End, Samples: r.Window.Samples, Interval: r.Window.Interval,
	}
	if h.Source.Kind == repl.Default {
		h.Source.Kind = repl.Host
	}
	if h.Samples == 0 {
		h.Samples = -1
	}
	k := &sink{}
	for _, e := range r.Exprs {
		m := samples.Metric{Name: e.Name, Desc: e.Desc}
		if e.Rate != nil {
			m.Desc, m.Counter = *e.Rate, &e.Desc
		}
		h.Metrics = append(h.Metrics, m)
		k.rates = append(k.rates, e.Rate != nil)
	}
	opt := &samples.Options{
		Precision: -1, Long: r.Settings.Long, Units: r.Settings.Units, Safe: r.Settings.Safe, Color: r.Settings.Color, Wide: r.Settings.Wide,
		Header: r.Settings.Header, Delimiter: r.Settings.Delimiter, Timestamp: r.Settings.Timestamp,
	}
	if _, file := w.(redirected); !file {
		opt.Width, opt.Height = cli.TerminalSize(a.Env.Stdout)
	}
	opt.Live = r.Live && r.Output != repl.Chart
	if p := r.Settings.Precision; p != nil {
		opt.Precision = *p
	}
	var err error
	switch r.Output {
	case "csv":
		k.Writer, err = samples.NewCSV(w, h, opt)
	case "json":
		k.Writer, err = samples.NewJSON(w, h, opt)
	case "openmetrics":
		k.Writer, err = samples.NewOpenMetrics(w, h, opt)
	case repl.Watch:
		opt.Sparks = true
		k.Writer, err = samples.NewRows(w, h, opt)
	case repl.Chart:
		if name := r.Window.Picture; name != "" {
			k.Writer = samples.NewPicture(h, func(p *samples.Picture) error { return picture.Draw(name, p) })
			break
		}
		k.Writer, err = samples.NewChart(w, h, opt)
	default:
		if r.Settings.Vertical || r.Settings.Top > 0 {
			k.Writer, err = samples.NewRows(w, h, opt)
			break
		}
		k.Writer, err = samples.NewTable(w, h, opt)
	}
	return k, err
}
