// Package repl is the expression workbench without its terminal: items go in as lines, text comes
// out. Items are expressions, which are evaluated; definitions NAME = EXPR; and commands, which
// begin with a colon.
//
// [New] makes a [Session]. [Session.Run] runs one item; [Session.Incomplete] reports whether a text needs
// another line; [Session.Complete] proposes completions of a line; [Session.Prompt] is what a
// prompt shows. [Session.Do] runs a verb of the shell, and [Session.Lint], [Session.Explain] and [Session.About] answer
// an editor.
//
// Nothing here knows terminals, signals or files: [Options] has functions for the world outside. An
// item ends with its context.
package repl

import (
	"context"
	"errors"
	"io"
	"time"

	"pmtools/cmd/internal/install"
	"pmtools/cmd/internal/report"
	"pmtools/derive"
	"pmtools/derive/lint"
	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// Kinds of sources, as Options.Open gets them.
const (
	Default = ""        // the local daemon, or what there is instead
	Host    = "host"    // of a specification
	Archive = "archive" // a list of recordings
	Local   = "local"   // collectors in this process
)

// Options are what a Session takes from the world around it.
type Options struct {
	Sources
	World
	Definitions *derive.Set     // that hold from the start; nil for none
	Reports     *report.Reports // nil means those that need no file
	Zone        *time.Location  // in which times are shown and meant; nil means UTC
	Settings    Settings        // to begin with
	Loaded      []string        // the names of definitions that options have loaded
	Verbs       []*Verb         // of the program, besides those of every session
}

// Sources tell where metrics come from.
type Sources struct {
	// Open opens a source of one of the kinds. The Session closes it.
	Open func(ctx context.Context, kind, name string) (pmapi.Source, error)
	// Kind and Name are the first source. It is opened when it is needed.
	Kind, Name string
	// Hosts are several hosts instead of a source: values come from all of them, descriptions from
	// the first one. OpenHost opens a host; calls may overlap. Report is called with the error of a
	// host while the others continue.
	Hosts      []string
	OpenHost   func(ctx context.Context, name string) (pmapi.Source, error)
	Report     func(host string, err error)
	Equivalent func(a, b pcp.InDom) bool // see derive.Options
	// Sides are the sources that a command line names for compare; nil means those of the session.
	Sides []Side
	// Machines returns what samples the recordings of each machine in a list of archives, but for their times.
	Machines func(ctx context.Context, archives string) *query.Recordings
	// Derived opens the source once more, with the definitions as PCP evaluates them, to be recorded.
	Derived        func(ctx context.Context) (*derive.Source, error)
	ArchiveVersion int // of what is recorded: 2 or 3; 0 means 3
}

// World is what a Session does outside itself.
type World struct {
	Now   func() time.Time // nil means time.Now
	Waits func()           // gets to know that samples are waited for; may be nil
	// Screen is set if output may overwrite earlier output.
	Screen bool
	Debug  func(spec string) error                                // sets debug options
	Files  Files                                                  // of all verbs
	Table  func(ctx context.Context, w io.Writer, t *Table) error // draws tables; nil means without a width
	// Tools returns where the tools look for definitions, and the files that options name; nil if there are
	// no files.
	Tools func() (tools *install.Tools, options []string)
	// Output returns what writes samples in a form.
	Output func(w io.Writer, h *sampling.Header, f Form) (sampling.Writer, error)
	// Read reads files of definitions, those below directories, or standard input where there is no name; the error
	// tells which cannot be read, beside the others.
	Read     func(names []string) ([]lint.File, error)
	Confirm  func(question string) bool // asks the user
	Progress func(text string)          // shows a line in the place of the one before, "" for none; nil shows nothing
	// Shell runs a command of the shell, or the shell itself for "", on the terminal; nil for no shell.
	Shell   func(command string) error
	History func() []string // what was typed before; nil for no prompt
	// Help writes all about the command of a verb in the shell, or about the program if the name is empty; nil writes
	// what a Page has.
	Help func(name string) error
	// Note gets lines about how an item was understood, which are no part of its output; nil writes
	// them there.
	Note func(line string)
	// Complain is called with problems of an answer; if it is nil, they are written into the
	// answer.
	Complain func(err error)
}

// Files are the files that a Session may read and write.
type Files interface {
	ReadFile(name string) ([]byte, error)
	// WriteFile writes a file. Without replace it must not exist yet; the error is then
	// fs.ErrExist.
	WriteFile(name string, text []byte, replace bool) error
	// Create makes a file empty, or a new one, for output.
	Create(name string) (io.WriteCloser, error)
	// Glob returns the names of the files, and of directories with a slash behind them, that begin
	// with prefix.
	Glob(prefix string) []string
}

// A Session has definitions and a source. Its methods may be called by several goroutines; they
// wait for each other.
type Session struct {
	connection
	items
	opt   Options
	verbs []*Verb       // of every session, and of the program
	lock  chan struct{} // holds one token while the rest is unused
	zone  *time.Location
	set   Settings
	defs  *derive.Set

	recording  *recording      // in the background; nil for nothing
	background context.Context // of what Complete asks; ended by Close
	stop       context.CancelFunc
}

// A connection is what a Session asks.
type connection struct {
	src      *query.Source // nil until it is needed
	kind     string
	name     string
	fleet    *query.Fleet           // of several hosts, of which kind and name are the first; else nil
	recorded *query.Recordings      // of several machines; nil for none
	lost     bool                   // the connection must be made again
	full     *derive.Source         // src with all definitions, for metadata; nil until it is needed
	children map[string][]pcp.Child // of names, as the source has said
}

// The items of a Session have a state of their own: where their output goes, and what they have changed.
type items struct {
	screen io.Writer
	last   string          // the last item that was not a command
	depth  int             // of files that run files
	placed bool            // the error of the item tells the line of a file already
	files  map[string]bool // names of files that may be overwritten
	saved  string          // the one of them that was read or written last
	dirty  bool            // there are definitions that no file has
}

// New returns a Session without definitions of its own.
func New(opt *Options) *Session {
	s := &Session{opt: *opt, lock: make(chan struct{}, 1), zone: opt.Zone, set: opt.Settings.valid()}
	s.kind, s.name, s.verbs = opt.Kind, opt.Name, append(Verbs(), opt.Verbs...)
	s.lock <- struct{}{}
	s.background, s.stop = context.WithCancel(context.Background())
	if len(opt.Hosts) > 0 {
		s.useFleet(opt.Hosts)
	}
	if s.zone == nil {
		s.zone = time.UTC
	}
	if s.opt.Now == nil {
		s.opt.Now = time.Now
	}
	s.files = make(map[string]bool)
	defs := opt.Definitions
	if defs == nil {
		defs = derive.NewSet()
	}
	s.define(defs.In(s.set.Language))
	return s
}

// Hold calls a function when no other goroutine uses the Session, and notes whether its error is that of a lost connection.
func (s *Session) Hold(ctx context.Context, f func() error) error {
	select {
	case <-s.lock:
		defer s.release()
		return s.noteLost(f())
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) release() { s.lock <- struct{}{} }

// Close closes the source, and ends the recording.
func (s *Session) Close() error {
	s.stop()
	<-s.lock
	defer s.release()
	var err error
	if s.recording != nil {
		err = s.endRecording(io.Discard)
	}
	err = errors.Join(err, s.closeFleet())
	if s.src == nil {
		return err
	}
	return errors.Join(err, s.src.Close())
}

func (s *Session) define(d *derive.Set) {
	s.defs, s.full = d, nil
	s.forget()
}

// forget drops cached properties of the source.
func (s *Session) forget() {
	s.children = nil
	if s.src != nil {
		s.src.Forget()
	}
}

// binder returns what checks expressions over the source with the definitions.
func (s *Session) binder() *query.Binder { return s.src.Bind(s.defs, true) }

// Unsaved returns how many definitions the Session has, if there are some that no file has; else 0.
func (s *Session) Unsaved() int {
	<-s.lock
	defer s.release()
	if !s.dirty {
		return 0
	}
	return len(s.defs.Own())
}

// Prompt returns what a prompt shows of the session: the position in an archive, and the program's
// name.
func (s *Session) Prompt() string {
	<-s.lock
	defer s.release()
	if s.src == nil || s.src.Line == nil {
		return "pmderive> "
	}
	return s.src.At.Time().In(s.zone).Format("2006-01-02 15:04:05") + "> "
}
