// Package lsp is a language server for files of derived metrics: it speaks version 3.17 of the
// Language Server Protocol over two streams, and knows nothing of processes and terminals.
//
// A Session knows the metrics: Lint makes the diagnostics, CompleteExpr the completions, Explain and
// About the text of a hover. Answers that need nothing but the text come at once. The source of metrics
// is asked in the background, by two sessions: one for diagnostics, one for completion and hover, so that
// a slow source delays neither typing nor the other session.
package lsp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"pmtools/derive/lint"
	"pmtools/lib/version"
)

// Options are what a server takes from the world around it.
type Options struct {
	// Session returns a session over a source of one of the kinds below.
	Session func(kind, name string) (Session, error)
	// Kind and Name are the source, and Lint the rules, unless the client's settings change them.
	Kind, Name string
	Lint       lint.Options
	// Patience is how long an answer of the source is waited for before what needs none is published
	// alone; 0 means for ever.
	Patience time.Duration
	// Client is called with the process of the editor, if the editor names it. The program should end when that
	// process has ended.
	Client func(pid int)
}

// Kinds of sources.
const (
	NoSource = "none"
	Archive  = "archive"
	Host     = "host"
	Local    = "local"
)

// A Session answers questions about the metrics of a source and about definitions. Its methods may be
// called by several goroutines, and wait for each other.
type Session interface {
	Lint(ctx context.Context, files []lint.File, opt lint.Options) ([]lint.Diagnostic, error)
	// Replace makes the definitions of a file those that the other methods know.
	Replace(ctx context.Context, name string, text []byte) error
	// CompleteExpr returns what may continue the beginning of an expression in the place of before[start:].
	// The names are those of definitions, and rest has metrics that a pattern may be for.
	CompleteExpr(before string, names []string, rest string) (texts []string, start int)
	// Explain writes the tree of an expression.
	Explain(ctx context.Context, expr string, w io.Writer) error
	// About returns the metadata of a metric, in one line, and its help texts.
	About(ctx context.Context, name string) (metadata string, texts []string, err error)
	Close() error
}

// ErrNoShutdown is the error of Serve for a client that goes without a shutdown.
var ErrNoShutdown = errors.New("the client has ended without a shutdown")

type server struct {
	*conn
	opt   Options
	ctx   context.Context // ends with Serve
	state state
	use   *sessions

	mu      sync.Mutex // guards the rest, and what is found in documents
	docs    map[string]*document
	shown   map[string]bool               // messages that were shown
	pending map[string]context.CancelFunc // requests that are not answered yet, by their ids

	texts, checks turns // of requests that read a text, and of checks
	work          sync.WaitGroup
}

type state int

const (
	fresh state = iota
	ready
	down
)

// Serve answers a client until it says goodbye, and returns nil if it did that properly.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt *Options) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{
		conn: newConn(in, out), opt: *opt, ctx: ctx, docs: make(map[string]*document), shown: make(map[string]bool),
		pending: make(map[string]context.CancelFunc), texts: make(turns, 1), checks: make(turns, 1),
	}
	s.use = &sessions{server: s, kind: opt.Kind, name: opt.Name, lint: opt.Lint}
	err := s.loop()
	cancel()
	s.work.Wait()
	s.use.close()
	lost := s.failure()
	return cmp.Or(lost, err)
}

func (s *server) loop() error {
	for {
		m, err := s.read()
		bad, survived := errors.AsType[*rpcError](err)
		switch {
		case survived:
			s.reply(nil, nil, bad)
		case s.failure() != nil:
			return s.failure()
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return err
		case err != nil, m.Method == "exit":
			if s.state == down {
				return nil
			}
			return ErrNoShutdown
		case m.ID == nil:
			s.notified(m)
		default:
			s.requested(m)
		}
	}
}

// notified handles a notification. A notification that is unknown, too early or too late is
// nothing to answer to.
func (s *server) notified(m *message) {
	f := notifications[m.Method]
	if s.state != ready || f == nil {
		return
	}
	p, err := m.params()
	if err == nil {
		err = f(s, p)
	}
	if err != nil {
		s.show(m.Method + ": " + err.Error())
	}
}

func (s *server) requested(m *message) {
	h, known := requests[m.Method]
	first := m.Method == "initialize"
	p, err := m.params()
	switch {
	case s.state == fresh && !first:
		err = rpcErrorf(codeNotInitialized, "initialize comes first")
	case s.state == down, s.state == ready && first:
		err = rpcErrorf(codeInvalidRequest, "%s does not come here", m.Method)
	case m.Method == "shutdown":
		s.state, err = down, nil
	case !known && !first:
		err = rpcErrorf(codeNoMethod, "there is no method %s", m.Method)
	case err != nil:
	case first:
		result, err := s.initialize(p)
		s.reply(m.ID, result, err)
		return
	default:
		if err = s.run(m.ID, h, p); err == nil {
			return
		}
	}
	s.reply(m.ID, nil, err)
}

// A handler answers a request about a document. The context is that of the work on the text: the source
// is asked with that of the server, because a request that is cut short would cost the connection.
type handler struct {
	asks bool // the source is asked
	run  func(s *server, ctx context.Context, d *document, p *params) (any, error)
}

var requests = map[string]handler{
	"textDocument/completion":     {true, (*server).completion},
	"textDocument/hover":          {true, (*server).hover},
	"textDocument/definition":     {false, (*server).definition},
	"textDocument/references":     {false, (*server).references},
	"textDocument/prepareRename":  {false, (*server).prepareRename},
	"textDocument/rename":         {false, (*server).rename},
	"textDocument/formatting":     {false, (*server).formatting},
	"textDocument/documentSymbol": {false, (*server).symbols},
	"textDocument/codeAction":     {false, (*server).codeActions},
}

var notifications = map[string]func(s *server, p *params) error{
	"textDocument/didOpen":   (*server).didOpen,
	"textDocument/didChange": (*server).didChange,
	"textDocument/didClose":  (*server).didClose,
	"$/cancelRequest": func(s *server, p *params) error {
		s.cancelRequest(p.ID)
		return nil
	},
}

func (s *server) initialize(p *params) (any, error) {
	if err := s.configure(p.Options); err != nil {
		return nil, err
	}
	if s.opt.Client != nil && p.ProcessID > 0 {
		s.opt.Client(p.ProcessID)
	}
	s.state = ready
	return map[string]any{
		"capabilities": capabilities,
		"serverInfo":   map[string]string{"name": "pmderive lsp", "version": version.Version},
	}, nil
}

// show shows a message to the user, each once.
func (s *server) show(text string) {
	s.mu.Lock()
	again := s.shown[text]
	s.shown[text] = true
	s.mu.Unlock()
	if !again {
		s.notify("window/showMessage", messageParams{messageWarning, text})
	}
}
