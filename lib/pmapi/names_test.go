package pmapi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmapi/sourcetest"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// otherNames returns names for three metrics of the archive ta and one that it does not have.
func otherNames() *pmns.Tree {
	var names pmns.Tree
	for name, item := range map[string]uint32{"x.first": 1, "x.second": 2, "y": 5, "x.deep.er.gone": 99} {
		names.Add(name, pcp.NewID(245, 0, item))
	}
	names.Add("x.again", pcp.NewID(245, 0, 1))
	names.Add("dyn", pcp.NewID(pcp.DynamicDomain, 30, 0))
	return &names
}

// TestNamesConformance runs the kit over other names, with a Source below and without one.
func TestNamesConformance(t *testing.T) {
	t.Run("archive", func(t *testing.T) {
		sourcetest.Run(t, func(t *testing.T) pmapi.Source { return pmapi.WithNames(open(t, "ta"), otherNames()) })
	})
	t.Run("nil", func(t *testing.T) {
		sourcetest.Run(t, func(*testing.T) pmapi.Source { return pmapi.WithNames(nil, otherNames()) })
	})
	t.Run("empty", func(t *testing.T) {
		sourcetest.Run(t, func(*testing.T) pmapi.Source { return pmapi.WithNames(nil, new(pmns.Tree)) })
	})
}

// TestWithNames has names that come from the tree, and all else from below.
func TestWithNames(t *testing.T) {
	ctx := context.Background()
	src := pmapi.WithNames(open(t, "ta"), otherNames())
	tests := []struct {
		name string
		id   pcp.ID
		err  error
	}{
		{"x.second", pcp.NewID(245, 0, 2), nil},
		{"t.b", pcp.NullID, pmerr.Name},
		{"x", pcp.NullID, pmerr.NonLeaf},
		{"dyn.of.any.kind", pcp.NewID(pcp.DynamicDomain, 30, 0), nil},
		{"", pcp.NullID, pmerr.Name},
	}
	for _, tt := range tests {
		rs, err := src.Lookup(ctx, []string{tt.name})
		if err != nil {
			t.Errorf("Lookup(%q): %v, %v; want %v, %v", tt.name, rs, err, tt.id, tt.err)
		} else if len(rs) != 1 || rs[0].Value != tt.id || !errors.Is(rs[0].Err, tt.err) {
			t.Errorf("Lookup(%q): %v, %v; want %v, %v", tt.name, rs, err, tt.id, tt.err)
		}
	}
	if _, err := src.Names(ctx, pcp.NewID(245, 0, 3)); !errors.Is(err, pmerr.PMID) {
		t.Errorf("a recorded metric without a name: %v, want %v", err, pmerr.PMID)
	}
	if list, err := src.Children(ctx, "x.deep"); err != nil || fmt.Sprint(list) != "[{er false}]" {
		t.Errorf("Children: %v, %v", list, err)
	}
	if _, err := src.Children(ctx, "t"); !errors.Is(err, pmerr.Name) {
		t.Errorf("Children of a name from below: %v, want %v", err, pmerr.Name)
	}
	rs, err := src.Describe(ctx, []pcp.ID{idOf(t, src, "y"), idOf(t, src, "x.deep.er.gone")})
	if err != nil || rs[0].Err != nil || !errors.Is(rs[1].Err, pmerr.PMIDLog) {
		t.Errorf("Describe: %+v, %v", rs, err)
	}
	var res pcp.Result
	if err := src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{idOf(t, src, "x.second")}}, &res); err != nil || res.Sets[0].Len() != 5 {
		t.Errorf("Fetch: %v, %v", res, err)
	}
}

// TestNamesAlone has names without a Source below: everything else fails.
func TestNamesAlone(t *testing.T) {
	ctx := context.Background()
	src := pmapi.WithNames(nil, otherNames())
	id := idOf(t, src, "y")
	var res pcp.Result
	_, describe := src.Describe(ctx, []pcp.ID{id})
	_, instances := pmapi.InstancesOf(ctx, src, pcp.NewInDom(245, 1), pmapi.Now())
	for what, err := range map[string]error{
		"Describe": describe, "Instances": instances,
		"Fetch": src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{id}}, &res),
	} {
		if !errors.Is(err, pmerr.NoContext) {
			t.Errorf("%s: %v, want %v", what, err, pmerr.NoContext)
		}
	}
	w, ok := src.(pmapi.Wrapper)
	if !ok {
		t.Fatal("not a Wrapper")
	}
	below := w.Unwrap()
	_, lookup := below.Lookup(ctx, []string{"y"})
	_, names := below.Names(ctx, id)
	_, children := below.Children(ctx, "")
	walk := below.Walk(ctx, "", true, func(string, pcp.ID) bool { return true })
	for what, err := range map[string]error{"Lookup": lookup, "Names": names, "Children": children, "Walk": walk} {
		if !errors.Is(err, pmerr.NoContext) {
			t.Errorf("below the names, %s: %v, want %v", what, err, pmerr.NoContext)
		}
	}
}
