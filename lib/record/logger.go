package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

const writeLimit = 5 * time.Second

// controlFD is the descriptor of pmlogger's requests: the first one after the standard ones.
const controlFD = 3

// A pmlogger is a recording process with a pipe for requests. A request is a line, a letter and a text;
// there are no answers (values.md V24.3).
type pmlogger struct {
	cmd  *exec.Cmd
	said tail

	mu   sync.Mutex
	pipe *os.File // nil when it is closed
}

// startLogger starts a pmlogger in a process group of its own, so that keys that interrupt or stop a
// program at a terminal do not reach it.
func (r *Recording) startLogger(cfg *Config, f *folio, h *Host, name string) error {
	in, out, err := os.Pipe()
	if err != nil {
		return err
	}
	args := append(append([]string{}, cfg.Args...), h.Args...)
	args = append(args, "-x", fmt.Sprint(controlFD), "-h", h.Name, "-l", name+".log", "-c", name+".config", name)
	p := &pmlogger{cmd: exec.Command(cfg.Logger, args...), pipe: out}
	p.cmd.Dir, p.cmd.ExtraFiles, p.cmd.SysProcAttr = f.dir, []*os.File{in}, ownGroup()
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	p.cmd.WaitDelay = time.Second // its child processes may keep its standard error open
	err = p.cmd.Start()
	in.Close()
	if err != nil {
		out.Close()
		return err
	}
	r.logger, r.PID = p, p.cmd.Process.Pid
	f.created = append(f.created, r.LogFile, r.Archive+".meta", r.Archive+".index", r.Archive+".0")
	go func() {
		err := p.cmd.Wait()
		_ = p.send(true, "")
		if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			r.end(fmt.Errorf("pmlogger ended: %w%s", err, p.lastWords(r.LogFile)))
			return
		}
		r.end(nil)
	}()
	hello := "V0\nF" + cfg.Folio + "\nP" + cfg.Creator + "\n"
	if cfg.Replay != "" {
		hello += "R\n"
	}
	if err := p.send(false, hello); err != nil && !errors.Is(err, pmerr.IPC) { // Done reports the end with its reason
		return err
	}
	return nil
}

// send writes lines, and closes the pipe if they are the last.
func (p *pmlogger) send(last bool, lines string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pipe == nil {
		return fmt.Errorf("record: pmlogger has ended: %w", pmerr.IPC)
	}
	err := p.pipe.SetWriteDeadline(time.Now().Add(writeLimit))
	if err == nil && lines != "" {
		_, err = p.pipe.WriteString(lines)
	}
	if last {
		err = errors.Join(err, p.pipe.Close())
		p.pipe = nil
	}
	if err != nil {
		return fmt.Errorf("record: pmlogger cannot be reached: %v: %w", err, pmerr.IPC)
	}
	return nil
}

func (p *pmlogger) status(args string) error { return p.send(false, "?"+args+"\n") }

func (p *pmlogger) stop() error { return p.send(true, "Q\n") }

func (p *pmlogger) detach() error { return p.send(true, "D\n") }

type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4096

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// lastWords returns pmlogger's own reason of a failure: the last line of its log or, without a log, the
// first line of its output, which may end with its usage text.
func (p *pmlogger) lastWords(logFile string) string {
	lines := strings.Split(p.said.String(), "\n")
	if f, info, err := safefile.Open(logFile); err == nil {
		b, _ := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-tailSize), tailSize))
		f.Close()
		lines = strings.Split(string(b), "\n")
		slices.Reverse(lines)
	}
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "Log finished") {
			return ": " + line
		}
	}
	return ""
}
