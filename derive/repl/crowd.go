package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"pmtools/lib/fetchgroup"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
)

// ErrHosts means that none of several hosts has answered, or not all where all must. What is wrong
// with each has been told.
var ErrHosts = errors.New("too few hosts have answered")

// CheckHosts checks the specifications of several hosts. The error does not tell passwords.
func CheckHosts(hosts []string) error {
	seen := make(map[string]bool, len(hosts))
	for _, h := range hosts {
		if _, err := pmcd.ParseSpec(h); err != nil {
			return err
		}
		if seen[h] {
			return problemf("host %s is named twice", pmcd.Redact(h))
		}
		seen[h] = true
	}
	return nil
}

// peer returns the Session of one of several hosts, with the definitions and the settings of s. It
// keeps its connection from one item to the next.
func (s *Session) peer(host string) *Session {
	p := s.peers[host]
	if p == nil {
		opt := s.opt
		opt.Kind, opt.Name, opt.Hosts = Host, host, nil
		opt.Open = func(ctx context.Context, _, name string) (pmapi.Source, error) { return s.opt.OpenHost(ctx, name) }
		p = New(&opt)
		if s.peers == nil {
			s.peers = make(map[string]*Session)
		}
		s.peers[host] = p
	}
	p.define(s.defs)
	p.set, p.zone = s.set, s.zone
	p.set.Sort, p.set.Top = sorts[0], 0 // that is for the values of all
	return p
}

// closePeers closes the connections to several hosts.
func (s *Session) closePeers() error {
	errs := make([]error, 0, len(s.peers))
	for _, p := range s.peers {
		errs = append(errs, p.Close())
	}
	s.peers = nil
	return errors.Join(errs...)
}

// everywhere evaluates expressions on several hosts. The error is ErrHosts if too few of them have
// answered.
func (s *Session) everywhere(ctx context.Context, exprs []string, output string, win *Window, w io.Writer) error {
	if s.opt.OpenHost == nil {
		return problemf("there is one source only")
	}
	across, err := parseAcross(s.set.Across)
	if err != nil {
		return err
	}
	c := &crowd{s: s, w: w, output: output, across: across, state: make(map[string]*hostState, len(s.hosts)),
		undone: len(s.hosts), round: make(map[string]reading), win: *win, wanted: win.Samples}
	if !win.Timed {
		c.wanted = 1
	} else if n := win.Select.Limit; n > 0 && (c.wanted == 0 || n < c.wanted) {
		c.wanted = n
	}
	asking := ctx
	if win.Timed && win.HasEnd {
		var cancel context.CancelFunc
		asking, cancel = context.WithDeadline(ctx, time.Now().Add(win.End.Time().Sub(s.opt.Now())))
		defer cancel()
	}
	peers := make(map[string]*Session, len(s.hosts))
	for _, h := range s.hosts {
		peers[h] = s.peer(h)
		c.state[h] = &hostState{}
	}
	opt := &fetchgroup.FleetOptions{Interval: cmp.Or(win.Interval, s.set.Interval)}
	return c.follow(ctx, fetchgroup.Hosts(asking, s.hosts, func(ctx context.Context, host string) (fetchgroup.Sampler[reading], error) {
		t, err := peers[host].Stream(ctx, exprs, &win.Select)
		return stream{t}, err
	}, opt))
}

// A stream samples the expressions on one host.
type stream struct{ *Stream }

// A reading is what a stream says: its sample is nil while there are none yet.
type reading struct {
	run    *Run
	sample *Sample
}

// Sample implements fetchgroup.Sampler.
func (t stream) Sample(ctx context.Context) (reading, error) {
	smp, err := t.Next(ctx)
	return reading{t.run, smp}, err
}

// Close implements fetchgroup.Sampler. The connection stays, or is made again when the host is asked
// again.
func (t stream) Close() error { return nil }

// A crowd puts the answers of hosts together.
type crowd struct {
	s      *Session
	w      io.Writer
	output string
	across *across // nil leaves the hosts apart
	state  map[string]*hostState
	undone int // how many of them are not done
	win    Window
	wanted int // samples; 0 for any number

	out   Writer
	run   *Run // of the first host that answered
	round map[string]reading
	taken int
	told  map[string]bool // problems that have been told in full
}

// maxTold is how many problems are kept to shorten those that are the same.
const maxTold = 100

// A hostState is what is known of a host.
type hostState struct {
	answered bool  // ever
	told     bool  // its failure has been told
	done     bool  // there is nothing more to wait for in a single sample
	err      error // the last one
}

