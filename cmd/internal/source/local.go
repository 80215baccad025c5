package source

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"pmtools/lib/builtin"
	"pmtools/lib/builtin/pmcd"
	"pmtools/lib/option"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// localAgents returns the agents of -L, which are inside the program, under the paths that their
// libraries usually have.
func localAgents() []option.LocalAgent {
	var list []option.LocalAgent
	for _, a := range builtin.Agents() {
		list = append(list, option.LocalAgent{
			Domain: int(a.Domain), Path: "/var/lib/pcp/pmdas/" + a.Name + "/pmda_" + a.Name + ".so", Init: a.Name + "_init",
		})
	}
	return list
}

// collectors returns the collectors inside the program for the agents of -L, as -K has changed
// them, without those of the given domains. A library is not loaded: its name says which collector
// is meant.
func (o *Opener) collectors(without ...uint32) pmapi.Source {
	agents := []builtin.Agent{}
	for _, a := range o.options.Agents {
		name := strings.TrimPrefix(strings.TrimSuffix(path.Base(a.Path), ".so"), "pmda_")
		known := slices.ContainsFunc(builtin.Agents(), func(b builtin.Agent) bool { return b.Name == name })
		switch {
		case !known:
			o.env.Errorf("agent %d: cannot load %s: the collectors are inside the program", a.Domain, a.Path)
		case a.Init != name+"_init":
			fmt.Fprintf(o.env.Stderr, "__pmConnectLocal: Warning: couldn't find init function \"%s\" in DSO \"%s\"\n", a.Init, a.Path)
		case !slices.Contains(without, uint32(a.Domain)):
			agents = append(agents, builtin.Agent{Name: name, Domain: uint32(a.Domain)})
		}
	}
	return builtin.Default(&builtin.Options{
		Agents:   agents,
		Getenv:   o.env.Getenv,
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
