// Package builtin has collectors that need no agent and no daemon: each is a
// [pmda.Provider], made by a function of its own ([NewTrivial], [NewSimple]), and can
// be served as an agent by [pmda.Main] as well.
package builtin
