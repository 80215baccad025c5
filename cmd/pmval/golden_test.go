package main

import (
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/test/golden"
)

// run runs pmval in this process and returns its streams and exit status.
func run(args []string, vars map[string]string) golden.Entry {
	return clitest.Run("pmval", newCommand, args, vars)
}

// TestGolden runs the command lines of the transcripts and compares with what the reference
// printed.
func TestGolden(t *testing.T) {
	files, dir := clitest.Files(t, "testdata/golden/*.txt"), t.TempDir()
	t.Chdir(dir)
	for _, f := range files {
		clitest.Replay(t, f, func(words []string) golden.Entry {
			clitest.Archives(t, dir, words)
			return run(words[1:], nil)
		})
	}
}
