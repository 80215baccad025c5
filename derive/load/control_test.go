package load_test

import (
	"errors"
	"slices"
	"testing"

	"pmtools/derive"
	"pmtools/derive/load"
	"pmtools/lib/pmerr"
)

// TestControlLists covers lists of settings and the messages about them.
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
		load.Controls(derive.NewRegistry(w.warn), tt.list)
		if !slices.Equal(w, tt.want) {
			t.Errorf("%s: said %q, want %q", tt.list, w, tt.want)
		}
	}
	reg := derive.NewRegistry(nil)
	load.Controls(reg, "GLOBAL_LIMIT=5")
	if err := reg.SetControl(derive.GlobalLimit, 6); !errors.Is(err, pmerr.Again) {
		t.Errorf("setting of the environment changed: %v", err)
	}
	if err := reg.SetControl(derive.GlobalLimit, 5); err != nil {
		t.Errorf("setting of the environment repeated: %v", err)
	}
}
