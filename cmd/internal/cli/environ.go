package cli

// environment returns the forms of the shared options in the environment, in the
// order in which the reference reads them (commands.md T1.5). They have the
// effects and the errors of the options, in every command.
func (c *Command) environment() []environOption {
	o := &c.Options
	local, zone, gui := ignoreArg(o.setLocal), ignoreArg(o.setHostZone), ignoreArg(o.setGUI)
	origin := text(&o.Origin, &o.HasOrigin)
	return []environOption{
		{"PCP_DEBUG", c.environDebug},
		{"PCP_ALIGN_TIME", text(&o.Align, &o.HasAlign)},
		{"PCP_ARCHIVE", o.AddArchive},
		{"PCP_ARCHIVE_LIST", o.AddArchive},
		{"PCP_FOLIO", c.addFolio},
		{"PCP_HOST", o.addHost},
		{"PCP_HOST_LIST", o.addHostList},
		{"PCP_SPECLOCAL", o.addSpec},
		{"PCP_LOCALMODE", local},
		{"PCP_LOCALPMDA", local},
		{"PCP_NAMESPACE", c.loadNamespace},
		{"PCP_UNIQNAMES", c.loadUniqNames},
		{"PCP_ORIGIN", origin},
		{"PCP_ORIGIN_TIME", origin},
		{"PCP_GUIMODE", gui},
		{"PCP_GUIPORT", o.setGUIPort},
		{"PCP_START_TIME", text(&o.Start, &o.HasStart)},
		{"PCP_SAMPLES", o.setSamples},
		{"PCP_FINISH_TIME", text(&o.Finish, &o.HasFinish)},
		{"PCP_INTERVAL", o.setInterval},
		{"PCP_TIMEZONE", o.setTimezone},
		{"PCP_HOSTZONE", zone},
	}
}

// An environOption is a variable and the option that it stands for.
type environOption struct {
	name string
	set  setter
}

// readEnvironment gives the variables to their options.
func (c *Command) readEnvironment() {
	c.Options.Container = c.Env.Getenv("PCP_CONTAINER")
	for _, e := range c.environment() {
		if arg, ok := c.Env.LookupEnv(e.name); ok {
			if err := e.set(arg); err != nil {
				c.report(err)
			}
		}
	}
}

// environDebug handles PCP_DEBUG, which is complained about twice: the library of
// the reference looks at it too, and says that it goes on.
func (c *Command) environDebug(arg string) error {
	err := c.Options.setDebug(arg)
	if err != nil {
		c.Env.Messages.Printf("Error: $PCP_DEBUG=%s is not valid, ignored\n", arg)
	}
	return err
}
