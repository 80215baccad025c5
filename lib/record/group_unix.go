//go:build unix

package record

import "syscall"

// ownGroup puts a process into a process group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
