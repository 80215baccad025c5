// Package source opens the source of metrics that the options of a command ask for, with the names
// of -n and the derived metrics that files define.
package source

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/debug"
	"pmtools/derive"
	"pmtools/lib/archive"
	"pmtools/lib/option"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// An Opener opens the source that options ask for. Its methods are called after the scan of the
// command line, but those of Definitions, which may be called during the scan.
type Opener struct {
	Definitions
	// Interpolates says that archives are read between their records.
	Interpolates bool
	// UnpackLimit caps the bytes of disk for unpacked archives; 0 means PMTOOLS_UNPACK_LIMIT, or
	// else half of the free space.
	UnpackLimit int64
	// KeepNames keeps names of -n that an archive does not have.
	KeepNames bool
	// Misfit gets the metric and the line of each definition that does not fit the source; nil to write
	// the line.
	Misfit func(metric, line string)
	// Advises gives errors notes about what else can be done.
	Advises bool
	// Silent forbids asking for a password: another program owns the terminal.
	Silent bool

	local    string     // the message if there is no local context
	names    *pmns.Tree // -n, -N; nil without
	archive  func(ctx context.Context, o *Opener, list string) (pmapi.Source, error)
	archives func(prefix string) []string // completes the name of an archive
	dirs     *archive.Directories         // of the archives that were opened
}

// New returns what opens the sources of a command, and handles -n, -N and -K of its options. The
// commands differ in the message for -L; local is such as "Cannot make standalone connection on
// localhost". They open hosts and local sources; for archives there is [Opener.WithArchives].
func New(env *cli.Env, p *option.Parser, local string) *Opener {
	o := &Opener{Definitions: Definitions{env: env, options: &p.Options}, local: local}
	p.Namespace, p.Options.Agents = o.loadNames, localAgents()
	return o
}

// Traced reports whether an option shows the calls of a source.
func (o *Opener) Traced() bool { return debug.Calls(o.options.Debug.Has) }

// Names returns the name space of -n or -N, or nil.
func (o *Opener) Names() *pmns.Tree { return o.names }

// Open opens the source and puts the derived metrics over it.
func (o *Opener) Open(ctx context.Context) (*derive.Source, error) {
	src, err := o.OpenPlain(ctx)
	if err != nil {
		return nil, err
	}
	o.LoadDefault()
	return o.Derive(src), nil
}

// Derive puts the derived metrics over a source.
func (o *Opener) Derive(src pmapi.Source) *derive.Source { return o.derive(src, false) }

// DeriveRecords does so over a source that reads record by record.
func (o *Opener) DeriveRecords(src pmapi.Source) *derive.Source { return o.derive(src, true) }

func (o *Opener) derive(src pmapi.Source, records bool) *derive.Source {
	return derive.NewSource(src, o.Set(), &derive.Options{Equivalent: o.Equivalence(), AnyName: true, Records: records, Warn: o.Misfit})
}

// OpenPlain opens the source, under the names of -n if there are any. A mistake in a host
// specification goes to the message channel; the error is the command's message after it.
func (o *Opener) OpenPlain(ctx context.Context) (pmapi.Source, error) {
	src, err := o.open(ctx)
	if err != nil || o.names == nil {
		return src, err
	}
	return pmapi.WithNames(src, o.names), nil
}

// OpenArchive is OpenPlain for an archive, or a list of them. Without names of -n goroutines may call it.
func (o *Opener) OpenArchive(ctx context.Context, list string) (pmapi.Source, error) {
	other, options := *o, *o.options
	options.Archive, options.HasArchive = list, true
	other.options, other.Definitions.options = &options, &options
	return other.OpenPlain(ctx)
}

// Hosts returns a function that opens daemons, under the names of -n. Goroutines may share it.
func (o *Opener) Hosts() func(ctx context.Context, name string) (pmapi.Source, error) {
	dialer := o.dialer()
	return func(ctx context.Context, name string) (pmapi.Source, error) {
		src, err := pmapi.OpenHost(ctx, name, dialer)
		switch {
		case err != nil:
			return nil, &Error{What: "Cannot connect to PMCD", Err: err}
		case o.names != nil:
			return pmapi.WithNames(src, o.names), nil
		}
		return src, nil
	}
}

// open opens the source under its own names.
func (o *Opener) open(ctx context.Context) (src pmapi.Source, err error) {
	kind, name := o.options.Source()
	shown := pmcd.Redact(name) // a host may be taken for an archive
	what := o.local
	switch kind {
	case option.Archive:
		what = fmt.Sprintf("Cannot open archive \"%s\"", shown)
		src, err = o.archive(ctx, o, name)
	case option.Local:
		src = o.collectors()
	default:
		what = fmt.Sprintf("Cannot connect to PMCD on host \"%s\"", shown)
		src, err = o.host(ctx, kind, name)
	}
	if debug.Calls(o.options.Debug.Has) {
		p := o.printer()
		if p.Opened(contextType[kind], shown, err); err == nil {
			src = p.Source(src)
		}
	}
	if err == nil {
		return src, nil
	}
	bad := &Error{What: what, Err: err}
	if o.Advises {
		bad.Notes = o.advice(kind, name, err)
	} else if kind == option.DefaultHost && noDaemon(err) && cli.IsTerminal(o.env.Stderr) {
		bad.Hint = fmt.Sprintf("%s: -L asks the collectors inside %s, which need no pmcd", o.env.Prog, o.env.Prog)
	}
	return nil, bad
}

