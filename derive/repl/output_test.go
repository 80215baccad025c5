package repl_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"pmtools/derive/repl"
	"pmtools/lib/pcp"
)

// evaluate returns the output of Eval.
func evaluate(t *testing.T, s *repl.Session, win *repl.Window, exprs ...string) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Eval(context.Background(), exprs, win, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestEvalErrors covers impossible windows.
func TestEvalErrors(t *testing.T) {
	s := newSession(t, "ta")
	for _, tt := range []struct {
		win  repl.Window
		expr string
		want string
	}{
		{repl.Window{Timed: true, Start: pcp.Timestamp{Sec: 2000000000}}, "t.b", "there are no samples in that time"},
		{repl.Window{Timed: true, HasEnd: true, End: pcp.Timestamp{Sec: 1}}, "t.b", "there are no samples in that time"},
		{repl.Window{}, "t.b +", "column 6: found the end, expected a metric, a number, a function, '(', '-' or '!'"},
		{repl.Window{}, "", "found the end, expected a metric, a number, a function, '(', '-' or '!'"},
	} {
		err := s.Eval(context.Background(), []string{tt.expr}, &tt.win, io.Discard)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q %+v: %v, want %s", tt.expr, tt.win, err, tt.want)
		}
	}
}

// TestEvalSome mixes wrong expressions with valid ones.
func TestEvalSome(t *testing.T) {
	s := newSession(t, "ta")
	var b bytes.Buffer
	err := s.Eval(context.Background(), []string{"t.bb", "t.s", "t.d +", "t.d"}, &repl.Window{}, &b)
	var bad repl.Problems
	if !errors.As(err, &bad) {
		t.Errorf("%v", err)
	} else if len(bad) != 2 || bad[0].Src != "t.bb" || bad[1].Src != "t.d +" {
		t.Errorf("%v", err)
	}
	if out := b.String(); !strings.Contains(out, " t.s =0 t.d =0\n") {
		t.Errorf("%s", out)
	}
	if err := s.Eval(context.Background(), []string{"t.bb"}, &repl.Window{}, &b); !errors.As(err, &bad) || len(bad) != 1 {
		t.Errorf("%v", err)
	}
}

// TestEvalDefines covers expressions with names that others use.
func TestEvalDefines(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) { o.Settings.Output = "csv" })
	out := evaluate(t, s, &repl.Window{}, "y = x * 2", "x = t.b[three] + 1", "x + y")
	if want := "01:46:40 y three=62 x three=31 x + y three=93\ncsv ends\n"; out != want {
		t.Errorf("%q", out)
	}
	if len(s.Definitions()) != 0 {
		t.Error("the session has got definitions")
	}
	var b bytes.Buffer
	err := s.Eval(context.Background(), []string{"a = b", "b = a", "t.s"}, &repl.Window{}, &b)
	var bad repl.Problems
	if !errors.As(err, &bad) || len(bad) != 2 || bad[0].Msg != "a is defined by itself" {
		t.Errorf("%v", err)
	}
}

// TestExplainLimits explains an expression with thousands of operands.
func TestExplainLimits(t *testing.T) {
	s := newSession(t, "ta")
	var b bytes.Buffer
	for _, expr := range []string{strings.Repeat("t.b + ", 3000) + "1", strings.Repeat("(", 3000) + "t.b" + strings.Repeat(")", 3000), strings.Repeat("-", 2000) + "t.b"} {
		b.Reset()
		if err := s.Explain(context.Background(), expr, &b); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n > 510 {
			t.Errorf("%d lines", n)
		}
	}
}

// TestRun checks what a Writer knows about its samples.
func TestRun(t *testing.T) {
	var got []*repl.Run
	s := newSession(t, "ta", func(o *repl.Options) {
		o.Output = func(w io.Writer, r *repl.Run) (repl.Writer, error) { got = append(got, r); return &lines{w, r}, nil }
		o.Settings.Output = "json"
	})
	evaluate(t, s, &repl.Window{Timed: true, Samples: 2}, "n = t.a", "t.b")
	run(s, ":set raw on", "t.a", ":plot 3 t.a")
	if len(got) != 3 {
		t.Fatalf("%d runs", len(got))
	}
	r := got[0]
	if r.Output != "json" || r.Host != "specbox" || r.Kind != repl.Archive {
		t.Errorf("%+v", r)
	} else if r.Name != "ta" || r.Live || r.Window.Samples != 2 {
		t.Errorf("%+v", r)
	}
	n, b := r.Exprs[0], r.Exprs[1]
	if n.Name != "n" || n.Desc.Sem != pcp.Counter || n.Rate == nil {
		t.Errorf("%+v", r.Exprs)
	} else if n.Rate.Units.String() != "count / sec" || b.Desc.InDom == pcp.NullInDom || b.Rate != nil {
		t.Errorf("%+v", r.Exprs)
	}
	if got[1].Exprs[0].Rate != nil || got[1].Window.Samples != 1 {
		t.Errorf("%+v, %+v", got[1], got[2])
	} else if got[2].Output != repl.Chart || got[2].Window.Samples != 3 {
		t.Errorf("%+v, %+v", got[1], got[2])
	}
}
