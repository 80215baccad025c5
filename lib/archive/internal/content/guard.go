package content

import (
	"fmt"
	"runtime/debug"

	"pmtools/lib/pmerr"
)

// Unguard restores the setting of debug.SetPanicOnFault and turns a fault into an error. Volumes
// are mapped into memory; if one is truncated while it is read, which no program of the suite does,
// access to the missing pages faults. All bytes are copied out of the mapping while the guard is
// on.
func Unguard(old bool, err *error) {
	debug.SetPanicOnFault(old)
	switch x := recover().(type) {
	case nil:
	case interface {
		error
		Addr() uintptr
	}:
		*err = fmt.Errorf("%w: file became shorter: %w", pmerr.LogRec, x)
	default:
		panic(x)
	}
}
