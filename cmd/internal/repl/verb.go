package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/item"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/option"
)

// A Verb is something that pmderive does: "pmderive NAME" in the shell, ":NAME" at the prompt. Both have its
// options, its operands and its help.
//
// A line of the prompt is one of the shell, but for expressions: these need no quotes, are what follows the options, and
// have commas between them. After "--" there are no options.
type Verb struct {
	Name     string
	Aliases  []Alias
	Usage    string // the operands as help shows them
	Short    string // one line
	Long     string
	Group    Group // where help lists it
	Doors    Door
	Operands Operands
	Least    int  // how many operands there must be
	Most     int  // how many there may be
	Asks     bool // it asks the source, which is opened before it runs
	Leads    bool // a number, or an interval, may stand before the operands
	Bare     bool // it does not ask for definitions that are installed
	Several  bool // it takes several sources
	Partial  bool // in the shell, too, an interrupt ends it with the answer that there is
	Files    bool // the operands are names of files
	Complete Completion
	// New adds the options to a set and returns what runs with them.
	New func(f *Flags) Run
}

// An Alias is another name of a verb at the prompt, with options that it stands for.
type Alias struct {
	Name    string
	Options []string
}

// A Door is a way to a verb.
type Door int

// The doors. A verb without any is one of the prompt.
const (
	Shell Door = 1 << iota
	Prompt
	Both = Shell | Prompt
)

// Operands are what the text of operands is, which says how the prompt splits it.
type Operands int

// The kinds of operands.
const (
	Words Operands = iota // words, as the shell reads them
	Exprs                 // expressions, split at commas; a word in the shell may be several
	Expr                  // one operand, as it is typed, that ends in an expression
	Text                  // one operand, as it is typed
)

// many is a number of operands without a bound.
const many = math.MaxInt

// A Run runs a verb whose options have been read, and writes its answer to w. The error is a [Misuse] where options
// or operands do not fit together. A verb of the shell alone has no Session.
type Run func(ctx context.Context, s *Session, args []string, w io.Writer) error

// A Misuse is an error in a command line.
type Misuse struct{ Err error }

func (m Misuse) Error() string {
	if p, ok := errors.AsType[*diagnose.Problem](m.Err); ok {
		return strings.Join(append([]string{p.Msg}, p.Notes...), "; ")
	}
	return m.Err.Error()
}

// Unwrap returns the error itself.
func (m Misuse) Unwrap() error { return m.Err }

// A Finding is the error of a verb whose answer lists problems, such as check: it only makes the status 1.
type Finding string

func (f Finding) Error() string { return string(f) }

// ErrFound is the Finding of answers that people need not be told more about.
const ErrFound = Finding("there are mistakes")

// misuse returns the error of a command line.
func misuse(format string, args ...any) error { return Misuse{query.Problemf(format, args...)} }

// plain is the New of a verb without options.
func plain(run Run) func(*Flags) Run { return func(*Flags) Run { return run } }

// names returns the verb's names, its own first.
func (v *Verb) names() []string {
	names := []string{v.Name}
	for _, a := range v.Aliases {
		names = append(names, a.Name)
	}
	return names
}

// also tells the other names that the verb has at a door.
func (v *Verb) also(door Door) string {
	if door == Shell || len(v.Aliases) == 0 {
		return ""
	}
	return " (also :" + strings.Join(v.names()[1:], ", :") + ")"
}

// completion returns what proposes operands at the prompt. The shell proposes names of files itself.
func (v *Verb) completion() Completion {
	if v.Files {
		return ofFiles
	}
	return v.Complete
}

// expr reports whether the operands end in an expression.
func (v *Verb) expr() bool { return v.Operands == Exprs || v.Operands == Expr }

// usage returns a line at a door as help shows it.
func (v *Verb) usage(door Door) string {
	begin := ":"
	if door == Shell {
		begin = "pmderive "
	}
	return strings.TrimRight(begin+v.Name+" "+v.Usage, " ")
}

