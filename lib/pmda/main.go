package pmda

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pmtools/lib/pmda/helptext"
)

// Options are the settings of the command line for an agent, and of the agent for Main.
type Options struct {
	// Program is the name of the program: "pmdasimple".
	Program string
	// Domain is the domain of the agent; 0 leaves it to the agent.
	Domain uint32
	// Debug are the debug options.
	Debug []string
	// Flags are the agent's own options that were given, by their names, with their arguments; see
	// Flag.
	Flags map[string]string
	// Logf writes a line to the agent's log.
	Logf func(format string, args ...any)

	// NamesOnly is set for --pmns and --install-files: the agent serves no requests, and need not
	// open ports or start goroutines.
	NamesOnly bool

	// Attrs, Containers and NotReady may be set by the agent; see Server.
	Attrs, Containers, NotReady bool
}

// DomainOr returns the domain of the agent: from the command line, or else its own.
func (o *Options) DomainOr(own uint32) uint32 { return cmp.Or(o.Domain, own) }

// Main is the main function of an agent; it returns the exit status. It reads the command line
// (--help lists the options), opens the log, makes the agent, and serves the daemon until the
// connection ends: standard input and output, or the first connection to the given port or path.
//
// With --pmns it prints the agent's part of the name space, as writeNames writes it, and with
// --install-files it writes what PCP's installation of agents needs. Where standard output is a
// terminal, it says what the program is, and the status is 1.
//
// own are the options of this agent.
func Main(newAgent func(o *Options) (Provider, error), own ...Flag) int {
	p := &program{newAgent: newAgent, own: own, args: os.Args, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	return p.run(context.Background())
}

type program struct {
	newAgent func(o *Options) (Provider, error)
	own      []Flag
	args     []string
	stdin    io.Reader
	stdout   io.Writer
	stderr   io.Writer
	name     string // of the program
}

func (p *program) run(ctx context.Context) int {
	p.name = strings.TrimSuffix(filepath.Base(p.args[0]), ".exe")
	flags, err := parseFlags(p.args[1:], p.own...)
	if err != nil {
		fmt.Fprintf(p.stderr, "%s: %v\n", p.name, err)
	}
	if err != nil || flags.help {
		fmt.Fprint(p.stderr, usageText(p.name, p.own))
		return 1
	}
	switch {
	case flags.pmns:
		return p.write(flags, func(agent Provider) error { return writeNames(p.stdout, agent.Names()) })
	case flags.install != "":
		return p.write(flags, func(agent Provider) error { return p.writeInstall(flags.install, agent) })
	case (flags.transport == 0 || flags.transport == 'p') && isTerminal(p.stdout):
		fmt.Fprintf(p.stderr, "%[1]s: this is an agent: pmcd starts it and speaks with it by standard input and output, which is a terminal here; "+
			"try it by pmderive agent, or see %[1]s --help\n", p.name)
		return 1
	}
	return p.serve(ctx, flags)
}

// isTerminal reports whether a stream is a character device other than the null device.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	if err != nil || fi.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && !os.SameFile(fi, null)
}

func (p *program) options(f *flags, logf func(string, ...any)) *Options {
	return &Options{Program: p.name, Domain: f.domain, Debug: f.debug, Flags: f.own, Logf: logf}
}

func (p *program) write(f *flags, about func(Provider) error) int {
	opts := p.options(f, func(string, ...any) {})
	opts.NamesOnly = true
	agent, err := p.newAgent(opts)
	if err == nil {
		defer closeAgent(agent)
		err = about(agent)
	}
	if err != nil {
		fmt.Fprintf(p.stderr, "%s: %v\n", p.name, err)
		return 1
	}
	return 0
}

func (p *program) serve(ctx context.Context, f *flags) int {
	log := p.openLog(f.log)
	defer log.close()
	opts := p.options(f, func(format string, args ...any) { log.note("Info", fmt.Sprintf(format, args...)) })
	if err := p.connectAndServe(ctx, f, opts, log); err != nil {
		log.note("Critical", err.Error())
		return 1
	}
	return 0
}

func (p *program) connectAndServe(ctx context.Context, f *flags, opts *Options, log *logFile) error {
	rw, err := p.connect(ctx, f)
	if err != nil {
		return err
	}
	defer rw.Close()
	if f.user != "" {
		if err := becomeUser(f.user); err != nil {
			return err
		}
	}
	agent, err := p.newAgent(opts)
	if err != nil {
		return err
	}
	defer closeAgent(agent)
	s := &Server{Provider: agent, Attrs: opts.Attrs, Containers: opts.Containers, NotReady: opts.NotReady}
	if f.helpFile != "" {
		help, err := helptext.Open(f.helpFile)
		if err != nil {
			log.note("Warning", err.Error())
		} else {
			s.Help = helpFile{help}
		}
	}
	s.Logf = func(format string, args ...any) { log.note("Error", fmt.Sprintf(format, args...)) }
	return s.Serve(ctx, rw)
}

func closeAgent(p Provider) {
	if c, ok := p.(io.Closer); ok {
		c.Close()
	}
}

// A logFile is the log of an agent, in the form of the reference's logs.
type logFile struct {
	w       io.Writer
	file    *os.File // nil if w is standard error
	program string
}

// openLog opens the log: the named file, or one in the current directory that is called after the
// program. An old log is renamed to NAME.prev, unless it is not a plain file, such as /dev/null. If
// the log cannot be opened, it goes to standard error.
func (p *program) openLog(name string) *logFile {
	if name == "" {
		name = strings.TrimPrefix(p.name, "pmda") + ".log"
	}
	l := &logFile{w: p.stderr, program: p.name}
	if fi, err := os.Lstat(name); err == nil && fi.Mode().IsRegular() {
		// Without the old log the new one is as good.
		_ = os.Rename(name, name+".prev")
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		l.note("Warning", fmt.Sprintf("cannot open log: %v", err))
		return l
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	l.w, l.file = f, f
	fmt.Fprintf(f, "Log for %s on %s started %s\n\n", p.name, host, time.Now().Format(time.ANSIC))
	return l
}

func (l *logFile) note(level, text string) {
	fmt.Fprintf(l.w, "[%s] %s(%d) %s: %s\n", time.Now().Format("Mon Jan _2 15:04:05"), l.program, os.Getpid(), level, text)
}

func (l *logFile) close() {
	if l.file != nil {
		fmt.Fprintf(l.file, "\nLog finished %s\n", time.Now().Format(time.ANSIC))
		l.file.Close()
	}
}
