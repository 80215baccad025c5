package dbpmda

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"pmtools/lib/builtin/simple"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
	_ "pmtools/test/env"
)

// TestMain makes this program the simple agent where a test says so.
func TestMain(m *testing.M) {
	if os.Getenv("DBPMDA_TEST_AGENT") == "" {
		os.Exit(m.Run())
	}
	os.Exit(pmda.Main(func(*pmda.Options) (pmda.Provider, error) {
		agent, err := simple.New(&simple.Options{Domain: 253})
		if os.Getenv("DBPMDA_TEST_AGENT") == "empty" {
			return emptyAgent{agent}, err
		}
		return agent, err
	}))
}

// An emptyAgent has no instances, and a set of labels that belongs to none.
type emptyAgent struct{ pmda.Provider }

func (emptyAgent) Instances(context.Context, *pmda.Client, pcp.InDom) ([]pcp.Instance, error) {
	return nil, nil
}

func (emptyAgent) Labels(context.Context, *pmda.Client, pcp.LabelKind, uint32) ([]pcp.LabelSet, error) {
	return []pcp.LabelSet{{Inst: pcp.NullInst}}, nil
}

// TestEmpty asks for instances where there are none; the answers are those of dbpmda.
func TestEmpty(t *testing.T) {
	t.Setenv("DBPMDA_TEST_AGENT", "empty")
	stdout, _ := run(t, Options{}, "open pipe AGENT\ninstance 253.0\nlabel instances 253.0\n", "", false)
	want := "Start BASE PMDA: AGENT\npmInDom: 253.0\nInstance domain is empty\nInstances of pmInDom: 253.0\nLabels:\n"
	if stdout != want {
		t.Errorf("got %q, want %q", stdout, want)
	}
}

// run runs a script with the simple agent, and returns what is printed.
func run(t *testing.T, opts Options, script, prompt string, echo bool) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	opts.Out, opts.Err = &out, &errs
	s := New(&opts)
	defer s.Close()
	agent := os.Args[0] + " -d 253 -l " + os.DevNull
	if err := s.Run(t.Context(), strings.NewReader(strings.ReplaceAll(script, "AGENT", agent)), prompt, echo); err != nil {
		t.Fatal(err)
	}
	mask := func(b bytes.Buffer) string {
		text := strings.NewReplacer(agent, "AGENT", "Start "+filepath.Base(os.Args[0])+" PMDA", "Start BASE PMDA", os.Args[0], "PROGRAM").Replace(b.String())
		text = regexp.MustCompile(`dump from 0x[0-9a-f]+`).ReplaceAllString(text, "dump from 0xADDR")
		text = regexp.MustCompile(`253\.1\.2: [0-9.e-]+ ->`).ReplaceAllString(text, "253.1.2: SECONDS ->") // the agent's processor time
		return text
	}
	return mask(out), mask(errs)
}

// TestRecorded runs a script and compares what is printed with what the reference prints.
func TestRecorded(t *testing.T) {
	t.Setenv("DBPMDA_TEST_AGENT", "1")
	archive, err := txtar.ParseFile("testdata/simple.txtar")
	if err != nil {
		t.Fatal(err)
	}
	file := map[string]string{}
	for _, f := range archive.Files {
		file[f.Name] = string(f.Data)
	}
	names, err := pmns.Parse("names", []byte(file["names"]), nil)
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := run(t, Options{Names: names}, file["script"], "", true)
	for what, texts := range map[string][2]string{"stdout": {stdout, file["stdout"]}, "stderr": {stderr, file["stderr"]}} {
		got, want := strings.Split(texts[0], "\n"), strings.Split(texts[1], "\n")
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Errorf("%s line %d: %q, want %q", what, i+1, strings.Join(got[min(i, len(got)):min(i+1, len(got))], ""), want[i])
				break
			}
		}
		if len(got) > len(want) {
			t.Errorf("%s: %d lines, want %d", what, len(got), len(want))
		}
	}
}

