package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"pmtools/cmd/internal/report"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/archive"
	"pmtools/lib/pmcd"
	"pmtools/lib/record"
	"pmtools/lib/sampling"
)

func newRecord() *Verb {
	return &Verb{
		Name: "record", Usage: "FILE [METRIC|EXPR ...]", Short: "Record live metrics into an archive, until Ctrl-C",
		Long: "Record metrics, all below a name, and what expressions and derived metrics are made of, into the new archive\n" +
			"FILE, which is FILE.meta and so on. At the prompt the metrics of its definitions are recorded where none are\n" +
			"named.",
		Doors: Both, Least: 1, Most: many, Partial: true, Complete: ofRecording,
		New: func(f *Flags) Run {
			f.Shared("interval", "samples")
			f.Gone("record in another terminal, or with pmlogger", "background", "stop", "detach")
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				t := &sampling.Times{Interval: cmp.Or(f.Time.Interval, s.set.Interval), Samples: cmp.Or(f.Time.Samples, s.set.Samples)}
				return s.record(ctx, args[0], args[1:], t, w)
			}
		},
	}
}

// record records what expressions are made of, until the context ends, or there are as many samples as wanted.
func (s *Session) record(ctx context.Context, base string, exprs []string, t *sampling.Times, w io.Writer) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	switch {
	case s.src.Line != nil:
		return query.Problemf("the source is an archive, which is recorded already; a host (-h, :source host) and this machine (-L, :source local) have live metrics")
	case s.fleet != nil:
		return query.Problemf("an archive is of one host; :source host %s leaves the others", pmcd.Redact(s.name))
	}
	metrics, err := s.operands(ctx, exprs, w)
	if err != nil {
		return err
	}
	rec, err := record.NewRecorder(ctx, s.src, base, metrics, &archive.WriterOptions{Version: s.opt.ArchiveVersion})
	if err != nil {
		return err
	}
	stop := s.showProgress(rec, base)
	err = rec.Run(ctx, t)
	stop()
	if ctx.Err() != nil {
		_ = s.noteLost(ctx.Err()) // a request may have been cut short
	}
	bad := rec.Close()
	if rec.Samples() == 0 { // there is no archive
		return cmp.Or(ctx.Err(), err, bad)
	}
	samples := textwidth.Plural(int(rec.Samples()), "sample")
	if err = cmp.Or(err, bad); err != nil {
		return &diagnose.Problem{Msg: diagnose.From(err).Msg, Notes: []string{base + " ends after " + samples}, Err: err}
	}
	fmt.Fprintf(w, "recorded %s of %s to %s\n", samples, textwidth.Plural(len(metrics), "metric"), base)
	return nil
}

// operands returns the metrics that expressions, names and reports are made of; without any those of all
// definitions of the session.
func (s *Session) operands(ctx context.Context, exprs []string, w io.Writer) ([]string, error) {
	if report.Named(exprs) {
		x, err := s.expand(ctx, s.src, exprs, func(p *diagnose.Problem) { s.complain(w, p) })
		if err != nil {
			return nil, err
		}
		exprs = x.Metrics()
	}
	var names []string
	for _, text := range exprs {
		if query.LegalName(text) {
			names = append(names, text)
			continue
		}
		c, err := s.binder().Compile(ctx, text)
		if err != nil {
			return nil, err
		}
		for ref := range c.Info.Metrics {
			names = append(names, ref.Name)
		}
		slices.Sort(names[len(names)-len(c.Info.Metrics):])
	}
	if len(exprs) > 0 && len(names) == 0 {
		return nil, query.Problemf("there are no metrics in %s", strings.Join(exprs, ", "))
	}
	return baseMetrics(ctx, s.src, s.defs, names, func(name string) error {
		_, err := s.catalogue(ctx).Lookup(ctx, name)
		return err
	})
}

// showProgress shows each second how many samples there are, and returns a function that ends that.
func (s *Session) showProgress(rec *record.Recorder, base string) (stop func()) {
	if s.opt.Progress == nil {
		return func() {}
	}
	done := make(chan struct{})
	drawn := false
	var shown sync.WaitGroup
	shown.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				drawn = true
				s.opt.Progress(fmt.Sprintf("%s: %s", base, textwidth.Plural(int(rec.Samples()), "sample")))
			case <-done:
				if drawn {
					s.opt.Progress("")
				}
				return
			}
		}
	})
	return func() {
		close(done)
		shown.Wait()
	}
}
