package derive_test

import (
	"errors"
	"slices"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pmerr"
)

// TestControls has settings one by one.
func TestControls(t *testing.T) {
	tests := []struct {
		c     derive.Control
		value int
		err   error
	}{
		{derive.GlobalLimit, -1, nil}, {derive.GlobalLimit, 7, nil}, {derive.GlobalLimit, 0, pmerr.Arg}, {derive.GlobalLimit, -2, pmerr.Arg},
		{derive.ContextLimit, 1, pmerr.NoContext}, {derive.ContextLimit, 0, pmerr.Arg},
		{derive.DebugSyntax, 1, nil}, {derive.DebugSemantics, 2, pmerr.Arg}, {derive.DebugEval, 0, nil}, {derive.NoValueOption, 1, nil},
		{0, 1, pmerr.Name}, {7, 1, pmerr.Name}, {-1, 1, pmerr.Name},
	}
	reg := derive.NewRegistry(nil)
	for _, tt := range tests {
		if err := reg.SetControl(tt.c, tt.value); !errors.Is(err, tt.err) {
			t.Errorf("SetControl(%v, %d): %v, want %v", tt.c, tt.value, err, tt.err)
		} else if got, _ := reg.Control(tt.c); err == nil && got != tt.value {
			t.Errorf("%v is %d, want %d", tt.c, got, tt.value)
		}
	}
	for c, want := range map[derive.Control]error{derive.ContextLimit: pmerr.NoContext, 9: pmerr.Name} {
		if _, err := reg.Control(c); !errors.Is(err, want) {
			t.Errorf("Control(%v): %v", c, err)
		}
	}
	if s := derive.NoValueOption.String() + derive.Control(9).String(); s != "OPTION_NOVALUEControl(9)" {
		t.Error(s)
	}
}

// TestControlLists has lists of settings and what is said about them.
func TestControlLists(t *testing.T) {
	const p = "Warning: $PCP_DERIVED_CONTROL: "
	tests := []struct {
		list string
		want []string
	}{
		{"GLOBAL_LIMIT=5,option_novalue=1", nil},
		{"GLOBAL_LIMIT= +5", nil},
		{"", []string{p + "missing '=' in derived metric control ()"}},
		{",", []string{p + "missing '=' in derived metric control (,)"}},
		{"DEBUG_EVAL=1,", []string{p + "missing '=' in derived metric control ()"}},
		{"GLOBAL_LIMIT=,DEBUG_EVAL=1", []string{p + "missing value in derived metric control (GLOBAL_LIMIT=,DEBUG_EVAL=1)"}},
		{"DEBUG_EVAL=", []string{p + "missing value in derived metric control (DEBUG_EVAL=)"}},
		{"GLOBAL_LIMIT=5 ,DEBUG_EVAL=1", []string{p + "bad value (5 ,DEBUG_EVAL=1) for derived metric control (GLOBAL_LIMIT)"}},
		{"GLOBAL_LIMIT=0x10", []string{p + "bad value (0x10) for derived metric control (GLOBAL_LIMIT)"}},
		{"GLOBAL_LIMIT=99999999999", []string{p + "bad value (99999999999) for derived metric control (GLOBAL_LIMIT)"}},
		{"foo=1,debug_eval=7", []string{p + "unknown derived metric control (foo)",
			p + "failed to set derived metric control debug_eval=7: Bad value for function argument"}},
		{"CONTEXT_LIMIT=2", []string{p + "failed to set derived metric control CONTEXT_LIMIT=2: Attempt to use an illegal context"}},
		{"OPTION=1", []string{p + "unknown derived metric control (OPTION)"}},
	}
	for _, tt := range tests {
		var w lines
		derive.NewRegistry(w.warn).SetControls(tt.list)
		if !slices.Equal(w, tt.want) {
			t.Errorf("%s: said %q, want %q", tt.list, w, tt.want)
		}
	}
	reg := derive.NewRegistry(nil)
	reg.SetControls("GLOBAL_LIMIT=5")
	if err := reg.SetControl(derive.GlobalLimit, 6); !errors.Is(err, pmerr.Again) {
		t.Errorf("setting of the environment changed: %v", err)
	}
	if err := reg.SetControl(derive.GlobalLimit, 5); err != nil {
		t.Errorf("setting of the environment repeated: %v", err)
	}
}