// TestMistakes: each mistake in a line of a script has its message.
func TestMistakes(t *testing.T) {
	t.Setenv("DBPMDA_TEST_AGENT", "1")
	for _, tt := range []struct{ line, want string }{
		{"profile 253.0 add 0,1", "Error: syntax error"},
		{"profile 253.0 all 1", "Error: syntax error"},
		{"profile 253.0 add -1", "Error: syntax error"},
		{"profile 253.0.1 add 1", "Error: syntax error"},
		{"label indom", "Error: syntax error"},
		{"text indom x", "Error: syntax error"},
		{"name 253.0", "Error: syntax error"},
		{"desc 1.2.3.4", "Error: syntax error"},
		{"store 253.0.1 7", "Error: syntax error"},
		{`desc "x`, `Error: Expected "`},
		{"attr \"nosuch\"", "Error: Attribute (nosuch) is not recognised"},
		{"debug all", "Error: Unrecognized command"},
		{"open socket tcp 1", "Error: syntax error"},
		{"open socket 1x", "opensocket: ./1x: No such file or directory"},
		{"open socket unix x1", "opensocket: ./x1: No such file or directory"},
	} {
		_, stderr := run(t, Options{}, "open pipe AGENT\n"+tt.line+"\n", "", false)
		if first, _, _ := strings.Cut(strings.TrimPrefix(stderr, "Warning: PMID (253.0.1) is not defined in the PMNS\n"), "\n"); first != tt.want {
			t.Errorf("%s: %s, want %s", tt.line, first, tt.want)
		}
	}
}

// TestSession checks what only a person at the prompt sees, and what is not as in the reference.
func TestSession(t *testing.T) {
	load := func(file string) (*pmns.Tree, error) {
		return pmns.Parse(file, []byte("root {\n\ta 1:2:3\n}\n"), nil)
	}
	t.Setenv("DBPMDA_TEST_AGENT", "1")
	for _, tt := range []struct{ script, stdout, stderr string }{
		{"close\nquit x\n", "dbpmda> dbpmda> dbpmda> \n", "Warning: No PMDA currently opened\nError: syntax error\nType 'help' for a list of commands.\n"},
		{"quit", "dbpmda> ", ""},
		{"help desc\nquit\n", "dbpmda> \ndesc metric\n\nAsks for the description of a metric: its name, or its number as N, N.N or N.N.N.\n\ndbpmda> ", ""},
		{"open dso pmda_x.so x_init 3\nquit\n", "dbpmda> dbpmda> ", "Error: libraries cannot be loaded: use open pipe with the agent's program\nType 'help' for a list of commands.\n"},
		{"namespace names\ndesc a\nquit\n", "dbpmda> dbpmda> dbpmda> ", "Warning: No PMDA currently opened\n"},
		{"open pipe AGENT\ndesc 253.0.1\nquit\n", "dbpmda> Start BASE PMDA: AGENT\ndbpmda> PMID: 253.0.1\n" +
			"    Data Type: 32-bit int  InDom: 253.0 0x3f400000\n    Semantics: instant  Units: none\ndbpmda> ",
			"Warning: PMID (253.0.1) is not defined in the PMNS\n"},
	} {
		stdout, stderr := run(t, Options{Load: load}, tt.script, "dbpmda> ", false)
		if stdout != tt.stdout || stderr != tt.stderr {
			t.Errorf("%q:\n%s%s\nwant\n%s%s", tt.script, stdout, stderr, tt.stdout, tt.stderr)
		}
	}
}

// FuzzLine runs lines of any kind: none may do harm.
func FuzzLine(f *testing.F) {
	for _, c := range commands() {
		f.Add(c.name + " 253.0 \"x\" # y")
		f.Add(c.name + " -x, all")
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "open") {
			return
		}
		s := New(&Options{Out: new(bytes.Buffer), Err: new(bytes.Buffer), Load: func(string) (*pmns.Tree, error) { return nil, pmerr.Name }})
		defer s.Close()
		s.ctx = t.Context()
		s.line(text)
	})
}
