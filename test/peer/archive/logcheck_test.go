package archive

import (
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// TestLogcheck runs the reference's pmlogcheck and pmlogdump over every archive that our writer
// makes. They must find nothing, except in the archives that are made with a fault.
func TestLogcheck(t *testing.T) {
	_, theirs, root := harness.Setup(t)
	faulty := map[string]string{"noindex": "index", "truncated": "EOF"}
	dir := harness.Own(t, "all", "wide=500", "big=20")
	metas, err := filepath.Glob(filepath.Join(dir, "*.meta"))
	if err != nil || len(metas) == 0 {
		t.Fatal("no archives", err)
	}
	for _, m := range metas {
		name := strings.TrimSuffix(filepath.Base(m), ".meta")
		o, err := theirs.Run(harness.Command{Args: []string{"pmlogcheck", "-w", name}, Dir: dir}, root)
		if err != nil {
			t.Fatal(err)
		}
		said := string(o.Stdout) + string(o.Stderr)
		switch word := faulty[strings.TrimSuffix(name, "_v2")]; {
		case word != "" && !strings.Contains(said, word):
			t.Errorf("pmlogcheck says nothing of the fault in %s: %q", name, said)
		case word == "" && (said != "" || o.Status != 0):
			t.Errorf("pmlogcheck %s: status %d\n%s", name, o.Status, said)
		}
		o, err = theirs.Run(harness.Command{Args: []string{"pmlogdump", "-a", name}, Dir: dir}, root)
		if err != nil {
			t.Fatal(err)
		}
		if faulty[strings.TrimSuffix(name, "_v2")] == "" && (o.Status != 0 || len(o.Stderr) > 0) {
			t.Errorf("pmlogdump %s: status %d\n%s", name, o.Status, o.Stderr)
		}
	}
	t.Logf("%d archives", len(metas))
}
