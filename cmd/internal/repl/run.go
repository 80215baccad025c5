package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"pmtools/cmd/internal/item"
	"pmtools/derive/query"

	"pmtools/derive/diagnose"
	"pmtools/derive/expand"
	"pmtools/derive/syntax"
	"pmtools/internal/suggest"
)

// ErrQuit is what Run returns for the command that ends a session.
var ErrQuit = errors.New("quit")

// Run runs one item and writes its output, as it comes, to w. The error says why the item failed;
// often it is a *diagnose.Problem. An item that ctx ends gives the error of ctx.
func (s *Session) Run(ctx context.Context, text string, w io.Writer) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	s.screen, s.placed = w, false
	began := time.Now()
	err := s.noteLost(s.run(ctx, text, s.target()))
	if s.set.Timing && err == nil {
		fmt.Fprintf(s.target(), "time: %v\n", time.Since(began).Round(time.Microsecond))
	}
	return err
}

func (s *Session) target() io.Writer {
	if s.out != nil {
		return s.out
	}
	return s.screen
}

// run is Run for a caller that has acquired the Session.
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
		err = runExpr(ctx, s, s.one(it.Text), w)
	case item.Definition:
		err = s.runDefinition(ctx, it, w)
	case item.Attribute:
		err = s.runAttribute(it)
	}
	return shift(err, text, it)
}

