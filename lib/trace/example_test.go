package trace_test

import (
	"errors"
	"fmt"

	"pmtools/lib/trace"
)

// A transaction that is aborted, and the deferred end of which does nothing then. Without an agent
// nothing else is different.
func Example() {
	c, err := trace.New(&trace.Options{State: trace.NoAgent | trace.API})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	end := c.Begin("checkout")
	fmt.Println(end.Abort())
	fmt.Println(errors.Is(end(), trace.NoProgress))
	// Output:
	// <nil>
	// true
}
