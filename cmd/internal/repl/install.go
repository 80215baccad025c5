package repl

import (
	"context"
	"io"
	"strings"

	"pmtools/derive/lint"
	"pmtools/derive/query"
)

// installing returns the command that puts files where the tools look for them, in the place of others or not.
func installing(over bool) func(context.Context, *Session, string, io.Writer) error {
	return func(ctx context.Context, s *Session, arg string, w io.Writer) error {
		if s.opt.Tools == nil || s.opt.Files == nil {
			return query.Problemf("there are no files here")
		}
		tools, _ := s.opt.Tools()
		dir, names, err := tools.Place(strings.Fields(arg))
		if err != nil {
			return err
		}
		files, texts, err := lint.Read(s.opt.Files.ReadFile, names)
		if err != nil {
			return err
		}
		found, err := s.lint(ctx, files, lint.Options{})
		if err == nil {
			err = lint.Write(w, found, "text", true)
		}
		if err == nil && lint.Wrong(found) {
			err = query.Problemf("nothing is installed: there are errors")
		}
		if err != nil {
			return err
		}
		return tools.InstallAll(w, dir, names, texts, over, ":install! replaces it")
	}
}

func runUninstall(_ context.Context, s *Session, arg string, w io.Writer) error {
	if s.opt.Tools == nil {
		return query.Problemf("there are no files here")
	}
	tools, _ := s.opt.Tools()
	return tools.UninstallAll(w, strings.Fields(arg))
}
