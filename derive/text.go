package derive

import (
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// AddText sets a help text of a metric (pmAddDerivedText; see also Source.AddText): pmerr.Name if
// there is no such definition, pmerr.Text if it has that text already, pmerr.Arg if kind is neither
// pcp.OneLine nor pcp.Help.
func (r *Registry) AddText(name string, kind pcp.TextKind, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.byName[name]
	if d == nil {
		return pmerr.Name
	}
	return d.setText(kind, text)
}

// AddText sets a help text of the derived metric called name: the Source's own one if it exists,
// otherwise that of the Registry, for every Source over it. It returns the errors of
// Registry.AddText.
func (s *Source) AddText(name string, kind pcp.TextKind, text string) error {
	if err := s.sync(); err != nil {
		return err
	}
	m := s.byName[name]
	if m == nil {
		return pmerr.Name
	}
	s.reg.mu.Lock()
	defer s.reg.mu.Unlock()
	return m.setText(kind, text)
}

// setText sets a text that is not set yet.
func (d *definition) setText(kind pcp.TextKind, text string) error {
	var field **string
	switch kind {
	case pcp.OneLine:
		field = &d.oneline
	case pcp.Help:
		field = &d.help
	default:
		return pmerr.Arg
	}
	if *field != nil {
		return pmerr.Text
	}
	*field = &text
	return nil
}

// textOf returns a help text of a definition. If it has no full text, its one line takes the place.
func (r *Registry) textOf(d *definition, kind pcp.TextKind) (string, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	switch {
	case kind != pcp.OneLine && kind != pcp.Help:
		return "", pmerr.Arg
	case kind == pcp.Help && d.help != nil:
		return *d.help, nil
	case d.oneline != nil:
		return *d.oneline, nil
	}
	return "", pmerr.Text
}
