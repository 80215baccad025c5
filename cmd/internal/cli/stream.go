package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
)

// A stream is standard output or standard error as commands see it. Text for a terminal goes through
// the filter of safeText. Several goroutines may write at the same time.
type stream struct {
	w        io.Writer
	terminal bool
	env      *Env          // which knows what passes
	first    *bufio.Writer // is emptied before each write; nil for none

	mu   sync.Mutex
	text safeText
	stall
	mail atomic.Pointer[mailbox] // takes the text instead; nil for none
}

func (s *stream) Write(p []byte) (int, error) {
	if m := s.mail.Load(); m != nil {
		m.put(p)
		return len(p), nil
	}
	if s.first != nil {
		_ = s.first.Flush() // a failed write to standard output must not suppress a message
	}
	s.begin()
	defer s.end()
	return s.write(p)
}

func (s *stream) write(p []byte) (int, error) {
	if !s.terminal {
		return s.w.Write(p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.w.Write(s.text.filter(p, s.env.painted.Load()))
	return len(p), err
}

// useStreams replaces the streams of the process by filtered ones. No command sees the former: it has
// LineEditor, Attach and Progress instead.
func (env *Env) useStreams() {
	out := &stream{w: env.Stdout, terminal: IsTerminal(env.Stdout), env: env}
	env.Stdout = out
	env.Out = bufio.NewWriterSize(&output{out}, outputBuffer)
	errs := &stream{w: env.Stderr, terminal: IsTerminal(env.Stderr), env: env, first: env.Out}
	env.Stderr, env.stalls = errs, []*stall{&out.stall, &errs.stall}
}

// LineEditor returns standard output as it is, for a line editor, which moves the cursor. Its other
// text must be free of control sequences.
func (env *Env) LineEditor() io.Writer { return raw(env.Stdout) }

// Attach gives a program the terminal: all three streams of the process.
func Attach(cmd *exec.Cmd) { cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr }

// Progress writes a text over the line of standard error that the cursor is in; "" removes the line.
func (env *Env) Progress(text string) {
	var s safeText
	fmt.Fprintf(raw(env.Stderr), "\r%s\x1b[K", s.filter([]byte(text), 0))
}

func raw(w io.Writer) io.Writer {
	if s, ok := w.(*stream); ok {
		return s.w
	}
	return w
}
