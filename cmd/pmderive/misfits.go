package main

import (
	"fmt"

	"pmtools/derive/query"
)

// misfits are the stock definitions that do not fit the metrics of the source. PCP has some for every
// agent, and few hosts have all agents.
type misfits struct {
	a     *app
	names map[string]bool
}

// add takes the line about a definition that does not fit. Definitions of the user's own are reported
// at once.
func (m *misfits) add(metric, line string) {
	if m.a.sources.Stock(metric) {
		m.names[metric] = true
		return
	}
	m.a.sources.Registry().Warn(line)
}

// tell writes how many there are.
func (m *misfits) tell() {
	switch n := len(m.names); n {
	case 0:
	case 1:
		fmt.Fprintf(m.a.Env.Stderr, "%s: 1 stock definition does not apply, --verbose names it\n", m.a.Env.Prog)
	default:
		fmt.Fprintf(m.a.Env.Stderr, "%s: %s do not apply, --verbose names them\n", m.a.Env.Prog, query.Plural(n, "stock definition"))
	}
}
