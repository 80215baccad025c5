package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/repl"
	"pmtools/lib/archive/archivetest"
)

// unrunnable matches examples that need a database, an editor, an agent, a daemon or a shell.
var unrunnable = regexp.MustCompile(` push |^push | lsp$|^agent |\$\(|(^| )-h `)

// runExamples runs the command lines of a text in a directory with the archive demo and the files of
// docs/examples, and returns how many there were.
func runExamples(t *testing.T, text string) (ran int) {
	t.Helper()
	dir := t.TempDir()
	if err := archivetest.Build(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("../../docs/examples")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "pmderive")
		if command = strings.TrimSpace(command); !ok || unrunnable.MatchString(command) {
			continue
		}
		ran++
		out := runIn("", words(command)...)
		if strings.Contains(out, "pmderive: ") {
			t.Errorf("pmderive %s: %s", command, out)
		}
	}
	return ran
}

// words splits a command line at blanks outside of single quotes.
func words(line string) (args []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}

// TestGroups: help lists all verbs of both doors.
func TestGroups(t *testing.T) {
	shell, prompt := runIn("", "help"), runIn("", ":help")
	verbs := newCommand(&cli.Env{}).verbs()
	for door, text := range map[repl.Door]string{repl.Shell: shell, repl.Prompt: strings.ReplaceAll(prompt, "  :", "  ")} {
		for _, v := range repl.At(door, verbs) {
			if !regexp.MustCompile(`(?m)^  ` + v.Name + ` +\S`).MatchString(text) {
				t.Errorf("%s is not in the list of door %d", v.Name, door)
			}
		}
	}
}

// TestExamples: the help of each command begins with examples, which run, and the manual page has them.
func TestExamples(t *testing.T) {
	root := newCommand(&cli.Env{LookupEnv: func(string) (string, bool) { return "", false }}).newRoot()
	for _, c := range append(root.Commands(), root) {
		text := repl.Examples(c.Name())
		if n := strings.Count(text, "\n  pmderive") + strings.Count(text, "\n  eval "); n < 2 || n > 4 {
			t.Errorf("%s has %d examples, want 2 to 4", c.Name(), n)
		}
	}
	if n := runExamples(t, exampleText(t)); n < 25 {
		t.Errorf("%d examples ran", n)
	}
}

// exampleText returns the examples of all commands.
func exampleText(t *testing.T) string {
	text, err := os.ReadFile("../internal/repl/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestJoinValues: a word after --plot or --units is its value if it can be one.
func TestJoinValues(t *testing.T) {
	for line, want := range map[string]string{
		"eval --plot x.svg m":         "eval --plot=x.svg m",
		"eval --plot x.png":           "eval --plot=x.png",
		"eval --plot m":               "eval --plot m",
		"eval m --plot":               "eval m --plot",
		"eval --plot --units m":       "eval --plot --units m",
		"eval --units MB m":           "eval --units=MB m",
		"eval --units Mbyte/s m":      "eval --units=Mbyte/s m",
		"eval --units disk.dev.total": "eval --units disk.dev.total",
		"eval --units=Mbyte/s sec":    "eval --units=Mbyte/s sec",
		"eval --units -o csv m":       "eval --units -o csv m",
		"eval --units 3 m":            "eval --units 3 m",
		"eval -- --plot x.svg":        "eval -- --plot x.svg",
	} {
		if got := strings.Join(joinValues(strings.Fields(line)), " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestProposeUnits: units are proposed after --units with and without a blank, and names that no units
// begin with.
func TestProposeUnits(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.Build(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for line, want := range map[string]string{
		"eval disk.dev.total_bytes --units=Mb":      "names\n--units=Mbit/sec\n--units=Mbyte/sec\n",
		"eval disk.dev.total_bytes --units Mb":      "names\nMbit/sec\nMbyte/sec\n",
		"eval disk.dev.total_bytes --units Mbyte/s": "space\nMbyte/sec\n",
		"eval --units mem.p":                        "names\nmem.physmem\n",
		"eval disk.dev.total_bytes -i sda --unit":   "space\n--units\tconvert values of this dimension to UNITS",
	} {
		if out := runIn("", "__propose", "zsh", "pmderive -a demo "+line); !strings.HasPrefix(out, want) {
			t.Errorf("%s: %q, want %q", line, out, want)
		}
	}
}

// TestProposeOperands: the shell proposes names of files itself; the values of an option are those of its verb.
func TestProposeOperands(t *testing.T) {
	for line, want := range map[string]string{
		"check di": "files\n", "compact di": "files\n", "expire di": "files\n", "completion ba": "names\nbash\n", "lsp x": "names\n",
		"export --partition n": "space\nnone\n", "sql --dialect cl": "space\nclickhouse\n",
	} {
		if out := runIn("", "__propose", "zsh", "pmderive "+line); out != want {
			t.Errorf("%s: %q, want %q", line, out, want)
		}
	}
}

// TestHelp: words that there is help about, and words that there is none about.
func TestHelp(t *testing.T) {
	for args, want := range map[string]string{
		"help":               "Examples:\n  # a prompt",
		"help eval":          "Evaluate expressions, once or over time\n\nExamples:\n  # how busy",
		"eval --help":        "Evaluate expressions, once or over time\n\nExamples:\n  # how busy",
		"help language":      "  grammar      how expressions are written\n",
		"help sources":       "-a demo ",
		"help time":          "-S TIME ",
		"help output":        "--plot FILE.svg",
		"help files":         "A file has a definition on each line",
		"help rescale":       "rescale(",
		"help evl":           "pmderive: there is no help about evl; did you mean eval?\n",
		"help eval test":     "an argument too many",
		"help :nosuch":       "there is no help about nosuch",
		"test -o x x":        "unknown output 'x'; there are text, json",
		"deps --output=x 1":  "unknown output 'x'; there are list, json, dot, pmlogger",
		"deps -o json a.b":   `"base":["a.b"]`,
		"deps -o pmlogger a": "log advisory",
	} {
		if got := runIn("", strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in %q", args, want, got)
		}
	}
}
