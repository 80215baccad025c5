package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"pmtools/cmd/internal/chart"
	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/files"
	"pmtools/cmd/internal/pager"
	"pmtools/cmd/internal/picture"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/samples"
	"pmtools/internal/textwidth"
	"pmtools/lib/sampling"
)

// machineForms are the forms of output for programs.
var machineForms = map[string]func(io.Writer, *sampling.Header, *samples.Options) (sampling.Writer, error){
	"csv": samples.NewCSV, "json": samples.NewJSON, "openmetrics": samples.NewOpenMetrics, "value": samples.NewValues,
}

// output returns what writes samples in a form.
func (a *app) output(w io.Writer, h *sampling.Header, f repl.Form) (sampling.Writer, error) {
	if h.Source.Kind == repl.Default {
		h.Source.Kind = repl.Host
	}
	set := f.Settings
	numbers := set.Numbers.Form()
	opt := &samples.Options{
		Precision: numbers.Precision, People: samples.People{Scale: numbers.Scale, Percent: numbers.Percent, Verbose: set.Verbose},
		CSV:   samples.CSV{Long: set.Long, Units: set.Units, Safe: set.Safe, Delimiter: set.Delimiter},
		Color: set.Color, ASCII: a.Env.ASCIIOnly(), Title: f.Title, Wide: set.Wide, Header: set.Header, Timestamp: set.Timestamp,
	}
	if _, file := w.(files.Redirected); !file {
		opt.Width, opt.Height = cli.TerminalSize(a.Env.Stdout)
	}
	opt.Live = h.Live && (f.Output != repl.Chart || opt.Width > 0)
	if f.Picture != "" {
		return samples.NewPicture(h, opt, func(c *chart.Chart) error { return picture.Draw(f.Picture, c) }), nil
	}
	form, machine := machineForms[f.Output]
	switch {
	case machine:
	case f.Output == repl.Chart:
		form = samples.NewChart
	case f.Output == repl.Watch, f.Rows:
		opt.Sparks = f.Output == repl.Watch
		form = samples.NewRows
	default:
		form = samples.NewTable
	}
	if p, ok := w.(*pager.Pager); ok && h.Live && h.Samples != 1 {
		if err := p.Live(); err != nil {
			return nil, err
		}
	}
	if f.Heading != "" && !machine && f.Output != repl.Chart && opt.Header != samples.NoHeader {
		fmt.Fprintln(w, strings.Join(textwidth.Wrap(f.Heading, opt.Width), "\n"))
	}
	a.Env.Paints(opt.Color && !machine, opt.Live && opt.Width > 0 && !machine)
	out, err := form(w, h, opt)
	if err == nil && (h.Live || f.Delay) {
		out = flushed{out, a.Env.Flush}
	}
	return out, err
}

// A flushed writer shows each sample before the next one is waited for.
type flushed struct {
	sampling.Writer
	flush func() error
}

// Sample implements sampling.Writer.
func (f flushed) Sample(ctx context.Context, s *sampling.Sample) error {
	if err := f.Writer.Sample(ctx, s); err != nil {
		return err
	}
	return f.flush()
}
