package derive

import "pmtools/lib/pcp"

func (m *metric) view() *Metric {
	if m == nil {
		return nil
	}
	p := m.Definition
	if m.tree != nil && m.tree != m.Expr() { // there are definitions in it
		p = &Definition{name: m.name, text: m.text, expr: m.tree}
	}
	return &Metric{Definition: p, ID: m.id, Number: m.number, Local: m.local,
		Masked: m.state == masked, Err: m.err, Valid: m.state == valid}
}

func (c *catalog) state() *State {
	novalue, _ := c.set.settings.Control(NoValueOption)
	return &State{Number: c.handle, Recorded: c.recorded, NamesOnly: c.alone, NoValue: novalue != 0, Metrics: len(c.globals) + len(c.locals)}
}

func (c *catalog) resolution(name string, id pcp.ID, err error) *Resolution {
	return &Resolution{Source: c.state(), Name: name, ID: id, Err: err, Visible: c.named(name).view(), Global: c.globalNamed(name).view()}
}

// listing begins a Listing, nil if there is no Observer.
func (c *catalog) listing(name string, walk bool) *Listing {
	o := c.set.settings.Observer()
	if o == nil {
		return nil
	}
	l := &Listing{Source: c.state(), Name: name, Walk: walk, observer: o}
	o.Listed(l)
	return l
}

func (l *Listing) add(m *metric) {
	if l != nil {
		l.Metrics = append(l.Metrics, m.view())
		l.observer.Listed(l)
	}
}

func (l *Listing) done(children int, err error) {
	if l != nil {
		l.Done, l.Children, l.Err = true, children, err
		l.observer.Listed(l)
	}
}
