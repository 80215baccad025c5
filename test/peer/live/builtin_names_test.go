package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/builtin"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/test/peer/harness"
)

// metadata returns names, descriptions, fixed instances and labels below a node as text, a line
// each.
func metadata(t *testing.T, src pmapi.Source, root string) (lines []string) {
	t.Helper()
	ctx := context.Background()
	var names []string
	var ids []pcp.ID
	if err := src.Walk(ctx, root, true, func(name string, id pcp.ID) bool {
		names, ids = append(names, name), append(ids, id)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	descs, err := src.Describe(ctx, ids)
	if err != nil {
		t.Fatal(err)
	}
	labels := func(kind pcp.LabelKind, ident uint32) string {
		sets, err := pmapi.LabelsOf(ctx, src, kind, ident)
		if err != nil {
			return err.Error()
		}
		var b []byte
		for _, s := range sets {
			b = append(fmt.Appendf(b, " %d", s.Inst), pcp.AppendLabels(nil, s.Labels)...)
			for _, l := range s.Labels {
				b = fmt.Appendf(b, " %#x", l.Flags)
			}
		}
		return string(b)
	}
	for i, name := range names {
		d := descs[i]
		line := fmt.Sprintf("%s %v %+v %v%s%s", name, ids[i], d.Value, d.Err, labels(pcp.ClusterLabels, uint32(ids[i])), labels(pcp.ItemLabels, uint32(ids[i])))
		if dom := d.Value.InDom; d.Err == nil && dom != pcp.NullInDom && dom.Domain() != 2 && !slices.Contains(moving, dom) {
			list, err := pmapi.InstancesOf(ctx, src, dom, pmapi.Now())
			line += fmt.Sprint(list, err, labels(pcp.InDomLabels, uint32(dom)), labels(pcp.InstanceLabels, uint32(dom)))
		}
		lines = append(lines, line)
	}
	for inner := range inners(names) {
		children, err := src.Children(ctx, inner)
		lines = append(lines, fmt.Sprint("below ", inner, children, err))
		r, err := src.Lookup(ctx, []string{inner})
		if err != nil {
			t.Fatal(err)
		}
		if root != "mmv" { // the reference's agent does not know inner nodes
			lines = append(lines, fmt.Sprint(inner, " is ", r[0]))
		}
	}
	return lines
}

// moving are instance domains whose instances depend on earlier requests, or on files.
var moving = []pcp.InDom{pcp.NewInDom(29, 3), pcp.NewInDom(29, 6), pcp.NewInDom(29, 9), pcp.NewInDom(29, 12), pcp.NewInDom(253, 1)}

// inners returns the nodes above names.
func inners(names []string) map[string]bool {
	nodes := map[string]bool{}
	for _, n := range names {
		for i, c := range n {
			if c == '.' {
				nodes[n[:i]] = true
			}
		}
	}
	return nodes
}

// firstDifference returns which metric is another one, or -1.
func firstDifference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		switch {
		case i < len(a) && i < len(b) && strings.HasPrefix(a[i], "below ") && strings.HasPrefix(b[i], "below "):
			return -1
		case i >= len(a) || i >= len(b) || strings.Fields(a[i])[0] != strings.Fields(b[i])[0]:
			return i
		}
	}
	return -1
}

// TestBuiltinMetadata compares the metadata of the demonstration collectors, and the names of
// pmcd's metrics, with those of the reference's daemon.
func TestBuiltinMetadata(t *testing.T) {
	harness.Live(t)
	root := os.Getenv("PMTOOLS_PEER")
	theirs, err := pmapi.OpenHost(context.Background(), "unix:"+filepath.Join(root, "run/pcp/peer.socket"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	ours := builtin.Default(&builtin.Options{Root: root})
	defer ours.Close()
	for _, node := range []string{"sample", "simple", "trivial", "mmv"} {
		got, want := metadata(t, ours, node), metadata(t, theirs, node)
		t.Logf("%s: %d lines", node, len(want))
		if i := firstDifference(got, want); i >= 0 {
			t.Errorf("%s: other names, or another order, from number %d on", node, i)
		}
		for _, line := range want {
			if !slices.Contains(got, line) {
				t.Errorf("missing %s", line)
			}
		}
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("ours    %s", line)
			}
		}
	}
	want := map[string]string{}
	for _, line := range metadata(t, theirs, "pmcd") {
		name, _, _ := strings.Cut(line, " ")
		want[name] = line
	}
	order := -1
	for _, line := range metadata(t, ours, "pmcd") {
		name, _, _ := strings.Cut(line, " ")
		if want[name] != line && name != "below" && !strings.Contains(line, " is ") {
			t.Errorf("ours %s\ntheirs %s", line, want[name])
		}
		order++
	}
	t.Logf("pmcd: %d lines", order)
	// Context labels are those of a client on the same machine.
	our, err := pmapi.LabelsOf(context.Background(), ours, pcp.ContextLabels, 0)
	if err != nil {
		t.Fatal(err)
	}
	their, err := pmapi.LabelsOf(context.Background(), theirs, pcp.ContextLabels, 0)
	if err != nil || fmt.Sprint(our) != fmt.Sprint(their) {
		t.Errorf("context labels %v, theirs %v, error %v", our, their, err)
	}
}
