package pmda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Flag is an option of an agent's own, beside those that all agents have. Its value is in
// Options.Flags.
type Flag struct {
	Short byte   // 's' for -s; 0 for none
	Name  string // "spool" for --spool
	Arg   string // what its argument is called in the usage text; "" for none
	Usage string // a line
}

// usageText returns what --help says.
func usageText(program string, own []Flag) string {
	var b strings.Builder
	fmt.Fprintf(&b, usageHead, program)
	for _, f := range own {
		line := "--" + f.Name
		if f.Arg != "" {
			line += "=" + f.Arg
		}
		if f.Short != 0 {
			arg := ""
			if f.Arg != "" {
				arg = " " + f.Arg
			}
			line = fmt.Sprintf("-%c%s, %s", f.Short, arg, line)
		}
		if len(line) > 21 {
			line += "\n" + strings.Repeat(" ", 24)
		}
		fmt.Fprintf(&b, "  %-22s%s\n", line, f.Usage)
	}
	b.WriteString(usageTail)
	return b.String()
}

// usageHead begins the usage text; %s is the name of the program. The agent's own options follow.
const usageHead = `Usage: %s [options]

Options:
  -D DBG, --debug=DBG   set debug options, see pmdbg(1)
  -d NUM, --domain=NUM  use domain (numeric) for metrics domain of PMDA
  -h FILE, --helptext=FILE
                        help text FILE rather than the agent's own texts
  -l FILE, --log=FILE   write log to FILE rather than using default log name
  -U USER, --username=USER
                        run the PMDA using the named user account
  --pmns                print the agent's part of the name space and exit
  --install-files DIR   write what PCP's installation of agents needs to DIR and exit
  -?, --help            show this usage message and exit
`

const usageTail = `
Exactly one of the following options may appear:
  -i PORT, --inet=PORT  pmcd IPv4 connection service name or numeric port
  -p, --pipe            use a pipe for communication with pmcd
  -u FILE, --unix=FILE  use a unix domain socket for communication with pmcd
  -6 PORT, --ipv6=PORT  pmcd IPv6 connection service name or numeric port
`

// flags are the options of an agent.
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

// A flagName is an option in its two forms.
type flagName struct {
	short byte // 0 if there is none
	long  string
	arg   bool
}

// A flagParser reads a command line.
type flagParser struct {
	flags
	names []flagName // those of all agents, and then the agent's own
	all   int        // how many all agents have
}

// newFlagParser returns the parser for an agent with options of its own.
func newFlagParser(own []Flag) (*flagParser, error) {
	p := &flagParser{names: flagNames()}
	p.all = len(p.names)
	for _, f := range own {
		for _, n := range p.names {
			if f.Name == "" || f.Name == n.long || f.Short != 0 && f.Short == n.short {
				return nil, fmt.Errorf("the agent's option -%c, --%s has no name or one that is taken", f.Short, f.Name)
			}
		}
		p.names = append(p.names, flagName{f.Short, f.Name, f.Arg != ""})
	}
	return p, nil
}

// flagNames are the options that all agents have.
func flagNames() []flagName {
	return []flagName{
		{'D', "debug", true}, {'d', "domain", true}, {'h', "helptext", true}, {'l', "log", true}, {'U', "username", true},
		{0, "pmns", false}, {0, "install-files", true}, {'?', "help", false},
		{'i', "inet", true}, {'p', "pipe", false}, {'u', "unix", true}, {'6', "ipv6", true},
	}
}

// parseFlags reads a command line as getopt does. The reference's agents pass over arguments that
// are not options; here they are mistakes.
func parseFlags(args []string, own ...Flag) (*flags, error) {
	p, err := newFlagParser(own)
	if err != nil {
		return new(flags), err
	}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--" && len(args) == 0:
		case arg == "--":
			err = fmt.Errorf("unexpected argument '%s'", args[0])
		case strings.HasPrefix(arg, "--"):
			args, err = p.long(arg[2:], args)
		case len(arg) > 1 && arg[0] == '-':
			args, err = p.short(arg[1:], args)
		default:
			err = fmt.Errorf("unexpected argument '%s'", arg)
		}
		if err != nil || p.help {
			break
		}
	}
	return &p.flags, err
}

// long takes an option with a long name, and returns the arguments that follow.
func (f *flagParser) long(arg string, rest []string) ([]string, error) {
	name, value, has := strings.Cut(arg, "=")
	names := f.names
	i := slices.IndexFunc(names, func(n flagName) bool { return n.long == name })
	switch {
	case i < 0:
		return nil, fmt.Errorf("unrecognized option '--%s'", name)
	case has && !names[i].arg:
		return nil, fmt.Errorf("option '--%s' doesn't allow an argument", name)
	case names[i].arg && !has && len(rest) == 0:
		return nil, fmt.Errorf("option '--%s' requires an argument", name)
	case names[i].arg && !has:
		value, rest = rest[0], rest[1:]
	}
	return rest, f.set(i, value)
}

// short takes options with short names that stand in one argument, and returns the arguments that
// follow.
func (f *flagParser) short(arg string, rest []string) ([]string, error) {
	names := f.names
	for len(arg) > 0 {
		c := arg[0]
		arg = arg[1:]
		i := slices.IndexFunc(names, func(n flagName) bool { return n.short == c })
		if i < 0 || c == 0 {
			return nil, fmt.Errorf("invalid option -- '%c'", c)
		}
		value := ""
		if names[i].arg {
			if value, arg = arg, ""; value == "" {
				if len(rest) == 0 {
					return nil, fmt.Errorf("option requires an argument -- '%c'", c)
				}
				value, rest = rest[0], rest[1:]
			}
		}
		if err := f.set(i, value); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// set sets option number i.
func (f *flagParser) set(i int, value string) error {
	name := f.names[i]
	if i >= f.all {
		if f.own == nil {
			f.own = map[string]string{}
		}
		f.own[name.long] = value
		return nil
	}
	switch name.long {
	case "debug":
		names, ok := DebugOptions(value)
		if !ok {
			return fmt.Errorf("unrecognized debug options specification (%s)", value)
		}
		f.debug = append(f.debug, names...)
	case "domain":
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil {
			return fmt.Errorf("-d requires numeric domain number")
		}
		f.domain = uint32(n)
	case "helptext":
		f.helpFile = value
	case "log":
		f.log = value
	case "username":
		f.user = value
	case "pmns":
		f.pmns = true
	case "install-files":
		f.install = value
	case "help":
		f.help = true
	default:
		if f.transport != 0 && f.transport != name.short {
			return fmt.Errorf("-%c option clashes with -%c option", name.short, f.transport)
		}
		f.transport, f.address = name.short, value
	}
	return nil
}

// DebugOptions returns the debug options of a comma-separated list, each once and in the order of
// pmdbg(1), and whether all of them exist.
func DebugOptions(list string) ([]string, bool) {
	known := strings.Fields(`pdu fetch profile value context indom pdubuf log logmeta optfetch af appl0 appl1 appl2 pmns
		libpmda timecontrol pmc derive lock interp config pmapi fault auth discovery attr http desperate deprecated exec
		labels series libweb alloc services appl3 appl4 appl5 access qa search query compress dev0 dev1 dev2 pmlc appl6
		appl7 appl8 appl9 tls misc qed getopt`)
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
