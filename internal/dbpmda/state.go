package dbpmda

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/internal/ctext"
	"pmtools/lib/option"
	"pmtools/lib/pmda/remote"
	"pmtools/lib/pmerr"
)

func (s *Session) open(l *line) error {
	kind, err := l.oneOf("dso", "pipe", "socket")
	if err != nil {
		return err
	}
	l.words = true
	var args []token
	for {
		t, err := l.next()
		if err != nil {
			return err
		}
		if t.kind == end {
			break
		}
		args = append(args, t)
	}
	switch {
	case len(args) == 0 || kind == "dso" && len(args) < 2:
		return &syntaxError{errSyntax, len(l.all)}
	case kind == "dso":
		fmt.Fprintf(s.Err, "opendso: %s: libraries cannot be loaded: use open pipe with the agent's program\n", args[0].text)
		return nil
	case kind == "pipe":
		return s.openPipe(args)
	}
	return s.openSocket(l, args)
}

func here(name string) string {
	if !strings.ContainsAny(name, `/\`) {
		return "./" + name
	}
	return name
}

func (s *Session) openPipe(tokens []token) error {
	args := make([]string, len(tokens))
	for i, t := range tokens {
		args[i] = t.text
	}
	path := here(args[0])
	if _, err := os.Stat(path); err != nil {
		fmt.Fprintf(s.Err, "openpmda: stat %s failed: %v\n", path, pmerr.Of(err))
		return nil
	}
	s.Close()
	fmt.Fprintf(s.Out, "Start %s PMDA: %s\n", filepath.Base(path), strings.Join(append([]string{path}, args[1:]...), " "))
	cmd := exec.Command(path, args[1:]...)
	agent, err := remote.Start(s.ctx, cmd, s.options())
	s.opened(agent, err, path)
	if err == nil {
		s.pid = cmd.Process.Pid
	}
	return nil
}

func (s *Session) options() *remote.Options {
	return &remote.Options{CredsTimeout: s.CredsTimeout, Timeout: -1, Stderr: s.Err}
}

func (s *Session) opened(agent *remote.Agent, err error, title string) {
	s.pid = 0
	if err != nil {
		fmt.Fprintf(s.Err, "Warning: no version exchange with PMDA %s: %v\n", title, err)
		return
	}
	s.agent, s.title, s.fresh = agent, title, true
}

// socketPath returns the path of a socket: numbers and texts in quotes are none. A name is one of the current
// directory, other words are as they are.
func socketPath(t token) (string, bool) {
	quoted := len(t.text) > 2 && strings.ContainsRune(`"'`, rune(t.text[0])) && t.text[0] == t.text[len(t.text)-1]
	if t.kind != word || t.text[0] == '-' || quoted {
		return "", false
	}
	if ctext.IsLetter(t.text[0]) {
		return here(t.text), true
	}
	return t.text, true
}

func (s *Session) openSocket(l *line, args []token) error {
	kind := args[0].text
	network := map[string]string{"unix": "unix", "inet": "tcp4", "ipv6": "tcp6"}[kind]
	if network == "" {
		kind, network, args = "unix", "unix", append([]token{{}}, args...)
	}
	if len(args) == 1 {
		return &syntaxError{errSyntax, len(l.all)}
	}
	address, isPath := socketPath(args[1])
	title := address
	if kind == "unix" && !isPath {
		return &syntaxError{errSyntax, args[1].read}
	}
	if len(args) > 2 {
		return &syntaxError{errSyntax, args[2].read}
	}
	if kind != "unix" {
		port, err := net.DefaultResolver.LookupPort(s.ctx, network, args[1].text)
		if err != nil {
			return &syntaxError{errSyntax, len(l.all)}
		}
		host := map[string]string{"inet": "127.0.0.1", "ipv6": "::1"}[kind]
		address, title = net.JoinHostPort(host, strconv.Itoa(port)), fmt.Sprintf("%s port %d", kind, port)
	}
	conn, err := new(net.Dialer).DialContext(s.ctx, network, address)
	if err != nil {
		where := address
		if kind != "unix" {
			where = "connect"
		}
		fmt.Fprintf(s.Err, "opensocket: %s: %v\n", where, pmerr.Of(err))
		return nil
	}
	s.Close()
	socket := ""
	if kind == "unix" {
		socket = "socket "
	}
	fmt.Fprintf(s.Out, "Connect to PMDA on %s%s\n", socket, title)
	agent, err := remote.New(s.ctx, conn, s.options())
	s.opened(agent, err, title)
	return nil
}

func (s *Session) close(l *line) error {
	if ok, err := s.ready(l); !ok {
		return err
	}
	s.started = time.Time{}
	s.Close()
	return nil
}

func (s *Session) quit(l *line) error {
	if err := l.end(); err != nil {
		return err
	}
	return errQuit
}

func onOff(l *line, set *bool) error {
	w, err := l.oneOf("on", "off")
	if err == nil {
		err = l.end()
	}
	if err == nil {
		*set = w == "on"
	}
	return err
}

func (s *Session) timer(l *line) error   { return onOff(l, &s.timed) }
func (s *Session) getdesc(l *line) error { return onOff(l, &s.getDesc) }

func (s *Session) getiname(l *line) error { return onOff(l, &s.getName) }

// debug sets and clears debug options, up to the first that does not exist.
func (s *Session) debug(l *line) error {
	for first := true; ; first = false {
		t, err := l.want(word, flag, end, comma)
		if err != nil || t.kind == end {
			return err
		}
		if t.kind == comma {
			continue
		}
		name, clear := strings.CutPrefix(strings.ToLower(t.text), "-")
		if name == "all" || name == "none" {
			if !first {
				return &syntaxError{errSyntax, t.read}
			}
			if err := l.end(); err != nil {
				return err
			}
			s.flags = nil
			if name == "all" && !clear {
				s.flags = option.DebugNames()
			}
			return nil
		}
		if !slices.Contains(option.DebugNames(), name) {
			return &syntaxError{fmt.Sprintf("Bad debug flag (%s)", t.text), t.read}
		}
		s.flags = slices.DeleteFunc(slices.Clone(s.flags), func(f string) bool { return f == name })
		if !clear {
			s.flags = append(s.flags, name)
		}
	}
}

func (s *Session) namespace(l *line) error {
	l.words = true
	t, err := l.want(word)
	if err != nil {
		return err
	}
	if err := l.end(); err != nil {
		return err
	}
	s.File = here(t.text)
	if s.Load == nil {
		return errors.New("no name space can be read here")
	}
	tree, err := s.Load(s.File)
	if err != nil {
		fmt.Fprintf(s.Err, "dbpmda: Cannot load namespace from \"%s\": %v\ndbpmda: Reload default namespace\n", s.File, pmerr.Of(err))
		return nil
	}
	s.names = tree
	return nil
}

func (s *Session) wait(l *line) error {
	t, err := l.want(number)
	if err == nil {
		err = l.end()
	}
	if err != nil {
		return err
	}
	_, _, n := t.fields()
	select {
	case <-time.After(time.Duration(n) * time.Second):
	case <-s.ctx.Done():
	}
	return nil
}

func (s *Session) watch(l *line) error {
	return errors.New("no window can be opened here: watch the log by tail -f")
}

func (s *Session) status(l *line) error {
	if err := l.end(); err != nil {
		return err
	}
	row := func(title, value string) { fmt.Fprintf(s.Out, "%-24s%s\n", title, value) }
	word := map[bool]string{false: "off", true: "on"}
	fmt.Fprintln(s.Out)
	row("Namespace:", cmp.Or(s.File, "(default)"))
	if s.agent == nil {
		row("PMDA:", "none")
	} else {
		row("PMDA:", s.title)
		row("Connection:", fmt.Sprintf("daemon (pid: %d)", s.pid))
		row("PMDA PMAPI Version:", "2")
	}
	var flags []string
	for _, f := range option.DebugNames() {
		if slices.Contains(s.flags, f) {
			flags = append(flags, f)
		}
	}
	all := cmp.Or(strings.Join(flags, " "), "(none)")
	if len(flags) == len(option.DebugNames()) {
		all = "(all)"
	}
	row("Debug options:", all)
	row("Timer:", word[s.timed])
	row("Getdesc:", word[s.getDesc])
	row("Getiname:", word[s.getName])
	fmt.Fprintln(s.Out)
	s.showProfile()
	return nil
}
