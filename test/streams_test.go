package test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// toTerminal matches what writes to the streams of the process, past the filter for terminals.
var toTerminal = regexp.MustCompile(`\bos\.(Stdout|Stderr)\b|\bfmt\.Print(f|ln)?\(|\bsyscall\.(Stdout|Stderr)\b`)

// mayWrite has the files that use the streams of the process.
var mayWrite = []string{
	"cmd/internal/cli/env.go", "cmd/internal/cli/stream.go", // the filter, and what stands below it
	"lib/option/parser.go",                               // a default, for programs of others
	"lib/doc.go",                                         // in a comment
	"lib/pmda/main.go", "lib/pmda/helptext/help/main.go", // programs of their own: agents and their tools
}

// mayRun has the files or packages that start programs, and who names these. No file or name from outside does.
var mayRun = map[string]string{
	"cmd/internal/cli/messages.go":  "PCP_XCONFIRM_PROG of pcp.conf or the environment",
	"cmd/internal/cli/stream.go":    "nobody: it gives programs the terminal",
	"cmd/internal/source/local.go":  "-K add,DOMAIN,PROGRAM on the command line",
	"cmd/internal/pager":            "PAGER, or less",
	"cmd/pmderive/shell.go":         "the person at the prompt: :!COMMAND",
	"cmd/internal/duckdb/duckdb.go": "the program: duckdb, for --run",
	"cmd/pmval/control.go":          "nobody: it asks for an error",
	"lib/builtin/linux":             "nobody: it starts its own program again",
	"internal/dbpmda":               "the command open of the dialogue",
	"lib/pmda/pmdatest":             "a test of an agent",
	"lib/pmda/remote":               "the caller",
	"lib/record":                    "the caller",
	"internal/timecontrol":          "the program: pmtime, for pmval -g",
}

// TestStreams: whoever writes to a terminal, or starts a program, is in a table.
func TestStreams(t *testing.T) {
	for _, dir := range []string{"cmd", "derive", "internal", "lib"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(at string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if !strings.HasSuffix(at, ".go") || strings.HasSuffix(at, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(at)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(strings.TrimPrefix(at, ".."+string(filepath.Separator)))
			for n, line := range strings.Split(string(text), "\n") {
				line, _, _ = strings.Cut(line, "//")
				if toTerminal.MatchString(line) && !slices.Contains(mayWrite, name) {
					t.Errorf("%s:%d: %q uses a stream of the process; env.Out, env.Stderr, cli.Attach and Progress are for that", name, n+1, strings.TrimSpace(line))
				}
			}
			runs := strings.Contains(string(text), `"os/exec"`) && strings.Contains(string(text), "exec.") || strings.Contains(string(text), "os.StartProcess") || strings.Contains(string(text), ".Exec(")
			_, file := mayRun[name]
			_, pkg := mayRun[path.Dir(name)]
			if runs && !file && !pkg || file && !runs {
				t.Errorf("%s: starts programs: %v, in the table: %v", name, runs, file || pkg)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
