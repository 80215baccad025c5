//go:build !darwin && !windows

package builtin

// hostAgents are the portable collectors, for a system without collectors of its own.
var hostAgents []Agent

func hostCollector(Agent) *Collector { return nil }
