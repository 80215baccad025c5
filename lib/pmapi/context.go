package pmapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Context is a Source with the settings of one user: the wanted instances, the position in a
// recording, the zone for times, and a result that each fetch reuses. Unlike in C, there is no
// current Context.
//
// Fetch and change the position only through the Context; use [Context.Source] for other requests. After Close, and for
// the zero Context, every method fails with pmerr.NoContext. Goroutines may not share a Context.
type Context struct {
	open    func(context.Context) (Source, error)
	src     Source // nil once c is closed
	profile pcp.Profile
	request Request // request of the last fetch
	result  pcp.Result
	zone    string // reporting zone; "" is the zone of the source

	mode  pcp.Mode
	delta time.Duration
	moved bool // a record was read since the position was set
}

// NewContext opens a Context over the Source that open returns: a host, an archive, or derived
// metrics over one of them. open is kept, since [Context.Dup] opens another; each Context closes
// its own Source.
func NewContext(ctx context.Context, open func(context.Context) (Source, error)) (*Context, error) {
	src, err := open(ctx)
	if err != nil {
		return nil, err
	}
	c := &Context{open: open, src: src}
	if _, ok := As[Timeline](src); ok {
		c.mode = pcp.Forward
	}
	return c, nil
}

// Over returns a Context over a Source, which the Context closes; over nil it is a closed one. It cannot open another Source:
// its Dup fails with pmerr.NYI.
func Over(src Source) *Context {
	open := func(context.Context) (Source, error) { return src, nil }
	c, _ := NewContext(context.Background(), open) // open does not fail
	c.open = func(context.Context) (Source, error) { return nil, pmerr.NYI }
	return c
}

// Source returns the Source below, for names, instances, labels and texts. If c is closed, every
// method of the result fails with pmerr.NoContext.
func (c *Context) Source() Source {
	if c.src == nil {
		return nothing
	}
	return c.src
}

// Close closes the Source. It may be called twice.
func (c *Context) Close() error {
	src := c.Source()
	c.src = nil
	return src.Close()
}

// Profile returns the selection of instances that applies to [Context.Fetch]. It is changed in
// place. A new Context selects all.
func (c *Context) Profile() *pcp.Profile { return &c.profile }

// A Metric is a name with its description.
type Metric struct {
	Name string
	Desc pcp.Desc // beside an error only its ID is valid: NullID for an unknown name
	Err  error    // pmerr.Name, pmerr.NonLeaf, pmerr.PMID, ...
}

// Metrics returns the metrics of names, in their order: the answers of the Source's Lookup and
// Describe together. An empty list is pmerr.TooSmall.
func (c *Context) Metrics(ctx context.Context, names []string) ([]Metric, error) {
	if len(names) == 0 {
		return nil, pmerr.TooSmall
	}
	found, err := c.Source().Lookup(ctx, names)
	if err != nil {
		return nil, err
	}
	metrics := make([]Metric, len(names))
	var ids []pcp.ID
	var where []int
	for i, r := range found {
		metrics[i] = Metric{Name: names[i], Desc: pcp.Desc{ID: r.Value, Type: pcp.Unknown, InDom: pcp.NullInDom}, Err: r.Err}
		if r.Err == nil {
			ids, where = append(ids, r.Value), append(where, i)
		}
	}
	if len(ids) == 0 {
		return metrics, nil
	}
	descs, err := c.Source().Describe(ctx, ids)
	if err != nil {
		return nil, err
	}
	for k, r := range descs {
		m := &metrics[where[k]]
		if m.Err = r.Err; r.Err == nil {
			m.Desc = r.Value
		}
	}
	return metrics, nil
}

// Fetch returns the values of metrics, one column for each in their order, of the instances that
// the profile selects. The result belongs to c and is overwritten by the next Fetch. An empty list
// is pmerr.TooSmall; the end of a recording is pmerr.EOL.
func (c *Context) Fetch(ctx context.Context, ids []pcp.ID) (*pcp.Result, error) {
	if err := c.FetchInto(ctx, ids, &c.result); err != nil {
		return nil, err
	}
	return &c.result, nil
}

// FetchInto is Fetch into a result of the caller.
func (c *Context) FetchInto(ctx context.Context, ids []pcp.ID, dst *pcp.Result) error {
	if len(ids) == 0 {
		return pmerr.TooSmall
	}
	c.request = Request{IDs: ids, Profile: &c.profile}
	err := c.Source().Fetch(ctx, &c.request, dst)
	if err == nil || errors.Is(err, pmerr.EOL) {
		c.moved = true
	}
	return err
}

// Store gives metrics the values in columns, each with at least one. Mistakes in the columns are
// found before any request: an empty list is pmerr.TooSmall, a column without values pmerr.Value. A
// recording is pmerr.NotHost.
func (c *Context) Store(ctx context.Context, sets []pcp.Values) error {
	if len(sets) == 0 {
		return pmerr.TooSmall
	}
	for i := range sets {
		if sets[i].Len() == 0 {
			return fmt.Errorf("%v: %w", sets[i].ID, pmerr.Value)
		}
	}
	if c.src == nil {
		return pmerr.NoContext
	}
	return Store(ctx, c.src, sets)
}

// Reconnect replaces the connection; the profile is kept. Without a connection, as over an archive,
// it does nothing and succeeds.
func (c *Context) Reconnect(ctx context.Context) error {
	if c.src == nil {
		return pmerr.NoContext
	}
	return Reconnect(ctx, c.src)
}

// HostName returns the name of the source's host, as the function [HostName] does, with a fallback
// name if there is an error.
func (c *Context) HostName(ctx context.Context) (string, error) { return HostName(ctx, c.Source()) }

// SetZone sets the reporting zone, as a value of the variable TZ. "" is the zone of the source,
// where a Context begins.
func (c *Context) SetZone(tz string) { c.zone = tz }

// Zone returns the reporting zone: the one given to [Context.SetZone], or else the zone of the
// source. when.LoadZone converts it to a time.Location.
func (c *Context) Zone(ctx context.Context) (string, error) {
	switch {
	case c.src == nil:
		return "", pmerr.NoContext
	case c.zone != "":
		return c.zone, nil
	}
	return Zone(ctx, c.src)
}
