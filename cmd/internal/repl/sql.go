package repl

import (
	"context"
	"io"

	"pmtools/cmd/internal/item"
	"pmtools/cmd/internal/report"
	"pmtools/derive/diagnose"
	"pmtools/derive/sql"
	"pmtools/lib/pcp"
)

// exported is the directory of tables that pmderive export writes by default.
const exported = "export"

func runSQL(ctx context.Context, s *Session, text string, w io.Writer) error {
	q, err := s.sql(ctx, text, &sql.Options{Tables: exported})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, q)
	return err
}

// SQL returns the query for an expression, or for the expression of a definition.
func (s *Session) SQL(ctx context.Context, text string, opt *sql.Options) (string, error) {
	if err := s.acquire(ctx); err != nil {
		return "", err
	}
	defer s.release()
	if err := s.connect(ctx); err != nil {
		return "", err
	}
	q, err := s.sql(ctx, text, opt)
	return q, s.noteLost(err)
}

// sql is SQL for a caller that has acquired the Session.
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
	named.NameOf = func(id pcp.ID, name string) string { return s.src.FirstName(ctx, id, name) }
	q, err := sql.Query(c.Tree, c.Info, &named)
	if err != nil {
		return "", b.Problem(ctx, text, err)
	}
	return q, nil
}