// begins reports whether a name stands for the verb if no other begins so. Aliases have their whole names.
func (v *Verb) begins(name string) bool { return name != "" && strings.HasPrefix(v.Name, name) }

// Meant has words that people type for verbs that have other names.
var Meant = map[string]string{
	"chart": "plot", "diff": "compare", "graph": "plot", "grep": "find", "info": "describe", "lint": "check", "log": "record",
	"search": "find", "stats": "summarize", "validate": "check", "verify": "check",
}

// At returns the verbs of a list that a door has.
func At(door Door, list []*Verb) (verbs []*Verb) {
	for _, v := range list {
		if v.Doors&door != 0 || v.Doors == 0 && door == Prompt {
			verbs = append(verbs, v)
		}
	}
	return verbs
}

// findVerb returns the verb of a name at the prompt, or the only one whose name begins so, and the options that the
// name stands for; or nil.
func findVerb(name string, list []*Verb) (*Verb, []string) {
	list = At(Prompt, list)
	for _, v := range list {
		if v.Name == name {
			return v, nil
		}
		if i := slices.IndexFunc(v.Aliases, func(a Alias) bool { return a.Name == name }); i >= 0 {
			return v, v.Aliases[i].Options
		}
	}
	if begun := slices.DeleteFunc(list, func(v *Verb) bool { return !v.begins(name) }); len(begun) == 1 {
		return begun[0], nil
	}
	return nil, nil
}

// unknownVerb returns the error for the name of a verb that the prompt does not have, or that begins several. It may be
// meant for a report, too.
func unknownVerb(name string, list []*Verb, reports []string) *diagnose.Problem {
	if i := slices.IndexFunc(list, func(v *Verb) bool { return v.Name == name }); i >= 0 {
		return query.Problemf(":%s is a command of the shell: %s", name, list[i].usage(Shell))
	}
	var begun, names []string
	for _, v := range At(Prompt, list) {
		if names = append(names, v.names()...); v.begins(name) {
			begun = append(begun, ":"+v.Name)
		}
	}
	if len(begun) > 1 {
		return query.Problemf(":%s may be %s", name, strings.Join(begun, ", "))
	}
	if other := Meant[name]; other != "" {
		return query.Problemf("there is no command :%s; did you mean :%s?", name, other)
	}
	names = append(names, slices.DeleteFunc(reports, func(r string) bool { return slices.Contains(names, r) })...)
	for i := range names {
		names[i] = ":" + names[i]
	}
	return &diagnose.Problem{
		Msg:   fmt.Sprintf("there is no command or report :%s; :help and :reports list them", name),
		Notes: diagnose.DidYouMean(":"+name, names),
	}
}

// Do runs a verb with options that have been read.
func (s *Session) Do(ctx context.Context, v *Verb, f *Flags, run Run, args []string, w io.Writer) error {
	return s.Hold(ctx, func() error {
		s.screen = w
		return s.do(ctx, v, f, run, args, w)
	})
}

// do is Do for a caller that holds the Session. The settings that options have changed hold until it ends.
func (s *Session) do(ctx context.Context, v *Verb, f *Flags, run Run, args []string, w io.Writer) error {
	if err := v.count(args); err != nil {
		return err
	}
	if f.changed {
		defer func(set Settings) { s.set = set }(s.set)
		s.set = f.Settings.valid()
	}
	answers := func() error { return v.misplaced(f, args, run(ctx, s, args, w)) }
	var err error
	if v.Asks {
		err = s.connect(ctx)
	}
	if err == nil {
		err = answers()
	}
	names := s.machines(ctx, err)
	switch {
	case names == nil:
		return err
	case v.Asks && v.Doors == Both && s.set.Output == outputs[0]:
		return s.each(ctx, names, w, answers)
	}
	return s.needsOne(names)
}

