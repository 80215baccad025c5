package builtin

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/builtin/sample"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// FuzzNames asks for any name. A name that Lookup finds is shown by Walk, and has no children; a
// name that Walk does not know has none either.
func FuzzNames(f *testing.F) {
	for _, name := range []string{
		"", ".", "sample", "sample.bin", "sample.secret", "sample.secret.foo.bar", "sample.secret.bar.x", "sample..bin", "sample.", "mmv", "mmv.acme.count", "mmv.acme",
		"trivial.time", "twin", "single", "sample.twin.one", "no.such.name", "sample.ghosts.state",
	} {
		f.Add(name)
	}
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, name string) {
		s := Default(&Options{Root: t.TempDir(), Now: fixedClock(), Agents: portableAgents(), Collectors: []Collector{twin()}})
		defer s.Close()
		r, err := s.Lookup(ctx, []string{name})
		if err != nil || len(r) != 1 {
			t.Fatalf("Lookup: %v, error %v", r, err)
		}
		var leaves []string
		errWalk := s.Walk(ctx, name, true, func(leaf string, id pcp.ID) bool {
			leaves = append(leaves, leaf)
			if leaf == name && id != r[0].Value {
				t.Errorf("Walk has %v for %q, Lookup %v", id, leaf, r[0].Value)
			}
			return true
		})
		children, errChildren := s.Children(ctx, name)
		switch {
		case errWalk != nil && (len(leaves) > 0 || !errors.Is(errWalk, pmerr.Name)):
			t.Errorf("Walk: %q, error %v", leaves, errWalk)
		case (errWalk == nil) != (errChildren == nil):
			t.Errorf("Walk: error %v; Children: error %v", errWalk, errChildren)
		case r[0].Err == nil && (!slices.Equal(leaves, []string{name}) || len(children) > 0):
			t.Errorf("%q is a metric, and has %q below it, children %v", name, leaves, children)
		case r[0].Err != nil && slices.Contains(leaves, name):
			t.Errorf("Walk shows %q; Lookup: %v", name, r[0].Err)
		}
		for _, leaf := range leaves {
			if name != "" && leaf != name && !strings.HasPrefix(leaf, name+".") {
				t.Errorf("Walk(%q) shows %q", name, leaf)
			}
		}
	})
}

// FuzzSample stores and fetches anything in any order. Columns keep the rules, except for those
// that break them on purpose.
func FuzzSample(f *testing.F) {
	f.Add([]byte{5, 0, 5, 0, 5, 0, 62, 0})
	f.Add([]byte{61, 0x80, 99, 0, 0, 0, 62, 0, 62, 0, 62, 0})
	f.Add([]byte{165, 0x80, 0, 0, 0, 0, 164, 0, 164, 0, 168, 0x80, 0xff, 0xff, 0xff, 0x7f, 164, 0})
	f.Add([]byte{87, 0x80, 6, 0, 0, 0, 86, 0, 88, 0x80, 2, 0, 0x40, 7, 86, 0})
	f.Add([]byte{155, 0x80, 0, 0, 0, 0, 37, 0, 37, 0, 37, 0, 240, 0x83, 3, 0, 0, 0, 243, 3})
	f.Add([]byte{79, 0x80, 0xff, 0, 0, 0, 80, 0, 126, 0x80, 0, 0, 0, 0x80, 136, 0, 137, 0, 139, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		ctx := context.Background()
		p, err := sample.New(&sample.Options{Now: fixedClock()})
		if err != nil {
			t.Fatal(err)
		}
		s := New(&Options{Now: fixedClock(), Collectors: []Collector{{Name: "sample", Domain: sample.Domain, New: func() (pmda.Provider, error) { return p, nil }}}})
		defer s.Close()
		var res pcp.Result
		for len(ops) >= 2 && len(ops) < 2000 {
			word := binary.LittleEndian.Uint16(ops)
			id := pcp.NewID(sample.Domain, 0, uint32(word&0x3ff))
			ops = ops[2:]
			if word&0x8000 != 0 && len(ops) >= 4 {
				v := int64(int32(binary.LittleEndian.Uint32(ops)))
				ops = ops[4:]
				d, err := s.Describe(ctx, []pcp.ID{id})
				if err != nil || d[0].Err != nil || id.Item() == 56 || id.Item() == 169 || id.Item() == 79 && v > 1000 {
					continue
				}
				set := pcp.Values{ID: id, Type: d[0].Value.Type, Insts: []int32{int32(word >> 10 & 31)}}
				if set.Type.Arithmetic() {
					set.Words = []uint64{uint64(v)}
				} else {
					set.Blobs = [][]byte{binary.LittleEndian.AppendUint32(nil, uint32(v))}
				}
				_ = s.Store(ctx, []pcp.Values{set})
				continue
			}
			if err := s.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{id}}, &res); err != nil {
				t.Fatalf("%v: %v", id, err)
			}
			v := &res.Sets[0]
			if v.ID != id || v.Err != nil && v.Len() > 0 {
				t.Fatalf("%v: %+v", id, v)
			} else if len(v.Words)+len(v.Blobs) != v.Len() || v.Len() > 0 && v.Type.Arithmetic() != (len(v.Words) > 0) {
				t.Fatalf("%v: %+v", id, v)
			}
			d, err := s.Describe(ctx, []pcp.ID{id})
			if err == nil && d[0].Err == nil && d[0].Value.InDom.Domain() == sample.Domain {
				if _, err := pmapi.InstancesOf(ctx, s, d[0].Value.InDom, pmapi.Now()); err != nil && id.Item() != 86 {
					t.Fatalf("%v: %v", d[0].Value.InDom, err)
				}
			}
		}
	})
}
