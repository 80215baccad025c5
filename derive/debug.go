package derive

import (
	"fmt"

	"pmtools/derive/check"
	"pmtools/lib/pcp"
)

// Debug is what a Registry, and the Sources over it, tell of their work (option -Dderive of the commands, derived.md
// D10.3). The zero Debug tells nothing, and costs nothing.
//
// The lines are those of the original. What stands there for the address of a node is here the number of its metric and,
// behind a dot, its own; the operand of 2.0 may be 2.1.
type Debug struct {
	// Print gets whole lines with their newlines, one or several at a time. It must not use the Registry, and is called
	// from every goroutine that does.
	Print func(text string)

	Derive    bool // definitions, names and bindings; without it there is nothing else either
	Syntax    bool // tokens and trees of what is parsed (appl0)
	Semantics bool // trees of what does not fit the metrics below (appl1)
	Eval      bool // the values of all nodes at each fetch (appl2)
	Desperate bool // with Semantics, trees at each stage of binding
}

// SetDebug changes what is told from now on. The controls of debugging change it too.
func (r *Registry) SetDebug(d Debug) { r.debug.Store(&d) }

// A tracer prints. A nil tracer is one that is off.
type tracer struct{ Debug }

// tracer returns nil unless something is to be told.
func (r *Registry) tracer() *tracer {
	d := r.debug.Load()
	if d == nil || !d.Derive || d.Print == nil {
		return nil
	}
	return &tracer{*d}
}

// The parts that can be switched on. They can be asked of a tracer that is off.
func (t *tracer) on() bool        { return t != nil }
func (t *tracer) syntax() bool    { return t != nil && t.Syntax }
func (t *tracer) semantics() bool { return t != nil && t.Semantics }
func (t *tracer) eval() bool      { return t != nil && t.Eval }
func (t *tracer) stages() bool    { return t != nil && t.Semantics && t.Desperate }

// printf prints one line or several.
func (t *tracer) printf(format string, args ...any) { t.Print(fmt.Sprintf(format, args...)) }

// begin tells of the definitions that every Registry has, before anything else is done with it.
func (r *Registry) begin() {
	if r.begun.Swap(true) {
		return
	}
	t := r.tracer()
	if !t.on() {
		return
	}
	for i, d := range r.since(0)[:builtin] {
		t.parsing("pmRegisterDerived", d.name, d.text)
		t.tokens(d.text)
		t.registered(i, d.Program)
	}
}

// parsing tells that a definition is looked at.
func (t *tracer) parsing(call, name, expr string) {
	if t.syntax() {
		t.printf("%s: name=\"%s\" expr=\"%s\"\n", call, name, expr)
	}
}

// tokens tells of the tokens of an expression, as far as they are read.
func (t *tracer) tokens(expr string) {
	if !t.syntax() {
		return
	}
	for _, l := range check.Syntax().Lexemes(expr) {
		t.printf("derive_lex() -> type=L_%s \"%s\"\n", l.Tok, l.Text)
	}
}

// registered tells of a new definition with its number.
func (t *tracer) registered(i int, p *Program) {
	if !t.on() {
		return
	}
	t.printf("pmRegisterDerived: global metric[%d] %s = %s\n", i, p.name, p.text)
	if t.syntax() {
		t.tree(newNode(p.expr, i), nil)
	}
}

// attribute tells that a file sets a help text.
func (t *tracer) attribute(name, attr, value string) {
	if t.syntax() {
		t.printf("setattr: name=\"%s\" attr=\"%s\" value=\"%s\"\n", name, attr, value)
	}
}

// debugFlag returns the flag that a control of debugging stands for, or nil.
func (d *Debug) debugFlag(c Control) *bool {
	switch c {
	case DebugSyntax:
		return &d.Syntax
	case DebugSemantics:
		return &d.Semantics
	case DebugEval:
		return &d.Eval
	}
	return nil
}

// setDebugControl applies a control of debugging, which changes Debug.Derive as well, as the original does.
func (r *Registry) setDebugControl(c Control, on bool) {
	var d Debug
	if old := r.debug.Load(); old != nil {
		d = *old
	}
	if flag := d.debugFlag(c); flag != nil && on != (d.Derive && *flag) {
		d.Derive, *flag = on, on
		r.debug.Store(&d)
	}
}

// debugControl returns a control of debugging.
func (r *Registry) debugControl(c Control) int {
	d := r.debug.Load()
	if d != nil && d.Derive && *d.debugFlag(c) {
		return 1
	}
	return 0
}

// maskKind says what an identifier belongs to, as warnings about masks do.
func maskKind(id pcp.ID, recorded bool) string {
	switch {
	case id.IsDerived():
		return "derived"
	case recorded && id.Domain() == pcp.DynamicDomain:
		return "archive context, remapped"
	case recorded:
		return "archive context"
	case id.Domain() == pcp.DynamicDomain:
		return "host context, remapped"
	}
	return "host context"
}
