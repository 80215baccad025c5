package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAgentGuideSessions runs the sessions of docs/writing-an-agent.md, where the programs that it
// builds are, and a spool directory called queues.
func TestAgentGuideSessions(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no shell here")
	}
	guide, err := os.ReadFile("../docs/writing-an-agent.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, built := range map[string]string{"pmdahello": "hello", "pmdaspool": "spool", "bin": "."} {
		if err := os.Symlink(command(t, built), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"queues/cron/a", "queues/mail/b", "queues/mail/c"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("12345"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	address := regexp.MustCompile(`dump from 0x[0-9a-f]+`)
	for _, block := range regexp.MustCompile("(?ms)^```console\n(.*?)^```\n").FindAllStringSubmatch(string(guide), -1) {
		for part := range strings.SplitSeq(strings.TrimPrefix(block[1], "$ "), "\n$ ") {
			lines := strings.SplitAfter(strings.TrimSuffix(part, "\n")+"\n", "\n")
			n := 1
			for ; strings.HasPrefix(lines[n], "> "); n++ {
				lines[n] = lines[n][2:]
			}
			cmd := exec.Command("sh", "-c", strings.Join(lines[:n], ""))
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
			out, _ := cmd.CombinedOutput() // pmstore fails
			got := address.ReplaceAllString(strings.Trim(string(out), "\n"), "dump")
			want := address.ReplaceAllString(strings.Trim(strings.Join(lines[n:], ""), "\n"), "dump")
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s(-guide +now)\n%s", strings.Join(lines[:n], ""), d)
			}
			ran++
		}
	}
	if ran < 6 {
		t.Errorf("%d commands", ran)
	}
}
