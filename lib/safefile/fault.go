package safefile

import "fmt"

// Fault returns the error for a panic after debug.SetPanicOnFault: access to a mapped file
// beyond its end, which another process has moved. It panics again with any other value.
func Fault(x any) error {
	if fault, ok := x.(interface {
		error
		Addr() uintptr
	}); ok {
		return fmt.Errorf("file became shorter: %w", fault)
	}
	panic(x)
}
