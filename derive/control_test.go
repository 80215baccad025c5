package derive_test

import (
	"errors"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pmerr"
)

// TestControls covers the settings one by one.
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
