package repl

import (
	"context"
	"io"
	"runtime/debug"
	"strings"

	"pmtools/cmd/internal/sarif"
	"pmtools/derive/diagnose"
	"pmtools/derive/lint"
	"pmtools/internal/draw"
	"pmtools/internal/textwidth"
)

// Rules adds the options that select rules of lint, and returns a function that reads them.
func (f *Flags) Rules() func() (lint.Options, error) {
	var opt lint.Options
	var disable []string
	f.BoolVar(&opt.Syntax, "syntax", false, "make only the checks that need no source")
	f.BoolVar(&opt.Expand, "expand", false, "allow definitions inside others")
	f.BoolVar(&opt.Unknown, "allow-unknown", false, "accept metrics that the source does not have")
	f.StringSliceVar(&disable, "disable", nil, "leave out `RULES`, or \"all\"")
	f.Propose("disable", append(lint.RuleNames(), "all"))
	f.Gone("the rule cost is, too; remove the option", "max-cost")
	f.Gone("the rule unused is, too; remove the option", "wanted")
	f.Gone("the rule wrap looks at delta() alone; remove the option", "interval")
	return func() (o lint.Options, err error) {
		if opt.Rules, err = lint.RulesBut(disable); err != nil {
			err = misuse("%v; --rules lists them", err)
		}
		return opt, err
	}
}

// findings are the forms of what check finds.
var findings = []string{"text", "json", "sarif"}

func newCheck() *Verb {
	return &Verb{
		Name: "check", Usage: "[FILE|DIR ...]", Short: "Look for mistakes in files of derived metrics",
		Long: "Look for mistakes in files of derived metrics, or in standard input: mistakes of syntax, mistakes\n" +
			"of meaning with the metrics of the source, and definitions that are legal but hardly meant. An\n" +
			"error makes the status 1; a mistake that PCP accepts is a warning, and does so with --strict only.\n" +
			"A comment '# pmderive: ignore RULE' before a definition leaves a rule out for it, and after\n" +
			"'# pmderive: optional' its metrics need not be there. At the prompt the definitions of the session\n" +
			"are checked where no file is named.",
		Doors: Both, Most: many, Files: true,
		New: func(f *Flags) Run {
			rules := f.Rules()
			strict := f.Bool("strict", false, "let warnings make the status 1, too")
			list := f.Bool("rules", false, "list the rules for warnings")
			f.Output(findings, "json", "sarif")
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				opt, err := rules()
				if err != nil {
					return err
				}
				if *list {
					return s.show(ctx, w, rulesTable())
				}
				return s.check(ctx, opt, *strict, f, args, w)
			}
		},
	}
}

// lintPercent is how much the heap may grow between collections while definitions are checked. Those of a
// file need some megabytes, and collecting them again and again takes longer than the check.
const lintPercent = 200

// check looks for mistakes in files, and in those that can be read where others cannot.
func (s *Session) check(ctx context.Context, opt lint.Options, strict bool, f *Flags, args []string, w io.Writer) error {
	files, unread := s.checked(f.Door, args)
	if len(files) == 0 {
		return unread
	}
	defer debug.SetGCPercent(debug.SetGCPercent(lintPercent))
	found, err := s.lint(ctx, files, opt)
	if err != nil {
		return err
	}
	if f.Settings.Output == "sarif" {
		err = sarif.Write(w, found)
	} else {
		t := &Table{Objects: []any{}}
		for i := range found {
			t.Notes, t.Objects = append(t.Notes, findingText(&found[i])), append(t.Objects, &found[i])
		}
		err = s.show(ctx, w, t)
	}
	switch {
	case err != nil:
		return err
	case unread == nil && (lint.Wrong(found) || strict && len(found) > 0):
		return ErrFound
	}
	return unread
}

// findingText returns a finding with the place.
func findingText(d *lint.Diagnostic) string {
	p := &diagnose.Problem{Msg: d.String(), Src: d.Source, Pos: min(d.Column-1, len(d.Source)), Notes: d.Notes}
	return strings.TrimSuffix(draw.Problem(p, 0, 0), "\n")
}

// rulesTable returns what each rule looks for.
func rulesTable() *Table {
	t := &Table{Keys: []string{"rule", "about"}, Records: [][]string{}}
	for _, r := range lint.Rules() {
		t.Records = append(t.Records, []string{r.Name, r.Doc})
		t.Notes = append(t.Notes, r.Name)
		for _, line := range textwidth.Wrap(r.Doc, 90) {
			t.Notes = append(t.Notes, "    "+line)
		}
	}
	return t
}

// checked returns the files that are checked: those of names, or standard input in the shell, and the definitions of
// the session at the prompt.
func (s *Session) checked(door Door, args []string) ([]lint.File, error) {
	if len(args) > 0 || door == Shell {
		return s.opt.Read(args)
	}
	var b strings.Builder
	for _, d := range s.defs.Own() {
		b.WriteString(lint.Text(d, d.Expr()))
	}
	return []lint.File{{Name: "session", Text: []byte(b.String())}}, nil
}
