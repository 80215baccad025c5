package query

import (
	"context"
	"slices"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
)

// extendedHint tells what accepts an expression that is no mistake in the extended language.
const extendedHint = "--extended evaluates it as it is; at the prompt :set language extended"

// MarkHint tells what makes a file accept an expression of the extended language.
const MarkHint = "the first line of a file in the extended language is: " + syntax.Mark

// SyntaxProblem describes why an expression cannot be parsed. Its proposals have been checked, and so has the
// expression if the extended language accepts it.
func (b *Binder) SyntaxProblem(ctx context.Context, text string, err error) *diagnose.Problem {
	p := diagnose.Syntax(text, err)
	p.Fixes = slices.DeleteFunc(p.Fixes, func(f syntax.Fix) bool {
		whole := f.Start == 0 && int(f.End) == len(text)
		wrong := whole && b.misfit(ctx, b.defs.Language(), f.Text) != nil
		if wrong {
			p.Notes = slices.DeleteFunc(p.Notes, func(note string) bool { return note == f.Title })
		}
		return wrong
	})
	other := b.misfit(ctx, check.Extended, text)
	if other == nil {
		other = diagnose.Range(text)
	}
	if other == nil {
		return p.Extension(extendedHint)
	}
	if n := len(p.Notes); len(p.Extension("--extended has it, but: "+other.Msg).Notes) > n {
		p.Notes = append(p.Notes, other.Notes...)
	}
	return p
}

// misfit returns the mistake in the metadata of an expression that can be parsed, or nil.
func (b *Binder) misfit(ctx context.Context, l check.Language, text string) *diagnose.Problem {
	d, err := derive.CompileIn(l, "", text)
	if err != nil {
		return nil
	}
	found, err := b.src.Bind(b.defs, true).Check(ctx, []*derive.Definition{d})
	if err != nil || found[0].Err == nil {
		return nil
	}
	if p := diagnose.Check(text, found[0].Err, nil); p.Unknown == "" {
		return p
	}
	return nil
}
