// Package record records live metrics: a session has an archive for each of its hosts, and a folio
// that lists them for pmafm and for PCP_FOLIO.
//
// [Start] begins a session. PCP's pmlogger records if it is installed, and may continue when the
// program ends; otherwise this process records. A [Recording] is the part of one host. A [Recorder]
// writes the metrics of a Source into an archive, without folio or pmlogger.
package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
)

// A Config describes a session. The zero values of all but the first two fields are useful.
type Config struct {
	Folio   string // the list of archives; it must not exist
	Creator string // name of the program
	Replay  string // the program's configuration to replay the session; "" if it cannot

	Logger string   // the path of pmlogger; "" for recording in this process
	Args   []string // more arguments for each pmlogger

	// Open opens the metrics of a host, if this process records. The session closes them.
	Open    func(ctx context.Context, host string) (pmapi.Source, error)
	Version int // version of the archives that this process writes: 2 or 3; 0 means 3
}

// A Host describes the recording of one host.
type Host struct {
	Name     string        // host specification, as for pmapi.OpenHost; without blanks
	Default  bool          // the first host of the folio; at most one host may be
	Metrics  []string      // names; an inner node stands for all metrics below it
	Interval time.Duration // time between samples, at least a millisecond; 0 records once
	Config   string        // further lines of pmlogger's configuration
	Args     []string      // more arguments for its pmlogger
}

// A Session is a set of recordings that Start has begun.
type Session struct {
	Recordings []*Recording // in the order of the hosts
}

// A Recording is the running or ended recording of one host. Its methods may be called by several
// goroutines.
type Recording struct {
	Host    string // without password
	Archive string // directory and base name of the archive
	LogFile string // log of the recorder
	PID     int    // process of pmlogger; 0 if this process records

	logger logger
	once   sync.Once // guards the end
	done   chan struct{}
	err    error // valid when done is closed
}

type logger interface {
	// status makes the logger write its progress to its log, or show it. args are for the dialogue.
	status(args string) error
	// detach leaves the logger running after the end of this process.
	detach() error
	stop() error
}

// Start begins a session of at least one host. It returns when all recorders have started;
// [Recording.Done] reports a pmlogger that ends at once, for example because it cannot reach its host.
// ctx limits only the start. After an error no file of the session is left. Errors are fs.ErrExist for a
// folio that exists, errors of creating files, of opening a host and of its metrics, and pmerr.EINVAL
// for an invalid request: no host, or two default hosts; a host name that is empty, has blanks or
// control characters, or would show a password in pmlogger's command line; a host without metrics and
// configuration, or an invalid metric name; an interval below a millisecond; a configuration without
// pmlogger; neither pmlogger nor Open; a name of the folio or creator that is empty or has control
// characters.
func Start(ctx context.Context, cfg *Config, hosts ...Host) (*Session, error) {
	if err := check(cfg, hosts); err != nil {
		return nil, err
	}
	f, err := newFolio(cfg)
	if f == nil {
		return nil, err
	}
	names := make([]string, len(hosts))
	for i := range hosts {
		if err == nil {
			names[i], err = f.addHost(&hosts[i])
		}
	}
	if err == nil {
		err = f.write(cfg, time.Now().Format(time.ANSIC), hosts, names)
	}
	s := new(Session)
	for i := range hosts {
		if err != nil {
			break
		}
		r := &Recording{Host: pmcd.Redact(hosts[i].Name), Archive: f.path(names[i]), LogFile: f.path(names[i] + ".log"), done: make(chan struct{})}
		if cfg.Logger != "" {
			err = r.startLogger(cfg, f, &hosts[i], names[i])
		} else {
			err = r.startOwn(ctx, cfg, f, &hosts[i])
		}
		if err == nil {
			s.Recordings = append(s.Recordings, r)
		}
	}
	if err != nil {
		_ = s.Stop(ctx)
		f.discard()
		return nil, err
	}
	return s, nil
}

