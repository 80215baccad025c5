package derive

import (
	"context"
	"errors"

	"pmtools/derive/internal/insts"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A Source is a pmapi.Source together with derived metrics: those of a Set and its own. A
// metric of the Source below hides a derived one of the same name, and one of the Source's own
// hides a global one. [NewSource] makes one; the zero Source is like one that has been closed, whose
// methods fail with pmerr.NoContext.
type Source struct {
	binder
	limit  int  // of own definitions, -1 for none
	opened bool // neither zero nor closed
	plan   fetchPlan
}

var (
	_ pmapi.Source  = (*Source)(nil)
	_ pmapi.Wrapper = (*Source)(nil)
	_ pmapi.Live    = (*Source)(nil)
)

// NewSource returns base with the derived metrics of a Set, nil for an empty one. Without a base there are
// their names and nothing else.
func NewSource(base pmapi.Source, set *Set, opt *Options) *Source {
	if set == nil {
		set = new(Set)
	}
	if set.settings == nil {
		set = NewSet().Replace(set.own.list)
	}
	if base == nil {
		base = pmapi.Over(nil).Source()
	}
	s := &Source{opened: true, limit: -1}
	s.catalog = catalog{base: base, set: set, globals: make([]metric, len(set.read.list)), own: make(map[string]*metric)}
	for i, d := range set.read.list {
		s.globals[i] = metric{Definition: d, id: globalID(i), number: i}
	}
	if opt != nil {
		s.opt = *opt
	}
	if s.opt.Warn == nil {
		s.opt.Warn = func(_, line string) { set.settings.warn(line) }
	}
	_, s.recorded = pmapi.As[pmapi.Timeline](base)
	s.insts = insts.New(base)
	_, err := base.Describe(context.Background(), nil)
	s.alone = errors.Is(err, pmerr.NoContext)
	s.handle = int(set.settings.sources.Add(1)) - 1
	if o := set.settings.Observer(); o != nil {
		o.Opened(s.state())
	}
	for _, d := range set.own.list {
		s.insert(d)
	}
	return s
}

// open returns pmerr.NoContext if the Source is closed, or zero.
func (s *Source) open() error {
	if !s.opened {
		return pmerr.NoContext
	}
	return nil
}

// Unwrap returns the Source below.
func (s *Source) Unwrap() pmapi.Source { return s.base }

// Close closes the Source below.
func (s *Source) Close() error {
	if s.base == nil {
		return nil
	}
	if s.opened {
		s.opened = false
		if o := s.set.settings.Observer(); o != nil {
			o.Closed(s.state())
		}
	}
	return s.base.Close()
}

// Reconnect makes the Source below connect again, and does nothing over a recording. All metrics are
// bound again afterwards, and have no history.
func (s *Source) Reconnect(ctx context.Context) error {
	if err := s.open(); err != nil {
		return err
	}
	if err := pmapi.Reconnect(ctx, s.base); err != nil || s.recorded {
		return err
	}
	for m := range s.all() {
		*m = metric{Definition: m.Definition, id: m.id, number: m.number, local: m.local}
	}
	s.plan = fetchPlan{}
	s.changes++
	s.forget()
	s.insts.Domains().Groups().Forget()
	return nil
}

// Store changes metrics of the Source below. Derived ones cannot be changed: it refuses them.
func (s *Source) Store(ctx context.Context, sets []pcp.Values) error {
	if err := s.open(); err != nil {
		return err
	}
	return pmapi.Store(ctx, s.base, sets)
}

// Host returns the host of the Source below.
func (s *Source) Host() (name, zone string) {
	if s.base == nil {
		return "", ""
	}
	return s.base.Host()
}
