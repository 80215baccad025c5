package builtin_test

import (
	"context"
	"fmt"

	"pmtools/lib/builtin"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// Metrics without any daemon: the collectors are part of the program.
func ExampleDefault() {
	ctx := context.Background()
	src := builtin.Default(nil)
	defer src.Close()
	found, err := src.Lookup(ctx, []string{"sample.colour"})
	if err != nil || found[0].Err != nil {
		fmt.Println(err, found)
		return
	}
	var res pcp.Result
	for range 2 {
		if err := src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{found[0].Value}}, &res); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.Sets[0].Words)
	}
	// Output:
	// [101 202 303]
	// [104 205 306]
}
