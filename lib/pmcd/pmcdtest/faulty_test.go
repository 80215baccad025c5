package pmcdtest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// indom is the instance domain of several instances.
var indom = pcp.NewInDom(245, 1)

// connect starts a daemon and connects to it.
func connect(t *testing.T) (*pmcdtest.World, *pmapi.Host) {
	t.Helper()
	w := pmcdtest.Faulty()
	s := pmcdtest.NewServer(w)
	h, err := pmapi.OpenHost(t.Context(), "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return w, h
}

// fetch returns the values of a metric for the instances that p selects.
func fetch(ctx context.Context, t *testing.T, h *pmapi.Host, name string, p *pcp.Profile) (pcp.Values, error) {
	t.Helper()
	rs, err := h.Lookup(ctx, []string{name})
	if err != nil || rs[0].Err != nil {
		t.Fatal(name, err, rs)
	}
	var r pcp.Result
	if err := h.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{rs[0].Value}, Profile: p}, &r); err != nil {
		return pcp.Values{}, err
	}
	return r.Sets[0], nil
}

// TestNames checks that each metric is there under a name of its own.
func TestNames(t *testing.T) {
	_, h := connect(t)
	seen := map[string]bool{}
	for _, m := range pmcdtest.Faulty().Metrics {
		if seen[m.Name] {
			t.Errorf("two metrics %s", m.Name)
		}
		seen[m.Name] = true
		rs, err := h.Lookup(t.Context(), []string{m.Name})
		if err != nil {
			t.Fatal(err)
		}
		if m.LookupErr != 0 {
			if !errors.Is(rs[0].Err, m.LookupErr) {
				t.Errorf("%s: %v", m.Name, rs[0].Err)
			}
			continue
		}
		ds, err := h.Describe(t.Context(), []pcp.ID{rs[0].Value})
		if err != nil || m.DescErr == 0 && ds[0].Value != m.Desc {
			t.Errorf("%s: %v %v", m.Name, ds, err)
		}
		if m.DescErr != 0 && ds[0].Err == nil {
			t.Errorf("%s has a description", m.Name)
		}
	}
	if rs, err := h.Lookup(t.Context(), []string{"w.long", "nosuch"}); err != nil || rs[0].Err != nil || rs[1].Err != pmerr.Name {
		t.Errorf("%v %v", rs, err)
	}
}

// TestInstances asks for instances in the three ways.
func TestInstances(t *testing.T) {
	_, h := connect(t)
	ctx := t.Context()
	all, err := pmapi.InstancesOf(ctx, h, indom, pmapi.Now())
	if err != nil || len(all) != 4 {
		t.Errorf("%v %v", all, err)
	}
	if inst, err := h.LookupInst(ctx, indom, "a,b"); inst != 100 || err != nil {
		t.Errorf("%d %v", inst, err)
	}
	if name, err := h.InstName(ctx, indom, 3); name != "three blind mice" || err != nil {
		t.Errorf("%s %v", name, err)
	}
	if _, err := h.InstName(ctx, indom, 9); !errors.Is(err, pmerr.Inst) {
		t.Error(err)
	}
	if _, err := pmapi.InstancesOf(ctx, h, pcp.NewInDom(1, 1), pmapi.Now()); !errors.Is(err, pmerr.InDom) {
		t.Error(err)
	}
}

// TestStore stores a value, and finds it where the profile selects it.
func TestStore(t *testing.T) {
	d, h := connect(t)
	ctx := t.Context()
	v, err := fetch(ctx, t, h, "bin.string", nil)
	if err != nil || v.Len() != 4 {
		t.Fatalf("%v %v", v, err)
	}
	if err := h.Store(ctx, []pcp.Values{{ID: v.ID, Type: pcp.String, Insts: []int32{2, 7}, Blobs: [][]byte{[]byte("x"), []byte("y")}}}); err != nil {
		t.Fatal(err)
	}
	p := new(pcp.Profile)
	p.Add(indom, 2, 7)
	v, err = fetch(ctx, t, h, "bin.string", p)
	if err != nil {
		t.Errorf("%v %v", v, err)
	} else if v.Len() != 2 || string(v.Blobs[0]) != "x" || string(v.Blobs[1]) != "y" {
		t.Errorf("%v %v", v, err)
	}
	p = new(pcp.Profile)
	p.AddAll()
	p.Add(indom)
	p.Del(indom, 1)
	if v, err = fetch(ctx, t, h, "bin.string", p); err != nil || v.Len() != 4 {
		t.Errorf("all but one: %v %v", v, err)
	}
	if s := d.Stored(); len(s) != 1 || !strings.HasPrefix(s[0], "bin.string ") {
		t.Errorf("%q", s)
	}
}

// TestFailures checks the errors of the metrics that fail.
func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		name          string
		first, second error
	}{
		{"w.long", nil, nil}, {"bad.fetch", pmerr.NoAgent, pmerr.NoAgent}, {"late.fetch", nil, pmerr.NoAgent},
		{"bad.lost", pmerr.IPC, nil}, {"late.lost", nil, pmerr.IPC},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, h := connect(t)
			if _, err := fetch(t.Context(), t, h, tt.name, nil); !errors.Is(err, tt.first) {
				t.Errorf("%v, want %v", err, tt.first)
			}
			if errors.Is(tt.first, pmerr.IPC) {
				return
			}
			if _, err := fetch(t.Context(), t, h, tt.name, nil); !errors.Is(err, tt.second) {
				t.Errorf("second: %v, want %v", err, tt.second)
			}
		})
	}
	_, h := connect(t)
	v, err := fetch(t.Context(), t, h, "bad.value", nil)
	if err != nil || v.Err != pmerr.AppVersion {
		t.Errorf("%v %v", v, err)
	}
	v, err = fetch(t.Context(), t, h, "bad.store", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Store(t.Context(), []pcp.Values{v}); !errors.Is(err, pmerr.Permission) {
		t.Error(err)
	}
}
