package check

import (
	"errors"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// Type is the metadata of the values of a node: a descriptor without the identifier.
type Type struct {
	Type  pcp.Type
	InDom pcp.InDom
	Sem   pcp.Sem
	Units pcp.Units
}

// Singular reports whether there is one value that belongs to no instance.
func (t Type) Singular() bool { return t.InDom == pcp.NullInDom }

// Desc returns t as the descriptor of a metric.
func (t Type) Desc(id pcp.ID) pcp.Desc {
	return pcp.Desc{ID: id, Type: t.Type, InDom: t.InDom, Sem: t.Sem, Units: t.Units}
}

// TypeOf returns the metadata in a descriptor.
func TypeOf(d pcp.Desc) Type {
	return Type{Type: d.Type, InDom: d.InDom, Sem: d.Sem, Units: d.Units}
}

// Scale converts the operands of an operator before they are combined: v becomes (v/Div)*Mul. A
// number that changes nothing is 1; none is 0.
type Scale struct {
	LeftMul, LeftDiv, RightMul, RightDiv float64
}

// Choice is the result of a guard, as far as it is known without values.
type Choice int

// The choices.
const (
	NotStatic Choice = iota // the values of the guard decide
	Left                    // the guard is always true
	Right                   // the guard is always false
)

// Info holds the metadata of the nodes of one tree. It does not change after Check and may be
// shared by goroutines.
type Info struct {
	// Root is the metadata of the whole expression.
	Root Type

	// Types has the metadata of every node that can be evaluated. These nodes are missing: the arm
	// that a static guard does not select, with all below it; a static guard that mentions unknown
	// metrics; the operand of defined and of anon; the number in mkconst. (Parentheses are nodes
	// and have their own entry.)
	Types map[syntax.Expr]Type

	// Metrics has the descriptors of the operands that exist, also of those in arms that are not
	// selected, but not those of defined, anon and meta=. A MetricRef that is in Types but not here
	// is unknown and, by Options.NoValue, never has values.
	Metrics map[*syntax.MetricRef]pcp.Desc

	// Mentions has the descriptors of the metrics of which no values are used: by *syntax.MetricRef
	// those that defined asks about, by *syntax.Spec those that meta= names.
	Mentions map[syntax.Node]pcp.Desc

	// Operands has the identifiers of Metrics in the order of their first appearance from left to
	// right, each once. After them come those that only arms that are not selected ask defined
	// about: they are fetched, as by the reference.
	Operands []pcp.ID

	// Consts has the value of each *IntLit, *FloatLit and *ConstExpr, converted to the type that
	// Types gives for the node. The value is not set if a constant cannot have that type, which
	// metadata copied by meta= can lead to: such a constant never has values. A constant whose
	// Types entry is not Singular has the value for every instance.
	Consts map[syntax.Expr]pcp.Value

	// Scales has the operators + - * / whose operands have different scales. Their result is a
	// Double.
	Scales map[*syntax.BinaryExpr]Scale

	// Choices has the conditional expressions whose guards are decided; the others are NotStatic.
	Choices map[*syntax.TernaryExpr]Choice

	// Defined has the result of each call of defined.
	Defined map[*syntax.CallExpr]bool

	// Rescale has the units that a rescale converts to.
	Rescale map[*syntax.RescaleExpr]pcp.Units

	// Patterns has the matchers of the patterns, without regard to the '!'.
	Patterns map[*syntax.MatchInstExpr]func(string) bool

	// Groups has the domains of the groups that by makes.
	Groups map[pcp.InDom]Grouping
}

// Novalue reports whether e, in parentheses or not, is novalue() or an operand that Options.NoValue
// has put in its place. As an arm of a choice such an expression takes nothing away from the other
// arm.
func (in *Info) Novalue(e syntax.Expr) bool {
	switch n := syntax.Unparen(e).(type) {
	case *syntax.NovalueExpr:
		return true
	case *syntax.MetricRef:
		_, typed := in.Types[n]
		_, known := in.Metrics[n]
		return typed && !known
	}
	return false
}

// An Env knows the metrics of a context. Its methods are called a few times for each name, never
// after Check returns.
type Env interface {
	// Lookup returns the identifier of a metric and whether it is computed by the client. Any error
	// means that there is no metric of that name: it is unknown, or it is an inner node of the name
	// space.
	Lookup(name string) (id pcp.ID, derived bool, err error)
	// Describe returns the descriptor of a metric. It is asked about a derived metric only where
	// one may stand: when the expression is nothing but its name, or for meta=. It must not bind
	// forever: for a derived metric that is being bound it returns ErrLoop.
	Describe(id pcp.ID) (pcp.Desc, error)
}

// ErrLoop is what Env.Describe returns for a derived metric that is just being checked.
var ErrLoop = errors.New("derived metric is defined by itself")

// Options change what Check accepts. The zero value, and a nil pointer, is the ordinary behaviour.
type Options struct {
	// Name is the name of the metric that is checked. A reference to it is an error that needs no
	// ErrLoop.
	Name string
	// NoValue makes unknown operands singular metrics without values (OPTION_NOVALUE).
	NoValue bool
	// Equivalent reports whether two different instance domains may be combined (indom.conf); nil
	// means never. See InDomMap.
	Equivalent func(a, b pcp.InDom) bool
}

// An Error is the first mistake in the meaning of an expression.
type Error struct {
	Pos  syntax.Pos // of the node: its operator, or its first byte
	What string     // the node as the reference shows it: "sample.bin + <expr>"
	Text string     // one of the texts of derived.md D7.10

	Names    bool // it was found when names were looked up, before any type was known
	Counters bool // an operator takes no counters, or not these beside others
	// Cures are the functions, of rate(), delta() and instant(), that make the node right when they are called with those
	// operands that are counters. If there are none, Still is the remaining mistake.
	Cures []syntax.Token
	Still string

	// Path has the names, the outermost first, in whose places expressions stand that lead to the
	// mistake. Pos is in the text of the last one's expression, or in that of the whole expression
	// if there is none.
	Path []*syntax.MetricRef
	// Operands are those of the node that are known, with roles such as "left".
	Operands []Operand
	// Notes are more lines for the user.
	Notes []string
	// Err is the error of the Env for a metric that is unknown or has no metadata.
	Err error
}

// An Operand is a part of the node that an Error is about.
type Operand struct {
	Role string
	Expr syntax.Expr
	Type Type
}

// Inside returns the error as one of an expression in which ref has been replaced by the one that e
// is about. A nil e means success.
func (e *Error) Inside(ref *syntax.MetricRef) *Error {
	if e == nil {
		return nil
	}
	outer := *e
	outer.Path = append([]*syntax.MetricRef{ref}, e.Path...)
	return &outer
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Error returns the node and the text.
func (e *Error) Error() string { return e.What + ": " + e.Text }

// Line returns the line, without its end, that is printed for the error in a metric of the given
// name.
func (e *Error) Line(metric string) string {
	return "Semantic error: derived metric " + metric + ": " + e.What + ": " + e.Text
}
