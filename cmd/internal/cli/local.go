package cli

import (
	"path/filepath"
	"syscall"

	"pmtools/lib/builtin"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// local returns the collectors inside the program, without those that -K deletes.
// Agents that -K adds are libraries for the reference, which cannot be loaded here.
func (c *Command) local() pmapi.Source {
	deleted, all := make(map[uint32]bool), false
	for _, spec := range c.Options.Specs {
		switch {
		case spec.Op == "add":
			c.Env.Errorf("agent %d: cannot load %s: the collectors are inside the program", spec.Domain, spec.Path)
		case spec.Op == "clear":
			all = true
		case spec.Domain >= 0:
			deleted[uint32(spec.Domain)] = true
		}
	}
	return builtin.Default(&builtin.Options{
		Omit:     func(domain uint32) bool { return all || deleted[domain] },
		Hostname: c.Env.Hostname,
		Now:      c.Env.Now,
		MMVDir:   filepath.Join(c.Env.Config().Get("PCP_TMP_DIR"), "mmv"),
	})
}

// connRefused is the code of a connection that nobody takes.
var connRefused = pmerr.Of(syscall.ECONNREFUSED)

// noDaemon reports whether err says that there is no daemon on this machine: no
// socket, and nobody who listens.
func noDaemon(err error) bool {
	switch pmerr.Of(err) {
	case pmerr.ENOENT, connRefused:
		return true
	}
	return false
}
