// Package builtin is a source of metrics that needs no agent and no daemon: the collectors are in
// this process. Each is a [pmda.Provider] in a package of its own below this one, and can be served
// as an agent by [pmda.Main] as well.
package builtin