// shift makes the place of a problem one in the whole item.
func shift(err error, text string, it item.Item) error {
	p, ok := errors.AsType[*diagnose.Problem](err)
	if ok && p.Src != "" && p.Src == it.Text && strings.HasPrefix(text[it.Start:], it.Text) && it.Kind != item.Attribute {
		p.Pos += it.Start
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
	def, err := s.defs.Compile(it.Name, query.OneLine(it.Text))
	if err != nil {
		return query.SyntaxProblem(it.Text, err)
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
	fmt.Fprintf(w, "%s: %s\n", it.Name, query.Metadata(c.Info.Root))
	if c.Masked {
		fmt.Fprintf(w, "note: the source has a metric %s, which hides the definition; %s == EXPR compares\n", it.Name, it.Name)
	}
	return s.checkUsers(ctx, it.Name, w)
}

// checkUsers lists the definitions that no longer fit because one of them has changed.
func (s *Session) checkUsers(ctx context.Context, name string, w io.Writer) error {
	users := s.defs.Users(name)
	if len(users) == 0 {
		return nil
	}
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
	c := findCommand(it.Name)
	if lib, err := s.opt.Reports.Open(); c == nil && err == nil && slices.Contains(lib.Names(), it.Name) {
		c, it.Text = findCommand("report"), it.Name
	}
	if c == nil {
		return noCommand(it.Name)
	}
	if c.args == "" && it.Text != "" {
		return query.Problemf(":%s takes no argument", c.name)
	}
	if c.needs && it.Text == "" {
		return query.Problemf("usage: :%s %s", c.name, c.args)
	}
	if c.source {
		if err := s.connect(ctx); err != nil {
			return err
		}
	}
	return c.run(ctx, s, it.Text, w)
}

type cmd struct {
	name   string
	args   string // as help shows them; "" for none
	help   string // one sentence
	needs  bool   // an argument must be given
	source bool   // it asks the source
	expr   bool   // the argument ends in an expression
	run    func(ctx context.Context, s *Session, arg string, w io.Writer) error
}

// commands returns the commands in the order in which help shows them.
func commands() []cmd {
	return []cmd{
		{"explain", "EXPR | :REPORT", "show each part of an expression with its type, units and conversions; of each column of a report", true, true, true, runExplain},
		{"sql", "EXPR | :REPORT", "show an expression as a query for DuckDB over exported tables; of each column of a report", true, true, true, runSQL},
		{"watch", "[INTERVAL] EXPR, ...", "show values as time goes by, until Ctrl-C; those of several expressions side by side", true, true, true, runWatch},
		{"plot", "[SAMPLES] EXPR [> FILE]", "draw a chart of the values, or a picture into a file .svg or .png", true, true, true, runPlot},
		{"top", "[N] [INTERVAL] EXPR", "show the largest values, ten or N of them; on a screen live ones again and again, until Ctrl-C", true, true, true, runTop},
		{"last", "[KEY VALUE ...]", "show the last answer again, with other settings for this time: :last csv, :last vertical", false, false, false, runLast},
		{"summarize", "[OPTIONS] [EXPR, ...]", "summarize an archive: extremes, means and quantiles; :help summarize lists the options", false, false, false, asking("summarize")},
		{"compare", "[OPTIONS] [SOURCE] [:REPORT]", "show what changed most from the source to another, or between two windows of an archive; :help compare lists the options", false, false, false, asking("compare")},
		{"find", "WORDS", "find metrics by words about them: names, help texts, instances, labels, definitions", true, true, false, runFind},
		{"report", "[INTERVAL] NAME ...", "show a report: metrics and formulas with labels; :vmstat alone does the same for a report of that name", true, true, false, runReport},
		{"reports", "[NAME ...]", "list the reports, or the columns of some", false, false, false, runReports},
		{"metrics", "[PATTERN]", "list metrics whose names begin with PATTERN, or match it if it has *, ? or [", false, true, false, runMetrics},
		{"describe", "NAME ...", "show all about a metric: texts, instances, labels, values, definitions; below a node of the name space, the metrics", true, true, false, runDescribe},
		{"d", "NAME ...", "the same", true, true, false, runDescribe},
		{"desc", "NAME", "show the description of a metric", true, true, false, runDesc},
		{"inst", "NAME", "list the instances of a metric", true, true, false, runInst},
		{"text", "NAME", "show the help text of a metric", true, true, false, runText},
		{"labels", "NAME", "show the labels of a metric and of its instances", true, true, false, runLabels},
		{"list", "[all [NAME ...]]", "list the definitions of this session, or all: where each comes from, and which of the same name counts", false, false, false, runList},
		{"show", "NAME", "show a definition", true, false, false, runShow},
		{"drop", "NAME", "forget a definition of this session", true, false, false, runDrop},
		{"load", "FILE", "read definitions from a configuration file", true, true, false, runLoad},
		{"save", "[FILE]", "write the definitions to the configuration file that this session has read or written last, to another of these, or to a new one", false, true, false, runSave},
		{"save!", "FILE", "write the definitions to a file, also those of the extended language, and replace its content", true, true, false, runSaveOver},
		{"install", "[user | system] FILE ...", "put files of definitions, after the checks of pmderive check, where the tools look for them: this user's, or those of this machine", true, true, false, installing(false)},
		{"install!", "[user | system] FILE ...", "the same, and replace files of these names", true, true, false, installing(true)},
		{"uninstall", "[user | system] FILE | NAME ...", "remove files of definitions, or a metric, from where the tools look", true, false, false, runUninstall},
		{"source", "[host SPEC ... | [archive] SET | local]", "show or change the source of metrics: values of several hosts are shown together; SET may be a folio, which :record writes", false, false, false, runSource},
		{"time", "[WHEN | start | end]", "show or change the position in an archive: 14:30 and 2pm are times of its day", false, true, false, runTime},
		{"step", "[INTERVAL | record]", "show or change the time between samples of an archive", false, true, false, runStep},
		{"next", "[N]", "go to the next sample of an archive", false, true, false, runNext},
		{"prev", "[N]", "go to the sample before", false, true, false, runPrev},
		{"record", "[start FILE ... | stop | detach]", "show, start or end recording: FILE [INTERVAL] [NAME ...], without names the metrics of the definitions", false, false, false, runRecord},
		{"run", "FILE", "run the items in the lines of a file", true, false, false, runFile},
		{"output", "[FILE]", "write further output to a file, or to the screen again", false, false, false, runOutput},
		{"edit", "[NAME]", "change the last item, or a definition, with $EDITOR and run it", false, false, false, runEdit},
		{"timing", "", "show the time that each item takes, or stop that", false, false, false, toggling("timing", func(set *Settings) *bool { return &set.Timing })},
		{"vertical", "", "show tables with a line for each cell, or stop that", false, false, false, toggling("vertical", func(set *Settings) *bool { return &set.Vertical })},
		{"set", "[KEY [VALUE] | save]", "show or change settings, or keep them for other sessions", false, false, false, runSet},
		{"debug", "SPEC", "set debug options, as option -D does", true, false, false, runDebug},
		{"help", "[TOPIC]", "explain a command, a function or the language", false, false, false, runHelp},
		{"quit", "", "leave", false, false, false, runQuit},
		{"exit", "", "leave", false, false, false, runQuit},
	}
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// findCommand returns the command of a name, or the only one whose name begins so, or nil.
func findCommand(name string) *cmd {
	all := commands()
	if i := slices.IndexFunc(all, func(c cmd) bool { return c.name == name }); i >= 0 {
		return &all[i]
	}
	if begun := slices.DeleteFunc(all, func(c cmd) bool { return !c.begins(name) }); len(begun) == 1 {
		return &begun[0]
	}
	return nil
}

// begins reports whether a name stands for the command if no other begins so. A command that
// overwrites a file has its whole name, and exit is quit.
func (c *cmd) begins(name string) bool {
	return name != "" && strings.HasPrefix(c.name, name) && !strings.HasSuffix(c.name, "!") && c.name != "exit"
}

// noCommand returns the error for the name of a command that does not exist, or begins several.
func noCommand(name string) *diagnose.Problem {
	var begun []string
	for _, c := range commands() {
		if c.begins(name) {
			begun = append(begun, ":"+c.name)
		}
	}
	if len(begun) > 1 {
		return query.Problemf(":%s may be %s", name, strings.Join(begun, ", "))
	}
	p := query.Problemf("there is no command :%s; :help lists them", name)
	for _, n := range suggest.Names(name, commandNames()) {
		p.Notes = append(p.Notes, "did you mean :"+n+"?")
	}
	return p
}

func runQuit(context.Context, *Session, string, io.Writer) error { return ErrQuit }

func runDebug(_ context.Context, s *Session, arg string, _ io.Writer) error {
	if s.opt.Debug == nil {
		return query.Problemf("there are no debug options here")
	}
	if err := s.opt.Debug(arg); err != nil {
		return diagnose.From(err)
	}
	return nil
}

func runShow(_ context.Context, s *Session, name string, w io.Writer) error {
	d := s.defs.Find(name)
	if d == nil {
		return &diagnose.Problem{Msg: name + " is not defined", Notes: diagnose.DidYouMean(name, s.defs.Names())}
	}
	_, err := io.WriteString(w, query.Text(d, d.Expr()))
	return err
}

func runDrop(_ context.Context, s *Session, name string, _ io.Writer) error {
	if s.defs.FindOwn(name) == nil {
		return s.notOwn(name)
	}
	var users []string
	for _, d := range s.defs.Users(name) {
		users = append(users, d.Name())
	}
	if users != nil {
		return query.Problemf("%s is used by %s", name, strings.Join(users, ", "))
	}
	s.define(s.defs.Without(name))
	s.dirty = len(s.defs.Own()) > 0
	return nil
}
