package mmv

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/pcp"
)

// The errors of registrations. Each is wrapped with its metric, domain or instance.
var (
	ErrName      = errors.New("bad name")
	ErrTooLong   = errors.New("too long")
	ErrDuplicate = errors.New("already registered")
	ErrFull      = errors.New("no room for more")
)

// Limits of a file, beyond which readers reject it.
const (
	maxMetrics = 1023
	maxItem    = 1<<10 - 1
	maxSerial  = 1<<11 - 1
	maxLabels  = 255
	maxText    = stringSize - 1 // bytes of a name or a help text
)

type value interface {
	base() *place
	move(to *slot)
}

type metric struct {
	Metric
	reg      *Registry
	domain   *Domain
	refused  bool    // it could not be registered
	values   []value // one, or one for each instance of the domain
	newValue func(inst string) value
}

func (m *metric) wide() bool {
	return m.Type != pcp.Int32 && m.Type != pcp.Uint32 && m.Type != pcp.Float
}

// own makes v a value of the metric. No file has it yet.
func (m *metric) own(v value) {
	p := v.base()
	p.reg, p.metric = m.reg, m
	p.at.Store(newSlot())
}

// values returns the function that makes the values of instances.
func values[V any, P interface {
	*V
	value
}](m *metric, f *family[V]) func(inst string) value {
	return func(inst string) value {
		v := P(new(V))
		m.own(v)
		f.add(inst, v)
		return v
	}
}

// register registers a metric. v is its value, if it has no domain.
func (r *Registry) register(m *metric, v value, opts []Option) {
	if r == nil {
		r = &Registry{closed: true}
	}
	m.reg = r
	m.own(v)
	r.mu.Lock()
	defer r.mu.Unlock()
	s := settings{units: &m.Units, sem: &m.Sem, per: &m.domain}
	if m.Type == Elapsed {
		s.units, s.sem = nil, nil
	}
	labels, err := r.resolve(&s, opts, pcp.ItemLabels, maxItem, func(id int32) bool {
		return slices.ContainsFunc(r.metrics, func(m *metric) bool { return m.Item == id })
	})
	m.Item, m.OneLine, m.Help = s.id, s.oneLine, s.help
	if err == nil {
		err = r.accept(m)
	}
	if err != nil {
		m.refused = true
		r.fail("metric %q: %w", m.Name, err)
		return
	}
	if m.domain == nil {
		m.values = []value{v}
	} else {
		m.Serial = m.domain.Serial
		for _, in := range m.domain.Instances {
			m.values = append(m.values, m.newValue(in.Name))
		}
	}
	r.metrics, r.labels = append(r.metrics, m), append(r.labels, labels...)
	r.update()
}

func (r *Registry) accept(m *metric) error {
	if err := checkText(m.Name); err != nil {
		return err
	}
	if !ValidName(m.Name) {
		return fmt.Errorf("%w: parts of letters, digits and _ with a dot between them are wanted", ErrName)
	}
	if len(r.metrics) >= maxMetrics {
		return fmt.Errorf("%w: a file has at most %d metrics", ErrFull, maxMetrics)
	}
	for _, other := range r.metrics {
		switch {
		case m.Name == other.Name:
			return ErrDuplicate
		case isBelow(m.Name, other.Name), isBelow(other.Name, m.Name):
			return fmt.Errorf("%w: there is %q, and a name is either that of a metric or has others below it", ErrName, other.Name)
		}
	}
	if m.domain != nil && m.domain.reg != r {
		return errors.New("the domain is one of another registry, or could not be registered")
	}
	return nil
}

func isBelow(name, above string) bool {
	return len(name) > len(above) && name[len(above)] == '.' && strings.HasPrefix(name, above)
}

// ValidName reports whether a name can stand below others in the name space: parts of ASCII
// letters, digits and underscores with dots between them.
func ValidName(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" {
			return false
		}
		for _, c := range []byte(part) {
			if letter := c|0x20 >= 'a' && c|0x20 <= 'z'; !letter && c != '_' && (c < '0' || c > '9') {
				return false
			}
		}
	}
	return true
}

func checkText(text string) error {
	switch {
	case len(text) > maxText:
		return fmt.Errorf("%w: %d bytes of at most %d: %.20q...", ErrTooLong, len(text), maxText, text)
	case strings.ContainsRune(text, 0):
		return fmt.Errorf("%w: %q has a byte 0", ErrName, text)
	}
	return nil
}
