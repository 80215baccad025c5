//go:build !unix

package regular

// noWait is for systems where a path can be a pipe.
const noWait = 0
