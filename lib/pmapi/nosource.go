package pmapi

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// noSource fails with pmerr.NoContext. It takes the place of a Source's parts when the Source is closed.
type noSource struct{}

func (noSource) Lookup(context.Context, []string) ([]pcp.Answer[pcp.ID], error) {
	return nil, pmerr.NoContext
}

func (noSource) Names(context.Context, pcp.ID) ([]string, error) { return nil, pmerr.NoContext }

func (noSource) Children(context.Context, string) ([]pcp.Child, error) { return nil, pmerr.NoContext }

func (noSource) Walk(context.Context, string, bool, func(string, pcp.ID) bool) error {
	return pmerr.NoContext
}

func (noSource) Describe(context.Context, []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	return nil, pmerr.NoContext
}

func (noSource) Text(context.Context, pcp.TextKind, []uint32) ([]pcp.Answer[string], error) {
	return nil, pmerr.NoContext
}

func (noSource) Labels(context.Context, pcp.LabelKind, []uint32, When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	return nil, pmerr.NoContext
}

func (noSource) Instances(context.Context, []pcp.InDom, When) ([]pcp.Answer[[]pcp.Instance], error) {
	return nil, pmerr.NoContext
}

func (noSource) LookupInst(context.Context, pcp.InDom, string) (int32, error) {
	return pcp.NullInst, pmerr.NoContext
}

func (noSource) InstName(context.Context, pcp.InDom, int32) (string, error) {
	return "", pmerr.NoContext
}

func (noSource) Fetch(context.Context, *Request, *pcp.Result) error { return pmerr.NoContext }

func (noSource) Host() (name, zone string) { return "", "" }

func (noSource) Close() error { return nil }
