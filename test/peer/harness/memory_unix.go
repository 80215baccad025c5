//go:build unix

package harness

import "syscall"

// Memory returns the most memory that the command had at once, in bytes. The system counts what
// this process had when it started the command, so that a test that measures memory has to run in a
// process of its own.
func (o Outcome) Memory() int64 { return int64(o.State.SysUsage().(*syscall.Rusage).Maxrss) << 10 }
