package mutate

import (
	"slices"
	"strconv"
	"strings"

	"pmtools/derive/syntax"
)

// A change replaces a part of an expression's text.
type change struct {
	start, end syntax.Pos
	text       string
	what       string // in words
}

// changes returns the mistakes that somebody might make in an expression, in the order of the text.
func changes(text string, x syntax.Expr) (list []change) {
	add := func(start, end syntax.Pos, with, what string) {
		if with != text[start:end] {
			list = append(list, change{start, end, with, what})
		}
	}
	replace := func(at syntax.Pos, old string, with ...string) {
		for _, w := range with {
			add(at, at+syntax.Pos(len(old)), w, old+" became "+w)
		}
	}
	of := func(n syntax.Node) string {
		start, end := n.Span()
		return text[start:end]
	}
	var share syntax.Expr // of the values of the quantile around it
	for n := range syntax.Preorder(x) {
		start, end := n.Span()
		if n == syntax.Node(share) {
			replace(start, of(n), shares(of(n)))
			continue
		}
		switch n := n.(type) {
		case *syntax.IntLit:
			replace(start, n.Text, numbers(n)...)
		case *syntax.FloatLit:
			replace(start, n.Text, strconv.FormatFloat(n.Value+1, 'f', 1, 64))
		case *syntax.BinaryExpr:
			if symbol := n.Op.Symbol(); !n.Op.IsFunction() {
				replace(n.OpPos, symbol, operators(n.Op)...)
			} else if strings.HasPrefix(text[n.OpPos:], symbol+"(") {
				replace(n.OpPos, symbol, functions(n.Op)...)
			}
			if n.Op == syntax.MINUS || n.Op == syntax.SLASH || n.Op == syntax.POW {
				add(start, end, swapped(n, of), "the operands of "+n.Op.Symbol()+" were swapped")
			}
		case *syntax.UnaryExpr:
			add(n.OpPos, n.OpPos+1, "", n.Op.Symbol()+" was left out")
		case *syntax.CallExpr:
			replace(n.FunPos, n.Fun.Symbol(), functions(n.Fun)...)
			if n.Fun == syntax.RATE || n.Fun == syntax.DELTA || n.Fun == syntax.INSTANT || n.Fun.IsOverTime() {
				add(start, end, "("+of(n.X)+")", n.Fun.Symbol()+"() was left out")
			}
			if n.Fun == syntax.QUANTILE || n.Fun == syntax.QUANTILEOVER {
				share = n.N
			}
			if n.Over != nil {
				replace(n.Over.Pos, strings.TrimSpace(text[n.Over.Pos:n.Rparen]), windows(n.Over.Text)...)
			}
			if x0, _ := n.X.Span(); n.Fun == syntax.QUANTILEOVER {
				for _, f := range []syntax.Token{syntax.AVGOVER, syntax.MAXOVER} {
					add(n.FunPos, x0, f.Symbol()+"(", n.Fun.Symbol()+" became "+f.Symbol())
				}
			}
			if n.By != nil {
				add(n.Rparen+1, end, "", "by was left out")
				list = append(list, groupings(n.By)...)
			}
		case *syntax.RescaleExpr:
			replace(n.UnitsPos+1, n.Units, scales(n.Units)...)
			add(start, end, "("+of(n.X)+")", "rescale() was left out")
		case *syntax.Spec:
			if n.Tag != syntax.META {
				break
			}
			for name := range syntax.Mentions(x) {
				replace(n.ValuePos, n.Value, name)
			}
			from, to := item(text, n)
			add(from, to, "", "meta="+n.Value+" was left out")
		case *syntax.MatchInstExpr:
			if n.NotPos >= 0 {
				add(n.NotPos, n.NotPos+1, "", "! was left out")
			} else {
				add(n.PatternPos, n.PatternPos, "!", "the pattern was negated")
			}
		case *syntax.TernaryExpr:
			c0, c1 := n.Cond.Span()
			add(c0, c1, "!("+of(n.Cond)+")", "the condition was negated")
			x0, _ := n.X.Span()
			_, y1 := n.Y.Span()
			if _, no := n.Y.(*syntax.NovalueExpr); !no {
				add(x0, y1, "("+of(n.Y)+") : "+of(n.X), "the arms were swapped")
			}
		}
	}
	return list
}

// groupings returns mistakes in labels: one is left out, or is that of the host, which all instances have.
func groupings(by *syntax.Grouping) (list []change) {
	end := func(l syntax.Label) syntax.Pos { return l.Pos + syntax.Pos(len(l.Name)) }
	host := slices.Contains(by.Names(), "hostname")
	for i, l := range by.Labels {
		if !host {
			list = append(list, change{l.Pos, end(l), "hostname", l.Name + " became hostname"})
		}
		switch {
		case i > 0:
			list = append(list, change{end(by.Labels[i-1]), end(l), "", "the label " + l.Name + " was left out"})
		case len(by.Labels) > 1:
			list = append(list, change{l.Pos, by.Labels[1].Pos, "", "the label " + l.Name + " was left out"})
		}
	}
	return list
}

