package pmda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// usage is what --help says; %s is the name of the program.
const usage = `Usage: %s [options]

Options:
  -D DBG, --debug=DBG   set debug options, see pmdbg(1)
  -d NUM, --domain=NUM  use domain (numeric) for metrics domain of PMDA
  -h FILE, --helptext=FILE
                        help text FILE rather than the agent's own texts
  -l FILE, --log=FILE   write log to FILE rather than using default log name
  -U USER, --username=USER
                        run the PMDA using the named user account
  --pmns                print the agent's part of the name space and exit
  -?, --help            show this usage message and exit

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
	help      bool
}

// A flagName is an option in its two forms.
type flagName struct {
	short byte // 0 if there is none
	long  string
	arg   bool
}

// flagNames are the options.
func flagNames() []flagName {
	return []flagName{
		{'D', "debug", true}, {'d', "domain", true}, {'h', "helptext", true}, {'l', "log", true}, {'U', "username", true},
		{0, "pmns", false}, {'?', "help", false},
		{'i', "inet", true}, {'p', "pipe", false}, {'u', "unix", true}, {'6', "ipv6", true},
	}
}

// parseFlags reads a command line as getopt does. Arguments that are not options are passed over,
// as the reference's agents do.
func parseFlags(args []string) (*flags, error) {
	f := new(flags)
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			return f, nil
		case strings.HasPrefix(arg, "--"):
			args, err = f.long(arg[2:], args)
		case len(arg) > 1 && arg[0] == '-':
			args, err = f.short(arg[1:], args)
		}
		if err != nil || f.help {
			return f, err
		}
	}
	return f, nil
}

// long takes an option with a long name, and returns the arguments that follow.
func (f *flags) long(arg string, rest []string) ([]string, error) {
	name, value, has := strings.Cut(arg, "=")
	names := flagNames()
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
	return rest, f.set(names[i], value)
}

// short takes options with short names that stand in one argument, and returns the arguments that
// follow.
func (f *flags) short(arg string, rest []string) ([]string, error) {
	names := flagNames()
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
		if err := f.set(names[i], value); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// set sets one option.
func (f *flags) set(name flagName, value string) error {
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
