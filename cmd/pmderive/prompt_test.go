package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/chzyer/readline"

	"pmtools/cmd/internal/repl"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
)

// lines gives lines one by one; a nil one is Ctrl-C.
type lines struct {
	list    []string
	prompts []string
}

const ctrlC = "^C"

func (l *lines) SetPrompt(p string) { l.prompts = append(l.prompts, p) }

func (l *lines) Readline() (string, error) {
	if len(l.list) == 0 {
		return "", io.EOF
	}
	line := l.list[0]
	l.list = l.list[1:]
	if line == ctrlC {
		return "", readline.ErrInterrupt
	}
	return line, nil
}

func TestReadItem(t *testing.T) {
	l := &lines{list: []string{"a", "(a", "+ b)", "a \\", " + b", "(a", ctrlC, "a +", "b", "a,", "b", "rescale(a, \"K", "B\")", "a ?", ":quit", "(a"}}
	var got []string
	for {
		text, err := readItem(l, "> ", repl.New(&repl.Options{}).Incomplete)
		if err == io.EOF {
			break
		}
		if err == readline.ErrInterrupt {
			text = ctrlC
		}
		got = append(got, text)
	}
	if want := "a|(a + b)|a  + b|" + ctrlC + "|a + b|a, b|rescale(a, \"K B\")|:quit"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if want := "> |> |(... |> |\\... |> |(... |> |+... |> |,... |> |\"... |> |?... |> |(... |(... "; strings.Join(l.prompts, "|") != want {
		t.Errorf("prompts %q", l.prompts)
	}
}

// TestPlainLines: a line may be as long as one of a script.
func TestPlainLines(t *testing.T) {
	long := strings.Repeat("1 + ", 50_000) + "1"
	var out strings.Builder
	p := &plainLines{in: newLines(strings.NewReader(long + "\n")), out: &out}
	p.SetPrompt("> ")
	if text, err := p.Readline(); text != long || err != nil || out.String() != "> " {
		t.Errorf("%d bytes, %v, %q", len(text), err, out.String())
	}
	if _, err := p.Readline(); err != io.EOF {
		t.Error(err)
	}
}

func TestCompleter(t *testing.T) {
	path := archivetest.Path(t, "ta")
	s := repl.New(&repl.Options{Sources: repl.Sources{
		Kind: repl.Archive, Name: path,
		Open: func(ctx context.Context, _, name string) (pmapi.Source, error) {
			return pmapi.OpenArchive(ctx, name, nil)
		},
	}})
	defer s.Close()
	for _, tt := range []struct {
		line string
		want string
		n    int
	}{
		{"sum(t.", "a|b|c|d|s", 2}, {"t.b[th", "ree]", 2}, {"é + cou", "nt(", 3}, {"nosuch.", "", 0},
	} {
		got, n := completer{s}.Do([]rune(tt.line), len([]rune(tt.line)))
		var texts []string
		for _, r := range got {
			texts = append(texts, string(r))
		}
		if strings.Join(texts, "|") != tt.want || tt.want != "" && n != tt.n {
			t.Errorf("%q: %q behind %d characters", tt.line, texts, n)
		}
	}
}
