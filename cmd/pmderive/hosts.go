package main

import (
	"errors"
	"fmt"

	"pmtools/cmd/internal/hostfile"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/query"
	"pmtools/lib/pmcd"
)

// This file evaluates expressions on several hosts at once.

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

// readHosts reads a list of hosts; "-" is standard input.
func (a *app) readHosts(name string) ([]hostfile.Host, error) {
	in := a.Env.Stdin
	if name != "-" {
		f, err := a.Env.Open(name)
		if err != nil {
			return nil, errors.New(pmcd.Redact("--hosts: " + err.Error()))
		}
		defer f.Close()
		in = f
	}
	list, err := hostfile.Read(in)
	if err != nil {
		return nil, fmt.Errorf("--hosts %s: %w", name, err)
	}
	return list, nil
}

// several checks the options of several hosts and returns the hosts, or nil if values of one source are
// asked for.
func (a *app) several(f *repl.Fleet, across string) ([]string, error) {
	if f.File != "" {
		list, err := a.readHosts(f.File)
		if err != nil {
			return nil, err
		}
		a.hosts, a.listed = append(a.hosts, hostfile.Names(list)...), list
	}
	if len(a.hosts) <= 1 && f.File == "" && across == "" {
		return nil, nil
	}
	if err := query.CheckHosts(a.hosts); err != nil {
		return nil, err
	}
	o := &a.Options
	switch {
	case len(a.hosts) == 0 && f.File != "":
		return nil, fmt.Errorf("--hosts %s names no host", f.File)
	case o.HasArchive && len(a.hosts) == 0:
		return nil, nil // its archives may be of several
	case len(a.hosts) == 0 || o.HasArchive || o.Local:
		return nil, errors.New("--across and --hosts are for several hosts, which -h, --hosts or the archives of -a name")
	case o.HostZone:
		return nil, errors.New("-z is for one host; -Z names a zone")
	}
	return a.hosts, nil
}

// note writes a line about how an item was understood to standard error, after the output before it.
func (a *app) note(line string) {
	_ = a.Env.Out.Flush() // what cannot be written is noticed at the end
	fmt.Fprintln(a.Env.Stderr, line)
}

// report prints the error of one of several hosts.
func (a *app) report(host string, err error) {
	head := a.Env.Prog + ": " + pmcd.Redact(host) + ": "
	fmt.Fprint(a.Env.Stderr, head, problemText(err, a.Env.Stderr, head))
}
