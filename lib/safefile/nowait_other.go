//go:build !unix

package safefile

// noWait is for systems where a path can be a pipe.
const noWait = 0
