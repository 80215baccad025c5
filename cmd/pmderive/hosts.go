package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/derive/repl"
	"pmtools/lib/fetchgroup"
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
	if len(a.hosts) < 2 && f.hosts == "" && f.across == "" && !f.all {
		return false, nil
	}
	for i, h := range a.hosts {
		if _, err := pmcd.ParseSpec(h); err != nil {
			return false, err
		}
		if slices.Contains(a.hosts[:i], h) {
			return false, fmt.Errorf("host %s is named twice", pmcd.Redact(h))
		}
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

// A stream samples the expressions on one host.
type stream struct {
	*repl.Session
	*repl.Stream
}

// A reading is what a stream says: its sample is nil while there are none yet.
type reading struct {
	run    *repl.Run
	sample *repl.Sample
}

// Sample implements fetchgroup.Sampler.
func (s stream) Sample(ctx context.Context) (reading, error) {
	smp, err := s.Next(ctx)
	return reading{s.Run(), smp}, err
}

// Run is that of the samples.
func (s stream) Run() *repl.Run { return s.Stream.Run() }

// Close implements fetchgroup.Sampler.
func (s stream) Close() error {
	s.Session.Close()
	return nil
}

// evalHosts evaluates expressions on several hosts.
func (a *app) evalHosts(ctx context.Context, f *evalFlags, set repl.Settings, args []string) (failed error) {
	across, err := parseAcross(f.across)
	if err != nil {
		return err
	}
	o := &a.Options
	timed := o.HasStart || o.HasFinish || o.HasAlign || o.HasOrigin || o.HasInterval || o.HasSamples
	if timed && set.Output == "openmetrics" && o.Samples != 1 {
		return errors.New("openmetrics is for one sample only")
	}
	a.running = true
	w, done, err := a.outputFile(f)
	if err != nil {
		return err
	}
	defer func() { failed = cmp.Or(failed, done()) }()
	a.sources.LoadDefault()
	base, err := a.replOptions(set)
	if err != nil {
		return err
	}
	base.Open, base.Kind = a.sources.Hosts(), repl.Host
	c := &crowd{app: a, w: w, zone: base.Zone, across: across, hosts: a.hosts, state: make(map[string]*hostState), timed: timed, wanted: o.Samples}
	if !timed {
		c.wanted = 1
	} else if n := f.pick.Limit; n > 0 && (c.wanted == 0 || n < c.wanted) {
		c.wanted = n
	}
	now := a.Env.Now()
	win, err := o.Window(when.Base{Start: now, Now: now, Zone: base.Zone})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if timed && !win.End.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, time.Now().Add(win.End.Sub(now)))
		defer cancel()
	}
	if wait := win.Origin.Sub(now); timed && wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	opt := &fetchgroup.FleetOptions{Interval: o.Interval}
	start := func(ctx context.Context, host string) (fetchgroup.Sampler[reading], error) {
		own := *base
		own.Name = host
		s := repl.New(&own)
		st, err := s.Stream(ctx, args, &f.pick)
		if err != nil {
			s.Close()
			return nil, err
		}
		return stream{s, st}, nil
	}
	return c.follow(fetchgroup.Hosts(ctx, c.hosts, start, opt), f.all)
}

// A crowd puts the answers of hosts together.
type crowd struct {
	app    *app
	w      io.Writer
	zone   *time.Location
	across *across // nil leaves the hosts apart
	hosts  []string
	state  map[string]*hostState
	timed  bool
	wanted int // samples; 0 for any number

	out   repl.Writer
	run   *repl.Run // of the first host that answered
	round map[string]reading
	taken int
	told  []string // messages
}

// maxTold is how many messages are kept to shorten those that are the same.
const maxTold = 100

// A hostState is what is known of a host.
type hostState struct {
	answered bool  // ever
	told     bool  // its failure has been told
	done     bool  // there is nothing more to wait for in a single sample
	err      error // the last one
}

// follow writes what the hosts say, round after round, and returns the error for the exit status.
func (c *crowd) follow(rows func(yield func(fetchgroup.Row[reading]) bool), all bool) error {
	for _, h := range c.hosts {
		c.state[h] = &hostState{}
	}
	c.round = make(map[string]reading)
	var err error
	heard := 0 // in this round: each host has one row
	for row := range rows {
		c.add(row)
		if heard++; c.timed && heard == len(c.hosts) {
			heard = 0
			if err = c.flush(); err != nil || c.wanted > 0 && c.taken >= c.wanted {
				break
			}
		}
		if !c.timed && !slices.ContainsFunc(c.hosts, func(h string) bool { return !c.state[h].done }) {
			break
		}
	}
	if err == nil && (c.wanted == 0 || c.taken < c.wanted) {
		err = c.flush()
	}
	if c.out != nil {
		err = errors.Join(err, c.out.Close())
	}
	if err != nil {
		return err
	}
	return c.verdict(all)
}

