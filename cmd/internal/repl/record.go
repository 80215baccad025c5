package repl

import (
	"cmp"
	"context"
	"errors"
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
	"pmtools/lib/when"
)

func newRecord() *Verb {
	v := &Verb{
		Name: "record", Usage: "FILE [METRIC|EXPR ...]", Short: "Record live metrics into an archive, until Ctrl-C",
		Long: "Record metrics, all below a name, and what expressions and derived metrics are made of, into the new archive\n" +
			"FILE, which is FILE.meta and so on. At the prompt the metrics of its definitions are recorded where none are\n" +
			"named; --background records while you work, :record shows how far it is, and --stop ends it.",
		Doors: Both, Most: many, Partial: true, Complete: ofRecording,
	}
	v.New = func(f *Flags) Run {
		background, stop := false, false
		f.Shared("interval", "samples")
		f.Gone("pmlogger records without the prompt", "detach")
		if f.Door == Prompt {
			f.BoolVar(&background, "background", false, "record while you work")
			f.BoolVar(&stop, "stop", false, "end what is recorded in the background")
		}
		return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
			switch {
			case stop && len(args) == 0:
				return s.endRecording(w)
			case stop, len(args) == 0 && (f.Door == Shell || background):
				return misuse("usage: %s", v.usage(f.Door))
			case len(args) == 0:
				return s.showRecording(w)
			case startsWithDigit(args[0]) && isInterval(args[0]):
				return misuse("%s stands in the place of FILE; -t %s samples so often, -s N ends after N samples: %s", args[0], args[0], v.usage(f.Door))
			}
			t := &sampling.Times{Interval: cmp.Or(f.Time.Interval, s.set.Interval), Samples: cmp.Or(f.Time.Samples, s.set.Samples)}
			return s.record(ctx, args[0], args[1:], t, background, w)
		}
	}
	return v
}

func isInterval(text string) bool {
	_, err := when.ParseInterval(text)
	return err == nil
}

// record records what expressions are made of, until the context ends, or there are as many samples as wanted.
func (s *Session) record(ctx context.Context, base string, exprs []string, t *sampling.Times, background bool, w io.Writer) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	switch {
	case s.src.Line != nil:
		return query.Problemf("the source is an archive, which is recorded already; a host (-h, :source host) and this machine (-L, :source local) have live metrics")
	case s.fleet != nil:
		return query.Problemf("an archive is of one host; :source host %s leaves the others", pmcd.Redact(s.name))
	case background && s.recording != nil:
		return query.Problemf("%s is being recorded; :record --stop ends that", s.recording.base)
	}
	metrics, err := s.operands(ctx, exprs, w)
	if err != nil {
		return err
	}
	if background {
		return s.startRecording(ctx, base, metrics, t, w)
	}
	r := &recording{base: base, metrics: len(metrics)}
	if r.Recorder, err = record.NewRecorder(ctx, s.src, base, metrics, &archive.WriterOptions{Version: s.opt.ArchiveVersion}); err != nil {
		return err
	}
	stop := s.showProgress(r.Recorder, base)
	err = r.Run(ctx, t)
	stop()
	if ctx.Err() != nil {
		_ = s.noteLost(ctx.Err()) // a request may have been cut short
	}
	return r.end(ctx, err, w)
}

// A recording is an archive that is being written.
type recording struct {
	*record.Recorder
	base    string
	metrics int // how many
	cancel  context.CancelFunc
	done    chan error // of one in the background: why it ended
}

// end closes the archive, and tells what is in it. err is why the recording ended.
func (r *recording) end(ctx context.Context, err error, w io.Writer) error {
	bad := r.Close()
	if r.Samples() == 0 { // there is no archive
		return cmp.Or(ctx.Err(), err, bad)
	}
	samples := textwidth.Plural(int(r.Samples()), "sample")
	if err = cmp.Or(err, bad); err != nil {
		return &diagnose.Problem{Msg: diagnose.From(err).Msg, Notes: []string{r.base + " ends after " + samples}, Err: err}
	}
	fmt.Fprintf(w, "recorded %s of %s to %s\n", samples, textwidth.Plural(r.metrics, "metric"), r.base)
	return nil
}

// startRecording begins to record in the background, from a source of its own.
func (s *Session) startRecording(ctx context.Context, base string, metrics []string, t *sampling.Times, w io.Writer) error {
	src, err := s.opt.Open(ctx, s.kind, s.name)
	if err != nil {
		return err
	}
	r := &recording{base: base, metrics: len(metrics), done: make(chan error, 1)}
	if r.Recorder, err = record.NewRecorder(ctx, src, base, metrics, &archive.WriterOptions{Version: s.opt.ArchiveVersion}); err != nil {
		return errors.Join(err, src.Close())
	}
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		err := r.Run(ctx, t)
		r.done <- errors.Join(err, src.Close())
	}()
	s.recording = r
	fmt.Fprintf(w, "recording %s every %s to %s\n", textwidth.Plural(len(metrics), "metric"), cmp.Or(t.Interval, query.DefaultInterval), base)
	return nil
}

// showRecording tells how far the recording in the background is, or how it has ended.
func (s *Session) showRecording(w io.Writer) error {
	if s.recording == nil {
		fmt.Fprintln(w, "nothing is recorded")
		return nil
	}
	select {
	case err := <-s.recording.done:
		return s.ended(err, w)
	default:
		fmt.Fprintf(w, "%s has %s\n", s.recording.base, textwidth.Plural(int(s.recording.Samples()), "sample"))
		return nil
	}
}

// lastSample is how long the end of a recording may take.
const lastSample = 10 * time.Second

func (s *Session) endRecording(w io.Writer) error {
	if s.recording == nil {
		return query.Problemf("nothing is recorded")
	}
	s.recording.cancel()
	select {
	case err := <-s.recording.done:
		return s.ended(err, w)
	case <-time.After(lastSample):
		return query.Problemf("%s does not end, as its source does not answer", s.recording.base)
	}
}

func (s *Session) ended(err error, w io.Writer) error {
	r := s.recording
	s.recording = nil
	r.cancel()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return r.end(context.Background(), err, w)
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
