//go:build !unix

package growth

import "time"

var began = time.Now()

// processorTime returns the time since the start, which is more.
func processorTime() time.Duration { return time.Since(began) }
