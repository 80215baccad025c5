package repl_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"pmtools/cmd/internal/repl"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// eval writes the samples of a query in the form that is set.
func eval(s *repl.Session, output string, q *query.Query, w io.Writer) error {
	st, err := s.Query(context.Background(), q)
	if err == nil {
		_, err = s.Write(context.Background(), w, st, repl.Form{Output: output})
		err = errors.Join(st.Err, err)
	}
	return err
}

// problems returns the problems in an error.
func problems(err error) (list []*diagnose.Problem) {
	for _, err := range diagnose.Joined(err) {
		if p, ok := errors.AsType[*diagnose.Problem](err); ok {
			list = append(list, p)
		}
	}
	return list
}

// TestQueryErrors covers impossible windows.
func TestQueryErrors(t *testing.T) {
	s := newSession(t, "ta")
	for _, tt := range []struct {
		q    query.Query
		expr string
		want string
	}{
		{query.Query{Times: sampling.Times{Start: pcp.Timestamp{Sec: 2000000000}}}, "t.b", "there are no samples in that time"},
		{query.Query{Times: sampling.Times{End: pcp.Timestamp{Sec: 1}}}, "t.b", "there are no samples in that time"},
		{query.Query{Once: true}, "t.b +", "column 6: found the end, expected a metric, a number, a function, '(', '-' or '!'"},
		{query.Query{Once: true}, "", "found the end, expected a metric, a number, a function, '(', '-' or '!'"},
	} {
		tt.q.Exprs = []string{tt.expr}
		if err := eval(s, "table", &tt.q, io.Discard); err == nil || err.Error() != tt.want {
			t.Errorf("%q %+v: %v, want %s", tt.expr, tt.q, err, tt.want)
		}
	}
}

// TestQuerySome mixes wrong expressions with valid ones.
func TestQuerySome(t *testing.T) {
	s := newSession(t, "ta")
	var b bytes.Buffer
	err := eval(s, "table", &query.Query{Exprs: []string{"t.bb", "t.s", "t.d +", "t.d"}, Once: true}, &b)
	if bad := problems(err); len(bad) != 2 || bad[0].Src != "t.bb" || bad[1].Src != "t.d +" {
		t.Errorf("%v", err)
	}
	if out := b.String(); !strings.Contains(out, " t.s =0 t.d =0\n") {
		t.Errorf("%s", out)
	}
	if err := eval(s, "table", &query.Query{Exprs: []string{"t.bb"}, Once: true}, &b); len(problems(err)) != 1 {
		t.Errorf("%v", err)
	}
}

// TestQueryDefines covers expressions with names that others use.
func TestQueryDefines(t *testing.T) {
	s := newSession(t, "ta")
	var b bytes.Buffer
	if err := eval(s, "csv", &query.Query{Exprs: []string{"y = x * 2", "x = t.b[three] + 1", "x + y"}, Once: true}, &b); err != nil {
		t.Error(err)
	}
	if want := "01:46:40 y three=62 x three=31 x + y three=93\ncsv ends\n"; b.String() != want {
		t.Errorf("%q", &b)
	}
	if len(s.Definitions()) != 0 {
		t.Error("the session has got definitions")
	}
	err := eval(s, "csv", &query.Query{Exprs: []string{"a = b", "b = a", "t.s"}, Once: true}, &b)
	if bad := problems(err); len(bad) != 2 || bad[0].Msg != "a is defined by itself" {
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

// TestHeader checks what a Writer knows about its samples.
func TestHeader(t *testing.T) {
	var got []*sampling.Header
	var forms []repl.Form
	s := newSession(t, "ta", func(o *repl.Options) {
		o.Output = func(w io.Writer, h *sampling.Header, f repl.Form) (sampling.Writer, error) {
			got, forms = append(got, h), append(forms, f)
			return newLines(w, h, f)
		}
	})
	var b bytes.Buffer
	if err := eval(s, "json", &query.Query{Exprs: []string{"n = t.a", "t.b"}, Times: sampling.Times{Samples: 2}}, &b); err != nil {
		t.Error(err)
	}
	run(s, ":set raw on", ":set output json", "t.a", ":plot 3 t.a")
	if len(got) != 3 {
		t.Fatalf("%d runs", len(got))
	}
	h := got[0]
	if want := (sampling.Source{Kind: repl.Archive, Name: "ta", Host: "specbox"}); h.Source != want || h.Live || h.Samples != 2 {
		t.Errorf("%+v", h)
	}
	n, m := h.Metrics[0], h.Metrics[1]
	if n.Name != "n" || n.Counter == nil {
		t.Errorf("%+v", n)
	} else if n.Counter.Sem != pcp.Counter || n.Desc.Units.String() != "count / sec" {
		t.Errorf("%+v", n)
	}
	if m.Desc.InDom == pcp.NullInDom || m.Counter != nil {
		t.Errorf("%+v", m)
	}
	if got[1].Metrics[0].Counter != nil || got[1].Samples != 1 {
		t.Errorf("%+v", got[1])
	}
	if forms[2].Output != repl.Chart || got[2].Samples != 3 {
		t.Errorf("%+v, %+v", forms[2], got[2])
	}
}
