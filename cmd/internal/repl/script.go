package repl

import (
	"context"
	"fmt"
	"io"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/derive/query"
)

// maxDepth is how deep files may run each other.
const maxDepth = 10

func newRun() *Verb {
	return &Verb{
		Name: "run", Usage: "FILE", Short: "Run the items in the lines of a file", Least: 1, Most: 1, Files: true,
		New: plain(func(ctx context.Context, s *Session, args []string, _ io.Writer) error {
			return s.runFile(ctx, args[0])
		}),
	}
}

func (s *Session) runFile(ctx context.Context, name string) error {
	if s.depth >= maxDepth {
		return query.Problemf("files run each other more than %d deep", maxDepth)
	}
	text, err := s.opt.Files.ReadFile(name)
	if err != nil {
		return diagnose.From(err)
	}
	s.depth++
	defer func() { s.depth-- }()
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		first, item := i+1, strings.TrimSuffix(lines[i], "\r")
		for i+1 < len(lines) && s.Incomplete(item) != "" {
			i++
			item = Join(item, strings.TrimSuffix(lines[i], "\r"))
		}
		if err := s.run(ctx, item, s.screen); err != nil {
			return s.inFile(err, name, first)
		}
	}
	return nil
}

// inFile returns an error of an item as one in a line of a file. Files that run the file are not
// mentioned.
func (s *Session) inFile(err error, name string, line int) error {
	p, ok := err.(*diagnose.Problem)
	if !ok || s.placed {
		return err
	}
	s.placed = true
	in := *p
	in.Msg = fmt.Sprintf("%s:%d: %s", name, line, p.Msg)
	return &in
}
