package option

import (
	"slices"
	"strings"
)

// Debug is a set of debug options by name (commands.md T1.8). The zero value is
// the empty set.
type Debug struct{ names []string }

// debugNames are the debug options of the reference, in its listing order.
var debugNames = [...]string{
	"pdu", "fetch", "profile", "value", "context", "indom", "pdubuf", "log", "logmeta", "optfetch", "af",
	"appl0", "appl1", "appl2", "pmns", "libpmda", "timecontrol", "pmc", "derive", "lock", "interp", "config",
	"pmapi", "fault", "auth", "discovery", "attr", "http", "desperate", "deprecated", "exec", "labels",
	"series", "libweb", "alloc", "services", "appl3", "appl4", "appl5", "access", "qa", "search", "query",
	"compress", "dev0", "dev1", "dev2", "pmlc", "appl6", "appl7", "appl8", "appl9", "tls", "misc", "qed", "getopt",
}

// Has reports whether an option is set. The name is in lower case.
func (d *Debug) Has(name string) bool { return slices.Contains(d.names, name) }

// add sets the options of a comma-separated list and reports whether the list is valid. A comma at
// the end is allowed. The options before the first invalid one are set.
func (d *Debug) add(list string) bool {
	list = strings.ToLower(list)
	for list != "" {
		var name string
		name, list, _ = strings.Cut(list, ",")
		switch {
		case name == "all":
			d.names = debugNames[:]
		case slices.Contains(debugNames[:], name):
			d.names = append(d.names[:len(d.names):len(d.names)], name)
		default:
			return false
		}
	}
	return true
}
