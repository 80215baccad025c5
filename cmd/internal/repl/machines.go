package repl

import (
	"context"
	"errors"
	"io"
	"strings"

	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
)

// namesShown is how many recordings are named.
const namesShown = 5

// machines returns the recordings of the hosts that the archive is of, if an error comes of there being several; else nil.
func (s *Session) machines(ctx context.Context, err error) []string {
	if s.kind != Archive || s.src != nil || !errors.Is(err, pmerr.LogHost) && !errors.Is(err, pmerr.LogFile) {
		return nil
	}
	if errors.Is(err, pmerr.LogFile) && strings.Contains(s.name, ",") { // none of those that a list names can be read
		return nil
	}
	names := s.opt.Machines(ctx, s.name).Names
	if len(names) < 2 {
		return nil
	}
	return names
}

// needsOne returns the error of a verb that answers for one of several recordings.
func (s *Session) needsOne(names []string) error {
	var shown []string
	for _, name := range names {
		shown = append(shown, pmcd.Redact(name))
	}
	p := query.Problemf("%s has recordings of %s, and this needs one", pmcd.Redact(s.name), textwidth.Plural(len(names), "host"))
	p.Notes = []string{"name one with -a, or :source at the prompt: " + textwidth.Few(shown, namesShown)}
	return p
}

// each calls a function for the recording of each host, after a line that names it. The error is ErrNothing if all are.
func (s *Session) each(ctx context.Context, names []string, w io.Writer, answers func() error) error {
	defer func(all connection) { s.connection = all }(s.connection)
	var bad []error
	nothing := 0
	for _, name := range names {
		s.connection = connection{kind: Archive, name: name}
		err := s.showSource(ctx, w)
		if err == nil {
			err = answers()
		}
		if s.src != nil {
			s.src.Close()
		}
		if errors.Is(err, ErrNothing) {
			nothing++
		} else if err != nil {
			bad = append(bad, (&side{from: pmcd.Redact(name)}).problem(err))
		}
	}
	if nothing == len(names) {
		return ErrNothing
	}
	return errors.Join(bad...)
}
