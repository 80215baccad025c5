package query

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

// A Selection says which values of the samples are wanted, and in which order. The zero Selection is
// all of them.
type Selection struct {
	Where     string   // an expression: samples, or instances of its domain, where it is 0 or has no value are left out
	Limit     int      // how many samples there are at most, 0 for no bound
	Instances []string // names of instances, or patterns of them; empty for all
	Units     string   // as ParseUnits takes them, to which what has their dimension is converted, counters as rates
	Sort      string   // one of Sorts; "" is the first
	Top       int      // how many values of each expression there are; 0 for all
}

// sorts are the orders of values: by the identifiers of their instances, by the names, or the
// largest first.
var sorts = []string{"id", "name", "value"}

// Sorts returns the names of the orders of values, the usual one first.
func Sorts() []string { return slices.Clone(sorts) }

// expand puts the metrics below an inner node of the name space in its place.
func (s *Source) expand(ctx context.Context, defs *derive.Set, exprs []string) ([]string, error) {
	var names []string
	for _, e := range exprs {
		if NameLike(e) {
			names = append(names, e)
		}
	}
	if len(names) == 0 {
		return exprs, nil
	}
	src := s.Bind(defs, true).Derived
	found, err := src.Lookup(ctx, names)
	if err != nil {
		return nil, err
	}
	nodes := make(map[string]bool)
	for i, name := range names {
		nodes[name] = errors.Is(found[i].Err, pmerr.NonLeaf)
	}
	var list []string
	for _, e := range exprs {
		below := []string{e}
		if nodes[e] {
			if below, err = pmapi.Leaves(ctx, src, e); err != nil {
				return nil, err
			}
		}
		list = append(list, below...)
	}
	return list, nil
}

// unitsProblem tells that no expression has the dimension of the units that are asked for.
func (p *plan) unitsProblem() *diagnose.Problem {
	bad := Problemf("no value can be converted to %s: the dimension is another one", p.Select.Units)
	for _, e := range p.exprs {
		t := e.Info.Root
		units := cmp.Or(t.Units.String(), "no units")
		if e.Rate != nil {
			units += ", as rate " + cmp.Or(e.Rate.Root.Units.String(), "no units")
		}
		if bad.Notes = append(bad.Notes, e.Name+": "+units); len(bad.Notes) == maxListed {
			break
		}
	}
	return bad
}

// selectionProblem tells which names of instances no expression has, or nil. A pattern may match
// instances of live metrics that are still to come.
func (p *plan) selectionProblem(ctx context.Context) *diagnose.Problem {
	if len(p.Select.Instances) == 0 {
		return nil
	}
	var domains []pcp.InDom
	for _, e := range p.exprs {
		if d := e.Info.Root.InDom; d != pcp.NullInDom && !slices.Contains(domains, d) {
			domains = append(domains, d)
		}
	}
	if len(domains) == 0 {
		return Problemf("no expression has instances, of which %s could be one", p.Select.Instances[0])
	}
	// Most often the instances of the position have all names, and take a recording less than those of all times.
	missing, _ := p.missing(domains, func(d pcp.InDom) ([]pcp.Instance, error) { return pmapi.InstancesOf(ctx, p.src, d, pmapi.At(p.src.At)) })
	if p.src.Line == nil && !p.Once {
		missing = slices.DeleteFunc(missing, func(name string) bool { return strings.ContainsAny(name, "*?[") })
	}
	if len(missing) == 0 {
		return nil
	}
	never, names := p.missing(domains, func(d pcp.InDom) ([]pcp.Instance, error) { return pmapi.InstancesOf(ctx, p.src, d, pmapi.Ever()) })
	for _, name := range missing {
		if names != nil && slices.Contains(never, name) {
			return unknownInstance(name, names)
		}
	}
	return nil
}

// missing returns the wanted names of instances that no domain has, and the names that there are; these
// are nil if a domain is not known.
func (p *plan) missing(domains []pcp.InDom, instances func(pcp.InDom) ([]pcp.Instance, error)) (missing, names []string) {
	var all []pcp.Instance
	known := true
	for _, d := range domains {
		list, err := instances(d)
		if known = known && err == nil; all == nil {
			all = list
		} else {
			all = slices.Concat(all, list)
		}
	}
	for _, pattern := range p.Select.Instances {
		if !slices.ContainsFunc(all, func(in pcp.Instance) bool { return matchInstance(pattern, in.Name) }) {
			missing = append(missing, pattern)
		}
	}
	if len(missing) == 0 || !known {
		return missing, nil
	}
	names = []string{}
	for _, in := range all {
		names = append(names, in.Name)
	}
	return missing, names
}

// where compiles the expression that selects samples; it is nil without one.
func (b *Binder) where(ctx context.Context, text string) (*Expr, error) {
	if text == "" {
		return nil, nil
	}
	e, err := b.Compile(ctx, text)
	if err != nil {
		return nil, err
	}
	if !e.Info.Root.Type.Arithmetic() {
		return nil, Problemf("--where wants a number: %s", diagnose.Metadata(e.Info.Root))
	}
	return e, nil
}

// unslash replaces slashes, at which patterns of paths stop: in the name of an instance, such as
// /dev/mapper/root, they separate nothing.
var unslash = strings.NewReplacer("/", "\x01")

// matchInstance reports whether a pattern is the name of an instance, its first word, or matches it.
func matchInstance(pattern, name string) bool {
	first, _, _ := strings.Cut(name, " ")
	ok, err := path.Match(unslash.Replace(pattern), unslash.Replace(name))
	return pattern == name || pattern == first || ok && err == nil
}

// selects reports whether an instance is wanted.
func (s *Selection) selects(name string) bool {
	return len(s.Instances) == 0 || slices.ContainsFunc(s.Instances, func(pattern string) bool { return matchInstance(pattern, name) })
}

// arrange sorts the values of a sample, and keeps the first ones if their number is limited.
func (s *Selection) arrange(ctx context.Context, smp *sampling.Sample) (err error) {
	for i := range smp.Sets {
		set := &smp.Sets[i]
		switch s.Sort {
		case "name":
			err = set.SortByName(ctx, s.Top)
		case "value":
			err = set.SortByValue(ctx, -1, s.Top)
		default:
			continue
		}
		if smp.Ordered = true; err != nil {
			return err
		}
	}
	if s.Top > 0 {
		for i := range smp.Sets {
			smp.Sets[i].Keep(s.Top)
		}
	}
	return nil
}
