package pmapi

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// WithNames returns src under the names of a tree. Closing it closes src, which may be nil: there
// are names then, and nothing else.
func WithNames(src Source, names *pmns.Tree) Source {
	if src == nil {
		src = nameless{}
	}
	return &renamed{src, names}
}

// renamed is a Source under other names.
type renamed struct {
	Source
	names *pmns.Tree
}

// Unwrap implements Wrapper.
func (r *renamed) Unwrap() Source { return r.Source }

// Lookup implements Source.
func (r *renamed) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	return lookupEach(names, r.names.Lookup), nil
}

// Names implements Source.
func (r *renamed) Names(_ context.Context, id pcp.ID) ([]string, error) { return r.names.Names(id) }

// Children implements Source.
func (r *renamed) Children(_ context.Context, name string) ([]pcp.Child, error) {
	return r.names.Children(name)
}

// Walk implements Source.
func (r *renamed) Walk(_ context.Context, name string, f func(name string, id pcp.ID) bool) error {
	return r.names.Walk(name, f)
}

// lookupEach resolves names one by one.
func lookupEach(names []string, lookup func(string) (pcp.ID, error)) []pcp.Answer[pcp.ID] {
	rs := make([]pcp.Answer[pcp.ID], len(names))
	for i, n := range names {
		id, err := lookup(n)
		if err != nil {
			id = pcp.NullID
		}
		rs[i] = pcp.Answer[pcp.ID]{Value: id, Err: err}
	}
	return rs
}

// nameless is a Source of nothing.
type nameless struct{}

func (nameless) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	return nil, pmerr.NoContext
}
func (nameless) Names(context.Context, pcp.ID) ([]string, error)       { return nil, pmerr.NoContext }
func (nameless) Children(context.Context, string) ([]pcp.Child, error) { return nil, pmerr.NoContext }
func (nameless) Walk(context.Context, string, func(string, pcp.ID) bool) error {
	return pmerr.NoContext
}
func (nameless) Describe(context.Context, []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	return nil, pmerr.NoContext
}
func (nameless) Instances(context.Context, pcp.InDom) ([]pcp.Instance, error) {
	return nil, pmerr.NoContext
}
func (nameless) Fetch(context.Context, *Request, *pcp.Result) error { return pmerr.NoContext }
func (nameless) Close() error                                       { return nil }
