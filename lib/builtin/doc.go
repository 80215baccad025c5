// Package builtin is a source of metrics that needs no agent and no daemon: the collectors are in
// this process. Each is a [pmda.Provider] in a package below this one; [pmda.Main] can serve it as
// an agent.
package builtin
