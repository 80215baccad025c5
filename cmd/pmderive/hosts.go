package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/derive/repl"
	"pmtools/lib/pcp"
	"pmtools/lib/pmcd"
	"pmtools/lib/when"
)

// This file evaluates expressions on several hosts at once.

// maxHosts is how many hosts a file may name.
const maxHosts = 100_000

// addHost handles -h: the first one is the source of every command, eval takes more.
func (a *app) addHost(set func(string) error) func(string) error {
	return func(arg string) error {
		if len(a.hosts) == 0 {
			if err := set(arg); err != nil {
				return err
			}
		}
		a.hosts = append(a.hosts, arg)
		return nil
	}
}

// readHosts reads a list of hosts, a line each; "#" begins a comment, and "-" is standard input.
func (a *app) readHosts(name string) error {
	in := a.Env.Stdin
	if name != "-" {
		f, err := a.Env.Open(name)
		if err != nil {
			return fmt.Errorf("--hosts: %w", err)
		}
		defer f.Close()
		in = f
	}
	for s := bufio.NewScanner(in); ; {
		if !s.Scan() {
			return s.Err()
		}
		host, _, _ := strings.Cut(s.Text(), "#")
		if host = strings.TrimSpace(host); host == "" {
			continue
		}
		if len(a.hosts) >= maxHosts {
			return fmt.Errorf("--hosts %s: more than %d hosts", name, maxHosts)
		}
		a.hosts = append(a.hosts, host)
	}
}

// several checks the options of several hosts, and returns whether there are any.
func (a *app) several(f *evalFlags) (bool, error) {
	if f.hosts != "" {
		if err := a.readHosts(f.hosts); err != nil {
			return false, err
		}
	}
	if a.fleet = len(a.hosts) > 1 || f.hosts != "" || f.across != "" || f.all; !a.fleet {
		return false, nil
	}
	if err := repl.CheckHosts(a.hosts); err != nil {
		return false, err
	}
	o := &a.Options
	switch {
	case len(a.hosts) == 0 && f.hosts != "":
		return false, fmt.Errorf("--hosts %s names no host", f.hosts)
	case len(a.hosts) == 0 || o.HasArchive || o.Local:
		return false, errors.New("--across, --all-hosts and --hosts are for hosts, which -h or --hosts names")
	case f.plot != "":
		return false, errors.New("--plot is for one host")
	case f.archive != "":
		return false, errors.New("--archive-out is for one host")
	case o.HostZone:
		return false, errors.New("-z is for one host; -Z names a zone")
	}
	return true, nil
}

// evalHosts evaluates expressions on several hosts.
func (a *app) evalHosts(ctx context.Context, f *evalFlags, set repl.Settings, args []string) (failed error) {
	o := &a.Options
	win := &repl.Window{Interval: o.Interval, Select: f.pick, All: f.all, Samples: o.Samples}
	win.Timed = o.HasStart || o.HasFinish || o.HasAlign || o.HasOrigin || o.HasInterval || o.HasSamples || f.records
	a.running = true
	w, done, err := a.outputFile(f)
	if err != nil {
		return err
	}
	defer func() { failed = cmp.Or(failed, done()) }()
	s, err := a.session(ctx, set)
	if err != nil {
		return err
	}
	defer s.Close()
	now := a.Env.Now()
	times, err := o.Window(when.Base{Start: now, Now: now, Zone: s.Zone()})
	if err != nil {
		return err
	}
	if win.HasEnd = win.Timed && !times.End.IsZero(); win.HasEnd {
		win.End = pcp.TimestampOf(times.End)
	}
	if win.Timed {
		a.Env.Waits()
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if wait := times.Origin.Sub(now); win.Timed && wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	if err = s.Eval(ctx, args, win, w); errors.Is(err, repl.ErrHosts) {
		return cli.Exit(1) // each of them has said why
	}
	return err
}

// tell tells what is wrong with one of several hosts.
func (a *app) tell(host string, err error) {
	fmt.Fprintf(a.Env.Stderr, "%s: %s: %s", a.Env.Prog, pmcd.Redact(host), problemText(err, a.Env.Stderr))
}
