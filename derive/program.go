package derive

import (
	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// A Program is an expression that has been parsed. It does not change and may be shared by
// goroutines.
type Program struct {
	name, text string
	expr       syntax.Expr
}

// Compile parses an expression of PCP's language; name is that of the metric it is to define. The error
// is a *diagnose.Problem for errors.As.
func Compile(name, expr string) (*Program, error) { return CompileIn(check.PCP, name, expr) }

// CompileIn is Compile for a language.
func CompileIn(l check.Language, name, expr string) (*Program, error) {
	e, err := l.Syntax().Parse(expr)
	if err != nil {
		return nil, &refusal{name: name, expr: expr, err: err}
	}
	return &Program{name: name, text: expr, expr: e}, nil
}

// Name returns the name of the metric.
func (p *Program) Name() string { return p.name }

// Expr returns the tree, which must not be changed.
func (p *Program) Expr() syntax.Expr { return p.expr }

// String returns the expression as it was written.
func (p *Program) String() string { return p.text }

// Rate returns the program of rate() of the expression, without a name.
func (p *Program) Rate() *Program {
	end := syntax.Pos(len(p.text) + len("rate("))
	return &Program{text: "rate(" + p.text + ")", expr: &syntax.CallExpr{Fun: syntax.RATE, Lparen: 4, X: p.expr, Rparen: end}}
}

// Metrics returns the names that the expression mentions, each once, from left to right.
func (p *Program) Metrics() []string {
	var names []string
	seen := make(map[string]bool)
	for name := range syntax.Mentions(p.expr) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}
