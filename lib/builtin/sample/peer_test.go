package sample

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/pmda"
)

// sampleAgent is where the reference's agent is in its root.
const sampleAgent = "/var/lib/pcp/pmdas/sample/pmdasample"

// theirSample starts the reference's agent.
func theirSample(t *testing.T, root string) *talker {
	t.Helper()
	cmd := exec.Command("chroot", root, sampleAgent, "-d", "29", "-l", "/tmp/pmdasample.log")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // package env has variables for our own programs
	w, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		w.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	k, err := open(w, r)
	if err != nil {
		t.Skipf("the agent does not start: %v", err)
	}
	return k
}

// mostDiffering is how many differences of a dialogue are shown.
const mostDiffering = 40

// TestBuiltinSample holds the same dialogues with the sample collector and with the reference's
// agent, each time both of them fresh. With PMTOOLS_RECORD it writes what the reference answers
// into that directory, for lib/builtin/sample/testdata.
func TestBuiltinSample(t *testing.T) {
	root := os.Getenv("PMTOOLS_PEER")
	if root == "" {
		t.Skip("PMTOOLS_PEER does not name a root of the reference (make peer sets it): no differential run")
	}
	if _, err := os.Lstat(root + sampleAgent); err != nil {
		t.Skip(err)
	}
	asked := 0
	for _, d := range dialogues() {
		t.Run(d.name, func(t *testing.T) {
			ours, theirs := talkToSample(t, nil, pmda.Server{Attrs: true}), theirSample(t, root)
			var record strings.Builder
			record.WriteString("# What the agent pmdasample -d 29 of PCP 7.2.2 answers: PMTOOLS_RECORD=DIR go test -run TestBuiltinSample ./lib/builtin/sample\n")
			differ := 0
			for line := range d.requests() {
				asked++
				got, err := ours.do(line)
				if err != nil {
					t.Fatalf("%s: ours: %v", line, err)
				}
				want, err := theirs.do(line)
				if err != nil {
					t.Fatalf("%s: theirs: %v", line, err)
				}
				record.WriteString(line + "\n\t" + want + "\n")
				if got == want {
					continue
				}
				if differ++; differ > mostDiffering {
					t.FailNow()
				}
				t.Errorf("%s\n ours   %s\n theirs %s", line, onlyColumns(got, want), onlyColumns(want, got))
			}
			if dir := os.Getenv("PMTOOLS_RECORD"); dir != "" {
				name := filepath.Join(dir, strings.ReplaceAll(d.name, " ", "_")+".txt")
				if err := os.WriteFile(name, []byte(record.String()), 0o666); err != nil {
					t.Error(err)
				}
			}
		})
	}
	t.Logf("%d requests", asked)
}

// onlyColumns returns the columns of a that are not in b.
func onlyColumns(a, b string) string {
	columns := strings.Split(a, " | ")
	other := strings.Split(b, " | ")
	return strings.Join(slices.DeleteFunc(columns, func(c string) bool { return slices.Contains(other, c) }), " | ")
}
