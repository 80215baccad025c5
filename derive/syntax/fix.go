package syntax

// A Fix is a proposed change of a text.
type Fix struct {
	Title      string // such as "wrap in rate()"
	Start, End Pos    // what is replaced
	Text       string
}

// Wrap returns fixes for an operand in a text: calls of functions around it.
func Wrap(text string, x Expr, functions ...Token) (list []Fix) {
	for paren, ok := x.(*ParenExpr); ok; paren, ok = x.(*ParenExpr) {
		x = paren.X
	}
	from, to := x.Span() // of the name where a definition stands in its place: that has a text of its own
	for _, fun := range functions {
		name := fun.Symbol()
		list = append(list, Fix{"wrap in " + name + "()", from, to, name + "(" + text[from:to] + ")"})
	}
	return list
}
