package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/golden"
)

// daemon starts a scripted daemon and returns the environment that names it.
func daemon(t *testing.T) map[string]string {
	t.Helper()
	s := pmcdtest.NewServer(pmcdtest.Sample())
	t.Cleanup(func() { s.Close() })
	socket := clitest.Socket(t)
	if _, err := s.Listen("unix", socket); err != nil {
		t.Skip("no Unix sockets here: ", err)
	}
	return map[string]string{"PMCD_SOCKET": socket, "PMCD_PORT": "1"}
}

// TestHosts runs the command lines of the transcripts over a scripted daemon, and compares with
// what the reference printed.
func TestHosts(t *testing.T) {
	vars := daemon(t)
	for _, f := range clitest.Files(t, "testdata/hosts/*.txt") {
		clitest.Replay(t, f, func(words []string) golden.Entry { return run(words[1:], vars) })
	}
}

// TestBatch has a metric without a description among others: in a batch each of them keeps its own,
// which the reference gets wrong.
func TestBatch(t *testing.T) {
	vars := daemon(t)
	alone := run([]string{"-b", "1", "-d", "sample"}, vars)
	batch := run([]string{"-d", "sample"}, vars)
	const missing = "sample.nodesc: pmLookupDesc: Try again. Information not currently available\n"
	if n := strings.Count(alone.Stdout, missing); n != 1 || !strings.HasPrefix(batch.Stdout, missing) {
		t.Fatalf("%q in %q, and first in %q", missing, alone.Stdout, batch.Stdout)
	}
	if got, want := strings.Replace(batch.Stdout, missing, "", 1), strings.Replace(alone.Stdout, missing, "", 1); got != want {
		t.Errorf("in a batch %s", cmp.Diff(want, got))
	}
}
