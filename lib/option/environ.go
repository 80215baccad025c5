package option

import (
	"errors"
	"fmt"
)

// environment returns the variables for shared options, in the order in which the reference reads
// them (commands.md T1.5). They have the effects and the errors of the options in every command,
// even in those without the option.
func (p *Parser) environment() []environOption {
	o := &p.Options
	local := flag(&o.Local)
	origin := text(&o.Origin, &o.HasOrigin)
	return []environOption{
		{"PCP_DEBUG", p.environDebug},
		{"PCP_ALIGN_TIME", text(&o.Align, &o.HasAlign)},
		{"PCP_ARCHIVE", o.AddArchive},
		{"PCP_ARCHIVE_LIST", o.AddArchive},
		{"PCP_FOLIO", p.addFolio},
		{"PCP_HOST", o.addHost},
		{"PCP_HOST_LIST", o.addHostList},
		{"PCP_SPECLOCAL", o.changeAgents},
		{"PCP_LOCALMODE", local},
		{"PCP_LOCALPMDA", local},
		{"PCP_NAMESPACE", p.loadNamespace},
		{"PCP_UNIQNAMES", p.loadUniqNames},
		{"PCP_ORIGIN", origin},
		{"PCP_ORIGIN_TIME", origin},
		{"PCP_GUIMODE", o.setGUI},
		{"PCP_GUIPORT", o.setGUIPort},
		{"PCP_START_TIME", text(&o.Start, &o.HasStart)},
		{"PCP_SAMPLES", o.setSamples},
		{"PCP_FINISH_TIME", text(&o.Finish, &o.HasFinish)},
		{"PCP_INTERVAL", o.setInterval},
		{"PCP_TIMEZONE", o.setTimezone},
		{"PCP_HOSTZONE", o.setHostZone},
	}
}

type environOption struct {
	name string
	set  setter
}

func (p *Parser) readEnvironment(report func(name string, err error)) {
	p.Options.Container, _ = p.LookupEnv("PCP_CONTAINER")
	for _, e := range p.environment() {
		if arg, ok := p.LookupEnv(e.name); ok {
			if err := e.set(arg); err != nil {
				report(e.name, err)
			}
		}
	}
}

// ReadEnvironment sets the shared options from environment variables. Programs that call Parse do
// not need it. The error joins those of all variables.
func (p *Parser) ReadEnvironment() error {
	p.setDefaults()
	var errs []error
	p.readEnvironment(func(name string, err error) { errs = append(errs, fmt.Errorf("$%s: %w", name, err)) })
	return errors.Join(errs...)
}

// environDebug handles PCP_DEBUG, for which there are two messages: the library of the reference
// reads the variable too, and itself writes to standard error that it continues.
func (p *Parser) environDebug(arg string) error {
	err := p.Options.AddDebug(arg)
	if err != nil {
		fmt.Fprintf(p.Stderr, "Error: $PCP_DEBUG=%s is not valid, ignored\n", arg)
	}
	return err
}
