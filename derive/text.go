package derive

import (
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// AddText sets a help text of a metric (pmAddDerivedText): pmerr.Name if there is no such definition, pmerr.Text if it
// has that text already, pmerr.Arg if kind is neither pcp.OneLine nor pcp.Help.
func (r *Registry) AddText(name string, kind pcp.TextKind, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.byName[name]
	if d == nil {
		return pmerr.Name
	}
	return d.setText(kind, text)
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

// textOf returns a help text of a definition; the one line serves as help if there is no other.
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
