package describe

import (
	"context"
	"errors"
	"fmt"

	"pmtools/derive/diagnose"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The errors of requests about metrics are codes of PCP, whose texts name neither the metric nor what
// to do. They are told here for people.

// problem tells why there is no metric of a name, or no description.
func (c *Catalogue) problem(ctx context.Context, name string, err error) error {
	if def := c.Defs.Find(name); def != nil {
		_, bad := c.Source.Bind(c.Defs, true).CheckOne(ctx, def)
		if p, ok := errors.AsType[*diagnose.Problem](bad); ok {
			own := *p
			own.Msg = "the definition of " + name + " does not fit the source: " + p.Msg
			return &own
		}
	}
	p := &diagnose.Problem{Msg: "the source names " + name + ", but does not describe it: " + diagnose.LowerFirst(err.Error()), Err: err}
	switch {
	case errors.Is(err, pmerr.NonLeaf):
		p.Msg, p.Notes = name+" is not a metric, but has metrics below it", []string{":metrics " + name + " lists them at the prompt"}
	case errors.Is(err, pmerr.Name):
		p.Msg, p.Notes = "unknown metric "+name, diagnose.DidYouMean(name, append(c.Defs.Names(), c.Source.Catalogue(ctx)...))
	}
	return p
}

// instancesProblem tells why a metric has no instances.
func instancesProblem(name string, d pcp.InDom, err error) error {
	p := &diagnose.Problem{Msg: fmt.Sprintf("the source knows no instances of %s: it has nothing about the domain %s", name, d), Err: err}
	if !errors.Is(err, pmerr.InDom) && !errors.Is(err, pmerr.InDomLog) {
		p.Msg = "the instances of " + name + " cannot be listed: " + diagnose.LowerFirst(err.Error())
	}
	return p
}

// textProblem tells why a metric has no help text.
func (c *Catalogue) textProblem(name string, err error) error {
	p := &diagnose.Problem{Msg: "there is no help text of " + name, Err: err}
	switch {
	case c.Defs.FindOwn(name) != nil:
		p.Notes = []string{name + "(oneline) = TEXT sets it"}
	case errors.Is(err, pmerr.NotHost):
		p.Msg = "the recording has no help texts"
		p.Notes = []string{"the metric of a live source may have one: pmderive -L, or -h HOST, ':text " + name + "'"}
	case !errors.Is(err, pmerr.Text):
		p.Msg = "the help text of " + name + " cannot be read: " + diagnose.LowerFirst(err.Error())
	}
	return p
}
