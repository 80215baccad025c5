//go:build !linux

package sample

import (
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// fetchSysinfo has nothing to deliver: there is no such system call.
func fetchSysinfo(*pmda.Column) error { return pmerr.AppVersion }
