package repl

import (
	"context"

	"pmtools/cmd/internal/report"
	"pmtools/derive/lint"
)

// Lint looks for mistakes in files of definitions, with the metrics of the session's source. The error is
// one of the source, or of a context.
func (s *Session) Lint(ctx context.Context, files []lint.File, opt lint.Options) (found []lint.Diagnostic, err error) {
	err = s.Hold(ctx, func() (err error) {
		found, err = s.lint(ctx, files, opt)
		return err
	})
	return found, err
}

// lint is Lint for a caller that holds the Session.
func (s *Session) lint(ctx context.Context, files []lint.File, opt lint.Options) ([]lint.Diagnostic, error) {
	if !opt.Syntax {
		if err := s.connect(ctx); err != nil {
			return nil, err
		}
	}
	l := lint.Linter{Source: s.src, Definitions: s.defs}
	found, err := report.Lint(ctx, &l, files, opt)
	if opt.Text != nil && opt.Text.Err() != nil && ctx.Err() == nil {
		return nil, err // no request was cut short
	}
	return found, err
}
