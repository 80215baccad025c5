package derive

import (
	"strconv"

	"pmtools/lib/pmerr"
)

// A Control is a setting of derived metrics, with the reference's numbers (derived.md D10.1).
type Control int

// The controls.
const (
	GlobalLimit    Control = 1 // how many metrics a Registry takes; -1 for no limit
	ContextLimit   Control = 2 // how many metrics a Source takes by itself; see Source.SetLimit
	DebugSyntax    Control = 3 // 1: the Observer shows what is parsed
	DebugSemantics Control = 4 // 1: the Observer shows what does not fit
	DebugEval      Control = 5 // 1: the Observer shows values
	NoValueOption  Control = 6 // 1: an unknown operand counts as novalue()
)

const numControls = 6

// controlNames are the names of the controls from 1 on.
var controlNames = [numControls]string{
	"GLOBAL_LIMIT", "CONTEXT_LIMIT", "DEBUG_SYNTAX", "DEBUG_SEMANTICS", "DEBUG_EVAL", "OPTION_NOVALUE",
}

// String returns the name of c as control lines have it.
func (c Control) String() string {
	if c < 1 || c > numControls {
		return "Control(" + strconv.Itoa(int(c)) + ")"
	}
	return controlNames[c-1]
}

type control struct {
	value int
	fixed bool // set from the environment, which has priority
}

// Control returns a setting. The error is pmerr.NoContext for ContextLimit, of which each Source
// has its own, and pmerr.Name for numbers that are not controls.
func (r *Registry) Control(c Control) (int, error) {
	switch {
	case c < 1 || c > numControls:
		return 0, pmerr.Name
	case c == ContextLimit:
		return 0, pmerr.NoContext
	}
	if o := r.observer; o != nil && c >= DebugSyntax && c <= DebugEval {
		if o.Enabled(c) {
			return 1, nil
		}
		return 0, nil
	}
	return r.controls[c-1].value, nil
}

// SetControl changes a setting (pmSetDerivedControl): pmerr.Arg for a value out of range,
// pmerr.Again for one that FixControl has set, otherwise as Control.
func (r *Registry) SetControl(c Control, value int) error { return r.control(c, value, false) }

// FixControl is SetControl for the environment, whose settings SetControl cannot change afterwards.
func (r *Registry) FixControl(c Control, value int) error { return r.control(c, value, true) }

func (r *Registry) control(c Control, value int, fix bool) error {
	if err := r.assign(c, value, fix); err != nil {
		return err
	}
	if o := r.observer; o != nil {
		o.Controlled(c, value)
	}
	return nil
}

// assign changes a setting. If fix is set, only another fixed assignment can change it again.
func (r *Registry) assign(c Control, value int, fix bool) error {
	if c < 1 || c > numControls {
		return pmerr.Name
	}
	p := &r.controls[c-1]
	switch {
	case p.fixed && !fix && p.value != value:
		return pmerr.Again
	case c <= ContextLimit && value != -1 && value <= 0, c > ContextLimit && value != 0 && value != 1:
		return pmerr.Arg
	case c == ContextLimit:
		return pmerr.NoContext
	}
	p.value, p.fixed = value, p.fixed || fix
	return nil
}
