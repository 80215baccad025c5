package live

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/builtin"
	collector "pmtools/lib/builtin/mmv"
	"pmtools/lib/mmv"
	"pmtools/lib/mmv/mmvtest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmda"
	"pmtools/test/peer/harness"
)

// TestBuiltinMMV puts memory-mapped value files where the reference's agent finds them, and
// compares what it shows with the MMV collector.
func TestBuiltinMMV(t *testing.T) {
	harness.Live(t)
	root := os.Getenv("PMTOOLS_PEER")
	dir := filepath.Join(root, "var/lib/pcp/tmp/mmv")
	before, err := os.ReadDir(dir)
	if err != nil || len(before) > 0 {
		t.Skipf("%s is not an empty directory: %v", dir, err)
	}
	for _, c := range mmvCases() {
		t.Run(c.name, func(t *testing.T) {
			for name, b := range c.files {
				path := filepath.Join(dir, name)
				t.Cleanup(func() { os.Remove(path) })
				// As programs do it: with another name until it is complete.
				if err := os.WriteFile(filepath.Join(dir, "."+name), b, 0o644); err != nil {
					t.Skip(err)
				}
				if err := os.Rename(filepath.Join(dir, "."+name), path); err != nil {
					t.Fatal(err)
				}
			}
			ctx := context.Background()
			theirs, err := pmapi.OpenHost(ctx, "unix:"+filepath.Join(root, "run/pcp/peer.socket"), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer theirs.Close()
			ours := builtin.New(&builtin.Options{Root: root, Collectors: []builtin.Collector{{
				Name: "mmv", Domain: 70, New: func() (pmda.Provider, error) { return collector.New(&collector.Options{Dir: dir}) },
			}}})
			defer ours.Close()
			want, got := describeAll(t, theirs, "mmv"), describeAll(t, ours, "mmv")
			if got != want {
				t.Errorf("ours:\n%s\ntheirs:\n%s", onlyIn(got, want), onlyIn(want, got))
			}
			t.Logf("%d lines", strings.Count(want, "\n"))
		})
	}
}

// onlyIn returns the lines of a that b has not.
func onlyIn(a, b string) string {
	have := slices.Collect(strings.Lines(b))
	var out strings.Builder
	for line := range strings.Lines(a) {
		if !slices.Contains(have, line) {
			out.WriteString(line)
		}
	}
	if out.Len() == 0 {
		return "the same lines in another order:\n" + a
	}
	return out.String()
}

// describeAll returns all that a source says about what is below a name, as text: one fetch of the
// values too.
func describeAll(t *testing.T, src pmapi.Source, root string) string {
	t.Helper()
	ctx := context.Background()
	var b bytes.Buffer
	var names []string
	var ids []pcp.ID
	if err := src.Walk(ctx, root, true, func(name string, id pcp.ID) bool {
		names, ids = append(names, name), append(ids, id)
		return true
	}); err != nil {
		t.Fatalf("%s: %v", root, err)
	}
	descs, err := src.Describe(ctx, ids)
	if err != nil {
		t.Fatal(err)
	}
	var res pcp.Result
	if err := src.Fetch(ctx, &pmapi.Request{IDs: ids}, &res); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		d := descs[i].Value
		fmt.Fprintf(&b, "%s desc %+v %v\n", name, d, descs[i].Err)
		for _, kind := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
			if strings.HasPrefix(name, "mmv.control") {
				continue
			}
			text, err := pmapi.LookupText(ctx, src, kind, uint32(ids[i]))
			fmt.Fprintf(&b, "%s text %d %q %v\n", name, kind, text, err)
		}
		sayLabels(&b, src, name, pcp.ClusterLabels, uint32(ids[i]))
		sayLabels(&b, src, name, pcp.ItemLabels, uint32(ids[i]))
		if d.InDom != pcp.NullInDom && descs[i].Err == nil {
			list, err := pmapi.InstancesOf(ctx, src, d.InDom, pmapi.Now())
			fmt.Fprintf(&b, "%s instances %v %v\n", name, list, err)
			sayLabels(&b, src, name, pcp.InDomLabels, uint32(d.InDom))
			sayLabels(&b, src, name, pcp.InstanceLabels, uint32(d.InDom))
		}
		v := &res.Sets[i]
		fmt.Fprintf(&b, "%s values %v %v %v %v %q\n", name, v.Err, v.Type, v.Insts, v.Words, v.Blobs)
	}
	return b.String()
}

// sayLabels writes the labels of one level. Instances without any are left out.
func sayLabels(b *bytes.Buffer, src pmapi.Source, name string, kind pcp.LabelKind, ident uint32) {
	sets, err := pmapi.LabelsOf(context.Background(), src, kind, ident)
	fmt.Fprintf(b, "%s labels %d", name, kind)
	for _, s := range sets {
		if len(s.Labels) > 0 {
			fmt.Fprintf(b, " %d %s", s.Inst, pcp.AppendLabels(nil, s.Labels))
			for _, l := range s.Labels {
				fmt.Fprintf(b, " %#x", l.Flags)
			}
		}
	}
	fmt.Fprintf(b, " %v\n", err)
}

// An mmvCase is a directory with files.
type mmvCase struct {
	name  string
	files map[string][]byte
}

