package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

type status int

const (
	fetched status = iota // there are values
	failed                // there are none; sampling goes on
	ended                 // the window or the archive is over
)

// setMode positions an archive at the origin. The records themselves are read for -U and for
// events. The reference passes the origin and the step between samples through microseconds
// (archive.md A16.2).
func (s *session) setMode() error {
	if s.timeline == nil {
		return nil
	}
	mode, step := pcp.Interp, s.interval.Truncate(time.Microsecond)
	origin := s.origin
	origin.Nsec -= origin.Nsec % 1000
	if s.flags.recorded || s.events() {
		mode = pcp.Forward
		s.request.Records = true
		s.request.Profile = nil // to a record with other instances only, there are values (archive.md A12.4)
	}
	if err := s.timeline.SetMode(mode, &origin, step); err != nil {
		return fmt.Errorf("pmSetMode: %s", pmerr.Message(err))
	}
	return nil
}

// A sampler takes samples in turn: it keeps the one before, and which of two results holds it.
type sampler struct {
	s        *session
	pace     pace
	conv     converter
	results  [2]pcp.Result
	now      int  // index of the current result
	previous bool // there is a sample before

	// These decide whether a counter's first sample is reported (commands.md T6.7).
	noValues  bool // there was none where a first one was looked for
	reporting bool // values were printed since the last mark
}

// loop shows the samples (commands.md T6.7).
func (s *session) loop(ctx context.Context) error {
	p := &sampler{s: s, conv: converter{desc: s.desc, rate: s.rate}}
	_, p.conv.wraps = s.env.LookupEnv("PCP_COUNTER_WRAP")
	p.pace = newPacer(s)
	if s.control != nil {
		p.pace = s.control
	}
	return p.finish(p.run(ctx))
}

func (p *sampler) run(ctx context.Context) error {
	s := p.s
	if s.control != nil {
		if err := p.wait(ctx); err != nil {
			return err
		}
	}
	for n := 0; s.samples < 0 || s.control != nil || n < s.samples; n++ {
		if !p.previous {
			st, err := p.fetch(ctx)
			if err != nil || st == ended {
				return err
			}
			if st == fetched {
				p.previous = true
				s.out.labels(s.columns)
				if !s.rate {
					if err := p.show(ctx, nil); err != nil {
						return err
					}
					p.reporting = true
					continue
				}
				if p.noValues || p.reporting {
					s.out.gap(p.results[p.now].Time, unavailable)
				}
			}
			p.noValues = st == failed
		}
		if err := p.wait(ctx); err != nil {
			return err
		}
		if !p.previous {
			continue
		}
		p.now = 1 - p.now
		st, err := p.fetch(ctx)
		if err != nil || st == ended {
			return err
		}
		if st == failed {
			p.previous = false
			if s.control != nil { // each sample is a step of its own
				if err := p.wait(ctx); err != nil {
					return err
				}
			}
			continue
		}
		if err := p.next(ctx); err != nil {
			return err
		}
		p.reporting = true
	}
	s.complete = true
	return nil
}

// wait waits until the next sample is due. Without one before, it is a first one again.
func (p *sampler) wait(ctx context.Context) error {
	moved, err := p.pace.wait(ctx)
	if moved {
		p.previous = false
	}
	return err
}

func (p *sampler) next(ctx context.Context) error {
	if p.s.unknown(&p.results[p.now].Sets[0]) {
		if err := p.s.allInstances(ctx); err != nil {
			return err
		}
		p.s.out.labels(p.s.columns)
	}
	return p.show(ctx, &p.results[1-p.now])
}

func (p *sampler) show(ctx context.Context, before *pcp.Result) error {
	smp := p.conv.convert(p.s.columns, &p.results[p.now], before)
	smp.strange = p.s.unknown(smp.values)
	err := p.s.out.sample(ctx, smp)
	if errors.Is(err, errNotNumber) { // no blank after the name of the program
		fmt.Fprintf(p.s.env.Stderr, "%s:%v\n", p.s.env.Prog, err)
		return cli.Exit(1)
	}
	return err
}

func (p *sampler) finish(err error) error {
	endErr := p.s.out.end()
	err = cmp.Or(err, endErr)
	if p.s.control != nil && err == nil {
		_ = p.s.control.Acknowledge() // a server that has gone does not matter any more
	}
	return err
}

// fetch takes the next sample. An error ends everything.
func (p *sampler) fetch(ctx context.Context) (status, error) {
	r := &p.results[p.now]
	err := p.s.src.Fetch(ctx, &p.s.request, r)
	switch {
	case errors.Is(err, pmerr.EOL):
		return p.beyond(), nil
	case err != nil && p.s.flags.reconnect && p.s.timeline == nil:
		p.s.env.Errorf("%s: %s", p.call(), pmerr.Message(err))
		return failed, p.connect(ctx)
	case err != nil:
		fmt.Fprintln(p.s.env.Stderr)
		return ended, fmt.Errorf("%s: %s", p.call(), pmerr.Message(err))
	case r.Gap: // even after the end of the window
		p.s.out.gap(r.Time, suspended)
		p.reporting = false
		return failed, nil
	case p.s.bounded && r.Time.Compare(p.s.end) > 0:
		p.s.complete = true
		return ended, nil
	}
	v := &r.Sets[0]
	switch {
	case v.Err != nil:
		fmt.Fprintln(p.s.env.Stderr)
		p.s.env.Errorf("%s: %s", p.call(), v.Err.Error())
		return failed, nil
	case v.Len() == 0:
		p.s.out.gap(r.Time, unavailable)
		return failed, nil
	}
	return fetched, nil
}

// beyond returns the status after the last sample: a time control server may lead back from there.
func (p *sampler) beyond() status {
	if p.s.control == nil {
		return ended
	}
	p.s.control.end()
	return failed
}

// call returns the name of the function that the reference fetches with.
func (p *sampler) call() string {
	if p.s.request.Records {
		return "pmFetchArchive"
	}
	return "pmFetch"
}

// connect reconnects to the daemon as soon as it can be reached: it asks once in each interval, but
// not more often than the source allows.
func (p *sampler) connect(ctx context.Context) error {
	retry := when.Clock{Interval: max(p.s.interval, time.Second)}
	retry.Due(time.Now()) // the attempt that follows
	for pmapi.Reconnect(ctx, p.s.src) != nil {
		if _, err := retry.Wait(ctx); err != nil {
			return err
		}
	}
	p.s.identify(ctx)
	return nil
}

type pace interface {
	// wait waits until then. The result is whether the sample does not follow those before.
	wait(ctx context.Context) (moved bool, err error)
}

type pacer struct {
	on    bool
	env   *cli.Env
	clock when.Clock
}

// newPacer returns what waits between the samples of a session: an interval if the source is live,
// or with -d.
func newPacer(s *session) *pacer {
	p := &pacer{on: s.timeline == nil || s.flags.delay, env: s.env, clock: when.Clock{Interval: s.interval, Exact: true}}
	if p.on {
		s.env.Waits()
	}
	p.clock.Due(time.Now()) // the first sample
	return p
}

func (p *pacer) wait(ctx context.Context) (moved bool, err error) {
	if !p.on {
		return false, nil
	}
	if err := p.env.Flush(); err != nil {
		return false, err
	}
	_, err = p.clock.Wait(ctx)
	return false, err
}
