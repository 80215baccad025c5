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
	bad, _ := errors.AsType[*check.Error](err)
	if bad != nil && len(bad.Path) == 0 && strings.HasPrefix(bad.What, "nested ") && strings.Contains(bad.Text, "() takes the name of a metric") && !strings.HasPrefix(bad.Text, "defined(") {
		p.Notes = append(p.Notes, extendedHint)
	}
	if p.Unknown != "" && errors.Is(bad.Err, pmerr.NonLeaf) {
		p.Notes = append(p.Notes, ":metrics "+p.Unknown+" lists them at the prompt")
	}
	return p
}

// maxListed is how many instances are listed for an unknown one.
const maxListed = 8

// instanceError returns the error for an instance that an expression selects and its domain lacks, with
// advice if the expression is in the form of another language.
func (b *Binder) instanceError(ctx context.Context, text string, e *Expr) error {
	for node := range syntax.Preorder(e.Tree) {
		n, ok := node.(*syntax.InstExpr)
		if !ok {
			continue
		}
		var bad *diagnose.Problem
		if e.Info.Types[n.X].Singular() {
			bad = Problemf("%s has one value and no instances", syntax.PrintPrefix(n.X, maxOperand))
		} else if names, known := b.src.instanceNames(ctx, e.Info.Types[n.X].InDom); known && !slices.ContainsFunc(names, func(name string) bool {
			first, _, _ := strings.Cut(name, " ")
			return name == n.Name || first == n.Name
		}) {
			bad = unknownInstance(n.Name, names)
		}
		if bad == nil {
			continue
		}
		if len(e.Used) > 0 {
			return bad
		}
		if other := diagnose.Instance(text, n); other != nil {
			return other
		}
		bad.Src, bad.Pos = text, int(n.Lbrack)+1
		return bad
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

// instanceNames returns the names of the instances of a domain, in a recording those of any time, and
// whether they are known.
func (s *Source) instanceNames(ctx context.Context, d pcp.InDom) (names []string, known bool) {
	list, err := pmapi.InstancesOf(ctx, s, d, pmapi.Ever())
	for _, in := range list {
		names = append(names, in.Name)
	}
	return names, err == nil
}
