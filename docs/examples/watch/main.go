// Command watch shows load, memory and disks of a host, again and again: a fetch group over live
// metrics.
//
//	$ watch web1 100ms 2
//	web1: load 0.50, 40.0 % of 16 GB used, reads map[sda:1000 sdb:2000]
//	web1: load 0.75, 45.0 % of 16 GB used, reads map[sda:1008 sdb:2066]
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"pmtools/derive"
	"pmtools/lib/fetchgroup"
	"pmtools/lib/pmapi"
)

// A Host is filled with one sample. Each tag names a metric and the form in which it is wanted.
type Host struct {
	Load  float64           `pcp:"kernel.all.load[1 minute]"`
	Size  float64           `pcp:"mem.physmem,unit=Gbyte"`
	Used  float64           `pcp:"=100 * mem.util.used / mem.physmem"` // a derived metric
	Reads map[string]uint64 `pcp:"disk.dev.read,instant"`              // without "instant" a rate
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: watch HOST INTERVAL SAMPLES")
	}
	interval, err := time.ParseDuration(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	samples, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	host, err := pmapi.OpenHost(ctx, os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	// derive.NewSource gives the host a language for expressions; the group closes both.
	group := fetchgroup.New(derive.NewSource(host, nil, nil), nil)
	defer group.Close()
	binding, err := fetchgroup.Bind[Host](ctx, group)
	if err != nil {
		log.Fatal(err) // all mistakes in the tags, each with its place
	}
	for h, err := range binding.Each(ctx, interval) {
		if err != nil {
			log.Print(err) // a lost connection is made again
			continue
		}
		fmt.Printf("%s: load %.2f, %.1f %% of %.0f GB used, reads %v\n", os.Args[1], h.Load, h.Used, h.Size, h.Reads)
		if samples--; samples == 0 {
			break
		}
	}
}
