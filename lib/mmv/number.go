package mmv

import (
	"math"
	"sync"

	"pmtools/lib/pcp"
)

// A Number is a numeric metric, see [Counter] and [Gauge]: its value, or with a domain (see [Per])
// the values of instances, which At returns. Goroutines may share it. An update takes no lock and
// allocates nothing.
//
// Updates of a zero Number, of one whose registration failed, or whose registry is closed, change a
// number that no file has.
type Number[T Numeric] struct {
	place
	insts family[Number[T]]
}

// Counter registers a metric that only grows while the program runs. Its units are "count" unless
// [Units] sets others. [Registry.Err] reports errors.
func Counter[T Numeric](r *Registry, name string, opts ...Option) *Number[T] {
	return newNumber[T](r, name, pcp.Counter, opts)
}

// Gauge registers a metric that goes up and down. [Registry.Err] reports errors.
func Gauge[T Numeric](r *Registry, name string, opts ...Option) *Number[T] {
	return newNumber[T](r, name, pcp.Instant, opts)
}

func newNumber[T Numeric](r *Registry, name string, sem pcp.Sem, opts []Option) *Number[T] {
	n := &Number[T]{}
	m := &metric{Metric: Metric{Name: name, Type: typeOf[T](), Sem: sem}}
	if sem == pcp.Counter {
		m.Units = pcp.Units{DimCount: 1}
	}
	m.newValue = values(m, &n.insts)
	r.register(m, n, opts)
	return n
}

func typeOf[T Numeric]() pcp.Type {
	switch any(T(0)).(type) {
	case int32:
		return pcp.Int32
	case uint32:
		return pcp.Uint32
	case int64:
		return pcp.Int64
	case uint64:
		return pcp.Uint64
	case float32:
		return pcp.Float
	}
	return pcp.Double
}

// At returns the value of an instance. An unknown instance is added to the domain, which rewrites the
// file; to add many use [Domain.Add]. Keep the result where updates are frequent. For a metric
// without a domain [Registry.Err] reports an error.
func (n *Number[T]) At(inst string) *Number[T] { return n.insts.at(&n.place, inst) }

// Add adds to the value. Integers wrap around.
func (n *Number[T]) Add(x T) {
	s := n.at.Load()
	if s == nil {
		s = n.slot()
	}
	add(s, x)
	if n.at.Load() != s {
		n.addLate(s)
	}
}

// addLate carries over an addition that reached a slot after the value had moved.
func (n *Number[T]) addLate(s *slot) {
	n.reg.moving.Lock()
	defer n.reg.moving.Unlock()
	if now := s.load(wide[T]()); now != s.base {
		late := number[T](now) - number[T](s.base)
		s.base = now
		add(n.at.Load(), late)
	}
}

// Set sets the value. If it overlaps calls of Add and a registration, the value may briefly be the
// sum of both.
func (n *Number[T]) Set(x T) {
	s := n.at.Load()
	if s == nil {
		s = n.slot()
	}
	s.store(wide[T](), word(x))
	if !wide[T]() && s.rest().load(false) != 0 {
		s.rest().store(false, 0) // Clear has set it
	}
	if n.at.Load() != s {
		n.setLate(s, word(x), 0)
	}
}

// setLate sets the value after it has moved from a slot.
func (n *Number[T]) setLate(s *slot, w, rest uint64) {
	n.reg.moving.Lock()
	defer n.reg.moving.Unlock()
	s.base = s.load(wide[T]())
	to := n.at.Load()
	to.store(wide[T](), w)
	if !wide[T]() {
		to.rest().store(false, rest)
	}
}

// Get returns the value.
func (n *Number[T]) Get() T { return number[T](n.slot().load(wide[T]())) }

// Clear removes the value until the next Set, if the registry has the flag [Sentinel]. Without that
// flag it sets the value to 0.
func (n *Number[T]) Clear() {
	if n.reg == nil || n.reg.opts.Flags&Sentinel == 0 {
		n.Set(0)
		return
	}
	s, none := n.slot(), uint64(math.MaxUint64)
	if nan := math.NaN(); broken[T]() {
		none = word(T(nan))
	}
	if !wide[T]() {
		s.rest().store(false, math.MaxUint32)
	}
	s.store(wide[T](), none)
	if n.at.Load() != s {
		n.setLate(s, none, math.MaxUint32)
	}
}

type family[V any] struct {
	mu     sync.RWMutex
	byName map[string]*V
}

func (f *family[V]) add(inst string, v *V) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byName == nil {
		f.byName = map[string]*V{}
	}
	f.byName[inst] = v
}

func (f *family[V]) get(inst string) *V {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.byName[inst]
}

// at returns a value, which is made if it does not exist; each time if no registry knows the metric. p is the
// place of the metric.
func (f *family[V]) at(p *place, inst string) *V {
	v := f.get(inst)
	if v == nil && p.reg == nil {
		return new(V)
	}
	if v == nil {
		p.reg.addInstance(p.metric, inst) // another goroutine may have been first
		v = f.get(inst)
	}
	return v
}
