package derive_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"pmtools/derive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

func ExampleNewSource() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := archivetest.Build(dir, "demo"); err != nil {
		fmt.Println(err)
		return
	}

	src, err := pmapi.OpenArchive(context.Background(), filepath.Join(dir, "demo"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	reg := derive.NewRegistry(nil)
	if err := reg.Register("mem.used", "mem.physmem - mem.util.free"); err != nil {
		fmt.Println(err)
		return
	}
	all := derive.NewSource(src, reg.Set(), nil) // archived and derived metrics together
	defer all.Close()
	ctx := context.Background()
	names, err := all.Lookup(ctx, []string{"mem.used"})
	if err != nil || names[0].Err != nil {
		fmt.Println(err, names)
		return
	}
	var result pcp.Result
	if err := all.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{names[0].Value}}, &result); err != nil {
		fmt.Println(err)
		return
	}
	used, err := result.Sets[0].Value(0).Text()
	fmt.Println(result.Time.Time(), used, err)
	// Output: 2023-11-14 22:13:20 +0000 UTC 11055104 <nil>
}

func ExampleSource_Walk() {
	src := derive.NewSource(disks(), nil, nil)
	ctx := context.Background()
	if err := src.Add(ctx, "disk.busiest", "max(disk.read)"); err != nil {
		fmt.Println(err)
	}
	err := src.Walk(ctx, "disk", true, func(name string, id pcp.ID) bool {
		fmt.Println(name, id)
		return true
	})
	fmt.Println(err)
	// Output:
	// disk.read 29.0.1
	// disk.busiest 511.2047.1023
	// <nil>
}
