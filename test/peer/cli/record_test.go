package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/golden"
	"pmtools/test/peer/harness"
)

// transcripts are the files that hold what the reference printed.
const transcripts = "../../../cmd/*/testdata/golden/*.txt"

// TestRecord renews the transcripts from the reference, if PMTOOLS_RECORD is set; otherwise it
// checks that they are what the reference prints.
func TestRecord(t *testing.T) {
	_, theirs, root := harness.Setup(t)
	files, err := filepath.Glob(transcripts)
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	own := harness.Own(t, "all")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		head, es, err := golden.Parse(string(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if !strings.HasPrefix(head, "# ") {
			t.Errorf("%s does not say what was recorded", f)
		}
		dir := filepath.Join(filepath.Dir(f), "..") // files that the command lines name
		for i := range es {
			o, err := theirs.Run(harness.Command{Args: harness.Beside(es[i].Args, own, dir), Dir: own}, root)
			if err != nil {
				t.Fatal(err)
			}
			es[i].Stdout, es[i].Stderr, es[i].Status = string(o.Stdout), string(o.Stderr), o.Status
		}
		switch now := golden.Format(head, es); {
		case now == string(text):
		case os.Getenv("PMTOOLS_RECORD") != "":
			if err := os.WriteFile(f, []byte(now), 0o666); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is not what the reference prints now; make record renews it", f)
		}
	}
}
