package lint

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/expand"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
)

// Options select the rules.
type Options struct {
	Syntax  bool    // only what needs no source
	Expand  bool    // definitions may stand inside others
	Unknown bool    // metrics that the source does not have are accepted
	Rules   []*Rule // what is looked for in definitions that PCP takes

	// Text ends the work on the text, but no request to the source: a daemon's connection on which a
	// request is cut short has to be made again. Nil means that the argument of Files ends both.
	Text context.Context
}

// A Linter looks for mistakes in files of definitions. The zero Linter checks their syntax alone.
type Linter struct {
	Source      *query.Source // of the metrics; nil if only the syntax is checked
	Definitions *derive.Set   // that hold from the start are those that it has read; nil for none
}

// Files looks for mistakes in files, which may use each other's definitions. The error is one of the
// source or of a context.
func (l *Linter) Files(ctx context.Context, files []File, opt Options) ([]Diagnostic, error) {
	if opt.Text == nil {
		opt.Text = ctx
	}
	opt.Syntax = opt.Syntax || l.Source == nil
	w := &work{Linter: l, opt: opt, byName: make(map[string]*definition), texts: make(map[[2]string]bool), order: make(map[string]int)}
	for _, f := range files {
		w.order[f.Name] = len(w.order)
		if err := w.read(f); err != nil {
			return nil, err
		}
	}
	check := w.meaning
	if opt.Syntax {
		check = w.nesting
	}
	if err := check(ctx); err != nil {
		return nil, err
	}
	if err := w.rules(ctx); err != nil {
		return nil, err
	}
	slices.SortStableFunc(w.found, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(w.order[a.File], w.order[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return w.found, nil
}

// A work is the state of one run over files.
type work struct {
	*Linter
	opt     Options
	entries []*definition
	byName  map[string]*definition
	found   []Diagnostic
	texts   map[[2]string]bool // help texts that were set
	order   map[string]int     // of files
	directives
}

// A definition is one in a file.
type definition struct {
	*derive.Definition // nil if it cannot be parsed
	line               *syntax.Definition
	chunk              syntax.Chunk
	places             *syntax.Places // in the chunk; nil before they are needed
	directive          directive

	// The expression, with other definitions in it as NestExprs, and its metadata: nil without a source, and if
	// the definition is an error there.
	tree   syntax.Expr
	info   *check.Info
	masked bool // a metric of the source hides it
	wrong  bool // PCP refuses it
}

// dictionary returns the definitions that can be parsed, those of the files before those that hold from the start.
func (w *work) dictionary() *derive.Set {
	own := make([]*derive.Definition, len(w.entries))
	for i, e := range w.entries {
		own[i] = e.Definition
	}
	return cmp.Or(w.Definitions, new(derive.Set)).Replace(own)
}

func (w *work) nesting(context.Context) error {
	n := expand.New(w.dictionary().Find)
	for _, e := range w.entries {
		if _, err := n.Expand(e.Definition); err != nil && w.opt.Expand {
			w.problem(e, diagnose.Check(e.String(), err, nil))
		}
		if err := w.opt.Text.Err(); err != nil {
			return err
		}
	}
	return nil
}

// meaning checks the definitions with the source, by the requests for all of them at once.
func (w *work) meaning(ctx context.Context) error {
	defs := w.dictionary()
	b := w.Source.Bind(defs, w.opt.Expand)
	found, err := b.Check(ctx, defs.Own())
	for i, x := range found {
		e := w.entries[i]
		if e.masked = x.Masked; x.Err == nil {
			e.tree, e.info = x.Expr, x.Info
		} else if p := b.Problem(ctx, e.String(), x.Err); p.Unknown == "" || !w.opt.Unknown && !e.directive.optional {
			e.wrong = true
			w.problem(e, p)
		}
	}
	return err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
