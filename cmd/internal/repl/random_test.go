package repl_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
	"pmtools/derive/diagnose"
	"pmtools/internal/draw"
)

// words are what random lines are made of.
var words = strings.Fields(`t.a t.b t.c t.d t.s t x.a x.b x.c no.such + - * / < <= == >= > != && || ! ? : ( ) , = ( ) 1 2.5 0 4294967296
	"byte" "Kbyte "x [one] [two [a\]b] /o/ /[/ avg( sum( count( min( max( delta( rate( instant( scalar( rescale( matchinst( mkconst(
	novalue( novalue() defined( anon( type= semantics= units= indom= meta= u32 counter null :explain :watch :plot :metrics :desc :inst :text
	:labels :list :show :load :save :save! :time :step :next :prev :set :help interval samples output precision raw table csv json
	on off 3 5 2sec -1sec @01:46:42 record old.conf f x.a= x.b= x.c= x.a(oneline)= x.b(helptext)=" \ # é 世界 ` + "\x00 \xff")

// randomLine makes a line of words, with or without blanks.
func randomLine(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(9) {
		b.WriteString(words[rng.IntN(len(words))])
		if rng.IntN(3) > 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// names returns the names of a session's definitions.
func names(s *repl.Session) []string {
	var list []string
	for _, d := range s.Definitions() {
		list = append(list, d.Name())
	}
	return list
}

// step types one line into a session and checks that nothing is lost.
func step(t testing.TB, s *repl.Session, line string) {
	t.Helper()
	before := names(s)
	// The terminal calls these for each line.
	waits := s.Incomplete(line)
	repl.Join(line, line)
	s.Complete(line, len(line))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var out bytes.Buffer
	err := s.Run(ctx, line, &out)
	if ctx.Err() != nil {
		t.Fatalf("%q hangs", line)
	}
	var p *diagnose.Problem
	if errors.As(err, &p) {
		if p.Src != "" && (p.Pos < 0 || p.Pos > len(p.Src)) {
			t.Fatalf("%q: the place %d is not in %q", line, p.Pos, p.Src)
		}
		if strings.TrimSpace(p.Msg) == "" {
			t.Fatalf("%q: a problem without a message", line)
		}
		draw.Problem(p, 0, 0)
	}
	if waits != "" && err == nil && !strings.HasSuffix(line, `\`) {
		t.Errorf("%q waits for another line, but is complete", line)
	}
	after := names(s)
	for _, name := range before {
		if !slices.Contains(after, name) {
			t.Fatalf("%q loses %s", line, name)
		}
	}
}

// TestRandomLines types many random lines into one session. None drops a definition.
func TestRandomLines(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) {
		o.Files = memory{"old.conf": "x.a = t.b\nx.b = x.a + 1\nbad = \n", "f": ""}
		o.Settings.Samples = 2
	})
	for _, d := range []string{"x.a = t.b * 2", "x.b = x.a + t.c", "x.c = rate(t.a)"} {
		if out := run(s, d); strings.Contains(out, "!!") {
			t.Fatal(out)
		}
	}
	n := 10000
	if testing.Short() {
		n = 1000
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		step(t, s, randomLine(rng))
	}
}

// FuzzRun types lines into a session. Any lines at the prompt end in answers, without a panic.
func FuzzRun(f *testing.F) {
	for _, s := range []string{
		"t.a + t.b", "x = t.b\nx[one]\n:explain x", ":set output csv\nt.b", "x(oneline) = \"a\nb\"", ":time @1:2\n:step 3\n:watch t.b",
		"rescale(x.a, \"Kbyte\")", ":metrics *", "a ? b : novalue()", ":save f\n:load f",
	} {
		f.Add(s)
	}
	open := archives(f, "ta")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<10 || strings.Contains(text, ":drop") || strings.Count(text, "\n") > 20 {
			return
		}
		s := repl.New(&repl.Options{
			Sources: repl.Sources{Open: open, Machines: machines, Kind: repl.Archive, Name: "ta"}, World: world(),
			Settings: repl.Settings{Pace: repl.Pace{Samples: 3}},
		})
		defer s.Close()
		for line := range strings.Lines(text) {
			if strings.Contains(line, "host") || strings.Contains(line, "local") {
				continue
			}
			step(t, s, strings.TrimSuffix(line, "\n"))
		}
	})
}