// contextType has the numbers of the kinds of sources in the reference.
var contextType = [...]int{option.DefaultHost: 1, option.Host: 1, option.Archive: 2, option.Local: 3}

// host opens a daemon, or what stands in for the local one if that was not asked for.
func (o *Opener) host(ctx context.Context, kind option.SourceKind, name string) (pmapi.Source, error) {
	o.env.OutliveReader()
	src, err := pmapi.OpenHost(ctx, name, o.dialer())
	if bad, ok := errors.AsType[*pmcd.SpecError](err); ok {
		o.env.Messages.Print(bad.Message())
		o.env.Messages.Flush()
	}
	if bad, ok := errors.AsType[*pmcd.TLSFileError](err); ok {
		o.env.Notify("Error: " + bad.Text)
	}
	if err == nil {
		return src, nil
	}
	if kind == option.DefaultHost {
		if other := o.standIn(err); other != nil {
			return other, nil
		}
	}
	return nil, err
}

func (o *Opener) dialer() *pmcd.Dialer {
	d := pmcd.DialerFromEnv(o.env.LookupEnv, o.env.Config().Get, func(text string) { o.env.Notify("Warning: " + text) })
	d.NoRedial = true // each command says when it connects again, as PCP's do
	if !o.Silent {
		d.Prompt = func(_ context.Context, console, text string, echo bool) (string, error) {
			return prompt(o.env, console, text, echo)
		}
	}
	o.printer().Dialer(d)
	if o.options.Container != "" {
		d.Container = &o.options.Container
	}
	return d
}

// Leave closes a source at the end of a command, without the line of -Dpmapi and -Dcontext: the reference
// ends and leaves its context to the system.
func Leave(src pmapi.Source) {
	for {
		w, ok := src.(pmapi.Wrapper)
		if !ok || w.Unwrap() == nil {
			src.Close()
			return
		}
		src = w.Unwrap()
	}
}

func (o *Opener) printer() *debug.Printer {
	return &debug.Printer{On: o.options.Debug.Has, Out: o.env.Stderr, Zone: o.env.Zone()}
}

// An Error is the message for a source that cannot be opened (commands.md T1.4).
type Error struct {
	What string
	Err  error
	Hint string // a further line, for those who read it on a terminal
	// Notes are what else can be done, no part of the text.
	Notes []string
}

// Error implements error.
func (e *Error) Error() string {
	text := e.What + ": " + pmerr.Of(e.Err).Error()
	if c := pmerr.Of(e.Err); c == pmerr.TLS || c == pmerr.NeedClientCert || c < pmerr.NYI {
		// Many failures share such a code; the reason tells them apart.
		if reason := pmcd.Reason(e.Err); reason != "" {
			text += " (" + reason + ")"
		}
	}
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// loadNames reads the name space file of -n, or of -N, which requires unique names.
func (o *Opener) loadNames(file string, unique bool) error {
	if o.names != nil {
		return pmerr.DupPMNS
	}
	names, err := o.readNames(file, unique)
	if err == nil {
		o.names = names
	}
	return err
}

// ReadNames reads a name space file, in which metrics may have several names. The messages of the
// preprocessor and the parser go where the reference puts them.
func (o *Opener) ReadNames(file string) (*pmns.Tree, error) { return o.readNames(file, false) }

func (o *Opener) readNames(file string, unique bool) (*pmns.Tree, error) {
	env := o.env
	names, err := pmns.Load(file, &pmns.Options{
		Preprocess:  true,
		DupOK:       !unique,
		IncludeDirs: []string{env.Config().Get("PCP_VAR_DIR") + "/pmns"},
	})
	if bad, ok := errors.AsType[*pmns.Error](err); ok {
		fmt.Fprint(env.Stderr, bad.Preprocessor)
		env.Messages.Print(bad.Message)
		env.Messages.Flush()
	}
	return names, err
}

// prompt asks a question on a console, or on the controlling terminal if console is "". The answer
// is echoed only if echo is set.
func prompt(env *cli.Env, console, text string, echo bool) (string, error) {
	f, err := os.OpenFile(cmp.Or(console, "/dev/tty"), os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	fmt.Fprint(env.Safe(f), text)
	if fd := int(f.Fd()); !echo && term.IsTerminal(fd) {
		secret, err := term.ReadPassword(fd)
		fmt.Fprintln(f)
		return string(secret), err
	}
	line, err := bufio.NewReader(f).ReadString('\n')
	if err != nil && line == "" {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}
