// Package debug prints what a registry of derived metrics and the sources over it do, in the lines
// of the reference's debug option derive (derived.md D10.3).
//
//	p := debug.New(func(text string) { io.WriteString(os.Stderr, text) })
//	p.Set(debug.Derive | debug.Eval)
//	reg.Observe(p)
//
// Where the reference prints an address there is a number that looks like one, made of those of the
// metric and of the node.
package debug

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Flags select the lines that are printed.
type Flags uint32

// The flags with the names of the reference's debug options.
const (
	Derive    Flags = 1 << iota // definitions, names and bindings; nothing is printed without it (derive)
	Syntax                      // tokens, and trees of what was parsed (appl0)
	Semantics                   // trees of what does not fit the metrics below (appl1)
	Eval                        // the values of all nodes at each fetch (appl2)
	Desperate                   // with Semantics, trees at each stage of binding (desperate)
)

// FlagsOf returns the flags of the debug options that are set.
func FlagsOf(has func(option string) bool) Flags {
	var f Flags
	for i, name := range [...]string{"derive", "appl0", "appl1", "appl2", "desperate"} {
		if has(name) {
			f |= 1 << i
		}
	}
	return f
}

const stages = Semantics | Desperate

// A Printer is a derive.Observer that prints. It may be shared by goroutines.
type Printer struct {
	// Origin is what the list of load.Default is called, if not by itself. It must not change while
	// the Printer is in use.
	Origin string

	print func(text string)
	flags atomic.Uint32
	mu    sync.Mutex
	trees map[treeKey]*tree // of the metrics that are evaluated
}

type treeKey struct{ source, metric int }

// New returns a Printer without flags. It gives print one line or several, with their newlines, at
// a time, from any goroutine; nil drops them.
func New(print func(text string)) *Printer {
	if print == nil {
		print = func(string) {}
	}
	return &Printer{print: print, trees: make(map[treeKey]*tree)}
}

// Set selects the lines to print from now on, as the debugging controls do.
func (p *Printer) Set(f Flags) { p.flags.Store(uint32(f)) }

// on reports whether all of some flags are set, and Derive.
func (p *Printer) on(f Flags) bool {
	f |= Derive
	return Flags(p.flags.Load())&f == f
}

func (p *Printer) printf(format string, args ...any) { p.print(fmt.Sprintf(format, args...)) }

func flagsOf(c derive.Control) Flags {
	switch c {
	case derive.DebugSyntax:
		return Syntax
	case derive.DebugSemantics:
		return Semantics
	case derive.DebugEval:
		return Eval
	}
	return 0
}

// Enabled implements derive.Observer.
func (p *Printer) Enabled(c derive.Control) bool { return p.on(flagsOf(c)) }

// Controlled implements derive.Observer. A control of debugging changes Derive as well.
func (p *Printer) Controlled(c derive.Control, value int) {
	if f, on := flagsOf(c), value != 0; f != 0 && on != p.on(f) {
		f |= Derive
		if on {
			p.flags.Or(uint32(f))
		} else {
			p.flags.And(^uint32(f))
		}
	}
}

// Loaded implements derive.Observer.
func (p *Printer) Loaded(f *derive.File) {
	switch a, s := f.Attribute, f.Setting; {
	case s != nil && s.Place[0] == '[':
		p.printf("%s derived metric control: %s=%d set\n", s.Place, s.Name, s.Value)
	case s != nil:
		p.printf("Derived metric control: %s: %s=%d set\n", s.Place, s.Name, s.Value)
	case a != nil:
		if p.on(Syntax) {
			p.printf("setattr: name=\"%s\" attr=\"%s\" value=\"%s\"\n", a.Name, a.Attr, a.Value)
		}
	case f.Default:
		p.printf("Derived metric initialization from %s\n", cmp.Or(p.Origin, f.Path))
	case f.Err != nil && f.Mode.IsDir():
		p.printf("Warning: derived metrics path directory component: %s: %v\n", f.Path, pmerr.Of(f.Err))
	case f.Err != nil:
		p.printf("Warning: derived metrics path component: %s: %v\n", f.Path, pmerr.Of(f.Err))
	case !f.Mode.IsRegular():
		p.printf("Warning: derived metrics path component: %s: unexpected st_mode=%o?\n", f.Path, unixMode(f.Mode))
	default:
		p.printf("pmLoadDerivedConfig(\"%s\")\n", f.Path)
	}
}

// unixMode returns the mode of a file with Unix's bits for its kind.
func unixMode(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	switch {
	case m&fs.ModeCharDevice != 0:
		bits |= 0o020000
	case m&fs.ModeDevice != 0:
		bits |= 0o060000
	case m&fs.ModeNamedPipe != 0:
		bits |= 0o010000
	case m&fs.ModeSocket != 0:
		bits |= 0o140000
	}
	return bits
}

// Defined implements derive.Observer. How the definition of a Source's own metric ended is printed
// when it is bound.
func (p *Printer) Defined(d *derive.Parsed) {
	call := "pmRegisterDerived"
	if d.Source != nil {
		call = fmt.Sprintf("pmAddDerived(ctx->%d)", d.Source.Number)
	}
	if p.on(Syntax) {
		p.printf("%s: name=\"%s\" expr=\"%s\"\n", call, d.Name, d.Expr)
		if !d.Early {
			p.tokens(d.Expr)
		}
	}
	switch {
	case d.Err != nil:
	case d.Source == nil:
		p.printf("%s: global metric[%d] %s = %s\n", call, d.Metric.Number, d.Name, d.Expr)
		if p.on(Syntax) {
			p.dump(newTree(d.Metric))
		}
	case d.Hidden != nil && p.on(Syntax):
		p.printf("%s: per-context metric \"%s\" [%s] masks global derived metric of the same name [%s]\n",
			call, d.Name, d.Metric.ID, d.Hidden.ID)
	}
}

// tokens prints the tokens of an expression, as far as they are read.
func (p *Printer) tokens(expr string) {
	var b strings.Builder
	for _, l := range check.Syntax().Lexemes(expr) {
		fmt.Fprintf(&b, "derive_lex() -> type=L_%s \"%s\"\n", l.Tok, l.Text)
	}
	p.print(b.String())
}

// Opened implements derive.Observer. For names alone the reference opens no context.
func (p *Printer) Opened(s *derive.State) {
	if p.on(Semantics) && !s.NamesOnly {
		p.printf("__dmopencontext(->ctx %d) called, %d derived metrics\n", s.Number, s.Metrics)
	}
}

// Closed implements derive.Observer.
func (p *Printer) Closed(s *derive.State) {
	p.printf("__dmclosecontext(->ctx %d) called dm->%s %d metrics\n", s.Number, address(s.Number, 0), s.Metrics)
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := range p.trees {
		if k.source == s.Number {
			delete(p.trees, k)
		}
	}
}

// Prefetched implements derive.Observer.
func (p *Printer) Prefetched(operands []pcp.ID) {
	if len(operands) == 0 || !p.on(Eval) {
		return
	}
	var b strings.Builder
	for _, id := range operands {
		b.WriteString(" " + id.String())
	}
	p.printf("derived metrics prefetch added %d metrics:%s\n", len(operands), b.String())
}
