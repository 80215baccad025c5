package pmapi

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// WithNames returns src under the names of a tree. Closing it closes src, which may be nil: then
// there are names and nothing else.
func WithNames(src Source, names *pmns.Tree) Source {
	if src == nil {
		src = nothing
	}
	return &renamed{src, names}
}

type renamed struct {
	Source
	names *pmns.Tree // nil after Close
}

func (r *renamed) Unwrap() Source { return r.Source }

func (r *renamed) Close() error {
	err := r.Source.Close()
	r.Source, r.names = nothing, nil
	return err
}

func (r *renamed) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	if r.names == nil {
		return nil, pmerr.NoContext
	}
	return lookupEach(names, r.names.Lookup), nil
}

func (r *renamed) Names(_ context.Context, id pcp.ID) ([]string, error) {
	if r.names == nil {
		return nil, pmerr.NoContext
	}
	return r.names.Names(id)
}

func (r *renamed) Children(_ context.Context, name string) ([]pcp.Child, error) {
	if r.names == nil {
		return nil, pmerr.NoContext
	}
	return r.names.Children(name)
}

func (r *renamed) Walk(_ context.Context, name string, _ bool, f func(name string, id pcp.ID) bool) error {
	if r.names == nil {
		return pmerr.NoContext
	}
	return r.names.Walk(name, f)
}

func lookupEach(names []string, lookup func(string) (pcp.ID, error)) []pcp.Answer[pcp.ID] {
	return answerEach(names, func(name string) (pcp.ID, error) {
		id, err := lookup(name)
		if err != nil {
			id = pcp.NullID
		}
		return id, err
	})
}

// answerEach returns the answers to a question about several objects.
func answerEach[K, V any](keys []K, ask func(K) (V, error)) []pcp.Answer[V] {
	answers := make([]pcp.Answer[V], len(keys))
	for i, k := range keys {
		answers[i].Value, answers[i].Err = ask(k)
	}
	return answers
}
