package query

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/lib/fetchgroup"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

// A reading is the answer of a host: a sample of its own.
type reading struct {
	header *sampling.Header
	sampling.Sample
}

// A hostSampler samples the expressions on one host of a Fleet.
type hostSampler struct {
	fleet  *Fleet
	host   string
	src    *Source
	p      *plan
	t      *sampler
	header *sampling.Header
	result pcp.Result
	skip   int  // samples that only later ones need
	broken bool // the connection cannot be used again
}

// sampler returns what samples a host, over the connection of the query before if there is one.
func (f *Fleet) sampler(ctx context.Context, host string, defs *derive.Set, q *Query) (fetchgroup.Sampler[*reading], error) {
	src, err := f.connect(ctx, host)
	if err != nil {
		return nil, diagnose.From(err)
	}
	own := *q
	own.Select.Sort, own.Select.Top = "", 0 // these are for the values of all hosts
	p, err := prepare(ctx, src, defs, &own)
	if err == nil {
		err = errors.Join(p.wrong...)
	}
	if err != nil {
		if _, wrong := errors.AsType[*diagnose.Problem](err); wrong {
			f.keep(host, src)
		} else {
			_ = src.Close() // the other error says more
		}
		return nil, Lost(err)
	}
	return &hostSampler{fleet: f, host: host, src: src, p: p, t: newSampler(p), header: p.header(), skip: p.depth()}, nil
}

// keep keeps a connection for the next query.
func (f *Fleet) keep(host string, src *Source) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Contains(f.hosts, host) {
		_ = src.Close() // its Watcher does not name it any more
		return
	}
	if f.open == nil {
		f.open = make(map[string]*Source)
	}
	f.open[host] = src
}

// connect returns the source of a host.
func (f *Fleet) connect(ctx context.Context, host string) (*Source, error) {
	f.mu.Lock()
	src := f.open[host]
	delete(f.open, host)
	f.mu.Unlock()
	if src != nil {
		return src, nil
	}
	open := f.Open
	if open == nil {
		open = func(ctx context.Context, host string) (pmapi.Source, error) { return pmapi.OpenHost(ctx, host, nil) }
	}
	plain, err := open(ctx, host)
	if err != nil {
		return nil, err
	}
	src = NewSource(plain)
	src.Equivalent = f.Equivalent
	return src, nil
}

// Sample implements fetchgroup.Sampler. A sample that only the values of later ones need is nil; one
// that is not selected has no values.
func (h *hostSampler) Sample(ctx context.Context) (*reading, error) {
	if err := h.p.derived.Fetch(ctx, &h.p.request, &h.result); err != nil {
		h.broken = true
		return nil, Lost(err)
	}
	if h.skip > 0 {
		h.skip--
		return nil, nil
	}
	out := &reading{header: h.header, Sample: sampling.Sample{Time: h.result.Time, Sets: make([]sampling.Set, len(h.p.exprs))}}
	smp, err := h.t.take(ctx, &h.result)
	for i := range out.Sets {
		if err == nil && smp != nil {
			out.Sets[i], err = smp.Sets[i].Own(ctx) // the next sample overwrites the columns
		}
	}
	if err != nil {
		return nil, err
	}
	if err := h.t.namer.err; err != nil || ctx.Err() != nil { // instances may have got no names
		h.broken = true
		return nil, Lost(cmp.Or(ctx.Err(), err))
	}
	return out, nil
}

// Close implements fetchgroup.Sampler. A connection that works stays for the next query.
func (h *hostSampler) Close() error {
	if h.broken {
		return h.src.Close()
	}
	h.fleet.keep(h.host, h.src)
	return nil
}

// IsLost reports whether the error of a request means that the connection is gone.
func IsLost(err error) bool {
	return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) &&
		(errors.Is(err, pmerr.IPC) || errors.Is(err, pmerr.Timeout) || errors.Is(err, pmerr.EOF))
}

// Lost returns the error of a request as people read it if the connection is gone, and other errors as
// they are.
func Lost(err error) error {
	if !IsLost(err) {
		return err
	}
	return &diagnose.Problem{Msg: "connection lost: " + err.Error(), Notes: []string{"the next item connects again"}, Err: err}
}
