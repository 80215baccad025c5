package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/archive/archivetest"
	"pmtools/test/golden"
)

// run runs pmval in this process and returns what a transcript holds of it.
func run(args []string, vars map[string]string) golden.Entry {
	var out, errs strings.Builder
	env := &cli.Env{
		Prog: "pmval", Args: args, Stdout: &out, Stderr: &errs,
		LookupEnv: func(name string) (string, bool) {
			v, ok := map[string]string{"TZ": "UTC", "PCP_DERIVED_CONFIG": ""}[name]
			if w, set := vars[name]; set {
				v, ok = w, true
			}
			return v, ok
		},
		Open:     func(name string) (io.ReadCloser, error) { return os.Open(name) },
		Hostname: func() (string, error) { return "here", nil },
		Now:      func() time.Time { return time.Unix(1700000000, 0).UTC() },
	}
	status := cli.Run(context.Background(), env, newCommand)
	return golden.Entry{Stdout: out.String(), Stderr: errs.String(), Status: status}
}

// TestGolden runs the command lines of the transcripts and compares with what the
// reference printed.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	var texts []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for i, text := range texts {
		_, es, err := golden.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", files[i], err)
		}
		for _, e := range es {
			build(t, dir, e.Args)
			got := run(e.Args[1:], nil)
			got.Line, got.Args = e.Line, e.Args
			if d := cmp.Diff(e, got); d != "" {
				t.Errorf("%s: %s (-reference +ours)\n%s", filepath.Base(files[i]), e.Line, d)
			}
		}
	}
}

// build writes the project's own archives that a command line names into dir,
// unless they are there.
func build(t *testing.T, dir string, args []string) {
	t.Helper()
	for _, a := range args {
		if i := strings.IndexByte(a, '/'); i > 0 {
			a = a[:i] // the archive of a metric specification
		}
		for name := range strings.SplitSeq(a, ",") {
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
