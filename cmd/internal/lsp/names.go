package lsp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
)

func (s *server) definition(ctx context.Context, d *document, p *params) (any, error) {
	list := []location{}
	m, docs, err := s.named(ctx, d, p)
	if m == nil || err != nil {
		return list, err
	}
	for _, other := range docs {
		if def := other.byName[m.name]; def != nil {
			list = append(list, location{other.uri, other.span(def.name, def.name+len(m.name))})
		}
	}
	return list, nil
}

// named returns the name at a position, nil if there is none, and the documents in which it means the
// same as in d: the others that are open, unless they have a definition of their own and d has one too.
func (s *server) named(ctx context.Context, d *document, p *params) (*mention, []*document, error) {
	if err := d.parse(ctx); err != nil {
		return nil, nil, err
	}
	m := d.mentionAt(d.offset(p.Position))
	if m == nil {
		return nil, nil, nil
	}
	list := []*document{d}
	own := d.byName[m.name] != nil
	for _, other := range s.open() {
		if other.uri == d.uri {
			continue
		}
		if err := other.parse(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, nil, err
			}
			continue // too many definitions: it is not looked at
		}
		if !own || other.byName[m.name] == nil {
			list = append(list, other)
		}
	}
	slices.SortFunc(list[1:], func(a, b *document) int { return cmp.Compare(a.uri, b.uri) })
	return m, list, nil
}

func (s *server) references(ctx context.Context, d *document, p *params) (any, error) {
	list := []location{}
	m, docs, err := s.named(ctx, d, p)
	if m == nil || err != nil {
		return list, err
	}
	err = mentions(ctx, docs, m.name, func(other *document, at *mention) {
		if !at.defines || p.Context.Declaration {
			list = append(list, location{other.uri, other.span(at.from, at.from+len(m.name))})
		}
	})
	return list, err
}

func mentions(ctx context.Context, docs []*document, name string, f func(*document, *mention)) error {
	for _, d := range docs {
		for i := range d.names {
			if i%1000 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if d.names[i].name == name {
				f(d, &d.names[i])
			}
		}
	}
	return nil
}

// renamed returns the name at a position that can be changed, that of a definition, and the documents
// that it stands in.
func (s *server) renamed(ctx context.Context, d *document, p *params) (*mention, []*document, error) {
	m, docs, err := s.named(ctx, d, p)
	switch {
	case err != nil:
		return nil, nil, err
	case m == nil:
		return nil, nil, rpcErrorf(codeFailed, "there is no name here")
	}
	for _, other := range docs {
		if other.byName[m.name] != nil {
			return m, docs, nil
		}
	}
	return nil, nil, rpcErrorf(codeFailed, "%s is a metric of the source; only definitions can be renamed", m.name)
}

func (s *server) prepareRename(ctx context.Context, d *document, p *params) (any, error) {
	m, _, err := s.renamed(ctx, d, p)
	if err != nil {
		return nil, err
	}
	return d.span(m.from, m.from+len(m.name)), nil
}

func (s *server) rename(ctx context.Context, d *document, p *params) (any, error) {
	m, docs, err := s.renamed(ctx, d, p)
	if err != nil {
		return nil, err
	}
	prog, err := derive.Compile("", p.NewName)
	if err != nil || !syntax.LegalName(p.NewName) {
		return nil, rpcErrorf(codeFailed, "%q is not a name for a metric", p.NewName)
	}
	if ref, ok := prog.Expr().(*syntax.MetricRef); !ok || ref.Name != p.NewName {
		return nil, rpcErrorf(codeFailed, "%q is not a name for a metric", p.NewName)
	}
	edit := workspaceEdit{make(map[string][]textEdit)}
	taken := false
	err = mentions(ctx, docs, m.name, func(other *document, at *mention) {
		place := other.span(at.from, at.from+len(m.name))
		edit.Changes[other.uri] = append(edit.Changes[other.uri], textEdit{place, p.NewName})
		taken = taken || other.byName[p.NewName] != nil
	})
	switch {
	case err != nil:
		return nil, err
	case taken:
		return nil, rpcErrorf(codeFailed, "%s is defined already", p.NewName)
	}
	return edit, nil
}

const maxDetail = 80

func (s *server) symbols(ctx context.Context, d *document, _ *params) (any, error) {
	if err := d.parse(ctx); err != nil {
		return nil, err
	}
	list := []symbol{}
	for _, def := range d.defs {
		list = append(list, symbol{
			def.Name, textwidth.Cut(strings.TrimSpace(def.Expr()), maxDetail), symbolVariable,
			d.span(def.at, def.at+len(def.raw)), d.span(def.name, def.name+len(def.Name)),
		})
	}
	return list, nil
}
