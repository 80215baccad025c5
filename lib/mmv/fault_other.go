//go:build !(linux && amd64)

package mmv

import "runtime"

// guarded says that each update has to catch its own fault, see fault_linux_amd64.go. Windows does
// not truncate files that are mapped.
const guarded = runtime.GOOS != "windows"

// protect is for systems where faults are handled.
func protect([]byte) {}

// unprotect is for systems where faults are handled.
func unprotect([]byte) {}
