package repl

import (
	"context"

	"pmtools/cmd/internal/report"
	"pmtools/derive/lint"
)

// Lint looks for mistakes in files of definitions, with the metrics of the session's source. The error is
// one of the source, or of a context.
func (s *Session) Lint(ctx context.Context, files []lint.File, opt lint.Options) ([]lint.Diagnostic, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	return s.lint(ctx, files, opt)
}

// lint is Lint for a caller that has acquired the Session.
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
	return found, s.noteLost(err)
}
