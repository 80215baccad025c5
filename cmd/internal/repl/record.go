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
	"pmtools/lib/pcp"
	"pmtools/lib/pmcd"
	"pmtools/lib/record"
	"pmtools/lib/sampling"
)

// How long a recording in the background is waited for: for the first sample, and for the end.
const (
	firstSample = 5 * time.Second
	lastSample  = 10 * time.Second
)

// A recording is one in the background.
type recording struct {
	*record.Recording
	began time.Time
}

func newRecord() *Verb {
	v := &Verb{
		Name: "record", Usage: "FILE [METRIC|EXPR ...]", Short: "Record live metrics into an archive, until Ctrl-C",
		Long: "Record metrics, all below a name, and what expressions and derived metrics are made of, into the new archive\n" +
			"FILE, which is FILE.meta and so on. At the prompt the metrics of its definitions are recorded where none are\n" +
			"named; --background records while you work, into an archive beside the folio FILE.",
		Doors: Both, Most: many, Partial: true, Complete: ofRecording,
	}
	v.New = func(f *Flags) Run {
		act := ""
		f.Shared("interval", "samples")
		if f.Door == Prompt {
			f.exclusive([]string{"background", "stop", "detach"}, func(name string) string { return recordActs[name] }, func(name string) { act = name })
		}
		return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
			ends := act == "stop" || act == "detach"
			switch {
			case f.Door == Prompt && len(args) > 0 && slices.Contains([]string{"start", "stop", "detach"}, args[0]):
				return misuse(":record start FILE is :record --background FILE now, and :record stop and detach are :record --stop and --detach")
			case ends && len(args) == 0:
				return s.endRecording(ctx, act, w)
			case f.Door == Prompt && act == "" && len(args) == 0:
				return s.showRecording(w)
			case ends || len(args) == 0:
				return misuse("usage: %s", v.usage(f.Door))
			case act != "" && f.Changed("samples"):
				return misuse("-s N ends a recording; one in the background is ended by :record --stop")
			}
			times := &sampling.Times{Interval: cmp.Or(f.Time.Interval, s.set.Interval), Samples: cmp.Or(f.Time.Samples, s.set.Samples)}
			return s.record(ctx, args[0], args[1:], times, act != "", w)
		}
	}
	return v
}

// recordActs are options of :record, and what they mean.
var recordActs = map[string]string{
	"background": "record while you work, into an archive beside the folio FILE: by pmlogger where it is installed",
	"stop":       "end what is recorded in the background",
	"detach":     "leave pmlogger recording when the session ends",
}

// record records what expressions are made of.
func (s *Session) record(ctx context.Context, file string, exprs []string, times *sampling.Times, background bool, w io.Writer) error {
	if background && s.recording != nil && s.recording.Active() {
		return query.Problemf("%s is being recorded; :record --stop ends that", s.recording.Archive)
	}
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
	if background {
		return s.startRecording(ctx, file, metrics, times.Interval, w)
	}
	return s.recordHere(ctx, file, metrics, times, w)
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

// recordHere records until the context ends, or there are as many samples as wanted.
func (s *Session) recordHere(ctx context.Context, base string, metrics []string, t *sampling.Times, w io.Writer) error {
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

func (s *Session) startRecording(ctx context.Context, folio string, metrics []string, interval time.Duration, w io.Writer) error {
	session, err := s.opt.Record(ctx, s.kind, s.name, folio, record.Host{Metrics: metrics, Interval: interval, Default: true})
	if err != nil {
		return diagnose.From(err)
	}
	r := &recording{session.Recordings[0], s.opt.Now()}
	wait, cancel := context.WithTimeout(ctx, firstSample)
	defer cancel()
	if err := r.Await(wait); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSample)
		defer cancel()
		_ = r.Stop(stop) // the other error says more
		return &diagnose.Problem{Msg: err.Error(), Notes: []string{r.LogFile + " may say more"}, Err: err}
	}
	s.recording = r
	fmt.Fprintf(w, "recording %s every %s to %s%s; the folio is %s\n", strings.Join(metrics, " "), interval, r.Archive, r.by(), folio)
	return nil
}

func (r *recording) by() string {
	if r.PID == 0 {
		return ""
	}
	return fmt.Sprintf(" by pmlogger %d", r.PID)
}

func (s *Session) showRecording(w io.Writer) error {
	r := s.recording
	switch {
	case r == nil:
		fmt.Fprintln(w, "nothing is recorded")
	case r.Active():
		fmt.Fprintf(w, "recording to %s%s since %s\n", r.Archive, r.by(), s.showTime(pcp.TimestampOf(r.began)))
	default:
		return s.ended(w)
	}
	return nil
}

// ended tells how the recording ended, once.
func (s *Session) ended(w io.Writer) error {
	r := s.recording
	s.recording = nil
	if err := r.Err(); err != nil {
		return &diagnose.Problem{Msg: fmt.Sprintf("recording to %s has ended: %v", r.Archive, err), Notes: []string{r.LogFile + " may say more"}, Err: err}
	}
	fmt.Fprintf(w, "recorded to %s\n", r.Archive)
	return nil
}

func (s *Session) endRecording(ctx context.Context, act string, w io.Writer) error {
	r := s.recording
	if r == nil {
		return query.Problemf("nothing is recorded")
	}
	if act == "detach" && r.Active() {
		if r.PID == 0 {
			return query.Problemf("this program records by itself; only pmlogger can go on without it")
		}
		if err := r.Detach(); err != nil {
			return diagnose.From(err)
		}
		s.recording = nil
		fmt.Fprintf(w, "pmlogger %d goes on recording to %s\n", r.PID, r.Archive)
		return nil
	}
	if err := s.stopRecording(ctx); err != nil && r.Active() {
		return &diagnose.Problem{Msg: fmt.Sprintf("%s does not end: %v", r.Archive, err), Err: err}
	}
	return s.ended(w)
}

func (s *Session) stopRecording(ctx context.Context) error {
	if s.recording == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lastSample)
	defer cancel()
	return s.recording.Stop(ctx)
}
