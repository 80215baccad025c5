// Package record records live metrics: a session has an archive for each of its hosts, and a folio
// that lists them for pmafm and for PCP_FOLIO (values.md V24).
//
// [Start] begins a session. PCP's pmlogger records, if it is there, and may go on when the program
// ends; otherwise this process does. A [Recording] is what there is of each host. [Recorder] is the
// part that writes what a Source has into an archive, for programs that want neither folio nor
// pmlogger.
package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
)

// A Config says what a session is. The zero values of all but the first two fields are useful.
type Config struct {
	Folio   string // the list of archives; it must not exist
	Creator string // the program's name
	Replay  string // the program's configuration to replay the session; "" if it cannot

	Logger string   // the path of pmlogger; "" for recording in this process
	Args   []string // more arguments for each pmlogger

	// Open opens the metrics of a host, if this process records. The session closes them.
	Open    func(ctx context.Context, host string) (pmapi.Source, error)
	Version int // of the archives that this process writes: 2 or 3; 0 means 3
}

// A Host says what of a host is recorded.
type Host struct {
	Name     string        // its specification, as for pmapi.OpenHost; without blanks
	Default  bool          // it stands first in the folio; at most one host does
	Metrics  []string      // names; a name that is no metric stands for all below it
	Interval time.Duration // between samples, at least a millisecond; 0 records once
	Config   string        // more of pmlogger's configuration, which it needs
	Args     []string      // more arguments for its pmlogger
}

// A Session is what Start began.
type Session struct {
	Recordings []*Recording // in the order of the hosts
}

// A Recording is what is recorded of one host. Its methods may be called by several goroutines.
type Recording struct {
	Host    string // without password
	Archive string // its base name with the directory
	LogFile string // what the recorder has to say
	PID     int    // of pmlogger; 0 if this process records

	logger logger
	once   sync.Once // ends it
	done   chan struct{}
	err    error // valid when done is closed
}

// A logger is what records.
type logger interface {
	// status makes it write to its log, or show, how far it is. args are for the dialogue.
	status(args string) error
	// detach lets it go on by itself.
	detach() error
	// stop asks it to end.
	stop() error
}

// Start begins a session of at least one host. It returns when everything is under way; whether a
// pmlogger ended at once, because it does not reach its host say, is seen by Recording.Done. ctx is
// for the start only. After an error nothing is left of the session: the folio exists already
// (fs.ErrExist), a file cannot be created, no host or two default ones (pmerr.EINVAL).
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

// check checks a configuration.
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
			return wrong("%q is no name for a metric", h.Metrics[bad])
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

// legal reports whether a name can be one of a metric. Others could mean something to pmlogger.
func legal(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == ""
}

// config returns what is recorded of a host in pmlogger's language.
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

// Done returns a channel that is closed when nothing is recorded any more, or not by a process that
// this one knows.
func (r *Recording) Done() <-chan struct{} { return r.done }

// Active reports whether something is recorded.
func (r *Recording) Active() bool { return r.running() == nil }

// Await waits until there is a sample in the archive. If recording ends before, the error says why.
func (r *Recording) Await(ctx context.Context) error {
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for {
		if info, err := os.Stat(r.Archive + ".0"); err == nil && info.Size() > 0 {
			return nil
		}
		select {
		case <-r.done:
			if r.err != nil {
				return r.err
			}
			return r.running()
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Err returns why recording ended: nil while it goes on, and if it was stopped or detached.
func (r *Recording) Err() error {
	select {
	case <-r.done:
		return r.err
	default:
		return nil
	}
}

// end notes that nothing is recorded any more. Only the first call counts.
func (r *Recording) end(err error) {
	r.once.Do(func() {
		r.err = err
		close(r.done)
	})
}

// running returns pmerr.IPC if nothing is recorded any more.
func (r *Recording) running() error {
	select {
	case <-r.done:
		return fmt.Errorf("record: %s is not recorded any more: %w", r.Host, pmerr.IPC)
	default:
		return nil
	}
}

// ShowStatus makes pmlogger show how far it is, by pmconfirm with more arguments or in its log; a
// recording by this process says so in its log. One that has ended is pmerr.IPC.
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

// Detach lets pmlogger go on by itself, whatever becomes of this process. A recording by this
// process cannot, which is pmerr.EINVAL.
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
