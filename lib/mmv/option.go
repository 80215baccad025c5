package mmv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"pmtools/lib/pcp"
)

// An Option configures a metric, a domain or an instance that is registered.
type Option func(s *settings) error

// Settings are the results of options. A pointer is nil where the option has no meaning.
type settings struct {
	oneLine, help string
	units         *pcp.Units
	sem           *pcp.Sem
	per           **Domain
	labels        []Label
	id            int32
	numbered      bool // id was set
}

var errOption = errors.New("an option that has no meaning here")

// Help gives a metric or a domain its one-line help text and, as the lines that follow, its long
// one. Each has at most 255 bytes.
func Help(oneLine string, lines ...string) Option {
	return func(s *settings) error {
		s.oneLine, s.help = oneLine, strings.Join(lines, "\n")
		if err := checkText(oneLine); err != nil {
			return err
		}
		return checkText(s.help)
	}
}

// Units gives a metric its units, in the words of PCP: "count / sec", "Kbyte", "".
func Units(text string) Option {
	return func(s *settings) error {
		if s.units == nil {
			return fmt.Errorf("units: %w", errOption)
		}
		u, factor, err := pcp.ParseUnits(text)
		if err == nil && factor != 1 {
			err = fmt.Errorf("a factor of %v", factor)
		}
		if err != nil {
			return fmt.Errorf("units %q: %w", text, err)
		}
		*s.units = u
		return nil
	}
}

// Discrete says that a metric changes seldom, and that its last value holds until it does.
func Discrete() Option {
	return func(s *settings) error {
		if s.sem == nil {
			return fmt.Errorf("discrete: %w", errOption)
		}
		*s.sem = pcp.Discrete
		return nil
	}
}

// Per gives a metric a value for each instance of a domain.
func Per(d *Domain) Option {
	return func(s *settings) error {
		if s.per == nil || d == nil {
			return fmt.Errorf("per: %w", errOption)
		}
		*s.per = d
		return nil
	}
}

// ID gives a metric its item number, 0 to 1023, or a domain its serial number, 1 to 2047. Without
// it they are numbered from 1 in the order of registration, which must then be the same in each run
// if recordings of several runs are to be read together.
func ID(n int) Option {
	return func(s *settings) error {
		s.id, s.numbered = int32(n), true
		if int(s.id) != n {
			return fmt.Errorf("number %d is too large", n)
		}
		return nil
	}
}

// Labeled adds a label, as [Registry.Label] does.
func Labeled(name string, value any) Option { return labeled(name, value, false) }

// Optional adds a label that does not tell one value from another: readers may leave it out.
func Optional(name string, value any) Option { return labeled(name, value, true) }

func labeled(name string, value any, optional bool) Option {
	return func(s *settings) error {
		l, err := newLabel(name, value)
		l.Optional = optional
		s.labels = append(s.labels, l)
		return err
	}
}

func newLabel(name string, value any) (Label, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return Label{}, fmt.Errorf("label %q: %w", name, err)
	}
	l := Label{Inst: pcp.NullInst, Text: fmt.Sprintf("{%q:%s}", name, bytes.TrimSpace(b.Bytes()))}
	switch {
	case !ValidName(name) || strings.ContainsRune(name, '.') || name[0] < 'A':
		return l, fmt.Errorf("label %q: %w: a letter and then letters, digits and _ are wanted", name, ErrName)
	case len(l.Text) >= labelSize-labelText:
		return l, fmt.Errorf("label %q: %w: %d bytes of at most %d: %s", name, ErrTooLong, len(l.Text), labelSize-labelText-1, l.Text)
	}
	return l, nil
}

// resolve applies options, chooses a free number up to most unless they set one, and returns the
// labels of a kind. used reports whether a number is taken.
func (r *Registry) resolve(s *settings, opts []Option, kind pcp.LabelKind, most int32, used func(id int32) bool) ([]Label, error) {
	if !r.open() {
		return nil, ErrClosed
	}
	for _, o := range opts {
		if err := o(s); err != nil {
			return nil, err
		}
	}
	least := int32(1)
	if kind == pcp.ItemLabels {
		least = 0
	}
	switch {
	case !s.numbered:
		for s.id = 1; s.id <= most && used(s.id); {
			s.id++
		}
		if s.id > most {
			return nil, fmt.Errorf("%w: there are numbers up to %d", ErrFull, most)
		}
	case s.id < least || s.id > most:
		return nil, fmt.Errorf("number %d is not in %d..%d", s.id, least, most)
	case used(s.id):
		return nil, fmt.Errorf("number %d: %w", s.id, ErrDuplicate)
	}
	for i := range s.labels {
		s.labels[i].Kind, s.labels[i].Ident = kind, uint32(s.id)
	}
	return s.labels, r.roomForLabels(len(s.labels))
}

func (r *Registry) roomForLabels(n int) error {
	if n > 0 && len(r.labels)+n > maxLabels {
		return fmt.Errorf("%w: a file has at most %d labels", ErrFull, maxLabels)
	}
	return nil
}
