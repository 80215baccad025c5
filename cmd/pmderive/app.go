package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/history"
	"pmtools/cmd/internal/hostfile"
	"pmtools/cmd/internal/pager"

	"pmtools/cmd/internal/report"
	"pmtools/cmd/internal/source"
	"pmtools/derive/diagnose"
	"pmtools/internal/draw"
	"pmtools/internal/textwidth"
)

// wrongUse is the exit status for invalid command lines.
const wrongUse cli.Exit = 2

// An app is one run of the program.
type app struct {
	*command.Command
	sources *source.Opener
	hosts   []string // -h, and those of --hosts
	listed  []hostfile.Host
	version bool        // -V
	pager   pager.Shown // the program that has the terminal
	reports report.Reports
	history history.History // of the prompt
	catalog string          // a table of metrics that has the metadata, "" for none
	bare    bool            // definitions that are installed are not asked for
	running bool            // the command line was valid: errors are not errors of usage
	unknown error           // what help was wanted about, but does not exist
}

func newCommand(env *cli.Env) *app {
	env.OwnForm = true
	a := &app{Command: command.New(env, "pmderive", "")}
	a.sources = source.New(env, &a.Parser, "Cannot make standalone connection on localhost").WithArchives()
	a.reports.Places = func() []string {
		home, _ := env.LookupEnv("HOME")
		return report.Places(home, env.Config().Get("PCP_SYSCONF_DIR"))
	}
	a.sources.Interpolates, a.sources.Advises, a.sources.Marks, a.sources.Streams = true, true, true, true
	return a
}

// complain writes an error with all its details to standard error.
func (a *app) complain(err error) {
	for _, err := range diagnose.Joined(err) {
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
		text := problemText(err, a.Env.Stderr, a.Env.Prog+": ")
		if a.Env.ColorWanted(a.Env.Stderr) {
			text = redCarets(text)
			a.Env.Paints(true, false)
		}
		fmt.Fprintf(a.Env.Stderr, "%s: %s", a.Env.Prog, text)
	}
}

// problemText returns an error with all its details, ending with a newline, within the width of the
// terminal that a stream is, for a line that has a head.
func problemText(err error, stream any, head string) string {
	if list := diagnose.Joined(err); len(list) > 1 {
		text := ""
		for _, err := range list {
			text += problemText(err, stream, head)
		}
		return text
	}
	p, ok := errors.AsType[*diagnose.Problem](err)
	if bad, unopened := errors.AsType[*source.Error](err); unopened && (!ok || len(p.Notes) == 0 && p.Src == "") {
		p, ok = &diagnose.Problem{Msg: err.Error(), Notes: bad.Notes, Err: err}, true
	}
	if ok {
		width, _ := cli.TerminalSize(stream)
		return draw.Problem(p, width, textwidth.Width(head))
	}
	return err.Error() + "\n"
}

// exitIf returns the error for a run whose failures have been reported.
func exitIf(failed bool) error {
	if failed {
		return cli.Exit(1)
	}
	return nil
}

// red returns text in red.
func red(text string) string { return "\x1b[31m" + text + "\x1b[0m" }

// redCarets returns an error with red carets: the lines that have nothing else. No sequence in the text remains one.
func redCarets(text string) string {
	lines := strings.SplitAfter(strings.ReplaceAll(text, "\x1b", "?"), "\n")
	for i, line := range lines {
		if mark := strings.TrimSpace(line); mark != "" && strings.Trim(mark, "^~ ") == "" {
			lines[i] = red(strings.TrimRight(line, "\n")) + "\n"
		}
	}
	return strings.Join(lines, "")
}
