package fetchgroup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// FleetOptions configure the reading of many hosts. The zero FleetOptions, and nil, are the
// default.
type FleetOptions struct {
	// Interval is the time from one round to the next, by default a second. If it is negative, the
	// next round begins as soon as all hosts have answered or failed.
	Interval time.Duration
	// Rounds is the number of rounds, 0 for any number.
	Rounds int
	// Timeout is the limit for connecting to a host, and for an answer; after that the connection
	// counts as lost. By default 10 s.
	Timeout time.Duration
	// Connects is the number of simultaneous attempts to connect, by default 64.
	Connects int
	// Delays are the pauses after failed attempts to connect; the last one repeats. The default is
	// that of [pmapi.Retry].
	Delays []time.Duration
	// Open opens the source of a host, by default pmapi.OpenHost without a dialer. A function that
	// puts derive.NewSource over the host allows expressions in tags.
	Open func(ctx context.Context, host string) (pmapi.Source, error)
	// Hosts, if it is not nil, returns the hosts of the next round. Those that have gone are disconnected, new ones connected to. It
	// is called where the loop runs, and the first call replaces the hosts of the argument.
	Hosts func() []string
	// Group has the options of each group.
	Group *Options
}

// ErrLate is the error of a host that has not answered within the interval.
var ErrLate = errors.New("no answer within the interval")

var errConnecting = fmt.Errorf("%w: still connecting", ErrLate)

// A Row is the answer of a host in one round, or the error.
type Row[T any] struct {
	Host  string
	Round int
	Due   time.Time     // scheduled time of the fetch
	Late  time.Duration // time from Due to the answer; more than the interval if the answer belongs to an earlier round
	Value T             // belongs to the receiver
	Err   error         // a *pmapi.Down for errors.As as long as the host cannot be connected to
}

// A Sampler reads one host for a fleet. It is used by one goroutine at a time.
type Sampler[T any] interface {
	// Sample returns new values, which the receiver keeps. An error of the connection, such as
	// pmerr.IPC, ends it.
	Sample(ctx context.Context) (T, error)
	Close() error
}

// Fleet reads structs from many hosts at once, on one schedule, until ctx ends or the loop is left:
// for each host one row in each round, in the order of the answers. The row of a host that fails
// has its error, and attempts to connect again follow as in pmapi.Retry; the row of a slow host
// has [ErrLate], and its answer is the row of the round in which it arrives. No host delays
// another. All goroutines and connections have ended when the loop has.
func Fleet[S any](ctx context.Context, hosts []string, opt *FleetOptions) iter.Seq[Row[*S]] {
	o := opt.defaults()
	return Hosts(ctx, hosts, func(ctx context.Context, host string) (Sampler[*S], error) {
		src, err := o.Open(ctx, host)
		if err != nil {
			return nil, err
		}
		g := New(src, o.Group)
		b, err := Bind[S](ctx, g)
		if err != nil {
			g.Close()
			return nil, err
		}
		return bound[S]{b}, nil
	}, opt)
}

type bound[S any] struct{ *Binding[S] }

func (b bound[S]) Sample(ctx context.Context) (*S, error) {
	if err := b.fetch(ctx); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err // there may be instances that could not be named any more
	}
	row := new(S)
	fill(reflect.ValueOf(row).Elem(), b.fields, b.g)
	return row, nil
}

func (b bound[S]) Close() error { return b.g.Close() }

func (o *FleetOptions) defaults() FleetOptions {
	var d FleetOptions
	if o != nil {
		d = *o
	}
	d.Interval = cmp.Or(d.Interval, time.Second)
	if d.Timeout <= 0 {
		d.Timeout = 10 * time.Second
	}
	if d.Connects <= 0 {
		d.Connects = 64
	}
	if d.Open == nil {
		d.Open = func(ctx context.Context, host string) (pmapi.Source, error) { return pmapi.OpenHost(ctx, host, nil) }
	}
	return d
}

// Hosts is Fleet for samplers of any kind.
func Hosts[T any](ctx context.Context, hosts []string, open func(ctx context.Context, host string) (Sampler[T], error), opt *FleetOptions) iter.Seq[Row[T]] {
	hosts = slices.Clone(hosts)
	return func(yield func(Row[T]) bool) {
		ctx, cancel := context.WithCancel(ctx)
		f := &fleet[T]{FleetOptions: opt.defaults(), open: open, answers: make(chan answer[T], len(hosts))}
		f.connecting = make(chan struct{}, f.Connects)
		if f.Hosts == nil {
			f.update(ctx, hosts)
		}
		f.rounds(ctx, yield)
		cancel()
		f.running.Wait()
	}
}

type fleet[T any] struct {
	FleetOptions
	open       func(ctx context.Context, host string) (Sampler[T], error)
	hosts      []*host[T]
	answers    chan answer[T]
	connecting chan struct{}  // semaphore for the attempts to connect
	running    sync.WaitGroup // the goroutines of the hosts
}

