package option

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pmtools/lib/internal/hostattr"
	"pmtools/lib/when"
)

// Options holds the shared options, set by arguments or variables of the environment. The Has
// fields report whether an option was given, where its zero value or an empty argument has a
// meaning.
type Options struct {
	Archive   string        // -a, PCP_ARCHIVE...: base names, separated by commas
	Host      string        // -h, PCP_HOST...
	Local     bool          // -L: no daemon, agents inside the process
	Agents    []LocalAgent  // agents that -L loads: set by the command before the scan, changed by -K
	Container string        // --container, PCP_CONTAINER
	Derived   []string      // --derived: names of files, each perhaps several with colons between them
	Timezone  string        // -Z
	HostZone  bool          // -z: report in the zone of the source
	Align     string        // -A
	Start     string        // -S
	Finish    string        // -T
	Origin    string        // -O
	Samples   int           // -s
	Interval  time.Duration // -t; zero is the command's default
	GUIPort   int           // -p
	GUI       bool          // -g
	Debug     Debug         // -D

	HasArchive, HasHost                      bool
	HasTimezone                              bool
	HasAlign, HasStart, HasFinish, HasOrigin bool
	HasSamples, HasInterval, HasGUIPort      bool
}

var errOneSource = errors.New("only one host or archive allowed")

// AddArchive handles the argument of -a, and of pmval -U: arguments add up to one list. An argument
// that is in the list already is dropped, if the first place where its text occurs is bounded by
// commas or ends: so the reference compares.
func (o *Options) AddArchive(arg string) error {
	switch {
	case o.HasHost:
		return errOneSource
	case !o.HasArchive:
		o.Archive, o.HasArchive = arg, true
	case !listed(o.Archive, arg):
		o.Archive += "," + arg
	}
	return nil
}

// listed reports whether the first occurrence of item in a list consists of whole items.
func listed(list, item string) bool {
	before, after, found := strings.Cut(list, item)
	return found && (before == "" || strings.HasSuffix(before, ",")) && (after == "" || after[0] == ',')
}

// addHost handles -h.
func (o *Options) addHost(arg string) error {
	switch {
	case o.HasArchive:
		return errOneSource
	case o.HasHost:
		return tooManyHosts(arg)
	}
	o.Host, o.HasHost = arg, true
	return nil
}

// addHostList handles PCP_HOST_LIST.
func (o *Options) addHostList(arg string) error {
	if o.HasArchive {
		return errors.New("only one of hosts or archives allowed")
	}
	for host := range strings.SplitSeq(arg, ",") {
		if host == "" {
			continue
		}
		if o.HasHost {
			return tooManyHosts(arg)
		}
		o.Host, o.HasHost = host, true
	}
	return nil
}

func tooManyHosts(arg string) error {
	return fmt.Errorf("too many hosts requested: %s", hostattr.Redact(arg))
}

var errOneZone = errors.New("at most one of -Z and -z allowed")

func (o *Options) setTimezone(arg string) error {
	if o.HostZone {
		return errOneZone
	}
	o.Timezone, o.HasTimezone = arg, true
	return nil
}

func (o *Options) setHostZone(string) error {
	if o.HasTimezone {
		return errOneZone
	}
	o.HostZone = true
	return nil
}

var errOneGUI = errors.New("at most one of -g and -p allowed")

func (o *Options) setGUI(string) error {
	if o.HasGUIPort {
		return errOneGUI
	}
	o.GUI = true
	return nil
}

// setGUIPort handles -p. A port that is not a number is ignored.
func (o *Options) setGUIPort(arg string) error {
	if o.GUI {
		return errOneGUI
	}
	o.HasGUIPort = true
	if n, ok := Number(arg); ok {
		o.GUIPort = n
	}
	return nil
}

func (o *Options) setSamples(arg string) error {
	n, ok := Number(arg)
	if !ok || n < 0 {
		return errors.New("-s requires a positive numeric argument")
	}
	o.Samples, o.HasSamples = n, true
	return nil
}

func (o *Options) setInterval(arg string) error {
	d, err := when.ParseInterval(arg)
	if bad, ok := errors.AsType[*when.SyntaxError](err); ok {
		return fmt.Errorf("-t argument not in pmParseInterval(3) format:\n%s", bad.Caret())
	}
	o.Interval, o.HasInterval = d, true
	return nil
}

// AddDebug handles -D.
func (o *Options) AddDebug(arg string) error {
	if !o.Debug.add(arg) {
		return fmt.Errorf("unrecognized debug options specification (%s)", arg)
	}
	return nil
}

func flag(p *bool) setter { return text(new(string), p) }

func text(p *string, has *bool) setter {
	return func(arg string) error {
		*p, *has = arg, true
		return nil
	}
}

// Debug is a set of debug options by name. The zero value is the empty set.
type Debug struct{ names []string }

var debugNames = [...]string{
	"pdu", "fetch", "profile", "value", "context", "indom", "pdubuf", "log", "logmeta", "optfetch", "af",
	"appl0", "appl1", "appl2", "pmns", "libpmda", "timecontrol", "pmc", "derive", "lock", "interp", "config",
	"pmapi", "fault", "auth", "discovery", "attr", "http", "desperate", "deprecated", "exec", "labels",
	"series", "libweb", "alloc", "services", "appl3", "appl4", "appl5", "access", "qa", "search", "query",
	"compress", "dev0", "dev1", "dev2", "pmlc", "appl6", "appl7", "appl8", "appl9", "tls", "misc", "qed", "getopt",
}

// DebugNames returns the names of all debug options, in the reference's listing order.
func DebugNames() []string { return debugNames[:] }

// Has reports whether an option is set. The name is in lower case.
func (d *Debug) Has(name string) bool { return slices.Contains(d.names, name) }

// add sets the options of a comma-separated list and reports whether the list is valid; an invalid
// one sets none. A comma at the end is allowed.
func (d *Debug) add(list string) bool {
	names := slices.Clone(d.names)
	list = strings.ToLower(list)
	for list != "" {
		var name string
		name, list, _ = strings.Cut(list, ",")
		switch {
		case name == "all":
			names = append(names, debugNames[:]...)
		case slices.Contains(debugNames[:], name):
			names = append(names, name)
		default:
			return false
		}
	}
	d.names = names
	return true
}
