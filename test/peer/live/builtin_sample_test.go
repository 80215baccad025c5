package live

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/builtin/sample"
	"pmtools/lib/builtin/sample/sampletest"
	"pmtools/lib/pmda"
)

// sampleAgent is where the reference's agent is in its root.
const sampleAgent = "/var/lib/pcp/pmdas/sample/pmdasample"

// ourSample starts the sample collector as an agent.
func ourSample(t *testing.T) *sampletest.Talker {
	t.Helper()
	p, err := sample.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	daemon, agent := net.Pipe()
	t.Cleanup(func() { daemon.Close() })
	go func() {
		s := pmda.Server{Provider: p, Attrs: true}
		_ = s.Serve(context.Background(), agent)
	}()
	k, err := sampletest.Open(daemon, daemon)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// theirSample starts the reference's agent.
func theirSample(t *testing.T, root string) *sampletest.Talker {
	t.Helper()
	cmd := exec.Command("chroot", root, sampleAgent, "-d", "29", "-l", "/tmp/pmdasample.log")
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
	k, err := sampletest.Open(w, r)
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
	for _, d := range sampletest.Dialogues() {
		t.Run(d.Name, func(t *testing.T) {
			ours, theirs := ourSample(t), theirSample(t, root)
			var record strings.Builder
			record.WriteString("# What the agent pmdasample -d 29 of PCP 7.2.2 answers: PMTOOLS_RECORD=DIR go test -run TestBuiltinSample ./test/peer/live\n")
			differ := 0
			for line := range d.Requests() {
				asked++
				got, err := ours.Do(line)
				if err != nil {
					t.Fatalf("%s: ours: %v", line, err)
				}
				want, err := theirs.Do(line)
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
				name := filepath.Join(dir, strings.ReplaceAll(d.Name, " ", "_")+".txt")
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