// update starts hosts that are new in the list, and ends those that are not in it.
func (f *fleet[T]) update(ctx context.Context, names []string) {
	if slices.EqualFunc(f.hosts, names, func(h *host[T], name string) bool { return h.name == name }) {
		return
	}
	known := make(map[string]*host[T], len(f.hosts))
	for _, h := range f.hosts {
		known[h.name] = h
	}
	f.hosts = f.hosts[:0]
	for _, name := range names {
		h := known[name]
		if delete(known, name); h == nil {
			h = &host[T]{name: name, fleet: f, due: make(chan time.Time, 1), retry: pmapi.Retry{Delays: f.Delays}}
			var own context.Context
			own, h.end = context.WithCancel(ctx)
			f.running.Go(func() { h.run(own) })
		}
		f.hosts = append(f.hosts, h)
	}
	for _, h := range known {
		h.gone = true
		h.end()
	}
}

type answer[T any] struct {
	h     *host[T]
	due   time.Time
	at    time.Time
	value T
	err   error
}

func (f *fleet[T]) rounds(ctx context.Context, yield func(Row[T]) bool) {
	clock := when.Clock{Interval: max(f.Interval, 0)}
	for round := 0; (f.Rounds == 0 || round < f.Rounds) && ctx.Err() == nil; round++ {
		due := clock.Due(time.Now())
		if f.Hosts != nil {
			f.update(ctx, f.Hosts())
		}
		for _, h := range f.hosts {
			h.silent = true
			if !h.busy {
				h.busy = true
				h.due <- due // does not block: it has room for one, and a host that is not busy has none
			}
		}
		last := f.Rounds > 0 && round == f.Rounds-1
		if !f.collect(ctx, round, due, last, yield) {
			return
		}
		for _, h := range f.hosts {
			if !h.silent {
				continue
			}
			row := Row[T]{Host: h.name, Round: round, Due: due, Late: time.Since(due), Err: ErrLate}
			if h.opening.Load() {
				row.Err = errConnecting
			}
			if !yield(row) {
				return
			}
		}
	}
}

// collect yields the answers of a round until its time is over, or in the last round until all hosts have
// answered. It reports whether another round may follow.
func (f *fleet[T]) collect(ctx context.Context, round int, due time.Time, last bool, yield func(Row[T]) bool) bool {
	scheduled := f.Interval > 0
	over := ctx
	if scheduled {
		var cancel context.CancelFunc
		over, cancel = context.WithDeadline(ctx, due.Add(f.Interval))
		defer cancel()
	}
	for silent := len(f.hosts); silent > 0 || !last && scheduled; {
		select {
		case a := <-f.answers:
			if a.h.gone {
				continue
			}
			a.h.busy, a.h.silent = false, false
			silent--
			if !yield(Row[T]{a.h.name, round, a.due, a.at.Sub(a.due), a.value, a.err}) {
				return false
			}
		case <-over.Done():
			return ctx.Err() == nil
		}
	}
	return true
}

// A host is one of a fleet. Its goroutine has the fields below due.
type host[T any] struct {
	name    string
	busy    bool // a request has no answer yet
	silent  bool // there was no answer in this round
	gone    bool // it is not in the list any more
	end     func()
	opening atomic.Bool // an attempt to connect is under way
	fleet   *fleet[T]
	due     chan time.Time

	sampler  Sampler[T] // nil without a connection
	answered bool       // there was an answer since the last attempt to connect
	retry    pmapi.Retry
}

func (h *host[T]) run(ctx context.Context) {
	defer h.close()
	for {
		select {
		case due := <-h.due:
			a := answer[T]{h: h, due: due}
			a.value, a.err = h.ask(ctx)
			a.at = time.Now()
			select {
			case h.fleet.answers <- a:
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (h *host[T]) ask(ctx context.Context) (value T, err error) {
	if h.sampler == nil {
		if err := h.connect(ctx); err != nil {
			return value, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, h.fleet.Timeout)
	defer cancel()
	value, err = h.sampler.Sample(ctx)
	if err == nil {
		h.answered = true
		h.retry.Reset()
		// A request that was cut short has left its reply under way: the connection is lost too.
	} else if ctx.Err() != nil || errors.Is(err, pmerr.IPC) || errors.Is(err, pmerr.Timeout) {
		h.close()
		if !h.answered {
			err = h.retry.Failed(err)
		}
	}
	return value, err
}

func (h *host[T]) connect(ctx context.Context) error {
	if err := h.retry.Wait(); err != nil {
		return err
	}
	h.answered = false
	h.opening.Store(true)
	defer h.opening.Store(false)
	select {
	case h.fleet.connecting <- struct{}{}:
		defer func() { <-h.fleet.connecting }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, h.fleet.Timeout)
	defer cancel()
	sampler, err := h.fleet.open(ctx, h.name)
	if err != nil {
		return h.retry.Failed(err)
	}
	h.sampler = sampler
	return nil
}

func (h *host[T]) close() {
	if h.sampler != nil {
		_ = h.sampler.Close() // the connection is given up: an error of closing it changes nothing
		h.sampler = nil
	}
}
