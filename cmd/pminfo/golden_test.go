package main

import (
	"os"
	"path/filepath"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/test/golden"
)

// run runs pminfo in this process and returns what a transcript holds of it.
func run(args []string, vars map[string]string) golden.Entry {
	return clitest.Run("pminfo", newCommand, args, vars)
}

// TestGolden runs the command lines of the transcripts and compares with what the reference
// printed.
func TestGolden(t *testing.T) {
	files, helpers := clitest.Files(t, "testdata/golden/*.txt"), clitest.Files(t, "testdata/*.conf")
	dir := t.TempDir()
	for _, h := range helpers {
		text, err := os.ReadFile(h)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(h)), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, f := range files {
		clitest.Replay(t, f, func(words []string) golden.Entry {
			clitest.Archives(t, dir, words)
			return run(words[1:], nil)
		})
	}
}
