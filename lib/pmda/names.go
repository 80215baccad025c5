package pmda

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

func (a *Agent) isDynamic(name string) bool {
	return slices.ContainsFunc(a.roots, func(root string) bool { return below(name, root) })
}

func below(name, node string) bool {
	return len(name) > len(node) && name[:len(node)] == node && name[len(node)] == '.'
}

// dynamic calls f for each dynamic name, in the order of the table, until f returns false.
func (a *Agent) dynamic(f func(n Name) bool) {
	for _, n := range a.names {
		if n.ID != RootID(a.table.Domain) && a.isDynamic(n.Name) && !f(n) {
			return
		}
	}
}

// LookupName implements Namer.
func (a *Agent) LookupName(_ context.Context, _ *Client, name string) (pcp.ID, error) {
	id, err := pcp.NullID, error(pmerr.Name)
	a.dynamic(func(n Name) bool {
		switch {
		case n.Name == name:
			id, err = n.ID, nil
		case below(n.Name, name):
			err = pmerr.NonLeaf
		}
		return err != nil
	})
	return id, err
}

// NamesOf implements Namer.
func (a *Agent) NamesOf(_ context.Context, _ *Client, id pcp.ID) ([]string, error) {
	var names []string
	a.dynamic(func(n Name) bool {
		if n.ID == id {
			names = append(names, n.Name)
		}
		return true
	})
	if names == nil {
		return nil, pmerr.PMID
	}
	return names, nil
}

// Children implements Namer. Children stand in the order of the table. Without a dynamic root in
// it, every name is pmerr.Name.
func (a *Agent) Children(_ context.Context, _ *Client, name string) ([]pcp.Child, error) {
	if len(a.roots) == 0 {
		return nil, pmerr.Name
	}
	var children []pcp.Child
	seen := map[string]bool{}
	a.dynamic(func(n Name) bool {
		if below(n.Name, name) {
			child, _, deeper := strings.Cut(n.Name[len(name)+1:], ".")
			if !seen[child] {
				seen[child] = true
				children = append(children, pcp.Child{Name: child, Leaf: !deeper})
			}
		}
		return true
	})
	return children, nil
}

// Leaves implements Namer. Leaves stand in the order of the table. Without a dynamic root in it,
// every name is pmerr.Name.
func (a *Agent) Leaves(_ context.Context, _ *Client, name string) ([]string, error) {
	if len(a.roots) == 0 {
		return nil, pmerr.Name
	}
	var names []string
	a.dynamic(func(n Name) bool {
		if n.Name == name || below(n.Name, name) {
			names = append(names, n.Name)
		}
		return true
	})
	return names, nil
}

// writeNames writes names in the form of a name space file, as [pmns.Tree.Write] does. A name that
// occurs twice, or that is a node above another, is an error.
func writeNames(w io.Writer, names []Name) error {
	var t pmns.Tree
	for i, n := range names {
		if !t.Add(n.Name, n.ID) || t.Len() != i+1 {
			return fmt.Errorf("%w: name %q", pmerr.EINVAL, n.Name)
		}
	}
	return t.Write(w)
}
