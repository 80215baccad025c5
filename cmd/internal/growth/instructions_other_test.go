//go:build !linux

package growth

// counters are none: only Linux has one that we know.
type counters struct{}

// countInstructions returns no counters.
func countInstructions() (c counters) { return c }

// instructions returns 0.
func (counters) instructions() uint64 { return 0 }
