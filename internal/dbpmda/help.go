package dbpmda

import (
	"fmt"
	"io"
	"math"
)

type command struct {
	name        string
	usage       string // lines with their newlines
	help        string // lines without the last newline
	least, most int    // how many words it takes
	asks        bool   // it needs an agent

	run func(*Session, []word) error
}

func commands() []command {
	return []command{
		{"attr", "attr name [value]\nattr attr# [value]\n", "Sends an attribute of the client: its user, group, container and so on.\nThe name stands in quotes.", 1, 2, true, (*Session).attr},
		{"children", "children metric-name\n", "Asks for the names directly below a node of a dynamic subtree.", 1, 1, true, (*Session).children},
		{"close", "close\n", "Ends the agent. Another may be opened.", 0, 0, true, (*Session).close},
		{"desc", "desc metric\n", "Asks for the description of a metric: its name, or its number as N, N.N or N.N.N.", 1, 1, true, (*Session).desc},
		{"fetch", "fetch metric [ metric ... ]\n", "Asks for the values of metrics.", 1, math.MaxInt, true, (*Session).fetch},
		{"getdesc", "getdesc on | off\n", "Asks for descriptions before each fetch, so that values are shown in their types.", 1, 1, false, (*Session).getdesc},
		{"getiname", "getiname on | off\n", "Asks for the names of instances after each fetch. It implies getdesc.", 1, 1, false, (*Session).getiname},
		{"instance", "instance indom# [ number | name | \"name\" ]\n", "Asks for the instances of a domain, or for one of them.", 1, 2, true, (*Session).instance},
		{"label", "label context\nlabel domain\nlabel indom indom#\nlabel cluster cluster#\nlabel item metric\nlabel instances indom#\n", "Asks for the labels of a level.", 1, 2, true, (*Session).label},
		{"name", "name pmid#\n", "Asks for the names of a metric, N.N.N, in dynamic subtrees.", 1, 1, true, (*Session).name},
		{"namespace", "namespace fname\n", "Reads another name space.", 1, 1, false, (*Session).namespace},
		{"open", "open pipe execname [ arg ... ]\nopen socket unix sockname\nopen socket inet port#|service\nopen socket ipv6 port#|service\n",
			"Starts an agent, or connects to one that listens.", 2, math.MaxInt, false, (*Session).open},
		{"pmid", "pmid metric-name\n", "Asks for the number of a metric in a dynamic subtree.", 1, 1, true, (*Session).pmid},
		{"profile", "profile indom# [ all | none ]\nprofile indom# [ add | delete ] number\n", "Selects instances for later fetches.", 2, 3, false, (*Session).selects},
		{"quit", "quit\n", "Ends the agent, and the script.", 0, 0, false, (*Session).quit},
		{"store", "store metric \"value\"\n", "Gives all selected instances of a metric a value, which stands in quotes.", 2, 2, true, (*Session).store},
		{"text", "text metric\ntext indom indom#\n", "Asks for the help texts of a metric or an instance domain.", 1, 2, true, (*Session).text},
		{"traverse", "traverse metric-name\n", "Asks for all names below a node of a dynamic subtree.", 1, 1, true, (*Session).traverse},
	}
}

func find(name string) *command {
	if name == "exit" {
		name = "quit"
	}
	for _, c := range commands() {
		if c.name == name {
			return &c
		}
	}
	return nil
}

func list(w io.Writer) {
	fmt.Fprint(w, "help [ command ]\n\n")
	for _, c := range commands() {
		fmt.Fprint(w, c.usage)
	}
	fmt.Fprintln(w)
}