// add takes an answer.
func (c *crowd) add(row fetchgroup.Row[reading]) {
	st := c.state[row.Host]
	switch {
	case row.Err == nil && row.Value.sample == nil: // not yet
	case row.Err == nil:
		st.answered, st.done = true, true
		c.round[row.Host] = row.Value
	default:
		if st.err = row.Err; !errors.Is(row.Err, fetchgroup.ErrLate) {
			st.done = true
			c.tell(row.Host, st)
		}
	}
}

// tell tells the failure of a host, once.
func (c *crowd) tell(host string, st *hostState) {
	if !st.told && !errors.Is(st.err, context.Canceled) {
		st.told = true
		text := problemText(st.err, c.app.Env.Stderr)
		if first, _, _ := strings.Cut(text, "\n"); slices.Contains(c.told, text) {
			text = first + "\n" // the rest would be the same again
		} else if len(c.told) < maxTold {
			c.told = append(c.told, text)
		}
		fmt.Fprintf(c.app.Env.Stderr, "%s: %s: %s", c.app.Env.Prog, pmcd.Redact(host), text)
	}
}

// verdict returns the error for the exit status: if no host answered, or not all where all must.
func (c *crowd) verdict(all bool) error {
	good := 0
	for _, h := range c.hosts {
		st := c.state[h]
		if st.answered {
			good++
		} else if st.err != nil {
			c.tell(h, st)
		}
	}
	if good == 0 || all && good < len(c.hosts) {
		return cli.Exit(1)
	}
	return nil
}

// flush writes the sample of a round, if there is one.
func (c *crowd) flush() error {
	if len(c.round) == 0 {
		if c.wanted > 0 && !slices.ContainsFunc(c.hosts, func(h string) bool { st := c.state[h]; return st.answered || !st.done }) {
			c.taken++ // they all have failed
		}
		return nil
	}
	var smp *repl.Sample
	for _, h := range c.hosts {
		r, ok := c.round[h]
		if !ok {
			continue
		}
		if c.run == nil {
			if err := c.begin(r.run); err != nil {
				return err
			}
		}
		if smp == nil {
			smp = &repl.Sample{Sets: make([]repl.Set, len(c.run.Exprs)), Ordered: true}
		}
		c.merge(smp, h, r)
	}
	clear(c.round)
	if c.across != nil {
		c.across.apply(smp, c.run)
	}
	c.taken++
	err := c.out.Sample(smp)
	if flush := c.app.Env.Flush; err == nil && c.timed {
		err = flush()
	}
	return err
}

// begin opens the output, by what the first host that answers says of the expressions.
func (c *crowd) begin(r *repl.Run) (err error) {
	run := *r
	run.Exprs = slices.Clone(r.Exprs)
	run.Hosts, run.Kind, run.Name, run.Zone = true, "hosts", "", c.zone
	run.Live = c.timed
	run.Window = repl.Window{Timed: c.timed, Samples: c.wanted, Interval: c.app.Options.Interval}
	if c.across != nil {
		c.across.describe(&run)
	}
	c.run = &run
	c.out, err = c.app.output(c.w, &run)
	return err
}

// merge adds the values of a host, in the units of the first one.
func (c *crowd) merge(smp *repl.Sample, host string, r reading) {
	if smp.Time.Compare(r.sample.Time) < 0 {
		smp.Time = r.sample.Time
	}
	for i, set := range r.sample.Sets {
		if set.Err != nil {
			c.complain(host, c.run.Exprs[i].Name, set.Err)
			continue
		}
		from, to := r.run.Exprs[i], c.run.Exprs[i]
		for _, v := range set.Values {
			v.Host = pmcd.Redact(host)
			if from.Desc.Units != to.Desc.Units && (c.across == nil || c.across.units) {
				v.Value = converted(v.Value, from.Desc.Units, to.Desc.Units)
			}
			smp.Sets[i].Values = append(smp.Sets[i].Values, v)
		}
	}
}

// converted returns a value in other units, or none if it cannot be.
func converted(v pcp.Value, from, to pcp.Units) pcp.Value {
	x, err := v.ConvScale(from, to)
	if err != nil {
		return pcp.Value{}
	}
	return x
}

// complain tells the error of one expression on one host, once.
func (c *crowd) complain(host, expr string, err error) {
	st := c.state[host]
	if !st.told {
		st.told = true
		fmt.Fprintf(c.app.Env.Stderr, "%s: %s: %s: %v\n", c.app.Env.Prog, pmcd.Redact(host), expr, err)
	}
}
