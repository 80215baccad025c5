package diagnose

import (
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// grouping advises about groups by labels: sum by (x) (y), rate(y) by (x), sum(y) by x, sum(y) without (x).
func (p *phrase) grouping(i int) *advice {
	by := p.is(i, "by")
	if !by && !p.is(i, "without") {
		return nil
	}
	labels, next := "("+p.at(i+1).text+")", i+2
	if end := p.closing(i + 1); p.at(i+1).text == "(" && end > 0 {
		labels, next = p.text[p.at(i+1).start:p.at(end).end], end+1
	} else if !p.named(i + 1) {
		return nil
	}
	operand, begin, end := "", p.before(i), next
	if last := p.closing(next); p.named(i-1) && p.at(next).text == "(" && last > 0 {
		begin, end = i-1, last+1
		operand = p.at(begin).text + p.text[p.at(next).start:p.at(last).end]
	} else if begin >= 0 {
		operand = strings.TrimSpace(p.text[p.at(begin).start:p.at(i).start])
	}
	x, err := check.Extended.Syntax().Parse(operand)
	if err != nil {
		return nil
	}
	call, groups := syntax.Unparen(x).(*syntax.CallExpr)
	groups = groups && call.Fun.IsGroupable() && call.By == nil
	a := &advice{pos: p.at(i).start, start: p.at(begin).start, end: p.at(end - 1).end}
	switch {
	case p.lang != check.Extended && !groups:
		return nil
	case p.lang != check.Extended:
		a.msg = "there is no grouping by labels: an aggregate is over all instances of a metric"
		a.notes = []string{"x alone has a value for each instance, sum(x) one for all of them", "over several hosts, eval -h A -h B --across sum combines the values of each instance"}
		return a
	case !by:
		a.msg, a.notes = "there is no without: by names the labels that stay", []string{"as in sum(x) by (LABEL, ...); pminfo -l shows the labels of a metric"}
		return a
	case groups && p.at(i).text != "by":
		a.msg = "by has small letters"
	case groups && end == next && operand[len(operand)-1] == ')' && operand[0] != '(' && p.at(i+1).text == "(":
		return nil // which is understood
	case groups && p.at(i+1).text != "(":
		a.msg = "the labels after by stand in parentheses, as in by (device, type)"
	default:
		a.msg = "by (LABEL, ...) stands after the parenthesis of avg, count, max, median, min, quantile, stddev or sum"
	}
	switch {
	case groups:
		a.rewrites = []string{syntax.Print(call) + " by " + labels}
	case call != nil && (call.Fun == syntax.TOPN || call.Fun == syntax.BOTTOMN):
		a.notes = []string{call.Fun.Symbol() + "() compares the instances of all groups, and there is none for each group"}
	default:
		a.rewrites = []string{"sum(" + syntax.Print(syntax.Unparen(x)) + ") by " + labels}
	}
	return a
}
