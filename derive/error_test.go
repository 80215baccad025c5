package derive_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
	"pmtools/lib/pmerr"
)

// TestMessages covers the multi-line messages of refused definitions.
func TestMessages(t *testing.T) {
	ctx := context.Background()
	var w lines
	src, reg := define(t, newFake(qa), &w, "g=1")
	if err := src.Add(ctx, "p", "1"); err != nil {
		t.Fatal(err)
	}
	global := func(name, expr string) error { return reg.Register(name, expr) }
	local := func(name, expr string) error { return src.Add(ctx, name, expr) }
	tests := []struct {
		f          func(name, expr string) error
		name, expr string
		want       string
	}{
		{global, "my.disk.rates", "4rat(disk.dev.read)", "Error: pmRegisterDerivedMetric(\"my.disk.rates\", ...)\n4rat(disk.dev.read)\n ^\n"},
		{global, "e", "", "Error: pmRegisterDerivedMetric(\"e\", ...)\n\n ^\n"},
		{global, "e", "a b", "Error: pmRegisterDerivedMetric(\"e\", ...)\na b\n  ^\nArithmetic or relational or boolean operator expected to follow NAME\n"},
		{global, "g", "1", "Error: pmRegisterDerivedMetric(\"g\", ...)\n1\n^\nDuplicate global derived metric name\n"},
		{local, "p.m", "no.such", "Semantic Error: pmAddDerivedMetric(\"p.m\", ...)\nno.such\n^\nUnknown operand metric\n"},
		{local, "p.n", "1 +", "Syntax Error: pmAddDerivedMetric(\"p.n\", ...)\n1 +\n  ^\nArithmetic expression expected to follow PLUS\n"},
		{local, "p", "2", "Error: pmAddDerivedMetric(\"p\", ...): returns -12409\nDuplicate per-context derived metric name\n"},
		{local, "p.m", "2", "Error: pmAddDerivedMetric(\"p.m\", ...): returns -12409\nDuplicate per-context derived metric name\n"},
	}
	for _, tt := range tests {
		var bad *diagnose.Problem
		err := tt.f(tt.name, tt.expr)
		if !errors.As(err, &bad) || !errors.Is(err, pmerr.BadDerive) {
			t.Errorf("%s=%s: %v", tt.name, tt.expr, err)
			continue
		}
		if got := derive.Message(err); got != tt.want {
			t.Errorf("%s=%s:\n%s\nwant\n%s", tt.name, tt.expr, got, tt.want)
		}
		if strings.Contains(err.Error(), "\n") || err.Error() == "" {
			t.Errorf("error %q", err.Error())
		}
	}
	var se *syntax.Error
	if err := reg.Register("x", "1 +"); !errors.As(err, &se) || se.Pos != 2 {
		t.Errorf("%v", err)
	}
	var ce *check.Error
	if err := src.Add(ctx, "x", "no.such"); !errors.As(err, &ce) || ce.Text != "Unknown operand metric" {
		t.Errorf("%v", err)
	}
}

// TestDiagnosis: every program gets what the prompt shows of a mistake.
func TestDiagnosis(t *testing.T) {
	ctx := context.Background()
	var w lines
	src, reg := define(t, newFake(qa), &w, "g=1")
	for _, tt := range []struct{ name, expr, want string }{
		{"x", "1 +", "found the end, expected a metric, a number, a function, '(', '-' or '!'\n  1 +\n     ^\n"},
		{"y", "sample.byte_rte + 1", "unknown metric sample.byte_rte\n  sample.byte_rte + 1\n  ^\n  did you mean sample.byte_rate?\n"},
		{"9", "1", "9: '9' is not a name for a metric\n"},
	} {
		err := src.Add(ctx, tt.name, tt.expr)
		if got := src.Explain(ctx, err); got != tt.want {
			t.Errorf("%s = %s: %v\n%s\nwant\n%s", tt.name, tt.expr, err, got, tt.want)
		}
	}
	var bad *diagnose.Problem
	if err := reg.Register("9", "1"); !errors.As(err, &bad) || bad.Msg != "9: '9' is not a name for a metric" {
		t.Errorf("%v", err)
	}
	if got := src.Explain(ctx, pmerr.Name); got != pmerr.Name.Error()+"\n" {
		t.Errorf("of another error: %q", got)
	}
}
