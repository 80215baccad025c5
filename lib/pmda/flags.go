package pmda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/option"
)

// A Flag is a command-line option of one agent, in addition to the options of all agents. Its value
// is in Options.Flags.
type Flag struct {
	Short byte   // 's' for -s; 0 for none
	Name  string // "spool" for --spool
	Arg   string // what its argument is called in the usage text; "" for none
	Usage string // a line
}

func usageText(program string, own []Flag) string {
	p := new(flags).parser(own)
	p.Prog = program
	return p.Usage()
}

type flags struct {
	domain    uint32
	debug     []string
	helpFile  string
	log       string
	user      string
	transport byte   // the option that says how to reach the daemon, or 0
	address   string // its argument
	pmns      bool
	install   string // the directory of --install-files
	help      bool
	own       map[string]string // the agent's own
}

// parser returns the table of the options of all agents and of an agent's own, which set f.
func (f *flags) parser(own []Flag) *option.Parser {
	p := &option.Parser{Operands: "[options]"}
	text := func(to *string) func(string) error {
		return func(arg string) error { *to = arg; return nil }
	}
	p.Section("Options")
	p.Func(f.setDebug, "D", "debug", "DBG", "set debug options, see pmdbg(1)")
	p.Func(f.setDomain, "d", "domain", "NUM", "use domain (numeric) for metrics domain of PMDA")
	p.Func(text(&f.helpFile), "h", "helptext", "FILE", "help text FILE rather than the agent's own texts")
	p.Func(text(&f.log), "l", "log", "FILE", "write log to FILE rather than using default log name")
	p.Func(text(&f.user), "U", "username", "USER", "run the PMDA using the named user account")
	p.Bool(&f.pmns, "", "pmns", "print the agent's part of the name space and exit")
	p.Func(text(&f.install), "", "install-files", "DIR", "write what PCP's installation of agents needs to DIR and exit")
	p.Bool(&f.help, "?", "help", "show this usage message and exit")
	for _, o := range own {
		set := func(arg string) error {
			if f.own == nil {
				f.own = map[string]string{}
			}
			f.own[o.Name] = arg
			return nil
		}
		p.Func(set, strings.Trim(string(o.Short), "\x00"), o.Name, o.Arg, o.Usage)
	}
	p.Section("Exactly one of the following options may appear")
	p.Func(f.reach('i'), "i", "inet", "PORT", "pmcd IPv4 connection service name or numeric port")
	p.Func(f.reach('p'), "p", "pipe", "", "use a pipe for communication with pmcd")
	p.Func(f.reach('u'), "u", "unix", "FILE", "use a unix domain socket for communication with pmcd")
	p.Func(f.reach('6'), "6", "ipv6", "PORT", "pmcd IPv6 connection service name or numeric port")
	return p
}

func (f *flags) setDebug(list string) error {
	names, ok := DebugOptions(list)
	if !ok {
		return fmt.Errorf("unrecognized debug options specification (%s)", list)
	}
	f.debug = append(f.debug, names...)
	return nil
}

func (f *flags) setDomain(text string) error {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return errors.New("-d requires numeric domain number")
	}
	f.domain = uint32(n)
	return nil
}

// reach returns the setter of an option for the connection to the daemon.
func (f *flags) reach(transport byte) func(arg string) error {
	return func(arg string) error {
		if f.transport != 0 && f.transport != transport {
			return fmt.Errorf("-%c option clashes with -%c option", transport, f.transport)
		}
		f.transport, f.address = transport, arg
		return nil
	}
}

// parseFlags reads a command line as getopt_long does, up to the first mistake or -?. The
// reference's agents pass over arguments that are not options; here they are mistakes.
func parseFlags(args []string, own ...Flag) (*flags, error) {
	f := new(flags)
	p := f.parser(own)
	names := map[string]bool{"": true}
	for o := range p.All() {
		if names[o.Long] || o.Short != "" && names["-"+o.Short] {
			return f, fmt.Errorf("the agent's option -%s, --%s has no name or one that is taken", o.Short, o.Long)
		}
		names[o.Long], names["-"+o.Short] = true, true
	}
	var failed error
	operands := p.Scan(args, true, func(err error) {
		if !f.help {
			failed = cmp.Or(failed, err)
		}
	})
	if failed == nil && !f.help && len(operands) > 0 {
		failed = fmt.Errorf("unexpected argument '%s'", operands[0])
	}
	return f, failed
}

// DebugOptions returns the debug options of a comma-separated list, each once and in the order of
// pmdbg(1), and whether all of them exist.
func DebugOptions(list string) ([]string, bool) {
	known := slices.Clone(option.DebugNames())
	words := strings.Split(strings.TrimSuffix(strings.ToLower(list), ","), ",")
	for _, w := range words {
		if w != "all" && !slices.Contains(known, w) {
			return nil, false
		}
	}
	if slices.Contains(words, "all") {
		return known, true
	}
	return slices.DeleteFunc(known, func(name string) bool { return !slices.Contains(words, name) }), true
}
