package agent_test

import (
	"context"
	"fmt"
	"net"

	"pmtools/lib/builtin"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmda"
	"pmtools/lib/trace"
	"pmtools/lib/trace/agent"
)

// A program has the agent inside, reports to it, and asks for the metrics.
func Example() {
	a, err := agent.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	go a.Serve(l)
	src := builtin.New(&builtin.Options{Collectors: []builtin.Collector{{
		Name: "trace", Domain: agent.Domain, New: func() (pmda.Provider, error) { return a, nil },
	}}})
	defer src.Close()

	c, err := trace.New(&trace.Options{Addr: l.Addr().String(), State: trace.Async})
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Observe("queue length", 3)
	c.Observe("queue length", 17)
	if err := c.Close(); err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	found, err := src.Lookup(ctx, []string{"trace.observe.count", "trace.observe.value"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var res pcp.Result
	if err := src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{found[0].Value, found[1].Value}}, &res); err != nil {
		fmt.Println(err)
		return
	}
	name, err := src.InstName(ctx, pcp.NewInDom(agent.Domain, 2), res.Sets[0].Insts[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := res.Sets[1].Value(0).Float64()
	fmt.Println(name, res.Sets[0].Words[0], value, err)
	// Output: queue length 2 17 <nil>
}
