//go:build !unix

package record

import "syscall"

// ownGroup is for systems without process groups.
func ownGroup() *syscall.SysProcAttr { return nil }
