package pmcdtest_test

import (
	"context"
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	_ "pmtools/test/env"
)

// A daemon with metrics of its own, which ends the connection in the middle of a reply.
func Example() {
	id := pcp.NewID(60, 0, 1)
	s := pmcdtest.NewServer(&pmcdtest.World{Metrics: []pmcdtest.Metric{
		{Name: "my.metric", Desc: pcp.Desc{ID: id, Type: pcp.Uint32, InDom: pcp.NullInDom}, Values: pcp.Values{Insts: []int32{-1}, Words: []uint64{42}}},
	}})
	defer s.Close()
	spec, _ := pmcd.ParseSpec("127.0.0.1")
	d := pmcd.Dialer{DialContext: s.Dial}
	c, err := d.Dial(context.Background(), spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	fmt.Println(c.Names(context.Background(), id))
	s.SetEdit(pmcdtest.Cut(20))
	_, err = c.Names(context.Background(), id)
	fmt.Println(err)
	// Output:
	// [my.metric] <nil>
	// pmcd: receive pipe: IPC protocol failure: unexpected EOF
}