func check(cfg *Config, hosts []Host) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("record: "+format+": %w", append(args, pmerr.EINVAL)...)
	}
	if len(hosts) == 0 {
		return wrong("no hosts")
	}
	defaults := 0
	for i := range hosts {
		h := &hosts[i]
		name := pmcd.Redact(h.Name)
		if h.Default {
			defaults++
		}
		bad := slices.IndexFunc(h.Metrics, func(m string) bool { return !legal(m) })
		switch {
		case defaults > 1:
			return wrong("a second default host, %s", name)
		case strings.Contains(name, " ") || printable("host", name) != nil:
			return wrong("host %q has blanks", name)
		case bad >= 0:
			return wrong("%q is not a name for a metric", h.Metrics[bad])
		case len(h.Metrics) == 0 && h.Config == "":
			return wrong("no metrics of host %s", name)
		case h.Interval != 0 && h.Interval < time.Millisecond:
			return wrong("interval %v is shorter than a millisecond", h.Interval)
		case cfg.Logger == "" && cfg.Open == nil:
			return wrong("neither pmlogger nor a way to open host %s", name)
		case cfg.Logger == "" && h.Config != "":
			return wrong("configuration of host %s, which only pmlogger reads", name)
		case cfg.Logger != "" && name != h.Name:
			return wrong("pmlogger would show the password of host %s in its command line", name)
		}
	}
	return nil
}

// legal reports whether name is a valid metric name. Other names could have a meaning in pmlogger's language.
func legal(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == ""
}

func (h *Host) config() string {
	var b strings.Builder
	if len(h.Metrics) > 0 {
		every := "once"
		if h.Interval > 0 {
			every = fmt.Sprintf("every %d milliseconds", h.Interval.Milliseconds())
		}
		fmt.Fprintf(&b, "log mandatory on %s {\n\t%s\n}\n", every, strings.Join(h.Metrics, "\n\t"))
	}
	return b.String() + h.Config
}

// Done returns a channel that is closed when recording has ended, or continues detached.
func (r *Recording) Done() <-chan struct{} { return r.done }

// Err returns the error that ended the recording: nil while it continues, and after Stop or Detach.
func (r *Recording) Err() error {
	select {
	case <-r.done:
		return r.err
	default:
		return nil
	}
}

// end notes the end of recording. Only the first call counts.
func (r *Recording) end(err error) {
	r.once.Do(func() {
		r.err = err
		close(r.done)
	})
}

// running returns pmerr.IPC after the end of recording.
func (r *Recording) running() error {
	select {
	case <-r.done:
		return fmt.Errorf("record: %s is not recorded any more: %w", r.Host, pmerr.IPC)
	default:
		return nil
	}
}

// ShowStatus makes pmlogger show its progress, by pmconfirm with more arguments or in its log; a
// recording by this process writes it to its log. After the end of recording the error is
// pmerr.IPC.
func (r *Recording) ShowStatus(args string) error {
	if err := r.running(); err != nil {
		return err
	}
	if args != "" {
		if err := printable("arguments", args); err != nil {
			return err
		}
	}
	return r.logger.status(args)
}

// Detach leaves pmlogger running after the end of this process. For a recording by this process the
// error is pmerr.EINVAL.
func (r *Recording) Detach() error {
	if err := r.running(); err != nil {
		return err
	}
	err := r.logger.detach()
	if err == nil {
		r.end(nil)
	}
	return err
}

// Stop ends recording and waits until the archive is complete, or ctx is done. It may be called
// again.
func (r *Recording) Stop(ctx context.Context) error {
	if r.running() != nil {
		return r.Err()
	}
	if err := r.logger.stop(); err != nil && !errors.Is(err, pmerr.IPC) {
		return err
	}
	select {
	case <-r.done:
		return r.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stop stops all recordings.
func (s *Session) Stop(ctx context.Context) error {
	var errs []error
	for _, r := range s.Recordings {
		errs = append(errs, r.Stop(ctx))
	}
	return errors.Join(errs...)
}
