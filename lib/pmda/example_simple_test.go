package pmda_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// simple is an agent that does a little of everything.
type simple struct {
	*pmda.Agent
	fetches uint32
	colors  [3]int32
	conf    string // the file that says which instances simple.now has
	parts   *pmda.Cache
	now     time.Time
}

// newSimple returns a simple agent.
func newSimple(domain uint32, conf string) (*simple, error) {
	s := &simple{colors: [3]int32{0, 100, 200}, conf: conf, parts: new(pmda.Cache)}
	colors := &pmda.InDom{
		Serial:    0,
		Instances: []pcp.Instance{{ID: 0, Name: "red"}, {ID: 1, Name: "green"}, {ID: 2, Name: "blue"}},
		Labels:    `{"indom_name":"color"}`,
	}
	parts := &pmda.InDom{Serial: 1, Cache: s.parts, Needs: &pmda.Reading{Read: s.readConf}, Labels: `{"indom_name":"time"}`}
	var err error
	s.Agent, err = pmda.New(pmda.Table{Domain: domain, Labels: `{"role":"testing"}`, Metrics: []pmda.Metric{
		{
			Name: "simple.numfetch", Cluster: 0, Item: 0, Type: pcp.Uint32, Sem: pcp.Instant,
			OneLine: "Number of fetches",
			Fetch:   pmda.One(func() uint32 { return s.fetches }),
			Store:   s.storeFetches,
		},
		{
			Name: "simple.color", Cluster: 0, Item: 1, Type: pcp.Int32, Sem: pcp.Instant, InDom: colors,
			OneLine: "Numbers which grow with each fetch",
			Fetch: pmda.Each(func(inst int32) (int32, error) {
				s.colors[inst] = (s.colors[inst] + 1) % 256
				return s.colors[inst], nil
			}),
		},
		{
			Name: "simple.now", Cluster: 2, Item: 4, Type: pcp.Uint32, Sem: pcp.Instant, InDom: parts,
			OneLine: "Parts of the time of day",
			Fetch:   pmda.Each(s.timeOfDay),
		},
	}})
	return s, err
}

// Fetch counts, and then does what every agent does.
func (s *simple) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
	s.fetches++
	s.now = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC) // time.Now() in earnest
	return s.Agent.Fetch(ctx, req, dst)
}

// storeFetches sets the count of fetches.
func (s *simple) storeFetches(_ *pmda.Client, v *pcp.Values) error {
	if int32(v.Words[0]) < 0 {
		return pmerr.BadStore
	}
	s.fetches = uint32(v.Words[0])
	return nil
}

// readConf makes the words of the file the instances of simple.now. It is called when their values,
// or they themselves, are asked for.
func (s *simple) readConf(context.Context, *pmda.Request) error {
	text, err := os.ReadFile(s.conf)
	if err != nil {
		return err
	}
	s.parts.DeactivateAll()
	for word := range strings.SplitSeq(strings.TrimSpace(string(text)), ",") {
		if _, err := s.parts.Add(word); err != nil {
			return err
		}
	}
	return nil
}

// timeOfDay returns the value of an instance of simple.now.
func (s *simple) timeOfDay(inst int32) (int, error) {
	switch name, _, _ := s.parts.Name(inst); name {
	case "sec":
		return s.now.Second(), nil
	case "min":
		return s.now.Minute(), nil
	case "hour":
		return s.now.Hour(), nil
	}
	return 0, pmerr.Inst
}

// An agent with instances that are always there, others that a file lists, values that change with
// each fetch, one that can be set, and labels.
func Example_simple() {
	dir, err := os.MkdirTemp("", "simple")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	conf := filepath.Join(dir, "simple.conf")
	configure := func(text string) {
		if err := os.WriteFile(conf, []byte(text), 0o666); err != nil {
			fmt.Println(err)
		}
	}
	configure("sec,min,hour\n")
	s, err := newSimple(253, conf)
	if err != nil {
		fmt.Println(err)
		return
	}
	numfetch, color, now := pcp.NewID(253, 0, 0), pcp.NewID(253, 0, 1), pcp.NewID(253, 2, 4)
	fetch := func(ids ...pcp.ID) {
		var r pcp.Result
		if err := s.Fetch(context.Background(), &pmda.Request{Client: &pmda.Client{}, IDs: ids}, &r); err != nil {
			fmt.Println(err)
		}
		for _, v := range r.Sets {
			fmt.Println(v.ID, v.Insts, v.Words)
		}
	}
	fetch(numfetch, color)
	fetch(numfetch, color, now)
	configure("hour,sec\n")
	fetch(now)
	store := pcp.Values{ID: numfetch, Type: pcp.Uint32, Insts: []int32{pcp.NullInst}, Words: []uint64{41}}
	fmt.Println(s.Store(context.Background(), &pmda.Client{}, []pcp.Values{store}))
	fetch(numfetch)
	store.ID = color
	fmt.Println(s.Store(context.Background(), &pmda.Client{}, []pcp.Values{store}))
	// Output:
	// 253.0.0 [-1] [1]
	// 253.0.1 [0 1 2] [1 101 201]
	// 253.0.0 [-1] [2]
	// 253.0.1 [0 1 2] [2 102 202]
	// 253.2.4 [0 1 2] [1 2 3]
	// 253.2.4 [0 2] [1 3]
	// <nil>
	// 253.0.0 [-1] [42]
	// No permission to perform requested operation
}
