package derive

import (
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Definition is a derived metric as it was written: a name, which may be empty, an expression that
// has been parsed, and notes. It does not change and may be shared by goroutines. [Compile] makes one; the zero
// Definition is a metric that never has values.
type Definition struct {
	Notes
	Layer      Layer
	name, text string
	expr       syntax.Expr
}

// A Layer is where a definition comes from.
type Layer int

// The layers. Own definitions hide the others.
const (
	OwnLayer   Layer = iota // typed, or of a file that the user edits
	FileLayer               // of files that options name
	StockLayer              // of the installation
)

// Notes are what a file has about a definition besides its expression.
type Notes struct {
	OneLine, Help *string  // help texts; nil for none
	Comments      []string // lines that stood before it
}

// Attribute returns where the help text is that a line NAME(ATTR) = TEXT sets, nil if there is no such
// attribute.
func (n *Notes) Attribute(attr string) **string {
	switch attr {
	case "oneline":
		return &n.OneLine
	case "helptext":
		return &n.Help
	}
	return nil
}

// Text returns a help text (pmLookupText). If there is no full text, the one line takes its place. The
// error is pmerr.Text if there is neither, and pmerr.Arg if kind is none of a metric.
func (n *Notes) Text(kind pcp.TextKind) (string, error) {
	switch {
	case kind != pcp.OneLine && kind != pcp.Help:
		return "", pmerr.Arg
	case kind == pcp.Help && n.Help != nil:
		return *n.Help, nil
	case n.OneLine != nil:
		return *n.OneLine, nil
	}
	return "", pmerr.Text
}

// With returns the definition with notes in the place of its own.
func (d *Definition) With(n Notes) *Definition {
	out := *d
	out.Notes = n
	return &out
}

// Compile parses an expression of PCP's language; name is that of the metric it is to define. The error
// is a *diagnose.Problem for errors.As.
func Compile(name, expr string) (*Definition, error) { return CompileIn(check.PCP, name, expr) }

// CompileIn is Compile for a language.
func CompileIn(l check.Language, name, expr string) (*Definition, error) {
	e, err := l.Syntax().Parse(expr)
	if err != nil {
		return nil, &refusal{name: name, expr: expr, err: err}
	}
	return &Definition{name: name, text: expr, expr: e}, nil
}

// CompileLine is Compile for a definition of a file, in the language of the file.
func CompileLine(d *syntax.Definition) (*Definition, error) {
	return CompileIn(check.OfLine(d), d.Name, d.Expr())
}

// Name returns the name of the metric.
func (d *Definition) Name() string { return d.name }

// Expr returns the tree, which must not be changed.
func (d *Definition) Expr() syntax.Expr {
	if d.expr == nil {
		return anonymous
	}
	return d.expr
}

// anonymous is the expression of metrics that never have values.
var anonymous = &syntax.CallExpr{Fun: "anon", Lparen: 4, X: &syntax.MetricRef{NamePos: 5, Name: "PM_TYPE_U32"}, Rparen: 16}

// String returns the expression as it was written.
func (d *Definition) String() string { return d.text }

// Anonymous returns the definition without its name.
func (d *Definition) Anonymous() *Definition {
	out := *d
	out.name = ""
	return &out
}

// Rate returns the definition of rate() of the expression, without a name.
func (d *Definition) Rate() *Definition {
	end := syntax.Pos(len(d.text) + len("rate("))
	return &Definition{text: "rate(" + d.text + ")", expr: &syntax.CallExpr{Fun: "rate", Lparen: 4, X: d.Expr(), Rparen: end}}
}

// Metrics returns the names that the expression mentions, each once, from left to right.
func (d *Definition) Metrics() []string {
	var names []string
	seen := make(map[string]bool)
	for name := range syntax.Mentions(d.Expr()) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}
