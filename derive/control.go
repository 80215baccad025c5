package derive

import "strconv"

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
