package content

import (
	"fmt"
	"runtime/debug"

	"pmtools/lib/pmerr"
)

// Unguard ends what debug.SetPanicOnFault began, and makes an error of a fault.
// Volumes are mapped into memory; if one becomes shorter under the reader, which
// no program of the suite does to an archive in use, the pages that are gone
// fault. All bytes are copied out of the mapping while the guard is on.
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
