package derive

import (
	"slices"

	"pmtools/lib/pmerr"
)

// A removal is a name that was unregistered, and how many definitions there were then.
type removal struct {
	name string
	defs int
}

// Unregister removes a metric everywhere (pmUnregisterDerived): from the Registry, and from every
// Source over it, together with a metric of the Source's own with that name. The removal takes
// effect the next time a Source is used: a metric that was hidden becomes visible, and the removed
// identifier fetches pmerr.PMID. The name can be defined again; the identifier is not reused.
//
// Unregister returns the number of entries removed from open Sources. The error is pmerr.Name if
// there was nothing to remove.
func (r *Registry) Unregister(name string) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.locals[name]
	_, global := r.byName[name]
	if global {
		n += r.open
	}
	if n == 0 && !global {
		return 0, pmerr.Name
	}
	delete(r.byName, name)
	delete(r.locals, name)
	r.removals = append(r.removals, removal{name, len(r.defs)})
	return n, nil
}

// news returns the definitions from number defs on, and the removals from number removals on. The
// slices must not be changed.
func (r *Registry) news(defs, removals int) ([]*definition, []removal) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.defs[defs:len(r.defs):len(r.defs)], r.removals[removals:len(r.removals):len(r.removals)]
}

func (r *Registry) opened() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources++
	r.open++
	return r.sources - 1
}

func (r *Registry) closed(s *Source) {
	_ = s.sync() // it is not closed yet
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	for _, m := range s.locals {
		if m.state != removed && r.locals[m.name] > 0 {
			r.locals[m.name]--
		}
	}
}

// dropped takes a metric of a Source's own from the count.
func (r *Registry) dropped(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.locals[name] > 0 {
		r.locals[name]--
	}
}

func (r *Registry) added(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.locals[name]++
}

// Remove removes the metric of that name that Add has defined, whether it could be bound or not; one
// of the Registry becomes visible again. The error is pmerr.Name if there is none.
func (s *Source) Remove(name string) error {
	if err := s.sync(); err != nil {
		return err
	}
	m := s.byName[name]
	if m == nil || !m.local {
		return pmerr.Name
	}
	m.state, m.eval = removed, nil
	s.metrics = slices.DeleteFunc(s.metrics, func(x *metric) bool { return x == m })
	delete(s.byName, name)
	if global := s.globalNamed(name); global != nil {
		s.byName[name] = global
	}
	s.reg.dropped(name)
	s.nesting.forget()
	s.changes++
	return nil
}

func (s *Source) remove(name string) {
	s.metrics = slices.DeleteFunc(s.metrics, func(m *metric) bool {
		if m.name == name {
			m.state, m.eval = removed, nil
		}
		return m.name == name
	})
	s.nesting.forget()
	s.changes++
	delete(s.byName, name)
}
