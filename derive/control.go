package derive

import (
	"fmt"
	"strconv"
	"strings"

	"pmtools/lib/pmerr"
)

// A Control is a setting of derived metrics, with the original's numbers (derived.md D10.1).
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

// A control is a setting's value.
type control struct {
	value int
	fixed bool // set from the environment, which has priority
}

// Control returns a setting. For ContextLimit, which each Source has for itself, and for numbers that are none, the error
// is pmerr.NoContext and pmerr.Name.
func (r *Registry) Control(c Control) (int, error) {
	switch {
	case c < 1 || c > numControls:
		return 0, pmerr.Name
	case c == ContextLimit:
		return 0, pmerr.NoContext
	}
	if o := r.observing.Load(); o != nil && *o != nil && c >= DebugSyntax && c <= DebugEval {
		if (*o).Enabled(c) {
			return 1, nil
		}
		return 0, nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.controls[c-1].value, nil
}

// SetControl changes a setting (pmSetDerivedControl): pmerr.Arg for a value out of range, pmerr.Again for one that
// SetControls has set, otherwise as Control.
func (r *Registry) SetControl(c Control, value int) error {
	return r.setControl(&Setting{Control: c, Value: value}, false)
}

// setControl changes a setting, for good if fix is set.
func (r *Registry) setControl(s *Setting, fix bool) error {
	if err := r.assign(s.Control, s.Value, fix); err != nil {
		return err
	}
	if o := r.observing.Load(); o != nil && *o != nil {
		(*o).Controlled(s)
	}
	return nil
}

// assign does the work of setControl.
func (r *Registry) assign(c Control, value int, fix bool) error {
	if c < 1 || c > numControls {
		return pmerr.Name
	}
	r.mu.Lock()
	defer r.mu.Unlock()
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

// SetControls applies settings as the variable PCP_DERIVED_CONTROL has them, OPT=VALUE,OPT=VALUE. They have priority:
// SetControl and control lines of files cannot change them any more. What is wrong goes to the Registry's warn.
func (r *Registry) SetControls(list string) {
	const variable = "$PCP_DERIVED_CONTROL"
	r.controlList(list, variable, "Warning: "+variable+": ", "Warning: "+variable+": ", true)
}

// controlList applies a list of settings from a place. Messages about a list without '=' begin with first, others with
// warning.
func (r *Registry) controlList(list, place, first, warning string, fix bool) {
	for rest, more := list, true; more; {
		name, value, ok := strings.Cut(rest, "=")
		if !ok {
			r.warn(fmt.Sprintf("%smissing '=' in derived metric control (%s)", first, rest))
			return
		}
		if value == "" || value[0] == ',' {
			r.warn(fmt.Sprintf("%smissing value in derived metric control (%s)", warning, rest))
			return
		}
		var number string
		number, rest, more = strings.Cut(value, ",")
		n, err := strconv.ParseInt(strings.TrimLeft(number, " \t\n\v\f\r"), 10, 32)
		if err != nil {
			r.warn(fmt.Sprintf("%sbad value (%s) for derived metric control (%s)", warning, value, name))
			return
		}
		if c := controlByName(name); c == 0 {
			r.warn(fmt.Sprintf("%sunknown derived metric control (%s)", warning, name))
		} else if err := r.setControl(&Setting{c, name, place, int(n)}, fix); err != nil {
			r.warn(fmt.Sprintf("%sfailed to set derived metric control %s=%d: %v", warning, name, n, err))
		}
	}
}

// controlByName finds a control by its name in any case, 0 if there is none.
func controlByName(name string) Control {
	for i, s := range controlNames {
		if strings.EqualFold(s, name) {
			return Control(i + 1)
		}
	}
	return 0
}
