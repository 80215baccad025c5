package pmapi_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// A daemon answers for live metrics. The one here lives in the test; without DialContext it would
// be that of the host, and without a Dialer the zero one.
func ExampleOpenHost() {
	daemon := pmcdtest.NewServer(pmcdtest.Sample())
	defer daemon.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pmapi.NewContext(ctx, func(ctx context.Context) (pmapi.Source, error) {
		return pmapi.OpenHost(ctx, "127.0.0.1", &pmcd.Dialer{DialContext: daemon.Dial})
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	metrics, err := c.Metrics(ctx, []string{"sample.bin", "sample.double", "sample.broken"})
	if err != nil {
		log.Fatal(err)
	}
	var ids []pcp.ID
	for _, m := range metrics {
		ids = append(ids, m.Desc.ID)
	}
	result, err := c.Fetch(ctx, ids)
	if err != nil {
		log.Fatal(err)
	}
	for i := range result.Sets {
		column := &result.Sets[i]
		if column.Err != nil {
			fmt.Println(metrics[i].Name, "has no value:", column.Err)
		}
		for j, inst := range column.Insts {
			value, err := column.Value(j).Text()
			fmt.Println(metrics[i].Name, inst, value, err)
		}
	}
	// Output:
	// sample.bin 100 100 <nil>
	// sample.bin 200 200 <nil>
	// sample.bin 300 300 <nil>
	// sample.double -1 -2.5 <nil>
	// sample.broken has no value: Metric not supported by this version of monitored application
}

// Metrics that can be changed get a value from text, as pmstore gives it.
func ExampleContext_Store() {
	daemon := pmcdtest.NewServer(pmcdtest.Sample())
	defer daemon.Close()
	ctx := context.Background()
	c, err := pmapi.NewContext(ctx, func(ctx context.Context) (pmapi.Source, error) {
		return pmapi.OpenHost(ctx, "127.0.0.1", &pmcd.Dialer{DialContext: daemon.Dial})
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	metrics, err := c.Metrics(ctx, []string{"sample.long.write_me", "sample.long.one"})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range metrics {
		value, err := pcp.ParseValue(m.Desc.Type, "42")
		if err != nil {
			log.Fatal(err)
		}
		set := pcp.Values{ID: m.Desc.ID, Type: m.Desc.Type, Insts: []int32{pcp.NullInst}, Words: []uint64{value.Word()}}
		err = c.Store(ctx, []pcp.Values{set})
		if errors.Is(err, pmerr.Permission) {
			fmt.Println(m.Name, "cannot be changed")
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		result, err := c.Fetch(ctx, []pcp.ID{m.Desc.ID})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Name, "is", result.Sets[0].Words[0])
	}
	// Output:
	// sample.long.write_me is 42
	// sample.long.one cannot be changed
}

// A lost connection is replaced; the profile does not change.
func ExampleContext_Reconnect() {
	daemon := pmcdtest.NewServer(pmcdtest.Sample())
	defer daemon.Close()
	ctx := context.Background()
	c, err := pmapi.NewContext(ctx, func(ctx context.Context) (pmapi.Source, error) {
		return pmapi.OpenHost(ctx, "127.0.0.1", &pmcd.Dialer{DialContext: daemon.Dial})
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	c.Profile().Add(pmcdtest.BinInDom, 200)
	daemon.Hangup()
	for {
		result, err := c.Fetch(ctx, []pcp.ID{pcp.NewID(29, 0, 6)})
		if err == nil {
			fmt.Println(result.Sets[0].Words)
			break
		}
		fmt.Println("lost:", c.Reconnect(ctx))
	}
	// Output:
	// lost: <nil>
	// [200]
}
