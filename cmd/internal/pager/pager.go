// Package pager shows the output of an item at a prompt: output longer than the screen goes
// to a program.
package pager

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"pmtools/cmd/internal/cli"
)

// A Pager is where the output of an item goes. Without a terminal it changes nothing.
type Pager struct {
	viewer
	out    io.Writer
	height int

	line  []byte // that has not ended
	held  []byte // lines that may fit the screen
	lines int    // of them
}

// A viewer is the program of a pager.
type viewer struct {
	program string // "" for none
	lookup  func(string) (string, bool)
	cmd     *exec.Cmd
	shown   *Shown
	pipe    io.WriteCloser // to the program, once it runs
	safe    io.Writer      // the same, for text as a terminal may get it
	env     *cli.Env
}

// Shown is the program that has the terminal, if one has it.
type Shown struct{ atomic.Pointer[os.Process] }

// New returns a Pager for the output of an item. Output longer than the screen goes to PAGER, or to
// less, if paged is set.
func New(env *cli.Env, shown *Shown, paged bool) *Pager {
	p := &Pager{out: env.Out, viewer: viewer{lookup: env.LookupEnv, shown: shown, env: env}}
	if !cli.IsTerminal(env.Stdin) {
		return p
	}
	_, p.height = cli.TerminalSize(env.Stdout)
	if paged {
		p.program = "less"
		if program, set := p.lookup("PAGER"); set {
			p.program = strings.TrimSpace(program)
		}
	}
	return p
}

// Live says that what follows comes as time goes by: it is written as it comes.
func (p *Pager) Live() error {
	if p.pipe != nil {
		return nil
	}
	p.program = ""
	return p.release()
}

// Write implements io.Writer.
func (p *Pager) Write(text []byte) (int, error) {
	p.line = append(p.line, text...)
	end := bytes.LastIndexByte(p.line, '\n') + 1
	lines := p.line[:end]
	p.line = p.line[end:]
	if err := p.put(lines, bytes.Count(lines, []byte("\n"))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// put writes lines, or holds them back as long as they may fit the screen.
func (p *Pager) put(text []byte, lines int) error {
	switch {
	case p.pipe != nil:
		_, _ = p.safe.Write(text) // the program may have ended
		return nil
	case p.program == "" || p.height == 0:
		_, err := p.out.Write(text)
		return err
	}
	p.held = append(p.held, text...)
	if p.lines += lines; p.lines >= p.height && !p.start() {
		p.program = ""
		return p.release()
	}
	return nil
}

func (p *Pager) release() error {
	_, err := p.out.Write(p.held)
	p.held = nil
	return err
}

// start starts the program and gives it the lines so far. It reports whether that worked.
func (p *Pager) start() bool {
	p.cmd = exec.Command("sh", "-c", p.program)
	cli.Attach(p.cmd)
	p.cmd.Stdin, p.cmd.Env = nil, os.Environ()
	if _, set := p.lookup("LESS"); !set {
		p.cmd.Env = append(p.cmd.Env, "LESS=-RSX")
	}
	pipe, err := p.cmd.StdinPipe()
	if err != nil || p.cmd.Start() != nil {
		return false
	}
	p.shown.Store(p.cmd.Process)
	p.pipe, p.safe = pipe, p.env.Safe(pipe)
	_, _ = p.safe.Write(p.held) // the program may have ended
	p.held = nil
	return true
}

// Close writes the buffered rest, and waits for the program.
func (p *Pager) Close() error {
	if len(p.line) > 0 {
		if err := p.put(p.line, 1); err != nil {
			return err
		}
		p.line = nil
	}
	if p.pipe == nil {
		return p.release()
	}
	_ = p.pipe.Close()
	_ = p.cmd.Wait() // its status says nothing about the output
	p.shown.Store(nil)
	return nil
}

// End ends the program, so that it gives the terminal back.
func (s *Shown) End() {
	program := s.Load()
	if program == nil || program.Signal(syscall.SIGTERM) != nil {
		return
	}
	for n := 0; n < 50 && s.Load() != nil; n++ {
		time.Sleep(10 * time.Millisecond)
	}
}
