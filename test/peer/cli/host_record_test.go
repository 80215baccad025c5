package cli

import (
	"os"
	"path/filepath"
	"testing"

	"pmtools/lib/pmcd/pmcdtest"
	_ "pmtools/test/env"
	"pmtools/test/golden"
	"pmtools/test/peer/harness"
)

// TestRecordHosts renews the transcripts of pminfo over a scripted daemon if PMTOOLS_RECORD is set;
// otherwise it checks that they are what the reference prints.
func TestRecordHosts(t *testing.T) {
	_, theirs, root := harness.Setup(t)
	files, err := filepath.Glob("../../../cmd/pminfo/testdata/hosts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	s := pmcdtest.NewServer(pmcdtest.Sample())
	defer s.Close()
	socket := filepath.Join(t.TempDir(), "s")
	if _, err := s.Listen("unix", socket); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		recordFile(t, f, func(e *golden.Entry) {
			o, err := theirs.Run(harness.Command{Args: e.Args, Env: []string{"PMCD_SOCKET=" + socket, "PMCD_PORT=1"}}, root)
			if err != nil {
				t.Fatal(err)
			}
			e.Stdout, e.Stderr, e.Status = string(o.Stdout), string(o.Stderr), o.Status
		})
	}
}

// recordFile runs the command lines of a transcript, and writes or compares what they give.
func recordFile(t *testing.T, file string, run func(e *golden.Entry)) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, es, err := golden.Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for i := range es {
		run(&es[i])
	}
	switch now := golden.Format(head, es); {
	case now == string(text):
	case os.Getenv("PMTOOLS_RECORD") != "":
		if err := os.WriteFile(file, []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the reference prints now; make record renews it", file)
	}
}
