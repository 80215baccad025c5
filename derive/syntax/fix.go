package syntax

// A Fix is a change of a text that may be what was meant.
type Fix struct {
	Title      string // such as "wrap in rate()"
	Start, End Pos    // what is replaced
	Text       string
}

// Wrap returns the fixes for a counter in a text that should be none: calls around it.
func Wrap(text string, x Expr) (list []Fix) {
	from, to := Unparen(x).Span()
	for _, fun := range []string{"rate", "delta", "instant"} {
		list = append(list, Fix{"wrap in " + fun + "()", from, to, fun + "(" + text[from:to] + ")"})
	}
	return list
}
