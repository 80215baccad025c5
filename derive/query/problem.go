package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Problemf returns a Problem without a place.
func Problemf(format string, args ...any) *diagnose.Problem {
	return &diagnose.Problem{Msg: fmt.Sprintf(format, args...)}
}

// maxProposals is for how many unknown names others are proposed. Where more are unknown, it is
// because the source is another one.
const maxProposals = 50

// Problem describes why an expression cannot be evaluated.
func (b *Binder) Problem(ctx context.Context, text string, err error) *diagnose.Problem {
	p := diagnose.Check(text, err, func(unknown string) []string {
		if b.defs.Find(unknown) != nil {
			return nil
		}
		if b.unknown++; b.unknown > maxProposals {
			return nil
		}
		known := append(b.defs.Names(), b.src.Catalogue(ctx)...)
		return slices.DeleteFunc(known, func(name string) bool { return name == b.defining })
	})
	if bad, ok := errors.AsType[*check.Error](err); ok && len(bad.Path) == 0 && strings.HasPrefix(bad.What, "nested ") {
		p.Nested(func(name string) syntax.Expr {
			if d := b.defs.Find(name); d != nil {
				return d.Expr()
			}
			return nil
		})
		b.Judged(ctx, p)
		if strings.Contains(bad.Text, "() takes the name of a metric") && !strings.HasPrefix(bad.Text, "defined(") {
			p.Notes = append(p.Notes, extendedHint)
		}
	}
	bad, _ := errors.AsType[*check.Error](err)
	switch name := p.Unknown; {
	case name == "":
	case errors.Is(bad.Err, pmerr.NonLeaf):
		p.Notes = append(p.Notes, ":metrics "+name+" lists them at the prompt")
	case len(p.Notes) > 0 && !strings.HasPrefix(p.Notes[0], "did you mean "):
		p.Notes = append(p.Notes, ":metrics *"+name+"* lists them at the prompt")
	}
	return p
}

// Judged returns a problem, of whose proposals those stay that fit the source.
func (b *Binder) Judged(ctx context.Context, p *diagnose.Problem) *diagnose.Problem {
	p.Judge(func(expr string) *diagnose.Problem {
		e, err := b.Compile(ctx, expr)
		if err == nil {
			return b.instanceProblem(ctx, expr, e)
		}
		bad, ok := errors.AsType[*diagnose.Problem](err)
		if !ok {
			bad = diagnose.From(err)
		}
		return bad
	})
	return p
}

// maxListed is how many instances are listed for an unknown one.
const maxListed = 8

// instanceProblem returns what is wrong with an instance that an expression selects but its domain
// does not have, or nil.
func (b *Binder) instanceProblem(ctx context.Context, text string, e *Expr) *diagnose.Problem {
	for node := range syntax.Preorder(e.Tree) {
		n, ok := node.(*syntax.InstExpr)
		if !ok {
			continue
		}
		if e.Info.Types[n.X].Singular() {
			return b.foreignInstance(ctx, text, e, n, Problemf("%s has one value and no instances", syntax.PrintPrefix(n.X, maxOperand)))
		}
		names, known := b.src.InstanceNames(ctx, e.Info.Types[n.X].InDom)
		if !known || slices.ContainsFunc(names, func(name string) bool {
			first, _, _ := strings.Cut(name, " ")
			return name == n.Name || first == n.Name
		}) {
			continue
		}
		return b.foreignInstance(ctx, text, e, n, unknownInstance(n.Name, names))
	}
	return nil
}

// unknownInstance tells that a name is not one of the instances, and which are.
func unknownInstance(unknown string, names []string) *diagnose.Problem {
	p := Problemf("no instance %s", unknown)
	switch near := diagnose.DidYouMean(unknown, names); {
	case len(names) == 0:
		p.Msg += "; there are none"
	case len(names) > maxListed && near != nil:
		p.Notes = near
	default:
		p.Msg += "; there are " + textwidth.Clean(textwidth.Few(names, maxListed))
	}
	return p
}

// maxOperand is how much of an operand a message shows.
const maxOperand = 100

// foreignInstance returns the problem of an instance that is not there: what to write instead, if it is
// written as in another language, or else p.
func (b *Binder) foreignInstance(ctx context.Context, text string, e *Expr, n *syntax.InstExpr, p *diagnose.Problem) *diagnose.Problem {
	if len(e.Used) > 0 {
		return p
	}
	other := diagnose.Instance(text, n)
	if other == nil {
		p.Src, p.Pos = text, int(n.Lbrack)+1
		return p
	}
	return b.Judged(ctx, other)
}

// InstanceNames returns the names of the instances of a domain, in a recording those of any time, and
// whether they are known.
func (s *Source) InstanceNames(ctx context.Context, d pcp.InDom) (names []string, known bool) {
	list, err := pmapi.InstancesOf(ctx, s, d, pmapi.Ever)
	for _, in := range list {
		names = append(names, in.Name)
	}
	return names, err == nil
}

// Plural returns a number of things.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Metadata describes values in one line.
func Metadata(t check.Type) string {
	d := t.Desc(pcp.NullID)
	return string(format.AppendSummary(nil, &d))
}
