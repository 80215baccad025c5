package diagnose

import (
	"fmt"
	"strconv"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// The habits of SQL and awk.

// translated returns the operator of this language for that of another, or "".
func translated(text string) string {
	switch strings.ToLower(text) {
	case "and":
		return "&&"
	case "or":
		return "||"
	case "=", "===":
		return "=="
	case "<>":
		return "!="
	}
	return ""
}

// operator advises about an operator that is written in another way.
func (p *phrase) operator(i int) *advice {
	w := p.at(i)
	right := translated(w.text)
	if i == 0 || p.before(i) < 0 || p.after(i+1) < 0 && !p.is(i+1, "-", "!", "not") {
		return nil
	}
	return &advice{msg: fmt.Sprintf("the operator is '%s', not '%s'", right, w.text), pos: w.start, start: w.start, end: w.end, rewrites: []string{right}}
}

// logic advises about and, or.
func (p *phrase) logic(i int) *advice {
	if !p.is(i, "and", "or") {
		return nil
	}
	return p.operator(i)
}

// single advises about & and |.
func (p *phrase) single(i int) *advice {
	if !p.is(i, "&", "|") || i == 0 {
		return nil
	}
	w := p.at(i)
	return &advice{msg: fmt.Sprintf("there are no operators on bits; '%s' is the logical one", w.text+w.text), pos: w.start}
}

// between advises about x BETWEEN a AND b.
func (p *phrase) between(i int) *advice {
	begin, and := p.before(i), p.after(i+1)
	if !p.is(i, "between") || begin < 0 || and < 0 || !p.is(and, "and") || p.after(and+1) < 0 {
		return nil
	}
	x, end := strings.TrimSpace(p.text[p.at(begin).start:p.at(i).start]), p.at(p.after(and+1)-1).end
	low, high := p.text[p.at(i+1).start:p.at(and-1).end], p.text[p.at(and+1).start:end]
	text := fmt.Sprintf("(%s >= %s && %s <= %s)", x, low, x, high)
	return &advice{msg: "there is no operator '" + p.at(i).text + "'; two comparisons do the same", pos: p.at(i).start, start: p.at(begin).start, end: end, rewrites: []string{text}}
}

// comparison advises about =, === and <>. Where there is metadata, = may belong to it.
func (p *phrase) comparison(i int) *advice {
	if !p.is(i, "=", "===", "<>") || p.is(i, "=") && (strings.Contains(p.text, "mkconst(") || strings.Contains(p.text, "novalue(")) {
		return nil
	}
	return p.operator(i)
}

// negation advises about not. It is about all up to the next logical operator.
func (p *phrase) negation(i int) *advice {
	if !p.is(i, "not") || p.after(i+1) < 0 && !p.is(i+1, "-", "!", "not") {
		return nil
	}
	w, end := p.at(i), i+1
	for end < len(p.words) && !p.is(end, "and", "or", "&&", "||", ")", ",", "?", ":", "&", "|") {
		if p.opens(end) && p.closing(end) > 0 {
			end = p.closing(end)
		}
		end++
	}
	operand := strings.TrimSpace(p.text[w.end:p.at(end-1).end])
	return &advice{
		msg: "negation is '!', not '" + w.text + "'", pos: w.start, start: w.start, end: p.at(end - 1).end,
		rewrites: []string{"!" + grouped(operand)},
	}
}

// selection advises about SELECT x FROM y WHERE z.
func (p *phrase) selection(i int) *advice {
	if i > 0 || !p.is(0, "select") {
		return nil
	}
	end := len(p.words)
	var notes []string
	clauses := []struct {
		word, note string
	}{
		{"from", "-a ARCHIVE or -h HOST chooses where values come from, in place of FROM %s"},
		{"where", "eval --where '%s' selects samples or instances"},
		{"group", ""}, {"order", "eval --sort value puts the largest values first, in place of ORDER %s"},
		{"limit", "eval --limit %s ends after so many samples"},
	}
	for k := len(p.words) - 1; k > 0; k-- {
		for _, c := range clauses {
			if p.is(k, c.word) {
				if c.note != "" {
					notes = append([]string{fmt.Sprintf(c.note, strings.Trim(p.text[p.at(k).end:p.at(end-1).end], " ;"))}, notes...)
				}
				end = k
			}
		}
	}
	if end < 2 {
		return nil
	}
	list := strings.Trim(p.text[p.at(0).end:p.at(end-1).end], " ;")
	a := &advice{msg: "an expression is not a query: it has no SELECT", notes: notes, end: len(p.text)}
	if parts := read("(" + list + ")").inside(0); len(parts) > 1 {
		a.notes = append(a.notes, "eval takes several expressions: eval '"+strings.Join(parts, "' '")+"'")
		return a
	}
	if list != "*" {
		a.rewrites = []string{list}
	}
	return a
}

// maxPower is the highest power that is written as a product.
const maxPower = 4

// power advises about ^ and **.
func (p *phrase) power(i int) *advice {
	if !p.is(i, "^", "**") {
		return nil
	}
	w, begin := p.at(i), p.before(i)
	a := &advice{msg: "there is no operator '" + w.text + "', only multiplication", pos: w.start}
	exponent := p.at(i + 1).text
	if begin < 0 || !number(exponent) {
		return a
	}
	a.start, a.end = p.at(begin).start, p.at(i+1).end
	base := strings.TrimSpace(p.text[a.start:w.start])
	n, err := strconv.Atoi(exponent)
	if err != nil || n < 1 || n > maxPower {
		if p.lang == check.Extended {
			a.msg, a.rewrites = "there is no operator '"+w.text+"', but a function", []string{"pow(" + base + ", " + exponent + ")"}
		}
		return a
	}
	text := base + strings.Repeat(" * "+base, n-1)
	if begin > 0 && p.is(begin-1, "/", "*", "-") {
		text = grouped(text)
	}
	a.rewrites = []string{text}
	return a
}

// remainder advises about % and mod.
func (p *phrase) remainder(i int) *advice {
	if !p.is(i, "%", "mod") || i == 0 || p.before(i) < 0 {
		return nil
	}
	w := p.at(i)
	if w.text == "%" && (i+1 == len(p.words) || p.is(i+1, ")", "+", "*", "/", "<", ">", "<=", ">=", "==", "!=", "?", ":", ",")) && number(p.at(i-1).text) {
		return &advice{
			msg: "a number has no percent sign", pos: w.start,
			notes: []string{"a ratio is a number such as 0.05; 100 * a / b is one in percent"},
		}
	}
	return &advice{
		msg: "there is no remainder: arithmetic is + - * /, and / keeps the fraction", pos: w.start,
		notes: []string{"eval -o csv or -o json gives the values to other programs"},
	}
}

// alias advises about x AS y.
func (p *phrase) alias(i int) *advice {
	name := p.at(i + 1).text
	if !p.is(i, "as") || i == 0 || i+2 != len(p.words) || !syntax.LegalName(name) {
		return nil
	}
	x := strings.TrimSpace(p.text[:p.at(i).start])
	return &advice{msg: "a name stands before its expression, with = between them", pos: p.at(i).start, end: len(p.text), rewrites: []string{name + " = " + x}}
}

// exponent advises about numbers with an exponent.
func (p *phrase) exponent(i int) *advice {
	w := p.at(i)
	if !number(w.text) || !strings.ContainsAny(w.text, "eE") {
		return nil
	}
	a := &advice{msg: "numbers have no exponent", pos: w.start, start: w.start, end: w.end}
	if f, err := strconv.ParseFloat(w.text, 64); err == nil && f < 1e15 && (f == 0 || f > 1e-9) {
		text := strconv.FormatFloat(f, 'f', -1, 64)
		if f > 4294967295 && !strings.Contains(text, ".") {
			text += ".0" // integers have 32 bits
		}
		a.rewrites = []string{text}
	}
	return a
}
