package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"pmtools/cmd/internal/item"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"

	"pmtools/derive/diagnose"
	"pmtools/derive/expand"
	"pmtools/derive/lint"
	"pmtools/derive/syntax"
)

// Run runs one item and writes its output, as it comes, to w. The error says why the item failed;
// often it is a *diagnose.Problem. An item that ctx ends gives the error of ctx.
func (s *Session) Run(ctx context.Context, text string, w io.Writer) error {
	return s.Hold(ctx, func() error {
		s.screen, s.placed = w, false
		return s.run(ctx, text, w)
	})
}

// run is Run for a caller that holds the Session.
func (s *Session) run(ctx context.Context, text string, w io.Writer) error {
	if len(text) > syntax.MaxLen {
		return query.Problemf("the item is too long")
	}
	it := item.Parse(text)
	if it.Kind == item.Expression || it.Kind == item.Definition {
		s.last = text
	}
	var err error
	switch it.Kind {
	case item.Command:
		err = s.runCommand(ctx, it, w)
	case item.Expression:
		v := newEval()
		f := s.flags(v)
		if err = s.do(ctx, v, f, v.New(f), v.Split([]string{it.Text}), w); err != nil {
			err = s.meant(ctx, it.Text, err)
		}
	case item.Definition:
		err = s.runDefinition(ctx, it, w)
	case item.Attribute:
		err = s.runAttribute(it)
	}
	return shift(err, text, it)
}

// meant adds a note to the problem of a text that begins with the name of a command or report without the colon.
func (s *Session) meant(ctx context.Context, text string, err error) error {
	p, ok := errors.AsType[*diagnose.Problem](err)
	if !ok || p.Src == "" {
		return err
	}
	word, _, _ := strings.Cut(text, " ")
	known := slices.ContainsFunc(At(Prompt, s.verbs), func(v *Verb) bool { return slices.Contains(v.names(), word) })
	if known || slices.Contains(s.reports(ctx), word) {
		p.Notes = []string{"commands and reports begin with a colon: :" + text}
	}
	return err
}

// reports returns the names of the reports.
func (s *Session) reports(ctx context.Context) []string {
	lib, err := s.opt.Reports.Open(ctx)
	if err != nil {
		return nil
	}
	return lib.Names()
}

// shift makes the place of a problem one in the whole item.
func shift(err error, text string, it item.Item) error {
	p, ok := errors.AsType[*diagnose.Problem](err)
	if !ok || p.Src == "" || it.Kind == item.Attribute {
		return err
	}
	if i := strings.Index(text[it.Start:], p.Src); i >= 0 {
		p.Pos += it.Start + i
		p.Src = text
	}
	return err
}

func (s *Session) runDefinition(ctx context.Context, it item.Item, w io.Writer) error {
	if !query.LegalName(it.Name) {
		return query.Problemf("'%s' is not a name for a metric", it.Name)
	}
	if it.Text == "" {
		return query.Problemf("there is no expression for %s", it.Name)
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	def, err := s.defs.Compile(it.Name, textwidth.OneLine(it.Text))
	if err != nil {
		return s.binder().SyntaxProblem(ctx, it.Text, err)
	}
	if old := s.defs.FindOwn(it.Name); old != nil {
		def = def.With(old.Notes)
	}
	next := s.defs.With(def)
	c, err := s.src.Bind(next, true).CheckOne(ctx, def)
	if err != nil {
		return err
	}
	s.noteExpanded(w, expand.Names(c.Expr))
	s.define(next)
	s.dirty = true
	fmt.Fprintf(w, "%s: %s\n", it.Name, diagnose.Metadata(c.Info.Root))
	for _, about := range lint.Compared(c.Expr, c.Info) {
		fmt.Fprintln(w, "note: "+about)
	}
	if why := lint.Foreign(it.Name, c.Expr); why != "" {
		fmt.Fprintf(w, "note: %s; pmderive can\n", why)
	}
	if c.Masked {
		fmt.Fprintf(w, "note: the source has a metric %s, which hides the definition; %s == EXPR compares\n", it.Name, it.Name)
		return nil
	}
	return s.checkUsers(ctx, it.Name, w)
}

// usedBy tells which definitions mention a name; "" if there are none.
func (s *Session) usedBy(name string) string {
	var users []string
	for _, d := range s.defs.Users(name) {
		users = append(users, d.Name())
	}
	if users == nil {
		return ""
	}
	return name + " is used by " + strings.Join(users, ", ")
}

// checkUsers names the definitions that change with one of them, and those that no longer fit.
func (s *Session) checkUsers(ctx context.Context, name string, w io.Writer) error {
	users := s.defs.Users(name)
	if len(users) == 0 {
		return nil
	}
	fmt.Fprintf(w, "note: %s, whose values change\n", s.usedBy(name))
	b := s.binder()
	found, err := b.Check(ctx, users)
	for i, x := range found {
		if x.Err != nil {
			fmt.Fprintf(w, "note: %s does not fit any more: %s\n", users[i].Name(), b.Problem(ctx, users[i].String(), x.Err).Msg)
		}
	}
	return err
}

func (s *Session) runAttribute(it item.Item) error {
	old := s.defs.FindOwn(it.Name)
	if old == nil {
		return s.notOwn(it.Name)
	}
	value, closed := item.Unquote(it.Text)
	switch {
	case !closed:
		return query.Problemf("the quote is not closed")
	case value == "":
		return query.Problemf("there is no text")
	}
	notes := old.Notes
	field := notes.Attribute(it.Attr)
	if field == nil {
		return query.Problemf("there is no attribute %s; there are oneline and helptext", it.Attr)
	}
	*field = &value
	s.define(s.defs.With(old.With(notes)))
	s.dirty = true
	return nil
}

// notOwn returns the error for a name that this session does not define.
func (s *Session) notOwn(name string) *diagnose.Problem {
	if s.defs.Find(name) != nil {
		return query.Problemf("%s was loaded before the session, and stays as it is", name)
	}
	return &diagnose.Problem{Msg: name + " is not defined in this session", Notes: diagnose.DidYouMean(name, s.defs.Names())}
}

func (s *Session) runCommand(ctx context.Context, it item.Item, w io.Writer) error {
	v, preset := findVerb(it.Name, s.verbs)
	var reports []string
	operand := func(word string) bool { return !startsWithDigit(word) }
	if v == nil || v.Least > 0 && !slices.ContainsFunc(strings.Fields(it.Text), operand) { // ":top" and ":top 1 5" are the report of that name
		if reports = s.reports(ctx); slices.Contains(reports, it.Name) {
			v, preset = findVerb("report", s.verbs)
			it.Text = strings.TrimRight(it.Name+" "+it.Text, " ")
		}
	}
	if v == nil {
		return unknownVerb(it.Name, s.verbs, reports)
	}
	return s.line(ctx, v, preset, it.Text, w)
}
