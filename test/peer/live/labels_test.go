package live

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/test/peer/harness"
)

// TestLookupLabels compares the label sets of metrics of a daemon (each seventh, or all with PMTOOLS_RUNS=all) and of
// an archive with those of pmLookupLabels(3).
func TestLookupLabels(t *testing.T) {
	_, _, root := harness.Setup(t)
	env := harness.Live(t)
	program := harness.Compile(t, root, "testdata/labels.c", "-lpcp")
	for _, tt := range []struct {
		kind, source string
		open         func(context.Context) (pmapi.Source, error)
	}{
		{"1", "127.0.0.1", func(ctx context.Context) (pmapi.Source, error) { return pmapi.OpenHost(ctx, "127.0.0.1:45399", nil) }},
		{"2", filepath.Join(root, "var/lib/pcp/testsuite/archives/sample-labels"), func(ctx context.Context) (pmapi.Source, error) {
			return pmapi.OpenArchive(ctx, filepath.Join(root, "var/lib/pcp/testsuite/archives/sample-labels"), nil)
		}},
	} {
		src, err := tt.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		n, step := 0, 7
		if tt.kind == "2" || os.Getenv("PMTOOLS_RUNS") == "all" {
			step = 1
		}
		ids := []pcp.ID{pcp.NullID, pcp.NewID(29, 4095, 1023), pcp.NewID(510, 1, 1), pcp.NewID(511, 1, 1)}
		if err := src.Walk(t.Context(), "", true, func(_ string, id pcp.ID) bool {
			if n++; n%step == 0 {
				ids = append(ids, id)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		var script, ours strings.Builder
		for _, id := range ids {
			fmt.Fprintln(&script, uint32(id))
			sets, err := pmapi.LookupLabels(t.Context(), src, id)
			fmt.Fprint(&ours, uint32(id))
			if err != nil {
				fmt.Fprintf(&ours, " %d", int32(pmerr.Of(err)))
			}
			for _, s := range sets {
				fmt.Fprintf(&ours, " %d %s", s.Inst, pcp.AppendLabels(nil, s.Labels))
			}
			fmt.Fprintln(&ours)
		}
		cmd := exec.Command(program[0], append(program[1:], tt.kind, tt.source)...)
		cmd.Env = append([]string{"PCP_DERIVED_CONFIG=", "PCP_CONF=" + root + "/etc/pcp.conf"}, env...)
		cmd.Stdin = strings.NewReader(script.String())
		theirs, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", tt.source, err)
		}
		a, b := strings.Split(ours.String(), "\n"), strings.Split(string(theirs), "\n")
		bad := 0
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				if bad++; bad < 10 {
					t.Errorf("%s: %q, want %q", tt.source, a[i], b[min(i, len(b)-1)])
				}
			}
		}
		t.Logf("%s: the label sets of %d metrics are compared, %d differ", tt.source, len(ids), bad)
	}
}
