// Command fleet asks many hosts at the same time for their load and shows one row for each.
//
//	$ fleet web1 web2 web9
//	web1  2 CPUs, load 0.50
//	web2  8 CPUs, load 4.25
//	web9  no answer: Connection refused
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"pmtools/lib/fetchgroup"
	"pmtools/lib/pmerr"
)

// A Host is filled with the values of one host.
type Host struct {
	CPUs int     `pcp:"hinv.ncpu"`
	Load float64 `pcp:"kernel.all.load[1 minute]"`
}

func main() {
	log.SetFlags(0)
	hosts := os.Args[1:]
	if len(hosts) == 0 {
		log.Fatal("usage: fleet HOST...")
	}
	// A single round; with more, the connections are kept, and all hosts have one schedule.
	opt := &fetchgroup.FleetOptions{Rounds: 1, Interval: -1, Timeout: 5 * time.Second}
	rows := make(map[string]string)
	for row := range fetchgroup.Fleet[Host](context.Background(), hosts, opt) {
		// Rows come in the order of the answers. A host that fails has a row with its error, and
		// delays no other.
		if row.Err != nil {
			rows[row.Host] = "no answer: " + pmerr.Message(row.Err)
			continue
		}
		rows[row.Host] = fmt.Sprintf("%d CPUs, load %.2f", row.Value.CPUs, row.Value.Load)
	}
	for _, host := range hosts {
		fmt.Printf("%s  %s\n", host, rows[host])
	}
}
