// Package option lets a Go program read its command line and environment as the commands of PCP do
// (pmGetOptions): an option table, the options that commands share, their forms in the environment,
// the usage text, and the texts in arguments: numbers, metric specifications, time windows.
//
// A program fills the table of a [Parser], parses its arguments, and finds the values of the shared
// options in [Parser].Options:
//
//	p := &option.Parser{Prog: "pmclient", Operands: "[options]"}
//	p.Section("General options")
//	p.Shared("archive", "debug", "host", "samples", "interval", "version", "help")
//	p.Section("Reporting options")
//	p.Bool(&pause, "p", "pause", "pause between updates for archive replay")
//	operands, err := p.Parse(os.Args[1:])
//	switch {
//	case errors.Is(err, option.ErrVersion):
//		os.Exit(0)
//	case err != nil:
//		os.Exit(1)
//	}
//
// Parse has written all messages to [Parser].Messages.
package option

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"pmtools/lib/config"
	"pmtools/lib/version"
)

// ErrVersion is the error of [Parser.Parse] after -V. A command's exit status is 0 then.
var ErrVersion = errors.New("option: the version was asked for")

// ErrUsage is the error of [Parser.Parse] after other errors, and after -?. A command's exit status
// is 1 then.
var ErrUsage = errors.New("option: wrong usage")

// A Parser is a command's option table and its access to the process. It parses one command line.
type Parser struct {
	Table
	Options Options // values of the shared options, from the arguments and the environment

	Prog     string // the program's name in messages
	Operands string // text after the name in the first line of the usage text
	// Version is printed for -V; "" is the release of PCP that this library is compatible with.
	Version  string
	Messages io.Writer // for messages and the usage text; nil is os.Stderr

	// The process. A nil field stands for the function of package os.
	Stderr    io.Writer
	LookupEnv func(name string) (string, bool)
	Open      func(name string) (io.ReadCloser, error)
	Hostname  func() (string, error)

	// Namespace loads a local name space (-n, -N, also from the environment). It is called during
	// the scan; its error is reported as the reference does.
	Namespace func(file string, unique bool) error
	// FirstOperandEnds makes the first operand end the options, as in pmstore.
	FirstOperandEnds bool
	// AllHelp adds the hidden options to the usage text that -? prints.
	AllHelp bool
	// LateChecks leaves the checks of the source to the program, which calls CheckSource. The local
	// daemon counts as a source then, as in pmval.
	LateChecks bool

	help, version   bool // -?, -V
	errors, runtime bool // there were errors, and some that are not of usage
}

// Parse reads the environment and the arguments and returns the operands. It writes a message for
// each error, and returns ErrUsage or ErrVersion if the command is to end.
func (p *Parser) Parse(args []string) (operands []string, err error) {
	p.setDefaults()
	p.readEnvironment(func(_ string, err error) { p.report(err) })
	_, posix := p.LookupEnv("POSIXLY_CORRECT")
	operands = p.Scan(args, posix || p.FirstOperandEnds, p.report)
	if !p.LateChecks {
		p.checkSource()
	}
	return operands, p.finish()
}

// CheckSource runs the checks that depend on the source: it selects the machine's own archives if
// there is an origin but no source, and reports options that do not apply to the source. Only
// programs with LateChecks call it, after operands may have set a source. It then calls further,
// which may Complain. Errors are as for Parse.
func (p *Parser) CheckSource(further ...func()) error {
	p.checkSource()
	for _, f := range further {
		f()
	}
	return p.finish()
}

// Complain adds a text, as it is, to the messages after which CheckSource prints the usage text.
func (p *Parser) Complain(text string) {
	p.errors = true
	p.print(text)
}

// UsageError writes a message and the usage text and returns ErrUsage.
func (p *Parser) UsageError(format string, args ...any) error {
	p.print(p.Prog + ": " + fmt.Sprintf(format, args...) + "\n" + p.Usage())
	return ErrUsage
}

// A RuntimeError is an error of the scan after which no usage text is printed.
type RuntimeError struct{ Text string }

// Error implements error.
func (e *RuntimeError) Error() string { return e.Text }

func (p *Parser) report(err error) {
	p.errors = true
	if _, ok := errors.AsType[*RuntimeError](err); ok {
		p.runtime = true
	}
	p.print(p.Prog + ": " + err.Error() + "\n")
}

func (p *Parser) finish() error {
	switch {
	case p.version:
		return ErrVersion
	case !p.errors && !p.help:
		return nil
	case !p.runtime:
		p.print(p.Usage())
	}
	if p.help && !p.errors && p.AllHelp {
		p.print(p.ownUsage())
	}
	return ErrUsage
}

func (p *Parser) print(text string) { io.WriteString(p.Messages, text) }

// setVersion handles -V: the line takes its place among the messages.
func (p *Parser) setVersion(string) error {
	p.version = true
	p.print(p.Prog + " version " + cmp.Or(p.Version, version.PCP) + "\n")
	return nil
}

func (p *Parser) setDefaults() {
	if p.Stderr == nil {
		p.Stderr = os.Stderr
	}
	if p.Messages == nil {
		p.Messages = p.Stderr
	}
	if p.LookupEnv == nil {
		p.LookupEnv = os.LookupEnv
	}
	if p.Open == nil {
		p.Open = func(name string) (io.ReadCloser, error) { return os.Open(name) }
	}
	if p.Hostname == nil {
		p.Hostname = os.Hostname
	}
}

func (p *Parser) ownArchives() string {
	host, err := p.Hostname()
	if err != nil {
		host = "localhost"
	}
	return config.Read(p.LookupEnv, p.Open).Get("PCP_ARCHIVE_DIR") + "/" + host
}
