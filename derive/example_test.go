package derive_test

import (
	"context"
	"fmt"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// disks is a Source with one metric.
func disks() pmapi.Source {
	return newFake("disk.read|U64|29.1|counter|count|0=100 1=7;0=150 1=7\n")
}

func Example() {
	reg := derive.NewRegistry(func(line string) { fmt.Println(line) })
	if err := reg.Register("disk.read_rate", "rate(disk.read)"); err != nil {
		fmt.Println(err)
	}
	src := derive.NewSource(disks(), reg.Set(), nil)
	ctx := context.Background()
	found, err := src.Lookup(ctx, []string{"disk.read_rate"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var result pcp.Result
	for range 2 {
		if err := src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{found[0].Value}}, &result); err != nil {
			fmt.Println(err)
			return
		}
		col := &result.Sets[0]
		fmt.Println(col.Len(), "values")
		for i, inst := range col.Insts {
			v, _ := col.Value(i).Float64()
			fmt.Println("instance", inst, "value", v)
		}
	}
	// Output:
	// 0 values
	// 2 values
	// instance 0 value 50
	// instance 1 value 0
}

func ExampleMessage() {
	err := derive.NewRegistry(nil).Register("my.disk.rates", "4rat(disk.dev.read)")
	fmt.Print(derive.Message(err))
	// Output:
	// Error: pmRegisterDerivedMetric("my.disk.rates", ...)
	// 4rat(disk.dev.read)
	//  ^
}

func ExampleCompile() {
	p, err := derive.Compile("disk.busy", "100 * rate(disk.avactive)")
	fmt.Println(p, p.Metrics(), err)
	// Output: 100 * rate(disk.avactive) [disk.avactive] <nil>
}
