// Package fetchgroup delivers the values of metrics as Go values: a program registers metrics once,
// with units, rates and types of its choice, and each [Group.Fetch] renews all values together.
//
//	g := fetchgroup.New(src, nil)
//	load, err := fetchgroup.Add[float64](ctx, g, "kernel.all.load", "1 minute", "")
//	reads, err := fetchgroup.AddInDom[uint64](ctx, g, "disk.dev.read", "count/sec")
//	changes, err := g.Fetch(ctx)
//	one, err := load.Value()
//	for r := range reads.All() { ... r.Name, r.Value, r.Err }
//
// [Bind] registers all fields of a struct with tags; [Fleet] does that for many hosts.
//
// The source may be live, recorded or derived. The semantics is that of pmFetchGroup(3).
package fetchgroup

import (
	"context"
	"math"
	"math/bits"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Options configure a Group. The zero Options, and nil, are the default.
type Options struct {
	// Wrap treats a counter of 32 or 64 bits that fell as wrapped: 2^32 or 2^64 is added
	// (PCP_COUNTER_WRAP). Without Wrap a counter that fell has no rate.
	Wrap bool
	// Once ends the retention of discrete values, which otherwise last until a record has new ones
	// (PCP_DISCRETE_ONCE).
	Once bool
}

// A Group is a list of items whose values are fetched together, in one round trip. It may not be
// shared by goroutines; different groups are independent.
type Group struct {
	pc      *pmapi.Context
	opt     Options
	ids     []pcp.ID // each once, in the order of registration
	column  map[pcp.ID]int
	domains map[pcp.InDom]*domain
	items   []member
	known   map[string]pcp.Desc // descriptions that learn has found, while a struct is bound
	defined int                 // metrics that Bind has defined

	results [2]pcp.Result
	now     *pcp.Result // result of the last fetch, nil if it failed
	before  *pcp.Result // result of the successful fetch before that, nil if there was none
	elapsed float64     // seconds from before to now
}

type member interface {
	refresh(g *Group) // takes the values from g.now
	clear()           // removes the values of the item
}

// New returns a Group over a source, which it owns from then on.
func New(src pmapi.Source, opt *Options) *Group {
	g := &Group{pc: pmapi.Over(src), column: make(map[pcp.ID]int), domains: make(map[pcp.InDom]*domain)}
	if opt != nil {
		g.opt = *opt
	}
	return g
}

// Context returns the context below, to set the position in a recording or to reconnect. Its
// profile belongs to the Group.
func (g *Group) Context() *pmapi.Context { return g.pc }

// Fetch renews the values of all items, and returns the changes that the daemon reported since the
// last fetch. If it fails, items have no values, except those of discrete metrics, which keep the last
// one with the error pmerr.Value; the next successful fetch computes rates over the gap. The error is
// pmerr.TooSmall if there are no items or after Close, and pmerr.EOL at the end of a recording. After
// pmerr.IPC the context can be reconnected.
func (g *Group) Fetch(ctx context.Context) (pcp.Changes, error) {
	last := g.before
	if g.now != nil {
		last = g.now
	}
	next := &g.results[0]
	if next == last {
		next = &g.results[1]
	}
	err := g.pc.FetchInto(ctx, g.ids, next)
	g.now, g.before = next, last
	if err != nil {
		g.now = nil
	} else {
		next.SortInstances()
		if last != nil {
			g.elapsed = between(last.Time, next.Time)
		}
	}
	for _, m := range g.items {
		m.refresh(g)
	}
	if err != nil {
		return 0, err
	}
	for _, d := range g.domains {
		d.settle(ctx, g)
	}
	return next.Changes, nil
}

// between returns the seconds between two times. As in the reference they have the 64 bits of a long double
// before they become a double: the last bit of rates depends on it.
func between(from, to pcp.Timestamp) float64 {
	const giga, shift = 1_000_000_000, 34 // giga<<shift has its top bit set
	sec := to.Sec - from.Sec
	if sec < 0 || sec > math.MaxInt64/giga-2 {
		return to.Sub(from) // a span with invalid nanoseconds, or of more than 292 years
	}
	nanos := sec*giga + int64(to.Nsec) - int64(from.Nsec)
	if nanos <= 0 {
		return float64(nanos) / giga
	}
	lead := bits.LeadingZeros64(uint64(nanos))
	high, low := uint64(nanos)<<lead, uint64(0)
	exp := shift - 64 - lead
	if high >= giga<<shift {
		high, low, exp = high>>1, high<<63, exp+1
	}
	q, rest := bits.Div64(high, low, giga<<shift)
	if rest > giga<<shift-rest || rest == giga<<shift-rest && q&1 != 0 {
		q++ // is never 0 after: the quotient of such numbers is not that near to a power of two
	}
	return math.Ldexp(float64(q), exp)
}

// Time returns the time of the values, the zero time if the last fetch failed.
func (g *Group) Time() time.Time {
	if g.now == nil {
		return time.Time{}
	}
	return g.now.Time.Time()
}

// Clear removes all items and the state of earlier fetches; the context and its position are kept.
// The removed items have no values from then on.
func (g *Group) Clear() {
	for _, m := range g.items {
		m.clear()
	}
	g.ids, g.items, g.now, g.before = nil, nil, nil, nil
	clear(g.column)
	clear(g.domains)
	g.pc.Profile().AddAll()
}

// Close clears the Group and closes its source. Afterwards items have no values, and none can be
// registered.
func (g *Group) Close() error {
	g.Clear()
	return g.pc.Close()
}

// set returns a column, nil if the fetch failed or lacked the metric.
func set(r *pcp.Result, column int) *pcp.Values {
	if r == nil || column >= len(r.Sets) {
		return nil
	}
	return &r.Sets[column]
}

// prior returns the value of an instance in the fetch before, likely at position at.
func (g *Group) prior(column int, inst int32, at int) (pcp.Value, pmerr.Code) {
	if g.before == nil {
		return pcp.Value{}, pmerr.Again
	}
	s := set(g.before, column)
	switch {
	case s == nil:
		return pcp.Value{}, pmerr.Value
	case s.Err != nil:
		return pcp.Value{}, pmerr.Of(s.Err)
	}
	if at >= s.Len() || s.Insts[at] != inst {
		if at = find(s, inst); at < 0 {
			return pcp.Value{}, pmerr.Value
		}
	}
	return s.Value(at), 0
}
