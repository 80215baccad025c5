package digest

import (
	"cmp"
	"slices"
	"strings"

	"pmtools/derive/internal/item"
	"pmtools/derive/query"
	"pmtools/derive/summary"
	"pmtools/lib/option"
)

// An asked is a question whose options are being read from an item of the prompt.
type asked interface {
	Question
	Add(t *option.Table)
}

// newAsked returns the question of an item, and the options that it has.
func newAsked(name string, f *Form) (asked, *option.Parser) {
	p := &option.Parser{}
	var q asked
	if name == "summarize" {
		p.Shared("start", "finish", "align", "origin")
		q = &Summarize{Options: &p.Options}
	} else {
		p.Shared("start", "finish", "interval", "samples")
		q = &Compare{Options: &p.Options}
	}
	q.Add(&p.Table)
	p.Func(func(arg string) error {
		f.Output = arg
		return known("-o", arg, Outputs())
	}, "o", "output", "FORM", "form of the answer: "+strings.Join(Outputs(), ", "))
	return q, p
}

// Usage returns the options of the item of a name as rows: how each is written, and what it means. Other
// items have none.
func Usage(name string) (rows [][]string) {
	if name != "summarize" && name != "compare" {
		return nil
	}
	_, p := newAsked(name, &Form{})
	for o := range p.All() {
		text := "    --" + o.Long
		if o.Short != "" {
			text = "    -" + o.Short + ", --" + o.Long
		}
		rows = append(rows, []string{strings.TrimRight(text+" "+o.Word, " "), o.Text})
	}
	return rows
}

// NewSummarize reads the argument of an item of the prompt: options, then expressions with commas
// between them.
func NewSummarize(arg string, f *Form) (Question, error) {
	q, p := newAsked("summarize", f)
	s := q.(*Summarize)
	list, starts, err := words(arg)
	operands, bad := scan(p, list, true)
	if n := len(operands); n > 0 {
		s.Exprs = item.List(arg[starts[len(starts)-n]:])
	}
	if err = cmp.Or(err, bad); err == nil {
		err = s.Check()
	}
	return s, err
}

// NewCompare reads the argument of an item of the prompt: options, and another source as :source has it.
func NewCompare(arg string, f *Form) (Question, error) {
	q, p := newAsked("compare", f)
	c := q.(*Compare)
	list, _, err := words(arg)
	operands, bad := scan(p, list, false)
	err = cmp.Or(err, bad)
	operands = c.Reports(operands)
	for i := 0; i < len(operands) && err == nil; i++ {
		at := Side{"archive", operands[i]}
		switch kind := operands[i]; {
		case kind == "local":
			at = Side{Kind: kind}
		case (kind == "host" || kind == "archive") && i+1 < len(operands):
			i++
			at = Side{kind, operands[i]}
		}
		c.Others = append(c.Others, at)
	}
	return c, err
}

// scan reads the options among words, and returns the others.
func scan(p *option.Parser, list []string, posix bool) (operands []string, err error) {
	operands = p.Scan(list, posix, func(bad error) {
		if err == nil {
			err = &query.Problem{Msg: bad.Error(), Err: bad}
		}
	})
	return operands, err
}

// words splits the argument of an item at blanks outside of quotes, and returns where each word begins.
func words(text string) (list []string, starts []int, err error) {
	quote, open := byte(0), false
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && strings.IndexByte(item.Blanks, c) >= 0:
			open = false
		default:
			if !open {
				list, starts, open = append(list, ""), append(starts, i), true
			}
			if quote == 0 && (c == '"' || c == '\'') {
				quote = c
			} else {
				list[len(list)-1] += text[i : i+1]
			}
		}
	}
	if quote != 0 {
		err = query.Problemf("a quote is not closed")
	}
	return list, starts, err
}

// Proposals returns what may follow the argument of the item of a name: options, or their values.
func Proposals(name, arg string) (texts []string) {
	list := strings.Fields(arg[:strings.LastIndexAny(arg, item.Blanks)+1])
	switch slices.Concat([]string{""}, list)[len(list)] {
	case "--by":
		return summary.Ranks()
	case "--sort":
		return summary.Sorts()
	case "-o", "--output":
		return Outputs()
	}
	_, p := newAsked(name, &Form{})
	for o := range p.All() {
		texts = append(texts, "--"+o.Long+" ")
	}
	return texts
}
