package repl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
)

// A topic is a page of :help.
type topic struct{ name, summary, text string }

// topics has the pages that are about no command and no function.
var topics = []topic{
	{"grammar", "how expressions are written", `From loose to tight; all operators group to the left.

  A ? B : C                    a choice
  && ||                        and, or: of equal strength
  !                            not: takes everything that is tighter
  < <= == >= > !=              relations, 1 or 0
  + -  and - before an operand
  * /

An operand is a metric, METRIC[instance], a number, a call of a function, or an
expression in parentheses, (EXPR)[instance]. A function's parenthesis follows its
name at once. -a*b is -(a*b). Division gives a double, 0 divided by anything is 0.
In files, a definition is NAME = EXPR; a backslash at the end of a line continues
it; lines that begin with # are comments; NAME(oneline) = TEXT and
NAME(helptext) = TEXT are help texts.
`},
	{"units", "dimensions, scales, and how they are converted", `Units have powers of space, time and count, each with a scale:

  byte Kbyte Mbyte Gbyte Tbyte Pbyte Ebyte       steps of 1024
  nanosec microsec millisec sec min hour
  count, count x 10^n

+ and - want the same dimensions (none and count may be mixed); * adds them and /
subtracts them. Where operands have the same dimension in different scales, that of
the smaller scale is converted and the result is a double; :explain shows the
factors. Relations compare numbers as they are. rescale() converts.
`},
	{"semantics", "counter, instant and discrete", `A counter grows all the time, an instant value may be anything, a discrete one keeps
its value until it changes.

Counters can be added to and subtracted from each other, and multiplied or divided
by something that is no counter and has no dimension. Everything else wants
delta(), rate() or instant() around the counter. A result is discrete if both
operands are, instant if none is a counter, and else what the left operand is, or
the right one if the left is a number.

rate() and delta() compare with the sample before, so the first one has no value.
`},
}

// runHelp shows a page.
func runHelp(_ context.Context, s *Session, name string, w io.Writer) error {
	name = strings.TrimSuffix(strings.TrimPrefix(name, ":"), "()")
	if name == "" {
		return s.helpIndex(w)
	}
	var names []string
	found := false
	for _, c := range commands() {
		names = append(names, c.name)
		if c.name == name {
			fmt.Fprintf(w, ":%s\n    %s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
			if name == "set" {
				s.helpSettings(w)
			}
			found = true
		}
	}
	for _, f := range check.Functions() {
		names = append(names, f.Name)
		if f.Name == name {
			writeFunction(w, f)
			found = true
		}
	}
	for _, t := range topics {
		names = append(names, t.name)
		if t.name == name {
			io.WriteString(w, t.text)
			found = true
		}
	}
	if !found {
		return &Problem{Msg: "there is no help about " + name, Notes: diagnose.DidYouMean(name, names)}
	}
	return nil
}

// helpIndex lists what there is.
func (s *Session) helpIndex(w io.Writer) error {
	io.WriteString(w, "An expression is evaluated; NAME = EXPR defines a derived metric.\n\n")
	t := &Table{Wrap: true}
	for _, c := range commands() {
		t.Rows = append(t.Rows, []string{":" + strings.TrimSpace(c.name+" "+c.args), c.help})
	}
	if err := s.table(w, t); err != nil {
		return err
	}
	io.WriteString(w, "\nTopics of :help, besides commands:\n")
	t = &Table{Wrap: true}
	for _, topic := range topics {
		t.Rows = append(t.Rows, []string{"  " + topic.name, topic.summary})
	}
	t.Rows = append(t.Rows, []string{"  functions", strings.Join(diagnose.FunctionNames(), " ")})
	return s.table(w, t)
}

// helpSettings lists the settings.
func (s *Session) helpSettings(w io.Writer) {
	for _, k := range settings {
		fmt.Fprintf(w, "    %s: %s\n", k.key, k.help)
	}
}

// Functions returns the functions of the language.
func Functions() []check.Function { return check.Functions() }

// writeFunction writes what there is to know about a function.
func writeFunction(w io.Writer, f check.Function) {
	fmt.Fprintf(w, "%s\n    %s\n    Metadata: %s.\n    Example: %s\n", f.Signature, f.Summary, f.Metadata, f.Example)
}

// WriteFunctions writes about one function, or about all of them if there is no name.
func WriteFunctions(w io.Writer, name string) error {
	list := check.Functions()
	if name == "" {
		for i, f := range list {
			if i > 0 {
				io.WriteString(w, "\n")
			}
			writeFunction(w, f)
		}
		return nil
	}
	name = strings.TrimSuffix(name, "()")
	i := slices.IndexFunc(list, func(f check.Function) bool { return f.Name == name })
	if i < 0 {
		return &Problem{Msg: "there is no function " + name, Notes: diagnose.DidYouMean(name, diagnose.FunctionNames())}
	}
	writeFunction(w, list[i])
	return nil
}
