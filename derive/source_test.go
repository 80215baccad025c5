package derive_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// lines collects warnings.
type lines []string

func (l *lines) warn(s string) { *l = append(*l, s) }

// describe returns the description of one metric.
func describe(t *testing.T, s pmapi.Source, id pcp.ID) (pcp.Desc, error) {
	t.Helper()
	r, err := s.Describe(context.Background(), []pcp.ID{id})
	if err != nil || len(r) != 1 {
		t.Fatalf("Describe: %v, %v", r, err)
	}
	return r[0].Value, r[0].Err
}

// lookup returns the identifier of a name.
func lookup(t *testing.T, s pmapi.Source, name string) pcp.ID {
	t.Helper()
	r, err := s.Lookup(context.Background(), []string{name})
	if err != nil || r[0].Err != nil {
		t.Fatalf("Lookup(%s): %v, %v", name, r, err)
	}
	return r[0].Value
}

// TestSingleSamples is the table of derived.md D12, with the better columns of D16 where they are
// taken.
func TestSingleSamples(t *testing.T) {
	file, err := os.ReadFile("testdata/single.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		p := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(p) != 4 {
			continue
		}
		t.Run(p[0], func(t *testing.T) { single(t, p[1], p[2], p[3]) })
	}
}

func single(t *testing.T, expr, wantDesc, want string) {
	reg, f := derive.NewRegistry(nil), newFake(qa)
	var warned lines
	err := reg.Register("x.y", expr)
	src := derive.NewSource(f, reg.Set(), &derive.Options{Warn: func(_, line string) { warned.warn(line) }})
	if strings.HasPrefix(want, "PE@") {
		var bad *syntax.Error
		if !errors.As(err, &bad) {
			t.Fatalf("%s: no error", expr)
		}
		got := fmt.Sprintf("PE@%d (no text)", bad.Pos)
		if bad.Msg != "" {
			got = fmt.Sprintf("PE@%d: %s", bad.Pos, bad.Msg)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	id := lookup(t, src, "x.y")
	d, err := describe(t, src, id)
	if text, ok := strings.CutPrefix(want, "SE: "); ok {
		text = "Semantic error: derived metric x.y: " + strings.TrimSuffix(text, " bind fails silently")
		if !errors.Is(err, pmerr.BadDerive) || len(warned) != 1 || warned[0] != text {
			t.Errorf("%s: %v %q, want %q", expr, err, warned, text)
		}
		return
	}
	if err != nil || len(warned) > 0 {
		t.Fatalf("%s: %v, %v", expr, err, warned)
	}
	if got := showDesc(d); got != wantDesc {
		t.Errorf("%s is %s, want %s", expr, got, wantDesc)
	}
	if got := fetch(t, f, src, id)[0]; got != want {
		t.Errorf("%s: %s, want %s", expr, got, want)
	}
}

// define makes a Source with definitions NAME=EXPR.
func define(t *testing.T, base pmapi.Source, warned *lines, defs ...string) (*derive.Source, *derive.Registry) {
	t.Helper()
	reg := derive.NewRegistry(warned.warn)
	for _, d := range defs {
		name, expr, _ := strings.Cut(d, "=")
		if err := reg.Register(name, expr); err != nil {
			t.Fatal(err)
		}
	}
	return derive.NewSource(base, reg.Set(), nil), reg
}

// TestLimits covers the limits on definitions.
func TestLimits(t *testing.T) {
	ctx := context.Background()
	reg := derive.NewRegistry(nil)
	if err := reg.SetControl(derive.GlobalLimit, 2); err != nil {
		t.Fatal(err)
	}
	src := derive.NewSource(newFake(qa), reg.Set(), nil)
	if err := src.SetLimit(0); !errors.Is(err, pmerr.Arg) {
		t.Errorf("SetLimit(0): %v", err)
	}
	if err := src.SetLimit(2); err != nil {
		t.Error(err)
	}
	for i, want := range []string{"", "", "Too many %s derived metrics"} {
		for kind, err := range map[string]error{
			"global":      reg.Register(fmt.Sprintf("g%d", i), "1"),
			"per-context": src.Add(ctx, fmt.Sprintf("p%d", i), "1"),
		} {
			var bad *syntax.Error
			if errors.As(err, &bad); (want == "") != (err == nil) || err != nil && bad.Msg != fmt.Sprintf(want, kind) {
				t.Errorf("%s %d: %v", kind, i, err)
			}
		}
	}
}
