package cli

import "pmtools/lib/version"

// A setter puts an option's argument into its place. Its error is a usage error.
type setter = func(arg string) error

// A sharedOption is an option that means the same in every command that has it.
type sharedOption struct {
	long, short string
	word        string // stands for the argument; "" if there is none
	text        string
	set         setter
}

// sharedOptions returns the options that commands share (commands.md T1.3, T1.4).
func (c *Command) sharedOptions() []sharedOption {
	o := &c.Options
	derived := func(arg string) error { o.Derived = append(o.Derived, arg); return nil }
	var hasContainer bool
	return []sharedOption{
		{"align", "A", "TIME", "align sample times on natural boundaries", text(&o.Align, &o.HasAlign)},
		{"archive", "a", "FILE", "metrics source is a PCP archive", o.AddArchive},
		{"container", "", "NAME", "specify an individual container to be queried", text(&o.Container, &hasContainer)},
		{"debug", "D", "DBG", "set debug options, see pmdbg(1)", o.setDebug},
		{"derived", "", "FILE", "load derived metric definitions from FILE(s)", derived},
		{"finish", "T", "TIME", "end of the time window", text(&o.Finish, &o.HasFinish)},
		{"guimode", "g", "", "start in GUI mode with new time control", ignoreArg(o.setGUI)},
		{"guiport", "p", "N", "port for connection to existing time control", o.setGUIPort},
		{"help", "?", "", "show this usage message and exit", ignoreArg(c.setHelp)},
		{"host", "h", "HOST", "metrics source is PMCD on host", o.addHost},
		{"hostzone", "z", "", "set reporting timezone to local time of metrics source", ignoreArg(o.setHostZone)},
		{"interval", "t", "DELTA", "sampling interval", o.setInterval},
		{"local-PMDA", "L", "", "metrics source is local connection to a PMDA", ignoreArg(o.setLocal)},
		{"namespace", "n", "FILE", "use an alternative PMNS", c.loadNamespace},
		{"origin", "O", "TIME", "initial sample time within the time window", text(&o.Origin, &o.HasOrigin)},
		{"samples", "s", "N", "terminate after this many samples", o.setSamples},
		{"spec-local", "K", "SPEC", "optional additional PMDA spec for local connection", o.addSpec},
		{"start", "S", "TIME", "start of the time window", text(&o.Start, &o.HasStart)},
		{"timezone", "Z", "TZ", "set reporting timezone", o.setTimezone},
		{"uniqnames", "N", "FILE", "like -n but only one name allowed for each PMID", c.loadUniqNames},
		{"version", "V", "", "display version number and exit", ignoreArg(c.setVersion)},
	}
}

// ignoreArg returns a setter for an option without an argument.
func ignoreArg(f func() error) setter { return func(string) error { return f() } }

// Shared adds options that mean the same in every command, by their long names.
// It panics if there is no such option.
func (c *Command) Shared(long ...string) {
	all := c.sharedOptions()
	for _, name := range long {
		c.addShared(all, name)
	}
}

// addShared adds one of the shared options.
func (c *Command) addShared(all []sharedOption, long string) {
	for _, s := range all {
		if s.long != long {
			continue
		}
		if s.word == "" {
			c.Switch(func() error { return s.set("") }, s.short, s.long, s.text)
		} else {
			c.Func(s.set, s.short, s.long, s.word, s.text)
		}
		return
	}
	panic("cli: no shared option " + long)
}

func (c *Command) setHelp() error {
	c.help = true
	return nil
}

// setVersion handles -V: the line takes its place among the messages.
func (c *Command) setVersion() error {
	c.version = true
	c.Env.Messages.Printf("%s version %s\n", c.Env.Prog, version.PCP)
	return nil
}

func (c *Command) loadNamespace(file string) error { return c.namespace(file, false) }
func (c *Command) loadUniqNames(file string) error { return c.namespace(file, true) }

// namespace handles -n and -N. What goes wrong is not an error of usage.
func (c *Command) namespace(file string, unique bool) error {
	c.Options.HasNamespace = true
	if c.Namespace == nil {
		return nil
	}
	if err := c.Namespace(file, unique); err != nil {
		return &runtimeError{"Cannot load namespace from \"" + file + "\": " + errorText(err)}
	}
	return nil
}
