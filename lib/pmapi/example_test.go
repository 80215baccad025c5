package pmapi_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// demo opens a small archive that it makes first; done removes it.
func demo() (src *pmapi.Archive, done func()) {
	dir, err := os.MkdirTemp("", "example")
	if err == nil {
		err = archivetest.Build(dir, "demo")
	}
	if err == nil {
		src, err = pmapi.OpenArchive(context.Background(), filepath.Join(dir, "demo"), nil)
	}
	if err != nil {
		panic(err)
	}
	return src, func() {
		src.Close()
		os.RemoveAll(dir)
	}
}

func ExampleOpenArchive() {
	src, done := demo() // pmapi.OpenArchive(ctx, "demo", nil)
	defer done()
	ctx := context.Background()
	names, err := src.Lookup(ctx, []string{"kernel.all.load", "no.such"})
	if err != nil {
		fmt.Println(err)
		return
	}
	load := names[0].Value
	fmt.Println(load, names[1].Err)

	descs, err := src.Describe(ctx, []pcp.ID{load})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := descs[0].Value
	fmt.Println(d.Type, d.InDom, d.Sem)

	var result pcp.Result
	for range 2 {
		if err := src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{load}}, &result); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(result.Time.Time())
		col := &result.Sets[0]
		for i, inst := range col.Insts {
			name, _ := src.InstName(ctx, d.InDom, inst)
			value, _ := col.Value(i).Float64()
			fmt.Println(name, value)
		}
	}
	// Output:
	// 60.2.0 Unknown metric name
	// FLOAT 60.2 instant
	// 2023-11-14 22:13:20 +0000 UTC
	// 1 minute 0.5
	// 5 minute 0.75
	// 15 minute 0.875
	// 2023-11-14 22:13:30 +0000 UTC
	// 1 minute 0.75
	// 5 minute 0.8125
	// 15 minute 0.890625
}

func ExampleSource_walk() {
	var src pmapi.Source
	src, done := demo()
	defer done()
	ctx := context.Background()
	children, err := src.Children(ctx, "mem")
	fmt.Println(children, err)
	err = src.Walk(ctx, "mem", true, func(name string, id pcp.ID) bool {
		fmt.Println(name, id)
		return true // go on
	})
	fmt.Println(err)
	// Output:
	// [{util false} {physmem true}] <nil>
	// mem.util.free 60.1.2
	// mem.util.used 60.1.1
	// mem.physmem 60.1.9
	// <nil>
}

func ExampleAs() {
	src, done := demo()
	defer done()
	recording, ok := pmapi.As[pmapi.Timeline](src)
	if !ok {
		fmt.Println("this source has no past")
		return
	}
	_, end, err := recording.Bounds(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := recording.SetMode(pcp.Back, &end, 0); err != nil {
		fmt.Println(err)
		return
	}
	var last pcp.Result
	err = src.Fetch(context.Background(), new(pmapi.Request), &last)
	fmt.Println(last.Time.Time(), err)
	// Output: 2023-11-14 22:23:10 +0000 UTC <nil>
}
