package lsp

import (
	"cmp"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/syntax"
	"pmtools/lib/textwidth"
)

// definition finds where the name at a position is defined.
func (s *server) definition(d *document, p *params) (any, error) {
	list := []location{}
	m := d.mentionAt(d.offset(p.Position))
	if m == nil {
		return list, nil
	}
	for _, other := range s.scope(d, m.name) {
		if def := other.find(m.name); def != nil {
			list = append(list, location{other.uri, other.span(def.name, def.name+len(m.name))})
		}
	}
	return list, nil
}

// scope returns the documents in which a name means the same as in d: the others that are open have
// to do without a definition of their own if there is one in d.
func (s *server) scope(d *document, name string) []*document {
	list := []*document{d}
	own := d.find(name) != nil
	for _, other := range s.open() {
		if other.uri != d.uri && (!own || other.find(name) == nil) {
			list = append(list, other)
		}
	}
	slices.SortFunc(list[1:], func(a, b *document) int { return cmp.Compare(a.uri, b.uri) })
	return list
}

// references finds the places where the name at a position stands.
func (s *server) references(d *document, p *params) (any, error) {
	list := []location{}
	if m := d.mentionAt(d.offset(p.Position)); m != nil {
		s.mentions(d, m.name, func(other *document, at *mention) {
			if !at.defines || p.Context.Declaration {
				list = append(list, location{other.uri, other.span(at.from, at.from+len(m.name))})
			}
		})
	}
	return list, nil
}

// mentions calls f for each place where a name of d stands.
func (s *server) mentions(d *document, name string, f func(*document, *mention)) {
	for _, other := range s.scope(d, name) {
		other.parse()
		for i := range other.names {
			if other.names[i].name == name {
				f(other, &other.names[i])
			}
		}
	}
}

// renamed returns the name at a position that can be changed: that of a definition.
func (s *server) renamed(d *document, p *params) (*mention, error) {
	m := d.mentionAt(d.offset(p.Position))
	if m == nil {
		return nil, rpcErrorf(codeFailed, "there is no name here")
	}
	for _, other := range s.scope(d, m.name) {
		if other.find(m.name) != nil {
			return m, nil
		}
	}
	return nil, rpcErrorf(codeFailed, "%s is a metric of the source; only definitions can be renamed", m.name)
}

// prepareRename answers whether there is a name to change.
func (s *server) prepareRename(d *document, p *params) (any, error) {
	m, err := s.renamed(d, p)
	if err != nil {
		return nil, err
	}
	return d.span(m.from, m.from+len(m.name)), nil
}

// rename changes the name of a definition wherever it stands.
func (s *server) rename(d *document, p *params) (any, error) {
	m, err := s.renamed(d, p)
	if err != nil {
		return nil, err
	}
	prog, err := derive.Compile("", p.NewName)
	if err != nil || !syntax.LegalName(p.NewName) {
		return nil, rpcErrorf(codeFailed, "%q is no name for a metric", p.NewName)
	}
	if ref, ok := prog.Expr().(*syntax.MetricRef); !ok || ref.Name != p.NewName {
		return nil, rpcErrorf(codeFailed, "%q is no name for a metric", p.NewName)
	}
	edit := workspaceEdit{make(map[string][]textEdit)}
	s.mentions(d, m.name, func(other *document, at *mention) {
		place := other.span(at.from, at.from+len(m.name))
		edit.Changes[other.uri] = append(edit.Changes[other.uri], textEdit{place, p.NewName})
		if other.find(p.NewName) != nil {
			err = rpcErrorf(codeFailed, "%s is defined already", p.NewName)
		}
	})
	return edit, err
}

// maxDetail is how much of an expression an outline shows, in characters.
const maxDetail = 80

// symbols lists the definitions.
func (s *server) symbols(d *document, _ *params) (any, error) {
	d.parse()
	list := []symbol{}
	for _, def := range d.defs {
		list = append(list, symbol{
			def.Name, textwidth.Cut(strings.TrimSpace(def.Expr()), maxDetail), symbolVariable,
			d.span(def.at, def.at+len(def.Raw)), d.span(def.name, def.name+len(def.Name)),
		})
	}
	return list, nil
}
