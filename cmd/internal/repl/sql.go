package repl

import (
	"context"

	"pmtools/cmd/internal/item"
	"pmtools/cmd/internal/report"
	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/sql"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// SQL returns the query for an expression, or for the expression of a definition, in the window of options. A fleet, if
// there is one, writes it with the definitions, and no source is asked. It is for a [Run].
func (s *Session) SQL(ctx context.Context, text string, o *option.Options, opt *sql.Options, fleet func(defs *derive.Set) (string, error)) (q string, err error) {
	var line pmapi.Timeline
	if fleet == nil {
		if err := s.connect(ctx); err != nil {
			return "", err
		}
		line = s.src.Line
	}
	if opt.From, opt.Until, err = s.window(o, false, func(err error) { s.complain(s.screen, err) }).Bounds(ctx, line); err != nil {
		return "", err
	}
	if fleet != nil {
		return fleet(s.defs)
	}
	return s.sql(ctx, text, opt)
}

// sql is SQL without options and fleets.
func (s *Session) sql(ctx context.Context, text string, opt *sql.Options) (string, error) {
	if report.IsName(text) {
		x, err := s.expand(ctx, s.src, []string{text}, func(*diagnose.Problem) {})
		if err != nil {
			return "", err
		}
		return x.Queries(func(column string) (string, error) { return s.sql(ctx, column, opt) })
	}
	text = item.Expr(text)
	b := s.binder()
	c, err := b.Compile(ctx, text)
	if err != nil {
		return "", err
	}
	named := *opt
	named.NameOf = func(id pcp.ID, name string) string { return firstName(ctx, s.src, id, name) }
	q, err := sql.Query(c.Tree, c.Info, &named)
	if err != nil {
		return "", b.Problem(ctx, text, err)
	}
	return q, nil
}

// firstName returns the first name of a metric in the order of the source, which has a name.
func firstName(ctx context.Context, s *query.Source, id pcp.ID, name string) string {
	if names, err := s.Names(ctx, id); err != nil || len(names) < 2 {
		return name
	}
	_ = s.Walk(ctx, "", true, func(leaf string, other pcp.ID) bool {
		if other == id {
			name = leaf
		}
		return other != id
	})
	return name
}
