package mmv

import (
	"cmp"
	"fmt"
	"slices"

	"pmtools/lib/pcp"
)

// A Domain is an instance domain: metrics registered with [Per] have a value for each of its
// instances. Goroutines may share it.
type Domain struct {
	InDom
	reg    *Registry
	byName map[string]int32
	ids    map[int32]bool
	next   int32 // no number below it is free
}

// Domain registers an instance domain. [Registry.Err] reports errors.
func (r *Registry) Domain(opts ...Option) *Domain {
	d := &Domain{byName: map[string]int32{}, ids: map[int32]bool{}}
	if r == nil {
		return d
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var s settings
	labels, err := r.resolve(&s, opts, pcp.InDomLabels, maxSerial, func(id int32) bool {
		return slices.ContainsFunc(r.domains, func(d *Domain) bool { return d.Serial == uint32(id) })
	})
	if err != nil {
		r.fail("domain: %w", err)
		return d
	}
	d.reg, d.Serial, d.OneLine, d.Help = r, uint32(s.id), s.oneLine, s.help
	r.domains, r.labels = append(r.domains, d), append(r.labels, labels...)
	r.update()
	return d
}

// Add adds instances with the next numbers from 0. Instances that exist stay unchanged. It returns
// the domain; [Registry.Err] reports errors.
func (d *Domain) Add(names ...string) *Domain {
	r := d.reg
	if r == nil {
		return d
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	had := len(d.Instances)
	for _, name := range names {
		if err := d.add(name); err != nil {
			r.fail("instance %q of domain %d: %w", name, d.Serial, err)
		}
	}
	if len(d.Instances) > had {
		r.update()
	}
	return d
}

// Instance adds an instance with a number, and with labels. It returns the domain; [Registry.Err]
// reports errors.
func (d *Domain) Instance(id int32, name string, opts ...Option) *Domain {
	r := d.reg
	if r == nil {
		return d
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var s settings
	err := error(nil)
	for _, o := range opts {
		bad := o(&s)
		err = cmp.Or(err, bad)
	}
	if s.numbered || s.oneLine+s.help != "" {
		err = errOption
	}
	if _, ok := d.byName[name]; err == nil && (ok || d.ids[id]) {
		err = ErrDuplicate
	}
	if err == nil {
		err = r.roomForLabels(len(s.labels))
	}
	if err == nil {
		err = d.insert(id, name)
	}
	if err != nil {
		r.fail("instance %d %q of domain %d: %w", id, name, d.Serial, err)
		return d
	}
	for _, l := range s.labels {
		l.Kind, l.Ident, l.Inst = pcp.InstanceLabels, d.Serial, id
		r.labels = append(r.labels, l)
	}
	r.update()
	return d
}

func (d *Domain) add(name string) error {
	if _, ok := d.byName[name]; ok {
		return nil
	}
	for d.ids[d.next] {
		d.next++
	}
	return d.insert(d.next, name)
}

// insert adds an instance, and its value to each metric of the domain.
func (d *Domain) insert(id int32, name string) error {
	if !d.reg.open() {
		return ErrClosed
	}
	if name == "" || id < 0 {
		return fmt.Errorf("%w: an instance has a number from 0 and a name", ErrName)
	}
	if err := checkText(name); err != nil {
		return err
	}
	d.Instances = append(d.Instances, pcp.Instance{ID: id, Name: name})
	d.byName[name], d.ids[id] = id, true
	for _, m := range d.reg.metrics {
		if m.domain == d {
			m.values = append(m.values, m.newValue(name))
		}
	}
	return nil
}

// addInstance makes the value of an instance for which there was none: of a new instance, or, if
// that cannot be added, a value that no file has.
func (r *Registry) addInstance(m *metric, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	switch {
	case m.refused:
	case m.domain == nil:
		err = fmt.Errorf("no instances, it was registered without Per")
	default:
		if _, ok := m.domain.byName[name]; ok {
			return // another goroutine has made it
		}
		if err = m.domain.add(name); err == nil {
			r.update()
			return
		}
	}
	if err != nil {
		r.fail("metric %q, instance %q: %w", m.Name, name, err)
	}
	m.newValue(name)
}
