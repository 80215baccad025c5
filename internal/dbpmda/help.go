package dbpmda

import (
	"fmt"
	"io"
)

type command struct {
	name  string
	usage string // lines with their newlines
	help  string // lines without the last newline
	bare  bool   // without arguments it shows its usage

	run func(*Session, *line) error
}

func commands() []command {
	return []command{
		{"attr", "attr name [value]\nattr attr# [value]\n", "Sends an attribute of the client: its user, group, container and so on.\nThe name stands in quotes.", true, (*Session).attr},
		{"children", "children metric-name\n", "Asks for the names directly below a node of a dynamic subtree.", true, (*Session).children},
		{"close", "close\n", "Ends the agent. Another may be opened.", false, (*Session).close},
		{"debug", "debug all | none\ndebug [-]flag [ [-]flag ... ] (- prefix to clear)\n", "Sets the debug options that status shows.", true, (*Session).debug},
		{"desc", "desc metric\n", "Asks for the description of a metric: its name, or its number as N, N.N or N.N.N.", true, (*Session).desc},
		{"fetch", "fetch metric [ metric ... ]\n", "Asks for the values of metrics.", true, (*Session).fetch},
		{"getdesc", "getdesc on | off\n", "Asks for descriptions before each fetch, so that values are shown in their types.", true, (*Session).getdesc},
		{"getiname", "getiname on | off\n", "Asks for the names of instances after each fetch. It implies getdesc.", true, (*Session).getiname},
		{"instance", "instance indom# [ number | name | \"name\" ]\n", "Asks for the instances of a domain, or for one of them.", true, (*Session).instance},
		{"label", "label context\nlabel domain\nlabel indom indom#\nlabel cluster cluster#\nlabel item metric\nlabel instances indom#\n", "Asks for the labels of a level.", true, (*Session).label},
		{"name", "name pmid#\n", "Asks for the names of a metric, N.N.N, in dynamic subtrees.", true, (*Session).name},
		{"namespace", "namespace fname\n", "Reads another name space.", false, (*Session).namespace},
		{"open", "open dso dsoname init_routine [ domain# ]\nopen pipe execname [ arg ... ]\nopen socket unix sockname\nopen socket inet port#|service\nopen socket ipv6 port#|service\n",
			"Starts an agent, or connects to one that listens. Libraries cannot be opened.", true, (*Session).open},
		{"pmid", "pmid metric-name\n", "Asks for the number of a metric in a dynamic subtree.", true, (*Session).pmid},
		{"profile", "profile indom# [ all | none ]\nprofile indom# [ add | delete ] number\n", "Selects instances for later fetches.", true, (*Session).selects},
		{"quit", "quit\n", "Ends the agent, and the script.", false, (*Session).quit},
		{"status", "status\n", "Shows the agent, what is switched on, and the profile.", false, (*Session).status},
		{"store", "store metric \"value\"\n", "Gives all selected instances of a metric a value, which stands in quotes.", true, (*Session).store},
		{"text", "text metric\ntext indom indom#\n", "Asks for the help texts of a metric or an instance domain.", true, (*Session).text},
		{"timer", "timer on | off\n", "Shows how long requests take.", true, (*Session).timer},
		{"traverse", "traverse metric-name\n", "Asks for all names below a node of a dynamic subtree.", true, (*Session).traverse},
		{"wait", "wait seconds\n", "Waits.", true, (*Session).wait},
		{"watch", "watch logfilename\n", "Would open a window: not supported, use tail -f.", true, (*Session).watch},
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
