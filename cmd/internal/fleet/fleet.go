// Package fleet writes expressions as SQL over the tables of hosts whose metrics have different
// types, units and semantics. Each kind of host has the expression as the engine checks it for these
// hosts; hosts for which it does not hold are problems, which the query can list.
package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"pmtools/cmd/internal/item"
	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/sql"
	"pmtools/lib/export"
	"pmtools/lib/pcp"
)

// Query returns the query for an expression, or for the expression of a definition, over tables, whose
// metadata are in the given ones. If the expression does not hold for any host,
// the error is a *diagnose.Problem of the kind with most hosts. For equivalent see derive.Options.
func Query(ctx context.Context, text string, in *export.Tables, defs *derive.Set, equivalent func(a, b pcp.InDom) bool, opt *sql.Options) (string, error) {
	text = item.Expr(text)
	names := mentioned(text, defs)
	counting := *in
	counting.Hosts = opt.Hosts
	tables, err := counting.Catalog(ctx, names...)
	if err != nil {
		return "", err
	}
	opt.Micros = opt.Micros || tables.Micros
	list, err := tables.Kinds(ctx)
	if err != nil {
		return "", err
	}
	kinds := make([]sql.Kind, len(list))
	var holds *query.Binder // of the first kind for which the expression holds
	var failed error
	for i, k := range list {
		src := query.NewSource(k)
		src.Equivalent = equivalent
		b := src.Bind(defs, true)
		x, err := b.Compile(ctx, text)
		kinds[i] = sql.Kind{Hosts: k.Hosts, Says: k.Says, Domains: k.Domains, From: k.From, Until: k.Until}
		switch bad, ok := errors.AsType[*diagnose.Problem](err); {
		case err != nil && !ok:
			return "", err
		case k.Err != nil:
			kinds[i].Problem = k.Err.Error()
		case err != nil:
			kinds[i].Problem = bad.Msg
		default:
			if err := labelled(tables, x); err != nil {
				return "", err
			}
			kinds[i].Expr, kinds[i].Info, holds = x.Tree, x.Info, cmp.Or(holds, b)
		}
		failed = cmp.Or(failed, k.Err, err)
	}
	if holds == nil {
		return "", failed
	}
	q, err := sql.Fleet(names, kinds, opt)
	if _, ok := errors.AsType[*check.Error](err); ok {
		return "", holds.Problem(ctx, text, err)
	}
	return q, err
}

// labelled returns an error if groups of an expression need labels that tables do not say enough about.
func labelled(tables *export.Fleet, x *query.Expr) error {
	if len(x.Info.Groups) == 0 || len(tables.Unlabelled) == 0 {
		return nil
	}
	name := tables.Unlabelled[0]
	if more := len(tables.Unlabelled) - 1; more > 0 {
		name += fmt.Sprintf(" (and %d more)", more)
	}
	return fmt.Errorf("groups by labels: the tables of host %s do not say from which record on labels hold: they are of a live source, or of an earlier version of pmderive; "+
		"export its archives again, into another directory, as in 'pmderive -a ARCHIVE export -o DIR', or name other hosts by --only HOST", name)
}

// mentioned returns the names in an expression and in the definitions that it may stand for.
func mentioned(text string, known *derive.Set) (names []string) {
	p, err := known.Compile("", text)
	if err != nil {
		return nil // which the check reports
	}
	found := make(map[string]bool)
	var add func(p *derive.Definition)
	add = func(p *derive.Definition) {
		for _, name := range p.Metrics() {
			if found[name] {
				continue
			}
			found[name] = true
			names = append(names, name)
			if d := known.Find(name); d != nil {
				add(d)
			}
		}
	}
	add(p)
	return names
}