// swapped returns an operation with its operands swapped, in parentheses where they are operations.
func swapped(n *syntax.BinaryExpr, of func(syntax.Node) string) string {
	operand := func(x syntax.Expr) string {
		switch x.(type) {
		case *syntax.BinaryExpr, *syntax.TernaryExpr, *syntax.UnaryExpr:
			return "(" + of(x) + ")"
		}
		return of(x)
	}
	if n.Op.IsFunction() {
		return n.Op.Symbol() + "(" + of(n.Y) + ", " + of(n.X) + ")"
	}
	return operand(n.Y) + " " + n.Op.Symbol() + " " + operand(n.X)
}

// item returns the place of an item of metadata with the comma that it does not need when it is left out.
func item(text string, n *syntax.Spec) (from, to syntax.Pos) {
	from, to = n.TagPos, n.ValuePos+syntax.Pos(len(n.Value))
	before, after := strings.TrimRight(text[:from], " \t\n"), strings.TrimLeft(text[to:], " \t\n")
	if strings.HasSuffix(before, ",") {
		from = syntax.Pos(len(before) - 1)
	} else if strings.HasPrefix(after, ",") {
		to = syntax.Pos(len(text) - len(after) + 1)
	}
	return from, to
}

// operators returns what an operator is mistaken for.
func operators(op syntax.Token) []string {
	switch op {
	case syntax.PLUS:
		return []string{"-"}
	case syntax.MINUS:
		return []string{"+"}
	case syntax.STAR:
		return []string{"/"}
	case syntax.SLASH:
		return []string{"*"}
	case syntax.LT:
		return []string{"<=", ">="}
	case syntax.LEQ:
		return []string{"<", ">"}
	case syntax.GT:
		return []string{">=", "<="}
	case syntax.GEQ:
		return []string{">", "<"}
	case syntax.EQ:
		return []string{"!="}
	case syntax.NEQ:
		return []string{"=="}
	case syntax.AND:
		return []string{"||"}
	case syntax.OR:
		return []string{"&&"}
	}
	return nil
}

// functions returns what a function is mistaken for.
func functions(fun syntax.Token) []string {
	switch fun {
	case syntax.RATE:
		return []string{"delta"}
	case syntax.DELTA:
		return []string{"rate"}
	case syntax.SUM:
		return []string{"avg", "max"}
	case syntax.AVG:
		return []string{"sum", "max"}
	case syntax.MAX:
		return []string{"min"}
	case syntax.MIN:
		return []string{"max"}
	case syntax.COUNT:
		return []string{"sum"}
	case syntax.MEDIAN:
		return []string{"avg"}
	case syntax.TOPN:
		return []string{"bottomn"}
	case syntax.BOTTOMN:
		return []string{"topn"}
	case syntax.AVGOVER:
		return []string{"max_over", "min_over"}
	case syntax.MAXOVER:
		return []string{"avg_over", "min_over"}
	case syntax.MINOVER:
		return []string{"avg_over", "max_over"}
	case syntax.SMOOTH:
		return []string{"avg_over"}
	case syntax.FLOOR, syntax.ROUND:
		return []string{"ceil"}
	case syntax.CEIL:
		return []string{"floor"}
	}
	return nil
}

// numbers returns what a number is mistaken for: the next one, and the factor of another scale.
func numbers(n *syntax.IntLit) []string {
	next := strconv.FormatUint(uint64(n.Value)+1, 10)
	if n.Value == 1<<32-1 {
		next = "0"
	}
	list := []string{next}
	for _, pair := range [...][2]string{{"1024", "1000"}, {"1000", "1024"}, {"3600", "60"}, {"60", "3600"}, {"100", "1"}} {
		if n.Text == pair[0] {
			list = append(list, pair[1])
		}
	}
	return list
}

// shares returns what a share of values is mistaken for.
func shares(text string) string {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == 0.5 {
		return "0.9"
	}
	return "0.5"
}

// windows returns twice and half of an interval, a number with its unit.
func windows(interval string) []string {
	unit := strings.TrimLeft(interval, ".0123456789")
	n, err := strconv.ParseFloat(strings.TrimSuffix(interval, unit), 64)
	if err != nil {
		return nil
	}
	return []string{strconv.FormatFloat(2*n, 'f', -1, 64) + unit, strconv.FormatFloat(n/2, 'f', -1, 64) + unit}
}

// scales returns units with another scale.
func scales(units string) (list []string) {
	steps := []string{"byte", "kbyte", "mbyte", "gbyte", "tbyte", "nanosec", "microsec", "millisec", "sec", "min", "hour"}
	for i, word := range fieldsOf(units) {
		lower := strings.TrimSuffix(strings.ToLower(word.text), "s")
		k := slices.Index(steps, lower)
		if k < 0 || i > 8 {
			continue
		}
		other := k + 1
		if other == len(steps) || steps[k] == "tbyte" {
			other = k - 1
		}
		list = append(list, units[:word.at]+steps[other]+units[word.at+len(word.text):])
	}
	return list
}

type field struct {
	at   int
	text string
}

// fieldsOf returns the words of letters in a text.
func fieldsOf(text string) (list []field) {
	start := -1
	for i := 0; i <= len(text); i++ {
		letter := i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= 'A' && text[i] <= 'Z')
		switch {
		case letter && start < 0:
			start = i
		case !letter && start >= 0:
			list = append(list, field{start, text[start:i]})
			start = -1
		}
	}
	return list
}
