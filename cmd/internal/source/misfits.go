package source

import "fmt"

// Misfits are the definitions of the installation that do not fit the metrics of a source. PCP has some
// for every agent, and few hosts have all agents.
type Misfits struct {
	*Definitions
	names map[string]bool
}

// CountMisfits makes the Opener count definitions of the installation that do not fit, instead of
// reporting each.
func (o *Opener) CountMisfits() *Misfits {
	m := &Misfits{&o.Definitions, make(map[string]bool)}
	o.Misfit = m.add
	return m
}

// add takes the line about a definition that does not fit. Definitions of the user's own are reported
// at once.
func (m *Misfits) add(metric, line string) {
	if m.Stock(metric) {
		m.names[metric] = true
		return
	}
	m.Registry().Warn(line)
}

// Tell writes how many there are.
func (m *Misfits) Tell() {
	switch n := len(m.names); n {
	case 0:
	case 1:
		fmt.Fprintf(m.env.Stderr, "%s: 1 stock definition does not apply, --verbose names it\n", m.env.Prog)
	default:
		fmt.Fprintf(m.env.Stderr, "%s: %d stock definitions do not apply, --verbose names them\n", m.env.Prog, n)
	}
}
