// Package clitest helps to test commands: it runs a command inside the test process and replays
// transcripts of the reference.
package clitest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/archive/archivetest"
	"pmtools/test/env"
	"pmtools/test/golden"
)

// Run runs a command and returns its outcome as a transcript entry. vars is the environment; by
// default the zone is UTC and there are no derived metrics.
func Run[C cli.Command](prog string, newCommand func(*cli.Env) C, args []string, vars map[string]string) golden.Entry {
	return RunWith(prog, newCommand, "", args, vars)
}

// RunWith is Run with a standard input.
func RunWith[C cli.Command](prog string, newCommand func(*cli.Env) C, stdin string, args []string, vars map[string]string) golden.Entry {
	var out, errs strings.Builder
	status := RunTo(&out, &errs, prog, newCommand, stdin, args, vars)
	return golden.Entry{Stdout: out.String(), Stderr: errs.String(), Status: status}
}

// RunFull is RunWith on a full disk: whatever is written to standard output fails.
func RunFull[C cli.Command](prog string, newCommand func(*cli.Env) C, stdin string, args []string, vars map[string]string) golden.Entry {
	var errs strings.Builder
	status := RunTo(full{}, &errs, prog, newCommand, stdin, args, vars)
	return golden.Entry{Stderr: errs.String(), Status: status}
}

// A full is a file on a full disk.
type full struct{}

// Write implements io.Writer.
func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// RunTo is RunWith with the streams that the command writes to, such as a terminal. It returns the exit
// status.
func RunTo[C cli.Command](stdout, stderr io.Writer, prog string, newCommand func(*cli.Env) C, stdin string, args []string, vars map[string]string) int {
	env := &cli.Env{
		Prog: prog, Args: args, Stdin: strings.NewReader(stdin), Stdout: stdout, Stderr: stderr,
		LookupEnv: func(name string) (string, bool) {
			v, ok := map[string]string{"TZ": "UTC", "PCP_DERIVED_CONFIG": ""}[name]
			if w, set := vars[name]; set {
				v, ok = w, true
			}
			return v, ok
		},
		Open:     env.Open,
		Hostname: func() (string, error) { return "here", nil },
		Now:      func() time.Time { return time.Unix(1700000000, 0).UTC() },
	}
	return cli.Run(context.Background(), env, newCommand)
}

// Replay runs the command lines of a transcript and compares their outcomes with those of the
// reference. run takes the words of a line.
func Replay(t *testing.T, file string, run func(words []string) golden.Entry) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, es, err := golden.Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, e := range es {
		got := run(e.Args)
		got.Line, got.Args = e.Line, e.Args
		if runtime.GOARCH != "amd64" && runtime.GOARCH != "386" {
			e.Stdout, got.Stdout = unsigned(e.Stdout), unsigned(got.Stdout)
		}
		if d := cmp.Diff(e, got); d != "" {
			t.Errorf("%s: %s (-reference +ours)\n%s", filepath.Base(file), e.Line, d)
		}
	}
}

// unsigned returns output without the signs of values that are not numbers: 0/0 has one on x86,
// where the reference's output was recorded, and none elsewhere.
func unsigned(out string) string { return noNumber.ReplaceAllString(out, " nan") }

// noNumber matches a value that is not a number, and the blanks that it is right-justified with.
var noNumber = regexp.MustCompile(` *-?nan\b`)

// Files returns the absolute paths of the files that match a pattern, at least one.
func Files(t *testing.T, pattern string) []string {
	t.Helper()
	abs, err := filepath.Abs(pattern)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(abs)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return files
}

// Archives writes the project's own archives that the words of a command line name into dir, unless
// they exist.
func Archives(t *testing.T, dir string, words []string) {
	t.Helper()
	for _, word := range words {
		word, _, _ = strings.Cut(word, "/") // the archive of a metric specification
		for name := range strings.SplitSeq(word, ",") {
			if !slices.Contains(archivetest.Names(), name) {
				continue
			}
			if _, err := os.Stat(filepath.Join(dir, name+".meta")); err == nil {
				continue
			}
			if err := archivetest.Build(dir, name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Socket returns a path for a Unix socket. It is short, because some systems limit it to about 100
// bytes.
func Socket(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}
