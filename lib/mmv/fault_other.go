//go:build !(linux && amd64)

package mmv

import "runtime"

// guarded says that each update has to catch its own fault, see fault_linux_amd64.go. Windows does
// not truncate files that are mapped.
const guarded = runtime.GOOS != "windows"

func protect([]byte) {}

func unprotect([]byte) {}
