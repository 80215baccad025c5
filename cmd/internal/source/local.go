package source

import (
	"path/filepath"
	"syscall"

	"pmtools/lib/builtin"
	"pmtools/lib/builtin/pmcd"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// collectors returns the collectors inside the program, without those of the given domains and
// those that -K deletes. Agents that -K adds are shared libraries for the reference, which cannot
// be loaded here.
func (o *Opener) collectors(without ...uint32) pmapi.Source {
	deleted, all := make(map[uint32]bool), false
	for _, domain := range without {
		deleted[domain] = true
	}
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

// standIn returns the collectors as the source of those who asked for none, and have no PCP: err is
// why there is no daemon. Where PCP is installed it returns nil, for its scripts ask for metrics to
// find out whether pmcd runs. For the same reason there are no metrics of pmcd.
func (o *Opener) standIn(err error) pmapi.Source {
	if !noDaemon(err) || o.env.Config().Installed() {
		return nil
	}
	for _, name := range daemonVariables {
		if _, set := o.env.LookupEnv(name); set {
			return nil
		}
	}
	o.env.Errorf("no pmcd on this host (%v), using the collectors inside %s", pmerr.Of(err), o.env.Prog)
	return o.collectors(pmcd.Domain)
}

// daemonVariables are variables that only those set who have a daemon, or want to reach one.
var daemonVariables = []string{
	"PMCD_PORT", "PMCD_SOCKET", "PMCD_LOCAL", "PMCD_MAXPENDING", "PMCD_ROOT_AGENT", "PMCD_RESTART_AGENTS",
	"PMCD_CONNECT_TIMEOUT", "PMCD_REQUEST_TIMEOUT", "PMCD_RECONNECT_TIMEOUT", "PMCD_WAIT_TIMEOUT",
}

// connRefused is the code of a refused connection.
var connRefused = pmerr.Of(syscall.ECONNREFUSED)

// noDaemon reports whether err says that there is no daemon on this machine: no socket, or no
// process that listens.
func noDaemon(err error) bool {
	c := pmerr.Of(err)
	return c == pmerr.ENOENT || c == connRefused
}
