// Package dbpmda runs the language of dbpmda(1), in which agents are tried by hand and by scripts
// (collector.md C9): it starts an agent, asks it what a script says, and prints what the reference
// prints.
package dbpmda

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmda/remote"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// Options say how scripts are run.
type Options struct {
	Out, Err io.Writer
	// Names is the name space, nil for an empty one, File the file that it is from, "" for that of
	// the installation. Load reads another.
	Names *pmns.Tree
	File  string
	Load  func(file string) (*pmns.Tree, error)
	// CredsTimeout is how long an agent may take to introduce itself; 0 is 3 seconds.
	CredsTimeout time.Duration
	// Zone is the time zone of event records; nil is UTC.
	Zone *time.Location
}

// A Session keeps the state from one script to the next: the agent, the profile and the settings.
// Nothing limits how long an agent may take to answer.
type Session struct {
	Options
	ctx     context.Context
	names   *pmns.Tree
	agent   *remote.Agent
	title   string // of the agent
	pid     int
	profile *pcp.Profile
	indoms  []pcp.InDom // of profile, in the order in which they were mentioned
	fresh   bool        // the agent does not have the profile
	flags   []string
	getDesc bool
	getName bool
	timed   bool
	started time.Time // when the current request was made
}

var client = new(pmda.Client)

// New returns a Session.
func New(opts *Options) *Session {
	s := &Session{Options: *opts, names: opts.Names, profile: new(pcp.Profile), fresh: true}
	if _, ok := opts.Err.(*os.File); !ok {
		s.Err = &shared{w: opts.Err}
	}
	if s.names == nil {
		s.names = new(pmns.Tree)
	}
	return s
}

// A shared is a writer that the standard error of the agent uses as well.
type shared struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(b)
}

// Close ends the agent that is open.
func (s *Session) Close() {
	if s.agent != nil {
		// How a program ends whose input has ended is its own business.
		_ = s.agent.Close()
		s.agent = nil
	}
}

var errQuit = errors.New("quit")

// Run runs a script to its end, or to quit. With a prompt each line is asked for by it, and with
// echo shown. Mistakes in the script are printed; the error is one of reading or of ctx.
func (s *Session) Run(ctx context.Context, script io.Reader, prompt string, echo bool) error {
	s.ctx = ctx
	r := bufio.NewReader(script)
	for ctx.Err() == nil {
		fmt.Fprint(s.Out, prompt)
		if out, ok := s.Out.(interface{ Flush() error }); ok {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		text, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if echo {
			fmt.Fprint(s.Out, text)
		}
		if text != "" && s.line(text) {
			return nil
		}
		if err == io.EOF {
			if prompt != "" {
				fmt.Fprintln(s.Out)
			}
			return nil
		}
	}
	return ctx.Err()
}

// line runs a line and reports quit. Unlike in the reference, a newline may be missing at the end.
func (s *Session) line(text string) (quit bool) {
	l := &line{all: strings.TrimSuffix(text, "\n"), report: s.mistake}
	err := s.command(l)
	bad, isSyntax := errors.AsType[*syntaxError](err)
	switch {
	case err == errQuit:
		return true
	case isSyntax:
		s.mistake(bad)
	case err != nil && pmerr.Of(err) == err:
		s.refused(err)
	case err != nil:
		fmt.Fprintf(s.Out, "Error: %v\n", err)
	}
	return false
}

// mistake prints a mistake in a line.
func (s *Session) mistake(bad *syntaxError) {
	fmt.Fprintf(s.Out, "%*s^ at or near here\n", len("dbpmda> ")+bad.read-1, "")
	fmt.Fprintf(s.Err, "Error: %s\nType 'help' for a list of commands.\n", bad.message)
}

func (s *Session) refused(err error) { fmt.Fprintf(s.Out, "Error PDU: %v\n", err) }

var errClosed = errors.New("No PMDA currently opened")

func (s *Session) command(l *line) error {
	first, err := l.next()
	if err != nil || first.kind == end {
		return err
	}
	if first.text == "help" || strings.HasPrefix(l.all[l.pos-len(first.text):], "?") {
		return s.help(l)
	}
	c := find(first.text)
	if c == nil || first.kind != word {
		return &syntaxError{"Unrecognized command", first.read}
	}
	if c.bare {
		if t, err := l.peek(); err == nil && t.kind == end {
			fmt.Fprint(s.Out, c.usage)
			return nil
		}
	}
	s.started = time.Time{}
	err = c.run(s, l)
	if err == nil && s.timed && !s.started.IsZero() {
		fmt.Fprintf(s.Out, "Timer: %f seconds\n", time.Since(s.started).Seconds())
	}
	return err
}

// ready takes the end of the line and reports whether there is an agent to be asked.
func (s *Session) ready(l *line) (bool, error) {
	if err := l.end(); err != nil {
		return false, err
	}
	if s.agent == nil {
		fmt.Fprintf(s.Err, "Warning: %v\n", errClosed)
		return false, nil
	}
	s.started = time.Now()
	return true, nil
}

func (s *Session) help(l *line) error {
	t, err := l.want(word, end)
	if err != nil {
		return err
	}
	if t.kind == end {
		list(s.Out)
		return nil
	}
	c := find(t.text)
	if c == nil {
		return &syntaxError{errSyntax, t.read}
	}
	if err := l.end(); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "\n%s\n%s\n\n", c.usage, c.help)
	return nil
}