// misplaced adds a note to the problem of expressions at the prompt that contain an option.
func (v *Verb) misplaced(f *Flags, args []string, err error) error {
	p, ok := errors.AsType[*diagnose.Problem](err)
	if !ok || !v.expr() || f.Door != Prompt {
		return err
	}
	words := strings.Fields(strings.Join(args, " "))
	for i, word := range words {
		flag, short := f.option(word), len(word) == 2 && word[0] == '-'
		switch {
		case short && flag == nil && i == 0 && len(words) > 1:
			p.Notes = []string{"there is no option " + word + "; :help " + v.Name + " lists the options"}
			return err
		case strings.HasPrefix(word, "--"), short && flag != nil:
			if flag != nil && flag.NoOptDefVal == "" && i+1 < len(words) && !strings.Contains(word, "=") {
				word += " " + words[i+1]
			}
			p.Notes = []string{"options stand before the expression: :" + v.Name + " " + word + " ..."}
			return err
		}
	}
	return err
}

// line runs a verb with the text behind its name.
func (s *Session) line(ctx context.Context, v *Verb, preset []string, text string, w io.Writer) error {
	f := s.flags(v)
	run := v.New(f)
	args, err := v.read(f, preset, text)
	if errors.Is(err, pflag.ErrHelp) {
		return s.runCommand(ctx, item.Item{Name: "help", Text: v.Name}, w)
	}
	if err != nil {
		return err
	}
	return s.do(ctx, v, f, run, args, w)
}

// flags returns an empty set for the options of a verb at the prompt.
func (s *Session) flags(v *Verb) *Flags {
	warn := func(format string, args ...any) { s.complain(s.screen, query.Problemf(format, args...)) }
	f := NewFlags(pflag.NewFlagSet(v.Name, pflag.ContinueOnError), Prompt, s.set, &option.Parser{}, warn)
	f.Usage = func() {}
	return f
}

// count checks how many operands there are.
func (v *Verb) count(args []string) error {
	switch {
	case len(args) > 0 && v.Most == 0:
		return misuse(":%s takes no argument", v.Name)
	case len(args) < v.Least:
		return misuse("usage: %s", v.usage(Prompt))
	case len(args) > v.Most:
		return misuse("%q is an argument too many: %s", args[v.Most], v.usage(Prompt))
	}
	return nil
}

// read reads the options of a text, after those of an alias, and returns the operands.
func (v *Verb) read(f *Flags, preset []string, text string) (args []string, err error) {
	if v.Operands == Words {
		words, err := item.Words(text)
		if err != nil {
			return nil, err
		}
		err = f.parse(append(slices.Clone(preset), words...))
		return f.Args(), err
	}
	options, text, err := v.cut(f, text)
	if err != nil {
		return nil, err
	}
	if err := f.parse(append(slices.Clone(preset), options...)); err != nil || text == "" {
		return nil, err
	}
	return v.Split([]string{text}), nil
}

// cut cuts a text of expressions behind the options at its begin. A word that is no option, such as -x, begins the
// expressions.
func (v *Verb) cut(f *Flags, text string) (options []string, rest string, err error) {
	if v.Operands == Words || !f.HasFlags() {
		return nil, text, nil
	}
	for strings.HasPrefix(text, "-") {
		word, rest, err := item.CutWord(text)
		if err != nil {
			return nil, text, err
		}
		if word == "--" {
			return options, rest, nil
		}
		flag := f.option(word)
		if flag == nil && !strings.HasPrefix(word, "--") {
			break
		}
		options, text = append(options, word), rest
		if flag == nil || flag.NoOptDefVal != "" || strings.Contains(word, "=") || word[1] != '-' && len(word) > 2 {
			continue
		}
		if text == "" {
			break
		}
		if word, text, err = item.CutWord(text); err != nil {
			return nil, text, err
		}
		options = append(options, word)
	}
	return options, text, nil
}

// Split returns the operands that words of the shell are: expressions may be several in one word.
func (v *Verb) Split(words []string) (args []string) {
	if v.Operands != Exprs {
		return words
	}
	for _, word := range words {
		for v.Leads {
			d, rest := item.Interval(word) // a number is one of seconds
			if d == 0 {
				break
			}
			args, word = append(args, strings.TrimSpace(strings.TrimSuffix(word, rest))), rest
		}
		args = append(args, item.List(word)...)
	}
	return args
}
