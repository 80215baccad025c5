package content

import (
	"fmt"
	"runtime/debug"

	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

// Unguard restores the setting of debug.SetPanicOnFault and turns a fault into an error. Volumes
// are mapped into memory; if one is truncated while it is read, which no program of the suite does,
// access to the missing pages faults. All bytes are copied out of the mapping while the guard is
// on.
func Unguard(old bool, err *error) {
	debug.SetPanicOnFault(old)
	if x := recover(); x != nil {
		*err = fmt.Errorf("%w: %w", pmerr.LogRec, safefile.Fault(x))
	}
}
