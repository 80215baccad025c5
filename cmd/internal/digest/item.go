package digest

import (
	"slices"
	"strings"

	"pmtools/cmd/internal/item"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/summary"
	"pmtools/lib/option"
)

// An asked is a question that is being read from an item of the prompt.
type asked interface {
	Question
	Add(t *option.Table)
	// take takes the words that are no options, and the text that they end.
	take(words []string, text string) error
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

// Parse reads the argument of the item of a name: options, and after those of summarize expressions with commas
// between them, beside those of compare other sources as :source has them.
func Parse(name, arg string, f *Form) (Question, error) {
	q, p := newAsked(name, f)
	list, starts, err := words(arg)
	operands := p.Scan(list, name == "summarize", func(bad error) {
		if err == nil {
			err = diagnose.From(bad)
		}
	})
	if err != nil {
		return nil, err
	}
	text := ""
	if n := len(operands); n > 0 {
		text = arg[starts[len(starts)-n]:]
	}
	return q, q.take(operands, text)
}

func (s *Summarize) take(_ []string, text string) error {
	if text != "" {
		s.Exprs = item.List(text)
	}
	return s.Check()
}

func (c *Compare) take(operands []string, _ string) error {
	operands = c.Reports(operands)
	for i := 0; i < len(operands); i++ {
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
	return nil
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
