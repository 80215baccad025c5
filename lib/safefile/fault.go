package safefile

import "fmt"

// Fault returns the error for what a deferred function has recovered after it was set by
// debug.SetPanicOnFault that faults are panics: access to a mapped file beyond its end, which
// another process has moved. It panics again with anything else.
func Fault(x any) error {
	if fault, ok := x.(interface {
		error
		Addr() uintptr
	}); ok {
		return fmt.Errorf("file became shorter: %w", fault)
	}
	panic(x)
}
