package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/clitest"
	"pmtools/cmd/internal/repl"
	"pmtools/lib/archive/archivetest"
	"pmtools/test/env"
)

// runIn runs the command in this process and returns what it writes: to standard error, then to
// standard output.
func runIn(stdin string, args ...string) string {
	e := clitest.RunWith("pmderive", newCommand, stdin, args, nil)
	return e.Stderr + e.Stdout
}

// TestDocs runs the sessions in the documentation and compares what comes out.
func TestDocs(t *testing.T) {
	for _, name := range []string{"docs/pmderive.md", "docs/definitions.md", "docs/recordings.md", "docs/find.md", "docs/reports.md", "docs/testing-definitions.md", "docs/scale.md", "docs/sql.md", "docs/tutorial.md", "README.md"} {
		t.Run(name, func(t *testing.T) {
			file, err := filepath.Abs("../../" + name)
			if err != nil {
				t.Fatal(err)
			}
			replayFile(t, file)
		})
	}
}

// replayFile runs the sessions of one file.
func replayFile(t *testing.T, file string) {
	all, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(all)
	dir := t.TempDir()
	if err := archivetest.Build(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	if err := archivetest.BuildDemo(dir, "spare", 150*time.Second); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("../../docs/examples")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	fence := regexp.MustCompile("(?s)```console\n(\\$ (?:cat |[^\n]*pmderive ).*?)```\n")
	got := fence.ReplaceAllStringFunc(text, func(block string) string {
		var b strings.Builder
		for i, part := range strings.Split("\n"+fence.FindStringSubmatch(block)[1], "\n$ ") {
			if i > 0 {
				b.WriteString(replay(t, strings.Split("$ "+part, "\n")))
			}
		}
		return "```console\n" + b.String() + "```\n"
	})
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(strings.Split(text, "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("-docs +now\n%s", d)
	}
}

// replay runs the command of a block, and the items that are typed at its prompt.
func replay(t *testing.T, block []string) string {
	var b strings.Builder
	command := strings.TrimPrefix(block[0], "$ ")
	b.WriteString(block[0] + "\n")
	if name, ok := strings.CutPrefix(command, "cat "); ok {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b.String() + string(text)
	}
	stdin := ""
	if echo, rest, ok := strings.Cut(command, " | "); ok {
		stdin, command = strings.Trim(strings.TrimPrefix(echo, "echo "), "'")+"\n", rest
	}
	var args []string
	for i, part := range strings.Split(command, "'") { // arguments in quotes
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	args = args[1:]
	prompt := regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d> `)
	var items []string
	for _, line := range block[1:] {
		if p := prompt.FindString(line); p != "" {
			items = append(items, line)
		}
	}
	if items == nil {
		b.WriteString(runIn(stdin, args...))
		return b.String()
	}
	b.WriteString(typed(t, items, prompt, args))
	return b.String()
}

// typed returns what the prompt shows when items are typed.
func typed(t *testing.T, items []string, prompt *regexp.Regexp, args []string) string {
	t.Helper()
	var out bytes.Buffer
	env := &cli.Env{
		Stdout: &out, Stderr: &out, Now: time.Now,
		LookupEnv: func(name string) (string, bool) {
			v, ok := map[string]string{"TZ": "UTC", "PCP_DERIVED_CONFIG": ""}[name]
			return v, ok
		},
		Open: env.Open,
	}
	env.Out = bufio.NewWriter(&out)
	a := newCommand(env)
	if err := a.newRoot().PersistentFlags().Parse(args); err != nil {
		t.Fatal(err)
	}
	s, err := a.session(context.Background(), repl.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b strings.Builder
	a.item(context.Background(), s, ":source")
	b.Write(out.Bytes())
	for _, line := range items {
		item := strings.TrimPrefix(line, prompt.FindString(line))
		b.WriteString(s.Prompt() + item + "\n")
		out.Reset()
		a.item(context.Background(), s, item)
		b.Write(out.Bytes())
	}
	return b.String()
}
