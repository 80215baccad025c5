package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/golden"
	"pmtools/test/peer/harness"
)

// scripted starts a scripted daemon and returns what it serves, and what leads a command to it.
func scripted(t *testing.T) (w *pmcdtest.World, env []string) {
	t.Helper()
	w = pmcdtest.Faulty()
	s, socket := pmcdtest.NewServer(w), filepath.Join(t.TempDir(), "s")
	if _, err := s.Listen("unix", socket); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return w, []string{"PMCD_SOCKET=" + socket}
}

// TestStoreScripted compares stores to a daemon that does what the test wants: types, instances and
// failures that no agent has. The requests of the two sides are the same to the byte.
func TestStoreScripted(t *testing.T) {
	s := harness.NewStand(t)
	var ours, theirs *pmcdtest.World
	ours, s.OursEnv = scripted(t)
	theirs, s.TheirsEnv = scripted(t)
	for _, m := range ours.Metrics {
		for _, line := range []string{"", "-f", "-F", "-fF", "-i one", "-F -i two,one", "-Ff -i 100", "-f -i two"} {
			for _, value := range []string{"5", "abc"} {
				s.Compare(harness.Command{Args: append(append([]string{"pmstore"}, strings.Fields(line)...), m.Name, value)})
			}
		}
	}
	o, r := ours.Stored(), theirs.Stored()
	if len(o) != len(r) {
		t.Errorf("%d stores, theirs %d", len(o), len(r))
	}
	for i := range min(len(o), len(r)) {
		if o[i] != r[i] && !madeUp(r[i]) {
			t.Errorf("store %d: ours %q, theirs %q", i, o[i], r[i])
		}
	}
	s.Report(t)
}

// madeUp reports whether a store is one where the reference's instance is what happens to be in
// memory: to a string without values.
func madeUp(request string) bool {
	name, _, _ := strings.Cut(request, " ")
	return strings.HasSuffix(name, ".string") && (strings.HasPrefix(name, "none.") || strings.HasPrefix(name, "late."))
}

// TestRecordStore renews the transcripts of stores to a scripted daemon if PMTOOLS_RECORD is set;
// otherwise it checks that they are what the reference prints. Each transcript has a daemon of its
// own.
func TestRecordStore(t *testing.T) {
	_, theirs, root := harness.Setup(t)
	files, err := filepath.Glob("../../../cmd/pmstore/testdata/scripted/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, f := range files {
		_, env := scripted(t)
		recordFile(t, f, func(e *golden.Entry) {
			o, err := theirs.Run(harness.Command{Args: e.Args, Env: env}, root)
			if err != nil {
				t.Fatal(err)
			}
			e.Stdout, e.Stderr, e.Status = string(o.Stdout), string(o.Stderr), o.Status
		})
	}
}
