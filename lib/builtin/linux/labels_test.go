package linux

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/builtin/proc"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// mergedLabels returns the instances of a domain by their names: their numbers and their labels,
// those of the domain included, separated by a tab.
func mergedLabels(t *testing.T, a *pmda.Agent, d pcp.InDom) map[string]string {
	t.Helper()
	ctx := context.Background()
	list, err := a.Instances(ctx, nil, d)
	if err != nil {
		t.Fatal(err)
	}
	common, err := a.Labels(ctx, nil, pcp.InDomLabels, uint32(d))
	if err != nil {
		t.Fatal(err)
	}
	sets, err := a.Labels(ctx, nil, pcp.InstanceLabels, uint32(d))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, in := range list {
		merged := map[string]json.RawMessage{}
		for _, set := range append(common, sets...) {
			if set.Inst == in.ID || set.Inst == pcp.NullInst {
				for _, l := range set.Labels {
					merged[l.Name] = json.RawMessage(l.Value)
				}
			}
		}
		text, err := json.Marshal(merged)
		if err != nil {
			t.Fatal(err)
		}
		out[in.Name] = fmt.Sprintf("%d\t%s", in.ID, text)
	}
	return out
}

// TestLabels compares instances and labels with those of the reference. Some domains have the order
// of a directory, which is any.
func TestLabels(t *testing.T) {
	text, err := os.ReadFile("testdata/labels.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := procfstest.Tree(t)
	linux, processes := newCollector(procfstest.Options(dir)).agent(), proc.New(&proc.Options{Root: dir})
	labels := map[string]map[string]string{"3.9": mergedLabels(t, processes, pcp.NewInDom(3, 9))}
	for i := range uint32(100) {
		d := pcp.NewInDom(Domain, i)
		if _, err := linux.Instances(context.Background(), nil, d); err == nil {
			labels[d.String()] = mergedLabels(t, linux, d)
		}
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if line[0] == '#' {
			continue
		}
		n++
		id, got, _ := strings.Cut(labels[f[0]][f[2]], "\t")
		if unordered := f[0] == "60.17" || f[0] == "60.43"; id != f[1] && !unordered || got != f[3] {
			t.Errorf("%s %s: got %s %s, want %s %s", f[0], f[2], id, got, f[1], f[3])
		}
	}
	if n < 300 {
		t.Errorf("only %d lines", n)
	}
}

func TestMetricLabels(t *testing.T) {
	a := newCollector(procfstest.Options(t.TempDir())).agent()
	for _, c := range []struct {
		id   pcp.ID
		want string
	}{
		{pcp.NewID(Domain, 0, 20), `"cpu"`},
		{pcp.NewID(Domain, 0, 62), `["numa_node","cpu"]`},
		{pcp.NewID(Domain, 0, 0), ""},
		{pcp.NewID(Domain, 1, 0), ""},
	} {
		sets, err := a.Labels(context.Background(), nil, pcp.ItemLabels, uint32(c.id))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range sets {
			for _, l := range s.Labels {
				got += string(l.Value)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.id, got, c.want)
		}
	}
}
