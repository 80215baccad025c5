package source

import (
	"path/filepath"
	"syscall"

	"pmtools/lib/builtin"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// collectors returns the collectors inside the program, without those that -K deletes. Agents that
// -K adds are shared libraries for the reference, which cannot be loaded here.
func (o *Opener) collectors() pmapi.Source {
	deleted, all := make(map[uint32]bool), false
	for _, spec := range o.options.Specs {
		switch {
		case spec.Op == "add":
			o.env.Errorf("agent %d: cannot load %s: the collectors are inside the program", spec.Domain, spec.Path)
		case spec.Op == "clear":
			all = true
		case spec.Domain >= 0:
			deleted[uint32(spec.Domain)] = true
		}
	}
	return builtin.Default(&builtin.Options{
		Omit:     func(domain uint32) bool { return all || deleted[domain] },
		Hostname: o.env.Hostname,
		Now:      o.env.Now,
		MMVDir:   filepath.Join(o.env.Config().Get("PCP_TMP_DIR"), "mmv"),
	})
}

// connRefused is the code of a refused connection.
var connRefused = pmerr.Of(syscall.ECONNREFUSED)

// noDaemon reports whether err says that there is no daemon on this machine: no socket, or no
// process that listens.
func noDaemon(err error) bool {
	c := pmerr.Of(err)
	return c == pmerr.ENOENT || c == connRefused
}