// follow writes what the hosts say, round after round, and returns the error for the exit status.
func (c *crowd) follow(ctx context.Context, rows iter.Seq[fetchgroup.Row[reading]]) error {
	var err error
	heard := 0 // in this round: each host has one row
	for row := range rows {
		c.add(row)
		if heard++; c.win.Timed && heard == len(c.s.hosts) {
			heard = 0
			if err = c.flush(ctx); err != nil || c.wanted > 0 && c.taken >= c.wanted {
				break
			}
		}
		if !c.win.Timed && c.undone == 0 {
			break
		}
	}
	if err == nil && (c.wanted == 0 || c.taken < c.wanted) {
		err = c.flush(context.WithoutCancel(ctx)) // Ctrl-C ends the rounds, but what has been heard is shown
	}
	if c.out != nil {
		err = errors.Join(err, c.out.Close())
	}
	if err != nil {
		return err
	}
	return c.verdict()
}

// add takes an answer.
func (c *crowd) add(row fetchgroup.Row[reading]) {
	st := c.state[row.Host]
	switch {
	case row.Err == nil && row.Value.sample == nil: // not yet
	case row.Err == nil:
		st.answered = true
		c.done(st)
		c.round[row.Host] = row.Value
	default:
		if st.err = row.Err; !errors.Is(row.Err, fetchgroup.ErrLate) {
			c.done(st)
			c.tell(row.Host, st)
		}
	}
}

// done notes that a single sample need not wait for a host any more.
func (c *crowd) done(st *hostState) {
	if !st.done {
		st.done = true
		c.undone--
	}
}

// tell tells the failure of a host, once. What another has said already is shortened.
func (c *crowd) tell(host string, st *hostState) {
	if st.told || errors.Is(st.err, context.Canceled) || c.s.opt.Tell == nil {
		return
	}
	st.told = true
	err := st.err
	if c.told[err.Error()] {
		err = &Problem{Msg: err.Error(), Err: err}
	} else if len(c.told) < maxTold {
		if c.told == nil {
			c.told = make(map[string]bool)
		}
		c.told[err.Error()] = true
	}
	c.s.opt.Tell(host, err)
}

// verdict returns the error for the exit status: if no host answered, or not all where all must.
func (c *crowd) verdict() error {
	good := 0
	for _, h := range c.s.hosts {
		st := c.state[h]
		if st.answered {
			good++
		} else if st.err != nil {
			c.tell(h, st)
		}
	}
	if good == 0 || c.win.All && good < len(c.s.hosts) {
		return ErrHosts
	}
	return nil
}

// flush writes the sample of a round, if there is one.
func (c *crowd) flush(ctx context.Context) error {
	if len(c.round) == 0 {
		if c.wanted > 0 && !slices.ContainsFunc(c.s.hosts, func(h string) bool { st := c.state[h]; return st.answered || !st.done }) {
			c.taken++ // they all have failed
		}
		return nil
	}
	var smp *Sample
	for _, h := range c.s.hosts {
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
			smp = &Sample{Sets: make([]Set, len(c.run.Exprs)), Ordered: true}
		}
		c.merge(smp, h, r)
	}
	clear(c.round)
	if c.across != nil {
		if err := c.across.apply(ctx, smp, c.run); err != nil {
			return err
		}
	}
	if err := c.s.set.arrange(ctx, smp, func(i int) bool { return c.run.Exprs[i].Rate != nil }); err != nil {
		return err
	}
	c.taken++
	err := c.out.Sample(ctx, smp)
	if flush := c.s.opt.Flush; err == nil && c.win.Timed && flush != nil {
		err = flush()
	}
	return err
}

// begin opens the output, by what the first host that answers says of the expressions.
func (c *crowd) begin(r *Run) (err error) {
	if c.s.opt.Output == nil {
		return problemf("values cannot be written here")
	}
	run := *r
	run.Output, run.Settings, run.Exprs = c.output, c.s.set, slices.Clone(r.Exprs)
	run.Hosts, run.Kind, run.Name = true, "hosts", ""
	run.Live = c.win.Timed
	run.Window = Window{Timed: c.win.Timed, Samples: c.wanted, Interval: c.win.Interval}
	if c.across != nil {
		c.across.describe(&run)
	}
	c.run = &run
	c.out, err = c.s.opt.Output(c.w, &run)
	return err
}

// merge adds the values of a host, in the units of the first one.
func (c *crowd) merge(smp *Sample, host string, r reading) {
	if smp.Time.Compare(r.sample.Time) < 0 {
		smp.Time = r.sample.Time
	}
	for i, set := range r.sample.Sets {
		if set.Err != nil {
			c.complain(host, c.run.Exprs[i].Name, set.Err)
			continue
		}
		from, to := r.run.Exprs[i], c.run.Exprs[i]
		for _, v := range set.list {
			v.Host, v.Time = pmcd.Redact(host), r.sample.Time
			if from.Desc.Units != to.Desc.Units && (c.across == nil || c.across.units) {
				v.Value = converted(v.Value, from.Desc.Units, to.Desc.Units)
			}
			smp.Sets[i].list = append(smp.Sets[i].list, v)
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
	if st := c.state[host]; !st.told && c.s.opt.Tell != nil {
		st.told = true
		c.s.opt.Tell(host, fmt.Errorf("%s: %w", expr, err))
	}
}
