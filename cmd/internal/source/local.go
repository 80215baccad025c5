package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"pmtools/lib/builtin"
	"pmtools/lib/builtin/pmcd"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmda"
	"pmtools/lib/pmda/remote"
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
// is meant. A program is started when it is first needed.
func (o *Opener) collectors(without ...uint32) pmapi.Source {
	agents := []builtin.Agent{}
	var programs []builtin.Collector
	for _, a := range o.options.Agents {
		name := strings.TrimPrefix(strings.TrimSuffix(path.Base(a.Path), ".so"), "pmda_")
		known := slices.ContainsFunc(builtin.Agents(), func(b builtin.Agent) bool { return b.Name == name })
		switch {
		case a.Init == "" && a.Path != "":
			programs = append(programs, o.program(a))
		case !known:
			o.env.Errorf("agent %d: cannot load %s: the collectors are inside the program, which loads no libraries; add,%d,PROGRAM runs an agent that is a program", a.Domain, a.Path, a.Domain)
		case a.Init != name+"_init":
			fmt.Fprintf(o.env.Stderr, "__pmConnectLocal: Warning: couldn't find init function \"%s\" in DSO \"%s\"\n", a.Init, a.Path)
		case !slices.Contains(without, uint32(a.Domain)):
			agents = append(agents, builtin.Agent{Name: name, Domain: uint32(a.Domain)})
		}
	}
	return builtin.Default(&builtin.Options{
		Agents:     agents,
		Collectors: programs,
		Getenv:     o.env.Getenv,
		Hostname:   o.env.Hostname,
		Now:        o.env.Now,
		CacheDir:   o.cacheDir(),
		MMVDir:     filepath.Join(o.env.Config().Get("PCP_TMP_DIR"), "mmv"),
	})
}

// cacheDir returns where collectors keep the numbers of instances: below the user's directory for
// such files, "" if there is none.
func (o *Opener) cacheDir() string {
	if dir := o.env.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pmtools", "pmda")
	}
	if home := o.env.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "pmtools", "pmda")
	}
	return ""
}

// A loggedAgent is one whose log is in a directory that goes when it ends. The log cannot be the
// null device: agents of the reference rename a log that is there, whatever it is.
type loggedAgent struct {
	*remote.Agent
	dir string
}

func (l loggedAgent) Close() error { return errors.Join(l.Agent.Close(), os.RemoveAll(l.dir)) }

// program returns the collector that is an agent in a program of its own.
func (o *Opener) program(a option.LocalAgent) builtin.Collector {
	args, _ := option.Words(a.Path) // option has read them before
	opts := &remote.Options{Domain: uint32(a.Domain), Stderr: o.env.Stderr}
	return builtin.Collector{
		Name:   strings.TrimPrefix(filepath.Base(args[0]), "pmda"),
		Domain: opts.Domain,
		Asked:  true,
		Start: func(ctx context.Context) (pmda.Provider, error) {
			args := args
			dir, err := os.MkdirTemp("", "pmda")
			if err != nil {
				return nil, err
			}
			if len(args) == 1 {
				args = append(args, "-d", strconv.Itoa(a.Domain), "-l", filepath.Join(dir, "log"))
			}
			if opts.Names, err = o.programNames(ctx, args, opts.Domain); ctx.Err() != nil {
				return nil, errors.Join(ctx.Err(), os.RemoveAll(dir))
			} else if err != nil {
				o.env.Errorf("agent %d: no names: %v: give them with -n FILE", a.Domain, err)
			}
			agent, err := remote.Start(ctx, exec.Command(args[0], args[1:]...), opts)
			if err != nil {
				if ctx.Err() == nil {
					o.env.Errorf("agent %d: %s: %v", a.Domain, args[0], err)
				}
				return nil, errors.Join(err, os.RemoveAll(dir))
			}
			return loggedAgent{agent, dir}, nil
		},
	}
}

// programNames returns the names of the metrics of an agent: those of -n, or those that the program
// prints, or else those of the installation.
func (o *Opener) programNames(ctx context.Context, program []string, domain uint32) ([]pmda.Name, error) {
	own := func(id pcp.ID) bool { return id.Domain() == domain || id == pmda.RootID(domain) }
	if o.names != nil {
		return remote.TreeNames(o.names, own), nil
	}
	names, err := remote.ProgramNames(ctx, program[0], program[1:]...)
	if err == nil {
		return names, nil
	}
	root := o.env.Config().Get("PCP_VAR_DIR") + "/pmns/root"
	if _, failed := os.Stat(root); failed != nil {
		return nil, err
	}
	tree, failed := o.ReadNames(root)
	if failed != nil {
		return nil, failed
	}
	if names = remote.TreeNames(tree, own); len(names) == 0 {
		return nil, err
	}
	return names, nil
}

// standIn returns the collectors as the source for a command line that names none, where PCP is not
// installed; err is why the daemon was not reached. Where PCP is installed it returns nil, for its
// scripts ask for metrics to find out whether pmcd runs. For the same reason there are no metrics
// of pmcd.
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

// daemonVariables are environment variables that are set only where a daemon is used.
var daemonVariables = []string{
	"PMCD_PORT", "PMCD_SOCKET", "PMCD_LOCAL", "PMCD_MAXPENDING", "PMCD_ROOT_AGENT", "PMCD_RESTART_AGENTS",
	"PMCD_CONNECT_TIMEOUT", "PMCD_REQUEST_TIMEOUT", "PMCD_RECONNECT_TIMEOUT", "PMCD_WAIT_TIMEOUT",
}

// noDaemon reports whether err says that there is no daemon on this machine: no socket, or no
// process that listens.
func noDaemon(err error) bool {
	c := pmerr.Of(err)
	return c == pmerr.ENOENT || c == pmerr.Of(syscall.ECONNREFUSED)
}
