package repl

import (
	"context"
	"fmt"
	"io"
	"strings"

	"pmtools/cmd/internal/install"
	"pmtools/derive/query"
)

func runList(ctx context.Context, s *Session, arg string, w io.Writer) error {
	switch words := strings.Fields(arg); {
	case len(words) == 0:
		for _, d := range s.defs.Own() {
			fmt.Fprintf(w, "%s = %s\n", d.Name(), d)
		}
		return nil
	case words[0] != "all":
		return query.Problemf(":list %s means nothing: :list is about this session, :list all [NAME ...] about files too", words[0])
	case s.opt.Tools == nil:
		return query.Problemf("there are no files here")
	default:
		return s.listAll(ctx, words[1:], w)
	}
}

// listAll lists the definitions of the session and of files. The source is asked which of them its metrics
// hide if the session has one, or has been started with one.
func (s *Session) listAll(ctx context.Context, names []string, w io.Writer) error {
	tools, options := s.opt.Tools()
	c := tools.Catalog(options)
	for _, d := range s.defs.Own() {
		c.Hide(d.Name(), d.String())
	}
	if err := c.Keep(names); err != nil {
		return err
	}
	if s.kind != Default || s.src != nil {
		if err := s.connect(ctx); err != nil {
			return err
		}
		if err := c.Mask(ctx, s.src); err != nil {
			return err
		}
	}
	if known, err := c.Write(w, s.set.Output); known || err != nil {
		return err
	}
	return s.table(ctx, w, &Table{Header: install.Header, Rows: c.Rows()})
}
