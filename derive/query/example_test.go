package query_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
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
		log.Fatal(err)
	}
	return src, func() {
		src.Close()
		os.RemoveAll(dir)
	}
}

// The values of an expression, one for each instance.
func ExampleEval() {
	ctx := context.Background()
	src, done := demo() // pmapi.OpenHost(ctx, "local:", nil), pmapi.OpenArchive(ctx, "demo", nil)
	defer done()
	values, err := query.Eval(ctx, src, "rate(disk.dev.total)")
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range values {
		fmt.Printf("%s: %.1f/s\n", v.Instance, v.Number())
	}
	_, err = query.Eval(ctx, src, "kernel.all.laod")
	var wrong *diagnose.Problem
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Msg)
	}
	// Output:
	// sda: 4.8/s
	// nvme0n1: 122.0/s
	// unknown metric kernel.all.laod
}

// Samples of a recording from its beginning on, a minute apart.
func ExampleOver() {
	ctx := context.Background()
	src, done := demo() // pmapi.OpenHost(ctx, "local:", nil), pmapi.OpenArchive(ctx, "demo", nil)
	defer done()
	stream, err := query.Over(ctx, src, sampling.Times{Interval: time.Minute, Samples: 3}, "mem.util.free / mem.physmem", "hinv.ncpu")
	if err != nil {
		log.Fatal(err)
	}
	for sample, err := range stream.Samples {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(sample.Time.Time().UTC().Format(time.TimeOnly))
		for i, m := range stream.Header.Metrics {
			for k := range sample.Sets[i].Len() {
				v := sample.Sets[i].At(k)
				fmt.Printf("  %s %.2f", m.Name, v.Number())
			}
		}
		fmt.Println()
	}
	// Output:
	// 22:13:20  mem.util.free / mem.physmem 0.34  hinv.ncpu 4.00
	// 22:14:20  mem.util.free / mem.physmem 0.33  hinv.ncpu 4.00
	// 22:15:20  mem.util.free / mem.physmem 0.31  hinv.ncpu 4.00
}
