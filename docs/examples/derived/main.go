// Command derived defines a metric by an expression over an archive, and shows its first values. A
// mistake in the expression is explained.
//
//	$ derived demo 100*mem.util.used/mem.physmem
//	double, instant, no units
//	22:13:20 40.89
//	22:16:20 45.39
//	22:19:20 49.73
//	$ derived demo delta(disk.dev.totl)
//	unknown metric disk.dev.totl
//	  delta(disk.dev.totl)
//	        ^
//	  did you mean disk.dev.total?
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"pmtools/derive"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: derived ARCHIVE EXPRESSION")
	}
	ctx := context.Background()
	archive, err := pmapi.OpenArchive(ctx, os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	// A Source over a Source: archived and derived metrics together. A Set in place of nil has
	// definitions for several Sources, from files too (package derive/load).
	src := derive.NewSource(archive, nil, nil)
	if err := src.Add(ctx, "my.metric", os.Args[2]); err != nil {
		fmt.Print(src.Explain(ctx, err))
		return
	}
	// A Context adds a position and a mode of reading to the Source, and closes it.
	c := pmapi.Over(src)
	defer c.Close()
	metrics, err := c.Metrics(ctx, []string{"my.metric"})
	if err != nil {
		log.Fatal(err)
	}
	desc := metrics[0].Desc // found out by the checker: type, semantics and units of the expression
	fmt.Printf("%s\n", format.AppendSummary(nil, &desc))

	// Interpolation: values at steps of three minutes, wherever the records are.
	if err := c.SetMode(pcp.Interp, nil, 3*time.Minute); err != nil {
		log.Fatal(err)
	}
	for range 3 {
		result, err := c.Fetch(ctx, []pcp.ID{desc.ID})
		if err != nil {
			log.Fatal(err)
		}
		column := &result.Sets[0]
		for i := range column.Len() {
			x, err := column.Value(i).Float64()
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s %.2f\n", result.Time.Time().UTC().Format(time.TimeOnly), x)
		}
	}
}
