package repl_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
	"pmtools/derive"
	"pmtools/derive/query"
	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// A looker looks at each value of a sample, and keeps none.
type looker struct{ values int }

// Sample implements sampling.Writer.
func (l *looker) Sample(_ context.Context, smp *sampling.Sample) error {
	for i := range smp.Sets {
		for j := range smp.Sets[i].Len() {
			if v := smp.Sets[i].At(j); v.Instance == "" || !v.Value.IsSet() {
				return fmt.Errorf("value %d: %+v", j, v)
			}
			l.values++
		}
	}
	return nil
}

// Close implements sampling.Writer.
func (l *looker) Close() error { return nil }

// large returns a session over an archive with one record of a metric with n instances, whose names
// it has if named.
func large(t *testing.T, n int, named bool, set repl.Settings, out sampling.Writer) *repl.Session {
	t.Helper()
	base := filepath.Join(t.TempDir(), "large")
	w, err := archive.Create(base, &archive.WriterOptions{Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	dom := pcp.NewInDom(60, 1)
	at := pcp.Timestamp{Sec: 1700000000}
	v := pcp.Values{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint64}
	var insts []pcp.Instance
	for i := range n {
		insts = append(insts, pcp.Instance{ID: int32(i), Name: fmt.Sprintf("instance %d", i)})
		v.Insts, v.Words = append(v.Insts, int32(i)), append(v.Words, uint64(i*7919%n))
	}
	err = w.AddMetric(pcp.Desc{ID: v.ID, Type: v.Type, InDom: dom, Sem: pcp.Instant}, "m")
	if named {
		err = errors.Join(err, w.SetInDom(at, dom, insts))
	}
	if err = errors.Join(err, w.Put(&pcp.Result{Time: at, Sets: []pcp.Values{v}}), w.Close()); err != nil {
		t.Fatal(err)
	}
	s := repl.New(&repl.Options{
		Sources: repl.Sources{
			Open: func(ctx context.Context, _, _ string) (pmapi.Source, error) { return pmapi.OpenArchive(ctx, base, nil) },
			Kind: repl.Archive, Name: base,
		},
		World: repl.World{
			Files: memory{}, Now: time.Now,
			Output: func(io.Writer, *sampling.Header, repl.Form) (sampling.Writer, error) { return out, nil },
		},
		Definitions: derive.NewSet(), Settings: set,
	})
	t.Cleanup(func() { s.Close() })
	return s
}

// TestLarge: a sample of many values is neither copied nor looked through for each of them, whatever
// is selected of it and in whatever order.
func TestLarge(t *testing.T) {
	const n = 100_000
	for _, tt := range []struct {
		name  string
		named bool
		pick  query.Selection
		want  int
	}{
		{"all", true, query.Selection{}, n},
		{"without names", false, query.Selection{}, n},
		{"the largest", true, query.Selection{Sort: "value", Top: 5}, 5},
		{"by name", true, query.Selection{Sort: "name"}, n},
		{"where", true, query.Selection{Where: "m >= 10"}, n - 10},
		{"instances", true, query.Selection{Instances: []string{"instance 9999?"}}, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := &looker{}
			s := large(t, n, tt.named, repl.Settings{}, out)
			if err := s.Run(t.Context(), ":source", io.Discard); err != nil { // opens the archive
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := eval(s, "csv", &query.Query{Exprs: []string{"m"}, Once: true, Select: tt.pick}, io.Discard); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if out.values != tt.want {
				t.Errorf("%d values, want %d", out.values, tt.want)
			}
			if per := (after.TotalAlloc - before.TotalAlloc) / n; per > 500 {
				t.Errorf("%d bytes are allocated for each value", per)
			}
		})
	}
}

// TestLargeShown: what the prompt shows of many values is bounded, and says how many are left out.
func TestLargeShown(t *testing.T) {
	const n = 200_002
	s := large(t, n, false, repl.Settings{}, nil)
	for item, want := range map[string]string{"m": "+2 more\n", ":describe m": fmt.Sprintf("and %d more\n", n-8)} {
		var b strings.Builder
		if err := s.Run(t.Context(), item, &b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: %d bytes without %q: %.300s", item, b.Len(), want, b.String())
		}
	}
}
