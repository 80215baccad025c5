// Package explain shows the tree of a checked expression: each part with its type, units and
// conversions.
package explain

import (
	"fmt"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// Columns are the names of the columns of Rows.
var Columns = [...]string{"expression", "type", "semantics", "units", "indom", "conversion"}

// Rows returns a row for each part of a tree that info describes, indented by its depth. A tree of many
// parts is cut.
func Rows(tree syntax.Expr, info *check.Info) [][]string {
	e := &explainer{info: info, conv: make(map[syntax.Expr][]string)}
	e.node(tree, "", 0)
	return e.rows
}

type explainer struct {
	info   *check.Info
	conv   map[syntax.Expr][]string // conversions that the node above applies
	unused int                      // how many arms that are never chosen the node is in
	rows   [][]string
}

func (e *explainer) typeOf(x syntax.Expr) (check.Type, bool) {
	t, ok := e.info.Types[x]
	return t, ok && e.unused == 0
}

// Bounds of the tree that is shown.
const (
	maxExplained = 500 // rows
	maxLevel     = 200
	maxNodeText  = 64 // characters
)

// node adds the rows of a node and of those below it. Parentheses have none of their own.
func (e *explainer) node(x syntax.Expr, role string, level int) {
	if inner := syntax.Unparen(x); inner != x {
		e.conv[inner] = e.conv[x]
		x = inner
	}
	if len(e.rows) >= maxExplained || level > maxLevel {
		if len(e.rows) == maxExplained {
			e.rows = append(e.rows, []string{"..."})
		}
		return
	}
	row := []string{strings.Repeat("  ", level) + role + textwidth.Cut(syntax.PrintPrefix(x, 8*maxNodeText), maxNodeText)}
	t, typed := e.typeOf(x)
	if typed {
		indom := "-"
		if !t.Singular() {
			indom = t.InDom.String()
		}
		row = append(row, t.Type.String(), t.Sem.Text(), unitsText(t.Units), indom)
	} else {
		row = append(row, "-", "-", "-", "-")
	}
	e.rows = append(e.rows, append(row, e.notes(x, typed)))
	e.below(x, level+1)
}

// notes describes the conversions of a node's values, and properties that are known without values.
func (e *explainer) notes(x syntax.Expr, typed bool) string {
	notes := e.conv[x]
	delete(e.conv, x)
	switch n := x.(type) {
	case *syntax.CallExpr:
		if defined, ok := e.info.Defined[n]; ok {
			notes = append(notes, map[bool]string{true: "is 1", false: "is 0"}[defined])
		}
		if of, known := e.typeOf(n.X); known && n.By != nil {
			notes = append(notes, "groups of "+of.InDom.String())
		}
	case *syntax.TernaryExpr:
		switch choice := e.info.Choices[n]; {
		case typed && choice == check.Left:
			notes = append(notes, "always the left arm")
		case typed && choice == check.Right:
			notes = append(notes, "always the right arm")
		}
	case *syntax.RescaleExpr:
		notes = append(notes, fmt.Sprintf("from %s to %s", unitsText(e.info.Types[n.X].Units), unitsText(e.info.Rescale[n])))
	}
	if !typed {
		notes = append(notes, "not used")
	}
	return strings.Join(notes, ", ")
}

func (e *explainer) below(x syntax.Expr, level int) {
	switch n := x.(type) {
	case *syntax.UnaryExpr:
		e.promote(n.X, n)
	case *syntax.BinaryExpr:
		e.scale(n)
	case *syntax.TernaryExpr:
		e.node(n.Cond, "guard ", level)
		choice := e.info.Choices[n]
		e.arm(n.X, "true ", level, choice == check.Right)
		e.arm(n.Y, "false ", level, choice == check.Left)
		return
	case *syntax.CallExpr:
		if n.Fun == "anon" || n.Fun == "defined" {
			return
		}
		if n.Fun == "delta" || n.Fun.IsExtension() {
			e.promote(n.X, n)
		}
		e.node(n.X, "", level) // a number before it is part of the function
		return
	case *syntax.ConstExpr:
		return
	}
	for _, operand := range syntax.Operands(x) {
		if operand != nil {
			e.node(*operand, "", level)
		}
	}
}

func (e *explainer) arm(x syntax.Expr, role string, level int, unused bool) {
	if unused {
		e.unused++
		defer func() { e.unused-- }()
	}
	e.node(x, role, level)
}

func (e *explainer) promote(x, above syntax.Expr) {
	from, ok := e.typeOf(x)
	to, typed := e.typeOf(above)
	if ok && typed {
		e.convert(x, from.Type, to.Type)
	}
}

func (e *explainer) convert(x syntax.Expr, from, to pcp.Type) {
	if from != to {
		e.conv[x] = append(e.conv[x], fmt.Sprintf("%s to %s", from, to))
	}
}

// scale notes what the operands of an operator are converted by, and what type they become.
func (e *explainer) scale(n *syntax.BinaryExpr) {
	if s, ok := e.info.Scales[n]; ok && e.unused == 0 {
		e.factor(n.X, s.LeftDiv, s.LeftMul)
		e.factor(n.Y, s.RightDiv, s.RightMul)
	}
	x, okx := e.typeOf(n.X)
	y, oky := e.typeOf(n.Y)
	if !okx || !oky {
		return
	}
	common := max(x.Type, y.Type) // relations compare in the higher type
	switch n.Op {
	case syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, "max", "min", "clamp", "pow":
		common = e.info.Types[n].Type
	}
	e.convert(n.X, x.Type, common)
	e.convert(n.Y, y.Type, common)
}

func (e *explainer) factor(x syntax.Expr, div, mul float64) {
	var parts []string
	if div != 1 {
		parts = append(parts, "/ "+trimFloat(div))
	}
	if mul != 1 {
		parts = append(parts, "* "+trimFloat(mul))
	}
	if parts != nil {
		e.conv[x] = append(e.conv[x], strings.Join(parts, " "))
	}
}

func trimFloat(f float64) string { return string(pcp.AppendG(nil, f, 15)) }

// unitsText returns the text of units, "none" if there are none.
func unitsText(u pcp.Units) string { return string(format.AppendUnits(nil, u)) }
