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
	// Names is the name space, nil for an empty one. Load reads another.
	Names *pmns.Tree
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
	profile *pcp.Profile
	fresh   bool // the agent does not have the profile
	getDesc bool
	getName bool
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
	err := s.command(text)
	bad, isMistake := errors.AsType[mistake](err)
	switch {
	case err == errQuit:
		return true
	case isMistake:
		fmt.Fprintf(s.Err, "Error: %v\nType 'help' for a list of commands.\n", bad)
	case err != nil && pmerr.Of(err) == err:
		s.refused(err)
	case err != nil:
		fmt.Fprintf(s.Out, "Error: %v\n", err)
	}
	return false
}

func (s *Session) refused(err error) { fmt.Fprintf(s.Out, "Error PDU: %v\n", err) }

func (s *Session) command(text string) error {
	words, err := split(text)
	if err != nil || len(words) == 0 {
		return err
	}
	name, args := words[0].text, words[1:]
	if name == "help" || name == "?" {
		return s.help(args)
	}
	c := find(name)
	switch {
	case c == nil:
		return mistake("Unrecognized command")
	case len(args) == 0 && c.least > 0:
		fmt.Fprint(s.Out, c.usage)
		return nil
	case len(args) < c.least || len(args) > c.most:
		return errSyntax
	case c.asks && s.agent == nil:
		fmt.Fprintln(s.Err, "Warning: No PMDA currently opened")
		return nil
	}
	return c.run(s, args)
}

func (s *Session) help(words []word) error {
	if len(words) == 0 {
		list(s.Out)
		return nil
	}
	c := find(words[0].text)
	if c == nil {
		return errSyntax
	}
	fmt.Fprintf(s.Out, "\n%s\n%s\n\n", c.usage, c.help)
	return nil
}

func (s *Session) quit([]word) error { return errQuit }

func onOff(w word, set *bool) error {
	if w.text != "on" && w.text != "off" {
		return errSyntax
	}
	*set = w.text == "on"
	return nil
}

func (s *Session) getdesc(words []word) error  { return onOff(words[0], &s.getDesc) }
func (s *Session) getiname(words []word) error { return onOff(words[0], &s.getName) }
