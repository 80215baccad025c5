package dbpmda

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"pmtools/lib/pmda/remote"
	"pmtools/lib/pmerr"
)

func (s *Session) open(words []word) error {
	args := make([]string, len(words)-1)
	for i, w := range words[1:] {
		args[i] = w.text
	}
	switch words[0].text {
	case "dso":
		return mistake("libraries cannot be loaded: use open pipe with the agent's program")
	case "pipe":
		return s.openPipe(args)
	case "socket":
		return s.openSocket(args)
	}
	return errSyntax
}

// here returns the path of a file: a name is one of the current directory.
func here(name string) string {
	if !strings.ContainsAny(name, `/\`) {
		return "./" + name
	}
	return name
}

func (s *Session) openPipe(args []string) error {
	path := here(args[0])
	if _, err := os.Stat(path); err != nil {
		fmt.Fprintf(s.Err, "openpmda: stat %s failed: %v\n", path, pmerr.Of(err))
		return nil
	}
	s.Close()
	fmt.Fprintf(s.Out, "Start %s PMDA: %s\n", filepath.Base(path), strings.Join(append([]string{path}, args[1:]...), " "))
	agent, err := remote.Start(s.ctx, exec.Command(path, args[1:]...), s.options())
	s.opened(agent, err, path)
	return nil
}

func (s *Session) options() *remote.Options {
	return &remote.Options{CredsTimeout: s.CredsTimeout, Timeout: -1, Stderr: s.Err}
}

func (s *Session) opened(agent *remote.Agent, err error, title string) {
	if err != nil {
		fmt.Fprintf(s.Err, "Warning: no version exchange with PMDA %s: %v\n", title, err)
		return
	}
	s.agent, s.fresh = agent, true
}

func (s *Session) openSocket(args []string) error {
	if len(args) == 1 {
		args = []string{"unix", args[0]}
	}
	if len(args) > 2 {
		return errSyntax
	}
	network, address, title := "unix", here(args[1]), "socket "+here(args[1])
	where := address
	switch args[0] {
	case "unix":
	case "inet":
		network, address = "tcp4", net.JoinHostPort("127.0.0.1", args[1])
	case "ipv6":
		network, address = "tcp6", net.JoinHostPort("::1", args[1])
	default:
		return errSyntax
	}
	if network != "unix" {
		where, title = "connect", args[0]+" port "+args[1]
	}
	conn, err := new(net.Dialer).DialContext(s.ctx, network, address)
	if err != nil {
		fmt.Fprintf(s.Err, "opensocket: %s: %v\n", where, pmerr.Of(err))
		return nil
	}
	s.Close()
	fmt.Fprintf(s.Out, "Connect to PMDA on %s\n", title)
	agent, err := remote.New(s.ctx, conn, s.options())
	s.opened(agent, err, title)
	return nil
}

func (s *Session) close([]word) error {
	s.Close()
	return nil
}

func (s *Session) namespace(words []word) error {
	file := here(words[0].text)
	tree, err := s.Load(file)
	if err != nil {
		fmt.Fprintf(s.Err, "dbpmda: Cannot load namespace from \"%s\": %v\ndbpmda: Reload default namespace\n", file, pmerr.Of(err))
		return nil
	}
	s.names = tree
	return nil
}