// mmvCases returns the cases.
func mmvCases() []mmvCase {
	build := func(change func(s *mmvtest.Spec)) []byte {
		s := mmvtest.Demo()
		if change != nil {
			change(s)
		}
		return mmvtest.Build(s)
	}
	labels := func(cluster uint32) []mmv.Label {
		return []mmv.Label{
			{Kind: pcp.ClusterLabels, Ident: cluster, Inst: -1, Text: `{"app":"demo"}`}, {Kind: pcp.ItemLabels, Optional: true, Ident: 7, Inst: -1, Text: `{"scale":2}`},
			{Kind: pcp.ItemLabels, Ident: 7, Inst: -1, Text: `{"more":"text"}`}, {Kind: pcp.InDomLabels, Ident: 61, Inst: -1, Text: `{"kind":true}`},
			{Kind: pcp.InstanceLabels, Ident: 61, Inst: 1, Text: `{"hue":[1,2]}`}, {Kind: pcp.ItemLabels, Ident: 99, Inst: -1, Text: `{"lost":1}`},
		}
	}
	one := func(m mmv.Metric, v mmvtest.Value) func(s *mmvtest.Spec) {
		return func(s *mmvtest.Spec) {
			*s = mmvtest.Spec{Cluster: 9, Flags: mmv.Sentinel, Metrics: []mmv.Metric{m, {Name: "steady", Item: 900, Type: pcp.Int32}}, Values: []mmvtest.Value{v, {Metric: 1, Inst: pcp.NullInst, Word: 3}}}
		}
	}
	broken := build(nil)
	broken[0] = 'X'
	changing := build(nil)
	changing[16]++
	list := []mmvCase{
		{"nothing", nil},
		{"version 1", map[string][]byte{"acme": build(nil)}},
		{"version 2", map[string][]byte{"acme": build(func(s *mmvtest.Spec) { s.Version = 2 })}},
		{"labels", map[string][]byte{"acme": build(func(s *mmvtest.Spec) { s.Labels = labels(321) })}},
		{"no prefix", map[string][]byte{"acme": build(func(s *mmvtest.Spec) { s.Flags = mmv.NoPrefix })}},
		{"automatic cluster", map[string][]byte{"acme": build(func(s *mmvtest.Spec) { s.Cluster = 0 })}},
		{"two automatic clusters", map[string][]byte{"acme": build(func(s *mmvtest.Spec) { s.Cluster = 0 }), "beta": build(func(s *mmvtest.Spec) { s.Cluster = 0 })}},
		{"own process", map[string][]byte{"acme": build(func(s *mmvtest.Spec) { s.Flags, s.PID = mmv.Process, int32(os.Getpid()) })}},
		{"dead process", map[string][]byte{"acme": build(func(s *mmvtest.Spec) { s.Flags, s.PID = mmv.Process, 99999999 })}},
		{"no file of its kind", map[string][]byte{"acme": broken, "beta": build(nil)}},
		{"changing", map[string][]byte{"acme": changing, "beta": build(nil)}},
		{"hidden", map[string][]byte{".acme": build(nil)}},
		{"same names", map[string][]byte{"acme": build(func(s *mmvtest.Spec) { s.Flags = mmv.NoPrefix }), "beta": build(func(s *mmvtest.Spec) { s.Flags, s.Cluster = mmv.NoPrefix, 5 })}},
		{"an item twice", map[string][]byte{"acme": build(func(s *mmvtest.Spec) { s.Metrics[3].Item = 11 })}},
		{"one cluster, other metrics", map[string][]byte{"acme": build(nil), "beta": build(func(s *mmvtest.Spec) {
			for i := range s.Metrics {
				s.Metrics[i].Item += 100
			}
			s.InDoms[0].Instances[1] = pcp.Instance{ID: 8, Name: "Eight"}
			s.Values[1].Inst, s.Values[9].Inst = 8, 8
		})}},
		{"one cluster", map[string][]byte{"acme": build(nil), "beta": build(nil)}},
		{"elapsed", map[string][]byte{"acme": build(one(mmv.Metric{Name: "busy", Item: 1, Type: mmv.Elapsed}, mmvtest.Value{Inst: pcp.NullInst, Word: 77}))}},
	}
	for i, m := range []mmv.Metric{{Type: pcp.Int32}, {Type: pcp.Uint32}, {Type: pcp.Int64}, {Type: pcp.Uint64}} {
		m.Name, m.Item = "m", 1
		list = append(list, mmvCase{fmt.Sprintf("32 bits set %d", i), map[string][]byte{"acme": build(one(m, mmvtest.Value{Inst: pcp.NullInst, Word: math.MaxUint32}))}})
		list = append(list, mmvCase{fmt.Sprintf("sentinel %d", i), map[string][]byte{"acme": build(one(m, mmvtest.Value{Inst: pcp.NullInst, Word: ^uint64(0)}))}})
	}
	list = append(list, mmvCase{"empty string", map[string][]byte{"acme": build(one(mmv.Metric{Name: "m", Item: 1, Type: pcp.String}, mmvtest.Value{Inst: pcp.NullInst}))}})
	for i, name := range []string{"1st", "a-b", "a b", "a_1.b2", "_a", "control.files", "a.7"} {
		list = append(list, mmvCase{fmt.Sprintf("name %d", i), map[string][]byte{"acme": build(one(mmv.Metric{Name: name, Item: 1, Type: pcp.Int32}, mmvtest.Value{Inst: pcp.NullInst, Word: 5}))}})
	}
	return list
}
