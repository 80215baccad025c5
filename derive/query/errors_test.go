package query_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/load"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/lib/pmerr"
)

// mistakes are expressions with the text at the place of the mistake, and PCP's codes.
var mistakes = []struct {
	name, expr, place string
	parsed            bool // it is found when the expression is checked
	codes             []pmerr.Code
}{
	{"syntax", "hinv.ncpu + ) 1", ") 1", false, []pmerr.Code{pmerr.BadDerive}},
	{"end", "hinv.ncpu +", "", false, []pmerr.Code{pmerr.BadDerive}},
	{"function", "1 + median2(hinv.ncpu)", "median2", false, []pmerr.Code{pmerr.BadDerive}},
	{"habit", "sum(rate(disk.dev.total))", "rate(", false, []pmerr.Code{pmerr.BadDerive}},
	{"metric", "1 + no.such", "no.such", true, []pmerr.Code{pmerr.BadDerive, pmerr.Name}},
	{"node", "1 + disk.dev", "disk.dev", true, []pmerr.Code{pmerr.BadDerive, pmerr.NonLeaf}},
	{"units", "hinv.ncpu + mem.physmem", "+ mem", true, []pmerr.Code{pmerr.BadDerive}},
	{"counter", "disk.dev.total + 1", "+ 1", true, []pmerr.Code{pmerr.BadDerive}},
	{"type", "hinv.ncpu > 1 ? 1 : 2.0", ": 2.0", true, []pmerr.Code{pmerr.BadDerive}},
}

// entries are the ways in for an expression.
func entries(t *testing.T) map[string]func(expr string) error {
	ctx, src := t.Context(), open(t, "demo")
	reg := derive.NewRegistry(nil)
	defs := reg.Set()
	return map[string]func(expr string) error{
		"derive.Compile": func(expr string) error {
			_, err := derive.Compile("x", expr)
			return err
		},
		"derive.Set.Compile": func(expr string) error {
			_, err := defs.Compile("x", expr)
			return err
		},
		"derive.Registry.Register": func(expr string) error { return reg.Register("x", expr) },
		"derive.Registry.RegisterLine": func(expr string) error {
			return reg.RegisterLine(&syntax.Definition{Name: "x", Text: expr}, derive.FileLayer)
		},
		"derive.Source.Add": func(expr string) error {
			return derive.NewSource(src.Unwrap(), nil, nil).Add(ctx, "x", expr)
		},
		"query.Binder.Compile": func(expr string) error {
			_, err := src.Bind(defs, false).Compile(ctx, expr)
			return err
		},
		"query.Source.Compile": func(expr string) error {
			list, err := src.Compile(ctx, defs, []string{expr})
			if err == nil {
				err = list[0].Err
			}
			return err
		},
		"query.Run": func(expr string) error {
			_, err := query.Run(ctx, src, defs, &query.Query{Exprs: []string{expr}, Once: true})
			return err
		},
		"query.Run beside others": func(expr string) error {
			st, err := query.Run(ctx, src, defs, &query.Query{Exprs: []string{"hinv.ncpu", expr}, Once: true})
			if err == nil {
				err = st.Err
			}
			return err
		},
	}
}

// TestErrors: whichever way a mistake takes, errors.As finds the problem with the text and the place in
// it, and errors.Is PCP's codes.
func TestErrors(t *testing.T) {
	for way, f := range entries(t) {
		parser := strings.HasPrefix(way, "derive.") && way != "derive.Source.Add"
		for _, m := range mistakes {
			if parser && m.parsed {
				continue
			}
			err := f(m.expr)
			var p *diagnose.Problem
			if !errors.As(err, &p) {
				t.Errorf("%s: %s: no problem in %v", way, m.name, err)
				continue
			}
			if p.Src != m.expr || p.Msg == "" {
				t.Errorf("%s: %s: %q in %q", way, m.name, p.Msg, p.Src)
			}
			if at := strings.LastIndex(m.expr, m.place); p.Pos != at {
				t.Errorf("%s: %s: %q at %d of %q, want it at %d", way, m.name, p.Msg, p.Pos, p.Src, at)
			}
			for _, code := range m.codes {
				if !errors.Is(err, code) || !errors.Is(p, code) {
					t.Errorf("%s: %s: %v is not %v", way, m.name, err, code)
				}
			}
			if code := pmerr.Of(p); code != pmerr.BadDerive {
				t.Errorf("%s: %s: the code is %v", way, m.name, code)
			}
		}
	}
}

// TestErrorCauses: what checks and parses alone has causes, from which problems are made.
func TestErrorCauses(t *testing.T) {
	src := open(t, "demo")
	_, err := src.Bind(derive.NewSet(), false).Compile(t.Context(), "1 + no.such")
	var cause *check.Error
	if !errors.As(err, &cause) || !errors.Is(cause, pmerr.Name) || cause.Pos != 4 {
		t.Errorf("%v", err)
	}
	var bad *syntax.Error
	if _, err := derive.Compile("x", "1 +"); !errors.As(err, &bad) || bad.Pos != 2 {
		t.Errorf("%v", err)
	}
}

// TestFileErrors: files that are missing, damaged or too large.
func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	loop, large := filepath.Join(dir, "loop"), filepath.Join(dir, "large")
	if err := os.Mkdir(loop, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", filepath.Join(loop, "again")); err != nil {
		t.Skip(err)
	}
	if err := errors.Join(os.WriteFile(large, nil, 0o644), os.Truncate(large, load.MaxFile+1)); err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]pmerr.Code{filepath.Join(dir, "none"): pmerr.ENOENT, loop: 0, large: pmerr.TooBig} {
		for way, f := range map[string]func() error{
			"load.Config": func() error {
				_, err := load.Config(derive.NewRegistry(nil), path)
				return err
			},
			"load.Named": func() error {
				_, err := load.Named(derive.NewRegistry(nil), path)
				return err
			},
		} {
			err := f()
			var p *diagnose.Problem
			if !errors.As(err, &p) || p.Msg == "" || code != 0 && !errors.Is(err, code) {
				t.Errorf("%s %s: %v", way, filepath.Base(path), err)
			}
		}
	}
}
