package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"pmtools/cmd/internal/item"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/record"
	"pmtools/lib/when"
)

// How long :record waits for the first sample, and for the end.
const (
	firstSample = 5 * time.Second
	lastSample  = 10 * time.Second
)

// A recording is what :record has begun.
type recording struct {
	*record.Recording
	began time.Time
}

func runRecord(ctx context.Context, s *Session, arg string, w io.Writer) error {
	word, rest, _ := strings.Cut(arg, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "start" && rest != "":
		return s.startRecording(ctx, rest, w)
	case rest != "":
	case word == "" || word == "status":
		return s.showRecording(w)
	case word == "stop", word == "detach":
		return s.endRecording(ctx, word, w)
	}
	return query.Problemf("usage: :record [start FILE [INTERVAL] [NAME ...] | stop | detach]")
}

func (s *Session) startRecording(ctx context.Context, arg string, w io.Writer) error {
	switch {
	case s.opt.Record == nil:
		return query.Problemf("nothing can be recorded here")
	case s.recording != nil && s.recording.Active():
		return query.Problemf("%s is being recorded; :record stop ends that", s.recording.Archive)
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	if s.src.Line != nil {
		return query.Problemf("the source is an archive, which is recorded already; :source host or :source local go to live metrics")
	}
	folio, names, err := item.CutWord(arg)
	if err != nil {
		return err
	}
	interval := cmp.Or(s.set.Interval, DefaultInterval)
	if word, rest, _ := strings.Cut(names, " "); word != "" && '0' <= word[0] && word[0] <= '9' {
		d, bad := when.ParseInterval(word)
		if bad != nil || d < time.Millisecond {
			return query.Problemf("%s is not an interval of a millisecond or more", word)
		}
		interval, names = d, rest
	}
	metrics, err := s.src.BaseMetrics(ctx, s.defs, strings.Fields(names), func(name string) error {
		_, _, err := s.metric(ctx, name)
		return err
	})
	if err != nil {
		return err
	}
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

func (s *Session) endRecording(ctx context.Context, word string, w io.Writer) error {
	r := s.recording
	if r == nil {
		return query.Problemf("nothing is recorded")
	}
	if word == "detach" && r.Active() {
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
