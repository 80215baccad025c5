package pmapi

import (
	"context"
	"strings"

	"pmtools/lib/pcp"
)

// LookupName returns the identifier of a metric (pmLookupName for one name). Errors are pmerr.Name,
// pmerr.NonLeaf, and those of a request; see [Source.Lookup].
func LookupName(ctx context.Context, src Source, name string) (pcp.ID, error) {
	found, err := src.Lookup(ctx, []string{name})
	if err != nil {
		return pcp.NullID, err
	}
	return found[0].Value, found[0].Err
}

// NamesOf returns the names of a metric joined by " or ", or its identifier if it has no name.
func NamesOf(ctx context.Context, src Source, id pcp.ID) string {
	names, err := src.Names(ctx, id)
	if err != nil {
		return id.String()
	}
	return strings.Join(names, " or ")
}

// Leaves returns the names of the metrics at or below a node of the name space, in the order of src.
// Errors are those of [Source.Walk]; names returned with an error are incomplete.
func Leaves(ctx context.Context, src Source, node string) (names []string, err error) {
	err = src.Walk(ctx, node, false, func(name string, _ pcp.ID) bool {
		names = append(names, name)
		return true
	})
	return names, err
}

// LookupDesc returns the description of a metric (pmLookupDesc). Errors are pmerr.PMID, pmerr.NoAgent,
// and those of a request; see [Source.Describe].
func LookupDesc(ctx context.Context, src Source, id pcp.ID) (pcp.Desc, error) {
	return one(src.Describe(ctx, []pcp.ID{id}))
}

// LookupText returns a help text of a metric, or, if pcp.InDomText is added to kind, of an instance
// domain (pmLookupText, pmLookupInDomText). Errors are those of [Source.Text].
func LookupText(ctx context.Context, src Source, kind pcp.TextKind, ident uint32) (string, error) {
	return one(src.Text(ctx, kind, []uint32{ident}))
}

// InstancesOf returns the instances that one domain has at a time, or had ever (pmGetInDom,
// pmGetInDomArchive). Errors are those of [Source.Instances].
func InstancesOf(ctx context.Context, src Source, d pcp.InDom, at When) ([]pcp.Instance, error) {
	return one(src.Instances(ctx, []pcp.InDom{d}, at))
}

// one returns the answer to the only question of a request.
func one[T any](found []pcp.Answer[T], err error) (answer T, _ error) {
	if err != nil {
		return answer, err
	}
	return found[0].Value, found[0].Err
}
