package mmv_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pmtools/lib/builtin"
	collector "pmtools/lib/builtin/mmv"
	"pmtools/lib/mmv"
	"pmtools/lib/mmv/mmvtest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmda"
)

// FuzzFile reads any file, and asks for everything in it: each metric has a name, a description and
// instances, and its values are of the described type.
func FuzzFile(f *testing.F) {
	for version := 1; version <= 3; version++ {
		s := mmvtest.Demo()
		s.Version = version
		f.Add(mmvtest.Build(s))
	}
	s := mmvtest.Demo()
	s.Flags, s.Cluster = mmv.NoPrefix|mmv.Sentinel, 0
	s.Labels = []mmv.Label{{Kind: pcp.ItemLabels, Ident: 7, Text: `{"a":1}`}, {Kind: pcp.InstanceLabels, Ident: 61, Text: `{"b":"x"}`}, {Kind: pcp.ClusterLabels, Text: `{"c":{"d":2}}`}}
	f.Add(mmvtest.Build(s))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := mmv.Parse(b); err != nil {
			return // that is mmv's own affair
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "acme"), b, 0o666); err != nil {
			t.Skip(err)
		}
		s := builtin.New(&builtin.Options{Now: time.Now, Collectors: []builtin.Collector{{Name: "mmv", Domain: collector.Domain, New: func() (pmda.Provider, error) {
			return collector.New(&collector.Options{Dir: dir, Now: time.Now})
		}}}})
		defer s.Close()
		ctx := context.Background()
		var ids []pcp.ID
		if err := s.Walk(ctx, "", true, func(_ string, id pcp.ID) bool {
			ids = append(ids, id)
			return true
		}); err != nil || len(ids) < 4 {
			t.Fatalf("%d metrics, error %v", len(ids), err)
		}
		descs, err := s.Describe(ctx, ids)
		if err != nil {
			t.Fatal(err)
		}
		var res pcp.Result
		if err := s.Fetch(ctx, &pmapi.Request{IDs: ids}, &res); err != nil {
			t.Fatal(err)
		}
		for i, d := range descs {
			v := &res.Sets[i]
			if d.Err != nil || v.Len() > 0 && (v.Type != d.Value.Type || len(v.Words)+len(v.Blobs) != v.Len()) {
				t.Fatalf("%+v, error %v; values %+v", d.Value, d.Err, v)
			}
			_, _ = pmapi.LookupText(ctx, s, pcp.Help, uint32(ids[i]))
			_, _ = pmapi.LabelsOf(ctx, s, pcp.ItemLabels, uint32(ids[i]))
			if d.Value.InDom == pcp.NullInDom {
				continue
			}
			if _, err := pmapi.InstancesOf(ctx, s, d.Value.InDom, pmapi.Now()); err != nil {
				t.Fatalf("%v: %v", d.Value.InDom, err)
			}
			if _, err := pmapi.LabelsOf(ctx, s, pcp.InstanceLabels, uint32(d.Value.InDom)); err != nil {
				t.Fatalf("%v: %v", d.Value.InDom, err)
			}
		}
	})
}
