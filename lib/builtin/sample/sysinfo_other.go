//go:build !linux

package sample

import (
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// fetchSysinfo fails: the system call exists only on Linux.
func fetchSysinfo(*pmda.Column) error { return pmerr.AppVersion }
