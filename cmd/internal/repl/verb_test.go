package repl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/repl"
	"pmtools/lib/option"
)

// newGreet returns a verb with each kind of option.
func newGreet(kind repl.Operands) *repl.Verb {
	return &repl.Verb{
		Name: "greet", Aliases: []repl.Alias{{Name: "greet!", Options: []string{"--loud"}}}, Usage: "WHO ...", Short: "Greet",
		Doors: repl.Both, Operands: kind, Least: 1, Most: math.MaxInt,
		New: func(f *repl.Flags) repl.Run {
			loud := f.BoolP("loud", "l", false, "end with a sign")
			word := "hello"
			f.Choice(&word, "word", "word", "w", "`WORD` to begin with", []string{"hello", "welcome"})
			f.Output([]string{"table", "csv"}, "csv")
			return func(_ context.Context, s *repl.Session, args []string, w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s %q %t %s\n", word, args, *loud, f.Settings.Output)
				return err
			}
		},
	}
}

// TestVerb reads lines of the prompt, and the same words in the shell.
func TestVerb(t *testing.T) {
	for _, tt := range []struct {
		kind       repl.Operands
		line, want string
	}{
		{repl.Words, `a`, `hello ["a"] false table`},
		{repl.Words, `--loud -w welcome 'a b' c`, `welcome ["a b" "c"] true table`},
		{repl.Words, `a --csv -l b`, `hello ["a" "b"] true csv`},
		{repl.Words, `-- -x`, `hello ["-x"] false table`},
		{repl.Words, `-x`, `there is no option -x; :help greet lists the options`},
		{repl.Words, `-w bye a`, `unknown word 'bye'; there are hello, welcome; :help greet lists the options`},
		{repl.Words, `'a`, `a quote is not closed: 'a`},
		{repl.Words, ``, `usage: :greet WHO ...`},
		{repl.Exprs, `topn(1, b) - c, d`, `hello ["topn(1, b) - c" "d"] false table`},
		{repl.Exprs, `-l --word=welcome -a * 2`, `welcome ["-a * 2"] true table`},
		{repl.Exprs, `a -l`, `hello ["a -l"] false table`},
		{repl.Exprs, `-- -l`, `hello ["-l"] false table`},
		{repl.Exprs, `--lout a`, `there is no option --lout; did you mean --loud?; :help greet lists the options`},
		{repl.Exprs, `-w`, `-w wants WORD: WORD to begin with: hello, welcome; :help greet lists the options`},
		{repl.Text, `-o csv a, "b"`, `hello ["a, \"b\""] false csv`},
	} {
		v := newGreet(tt.kind)
		s := newSession(t, "ta", func(o *repl.Options) { o.Verbs = []*repl.Verb{v} })
		var b bytes.Buffer
		got := ""
		if err := s.Run(t.Context(), ":greet "+tt.line, &b); err != nil {
			got = err.Error()
		} else {
			got = strings.TrimSuffix(b.String(), "\n")
		}
		if got != tt.want {
			t.Errorf(":greet %s\ngot  %s\nwant %s", tt.line, got, tt.want)
		}
	}
	v := newGreet(repl.Exprs)
	s := newSession(t, "ta")
	f := repl.NewFlags(pflag.NewFlagSet("greet", pflag.ContinueOnError), repl.Shell, repl.Settings{}, &option.Parser{}, nil)
	greet := v.New(f)
	if err := f.Parse([]string{"a, b", "-l", "c"}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.Do(t.Context(), v, f, greet, v.Split(f.Args()), &b); err != nil || b.String() != "hello [\"a\" \"b\" \"c\"] true table\n" {
		t.Errorf("%s, %v", b.String(), err)
	}
	if err := s.Do(t.Context(), v, f, greet, nil, &b); !errors.As(err, new(repl.Misuse)) {
		t.Errorf("without operands: %v", err)
	}
}

// TestVerbOptions: an alias stands for options, those of one line do not hold for the next, and help lists them.
func TestVerbOptions(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) { o.Verbs = []*repl.Verb{newGreet(repl.Words)} })
	got := run(s, ":greet! a", ":greet -o csv a", ":set output", ":help greet", ":gree a")
	want := `hello ["a"] true table
hello ["a"] false csv
table
Greet

Usage: :greet [options] WHO ...

Options:
  -l, --loud         end with a sign
  -w, --word WORD    WORD to begin with: hello, welcome (default hello)
  -o, --output FORM  FORM of output: table, csv (default table)
      --csv          the same as -o csv
hello ["a"] false table
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	o := &repl.Options{Sources: repl.Sources{Open: archives(t, "ta"), Kind: repl.Archive, Name: "ta"}, Verbs: []*repl.Verb{newGreet(repl.Exprs)}}
	e := repl.New(o)
	defer e.Close()
	for line, want := range map[string]string{":greet --w": "--word ", ":greet -l --o": "--output ", ":greet a --w": "", ":greet -- --w": "", ":watch --sam": "--samples ", ":eval --al": "--align ", ":greet -w w": "welcome"} {
		texts, _ := e.Complete(line, len(line))
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("of expressions, %q: %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string]string{":find -- --t": "", ":find --top 3 --o": "--output ", ":gre": ":greet |:greet! ", ":greet --w": "--word ", ":greet -w ": "hello|welcome", ":greet --word w": "welcome"} {
		texts, _ := s.Complete(line, len(line))
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
