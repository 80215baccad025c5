//go:build unix

package safefile

import "syscall"

// noWait makes opening a pipe return at once. It does not matter to regular files.
const noWait = syscall.O_NONBLOCK
