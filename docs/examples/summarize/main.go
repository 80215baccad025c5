// Command summarize reads a metric of an archive from the first record to the last, and shows the
// least, the mean and the largest value of each instance.
//
//	$ summarize demo mem.util.used
//	mem.util.used: 60 records from 22:13:20 to 22:23:10, Kbyte
//	                6860800.0    8085367.5    9293824.0
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A summary is that of one instance.
type summary struct {
	n              int
	min, sum, most float64
}

func (s *summary) add(x float64) {
	if s.n == 0 {
		s.min, s.most = x, x
	}
	s.n, s.sum, s.min, s.most = s.n+1, s.sum+x, min(s.min, x), max(s.most, x)
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: summarize ARCHIVE METRIC")
	}
	ctx := context.Background()
	archive, err := pmapi.OpenArchive(ctx, os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	defer archive.Close()
	// A name leads to an identifier, the identifier to a description: type, semantics, units.
	id, err := pmapi.LookupName(ctx, archive, os.Args[2])
	if err != nil {
		log.Fatalf("%s: %v", os.Args[2], err)
	}
	desc, err := pmapi.LookupDesc(ctx, archive, id)
	if err != nil {
		log.Fatal(err)
	}

	var result pcp.Result // used again for each record: columns keep their memory
	var first, last time.Time
	records, of := 0, make(map[int32]*summary)
	for {
		err := archive.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{id}}, &result)
		if errors.Is(err, pmerr.EOL) {
			break // the end of the archive
		}
		if err != nil {
			log.Fatal(err)
		}
		if last = result.Time.Time().UTC(); records == 0 {
			first = last
		}
		records++
		column := &result.Sets[0] // one column for each metric of the request
		for i, inst := range column.Insts {
			if of[inst] == nil {
				of[inst] = new(summary)
			}
			x, err := column.Value(i).Float64()
			if err != nil {
				log.Fatal(err)
			}
			of[inst].add(x)
		}
	}
	fmt.Printf("%s: %d records from %s to %s, %v\n", os.Args[2], records, first.Format(time.TimeOnly), last.Format(time.TimeOnly), desc.Units)

	instances := []pcp.Instance{{ID: pcp.NullInst}} // of a metric with a single value
	if desc.InDom != pcp.NullInDom {
		if instances, err = pmapi.InstancesOf(ctx, archive, desc.InDom, pmapi.Ever()); err != nil {
			log.Fatal(err)
		}
	}
	for _, inst := range instances {
		if s := of[inst.ID]; s != nil {
			fmt.Printf("%-12s %12.1f %12.1f %12.1f\n", inst.Name, s.min, s.sum/float64(s.n), s.most)
		}
	}
}
