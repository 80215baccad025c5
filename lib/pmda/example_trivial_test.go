package pmda_test

import (
	"context"
	"fmt"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// newTrivial returns an agent with one metric, the time of day. This is all of it: a program has,
// besides,
//
//	func main() { os.Exit(pmda.Main(newTrivial)) }
func newTrivial(o *pmda.Options) (pmda.Provider, error) {
	return pmda.New(pmda.Table{Domain: o.DomainOr(250), Metrics: []pmda.Metric{{
		Name:    "trivial.time",
		Type:    pcp.Uint64,
		Sem:     pcp.Counter,
		Units:   pcp.Units{DimTime: 1, ScaleTime: pcp.Sec},
		OneLine: "The time in seconds since 1970",
		Fetch:   pmda.One(func() int64 { return time.Now().Unix() }),
	}}})
}

// The smallest agent: one metric with one value. The example asks it as the daemon would, but
// without one.
func Example_trivial() {
	agent, err := newTrivial(&pmda.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, client := context.Background(), &pmda.Client{}
	for _, n := range agent.Names() {
		d, err := agent.Desc(ctx, client, n.ID)
		fmt.Println(n.Name, n.ID, d.Type, d.Sem, d.Units, err)
	}
	var r pcp.Result
	if err := agent.Fetch(ctx, &pmda.Request{Client: client, IDs: []pcp.ID{pcp.NewID(250, 0, 0)}}, &r); err != nil {
		fmt.Println(err)
		return
	}
	now := time.Unix(int64(r.Sets[0].Words[0]), 0)
	fmt.Println("it is later than 2020:", now.Year() > 2020)
	// Output:
	// trivial.time 250.0.0 U64 counter sec <nil>
	// it is later than 2020: true
}
