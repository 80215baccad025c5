package pmapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Context is a Source with what belongs to one user of it: the instances that are wanted, the
// place in a recording, the zone in which times are shown, and a result that is used again for each
// fetch. There is no current Context, as there is in C: a program may have many, and names the one
// it means.
//
// Read and move only through the Context; [Context.Source] is for the rest. After Close everything
// fails with pmerr.NoContext. A Context may not be shared by goroutines.
type Context struct {
	open    func(context.Context) (Source, error)
	src     Source // noSource once c is closed
	closed  bool
	profile pcp.Profile
	request Request // of the last fetch
	result  pcp.Result
	zone    string // "" is that of the source

	mode  pcp.Mode
	delta time.Duration
	moved bool // a record was read since the position was set
}

// NewContext opens a Context over the Source that open returns: a host, an archive, or derived
// metrics over one of them. open is kept, since [Context.Dup] opens another; each Source it returns
// is closed by the Context that has it.
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

// Over returns a Context over a Source, which it closes. It has no way to open another: Dup of it is
// pmerr.NYI.
func Over(src Source) *Context {
	open := func(context.Context) (Source, error) { return src, nil }
	c, _ := NewContext(context.Background(), open) // open does not fail
	c.open = func(context.Context) (Source, error) { return nil, pmerr.NYI }
	return c
}

// Source returns the Source below, for names, instances, labels and texts. If c is closed it is one
// that answers pmerr.NoContext.
func (c *Context) Source() Source { return c.src }

// Close closes the Source. It may be called twice.
func (c *Context) Close() error {
	if c.closed {
		return nil
	}
	src := c.src
	c.src, c.closed = noSource{}, true
	return src.Close()
}

// Profile returns the selection of instances that applies to [Context.Fetch]. It is changed in
// place. A new Context selects all.
func (c *Context) Profile() *pcp.Profile { return &c.profile }

// A Metric is a name with its description.
type Metric struct {
	Name string
	Desc pcp.Desc // with an error only its ID counts, NullID if the name is not known
	Err  error    // pmerr.Name, pmerr.NonLeaf, pmerr.PMID, ...
}

// Metrics returns the metrics of names, in their order: what Lookup and Describe of the Source say
// in one go. No names are pmerr.TooSmall.
func (c *Context) Metrics(ctx context.Context, names []string) ([]Metric, error) {
	if len(names) == 0 {
		return nil, pmerr.TooSmall
	}
	found, err := c.src.Lookup(ctx, names)
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
	descs, err := c.src.Describe(ctx, ids)
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
// the profile selects. The result belongs to c and is overwritten by the next Fetch. No metrics are
// pmerr.TooSmall; the end of a recording is pmerr.EOL.
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
	err := c.src.Fetch(ctx, &c.request, dst)
	if err == nil || errors.Is(err, pmerr.EOL) {
		c.moved = true
	}
	return err
}

// Store gives metrics the values in columns, each with at least one. What is wrong with the columns
// is found first: an empty list is pmerr.TooSmall, a column without values pmerr.Value. A recording
// is pmerr.NotHost.
func (c *Context) Store(ctx context.Context, sets []pcp.Values) error {
	if len(sets) == 0 {
		return pmerr.TooSmall
	}
	for i := range sets {
		if sets[i].Len() == 0 {
			return fmt.Errorf("%v: %w", sets[i].ID, pmerr.Value)
		}
	}
	return c.src.Store(ctx, sets)
}

// Reconnect replaces the connection; the profile is kept. It succeeds where there is no connection,
// as over an archive.
func (c *Context) Reconnect(ctx context.Context) error {
	if c.closed {
		return pmerr.NoContext
	}
	r, ok := As[Reconnecter](c.src)
	if !ok {
		return nil
	}
	return r.Reconnect(ctx)
}

// HostName returns the name of the host whose metrics these are, as the function [HostName] does:
// it may be a guess beside an error.
func (c *Context) HostName(ctx context.Context) (string, error) { return HostName(ctx, c.src) }

// SetZone sets the reporting zone, as a value of the variable TZ. "" is the zone of the source,
// where a Context begins.
func (c *Context) SetZone(tz string) { c.zone = tz }

// Zone returns the reporting zone: what SetZone said, or the zone of the source. when.LoadZone
// makes it a time.Location.
func (c *Context) Zone(ctx context.Context) (string, error) {
	switch {
	case c.closed:
		return "", pmerr.NoContext
	case c.zone != "":
		return c.zone, nil
	}
	return Zone(ctx, c.src)
}
