package load

import (
	"fmt"
	"strconv"
	"strings"

	"pmtools/derive"
)

// Controls applies settings as the variable PCP_DERIVED_CONTROL has them, OPT=VALUE,OPT=VALUE. They
// take priority: SetControl and control lines of files cannot change them any more. The Registry
// warns of errors.
func Controls(reg *derive.Registry, list string) {
	const variable = "$PCP_DERIVED_CONTROL"
	l := loader{Registry: reg}
	l.controls(list, variable, reg.FixControl, func(_ bool, text string) { reg.Warn("Warning: " + variable + ": " + text) })
}

// controls applies a list of settings from a place. It warns of mistakes: missing is set where there is
// no '='.
func (l *loader) controls(list, place string, set func(derive.Control, int) error, warn func(missing bool, text string)) {
	bad := func(format string, args ...any) { warn(false, fmt.Sprintf(format, args...)) }
	for rest, more := list, true; more; {
		name, value, ok := strings.Cut(rest, "=")
		if !ok {
			warn(true, fmt.Sprintf("missing '=' in derived metric control (%s)", rest))
			return
		}
		if value == "" || value[0] == ',' {
			bad("missing value in derived metric control (%s)", rest)
			return
		}
		var number string
		number, rest, more = strings.Cut(value, ",")
		n, err := strconv.ParseInt(strings.TrimLeft(number, " \t\n\v\f\r"), 10, 32)
		if err != nil {
			bad("bad value (%s) for derived metric control (%s)", value, name)
			return
		}
		if c := controlByName(name); c == 0 {
			bad("unknown derived metric control (%s)", name)
		} else if err := set(c, int(n)); err != nil {
			bad("failed to set derived metric control %s=%d: %v", name, n, err)
		} else {
			l.loaded(&derive.File{Setting: &derive.Setting{Name: name, Place: place, Value: int(n)}})
		}
	}
}

// controlByName finds a control by its name in any case, 0 if there is none.
func controlByName(name string) derive.Control {
	for c := derive.GlobalLimit; c <= derive.NoValueOption; c++ {
		if strings.EqualFold(c.String(), name) {
			return c
		}
	}
	return 0
}
