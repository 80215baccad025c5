package agent

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/env"
)

// TestPage runs the program of docs/trace.md, and compares the metrics with the page.
func TestPage(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command here: ", err)
	}
	page, err := os.ReadFile("../../../docs/trace.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(begin string) string {
		_, text, _ := strings.Cut(string(page), "```"+begin)
		text, _, _ = strings.Cut(text, "```")
		return text
	}
	dir := t.TempDir()
	file, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "shop.exe")
	if err := os.WriteFile(file, []byte(block("go\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := env.Go("build", "-o", program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	a, _ := newAgent(t, Options{})
	host, port, err := net.SplitHostPort(serve(t, a))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "PCP_TRACE_HOST="+host, "PCP_TRACE_PORT="+port)
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	got := ""
	command, want, _ := strings.Cut(block("\n$ pminfo -f "), "\n")
	for name := range strings.FieldsSeq(command) {
		_, value, _ := strings.Cut(show(t, a, name), " ")
		number, value, _ := strings.Cut(value, ":")
		tag, value, _ := strings.Cut(value, "=")
		got += "\n" + name + "\n    inst [" + number + " or \"" + tag + "\"] value " + value + "\n"
	}
	if got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}
