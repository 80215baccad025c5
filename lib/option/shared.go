package option

import "pmtools/lib/pmerr"

type setter = func(arg string) error

// shared returns the options that commands share (commands.md T1.3, T1.4).
func (p *Parser) shared() []*Option {
	o := &p.Options
	derived := func(arg string) error { o.Derived = append(o.Derived, arg); return nil }
	return []*Option{
		{Long: "align", Short: "A", Word: "TIME", Text: "align sample times on natural boundaries", Set: text(&o.Align, &o.HasAlign)},
		{Long: "archive", Short: "a", Word: "FILE", Text: "metrics source is a PCP archive", Set: o.AddArchive},
		{Long: "container", Word: "NAME", Text: "specify an individual container to be queried", Set: text(&o.Container, new(bool))},
		{Long: "debug", Short: "D", Word: "DBG", Text: "set debug options, see pmdbg(1)", Set: o.AddDebug},
		{Long: "derived", Word: "FILE", Text: "load derived metric definitions from FILE(s)", Set: derived},
		{Long: "finish", Short: "T", Word: "TIME", Text: "end of the time window", Set: text(&o.Finish, &o.HasFinish)},
		{Long: "guimode", Short: "g", Text: "start in GUI mode with new time control", Set: o.setGUI},
		{Long: "guiport", Short: "p", Word: "N", Text: "port for connection to existing time control", Set: o.setGUIPort},
		{Long: "help", Short: "?", Text: "show this usage message and exit", Set: flag(&p.help)},
		{Long: "host", Short: "h", Word: "HOST", Text: "metrics source is PMCD on host", Set: o.addHost},
		{Long: "hostzone", Short: "z", Text: "set reporting timezone to local time of metrics source", Set: o.setHostZone},
		{Long: "interval", Short: "t", Word: "DELTA", Text: "sampling interval", Set: o.setInterval},
		{Long: "local-PMDA", Short: "L", Text: "metrics source is local connection to a PMDA", Set: flag(&o.Local)},
		{Long: "namespace", Short: "n", Word: "FILE", Text: "use an alternative PMNS", Set: p.loadNamespace},
		{Long: "origin", Short: "O", Word: "TIME", Text: "initial sample time within the time window", Set: text(&o.Origin, &o.HasOrigin)},
		{Long: "samples", Short: "s", Word: "N", Text: "terminate after this many samples", Set: o.setSamples},
		{Long: "spec-local", Short: "K", Word: "SPEC", Text: "optional additional PMDA spec for local connection", Set: o.changeAgents},
		{Long: "start", Short: "S", Word: "TIME", Text: "start of the time window", Set: text(&o.Start, &o.HasStart)},
		{Long: "timezone", Short: "Z", Word: "TZ", Text: "set reporting timezone", Set: o.setTimezone},
		{Long: "uniqnames", Short: "N", Word: "FILE", Text: "like -n but only one name allowed for each PMID", Set: p.loadUniqNames},
		{Long: "version", Short: "V", Text: "display version number and exit", Set: p.setVersion},
	}
}

// Shared adds options that are the same in every command, by their long names. It panics on an
// unknown name.
func (p *Parser) Shared(long ...string) {
	all := Table{options: p.shared()}
	for _, name := range long {
		p.Add(all.must(name))
	}
}

// SharedOption returns an option that is the same in every command, by its long name, for programs
// with a table of another kind. It panics on an unknown name.
func (p *Parser) SharedOption(long string) *Option {
	p.setDefaults()
	all := Table{options: p.shared()}
	return all.must(long)
}

func (p *Parser) loadNamespace(file string) error { return p.namespace(file, false) }
func (p *Parser) loadUniqNames(file string) error { return p.namespace(file, true) }

// namespace handles -n and -N. A failure is not an error of usage.
func (p *Parser) namespace(file string, unique bool) error {
	if p.Namespace == nil {
		return nil
	}
	if err := p.Namespace(file, unique); err != nil {
		return &RuntimeError{"Cannot load namespace from \"" + file + "\": " + pmerr.Of(err).Error()}
	}
	return nil
}
