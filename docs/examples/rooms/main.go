// Command rooms evaluates an expression over a file in CSV, whose lines have a time in seconds since
// 1970 and a temperature for each room: the file is a Source of metrics of its own.
//
//	$ rooms rooms.csv 60*rate(room.temperature)
//	22:14:20 office 0.50 attic 0.50
//	22:15:20 office 0.50 attic -1.50
package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// rooms is a Source: the Replay answers everything but Fetch.
type rooms struct {
	pmapi.Replay
	lines [][]float64 // a temperature of each room at each of the times
}

// Fetch implements pmapi.Source.
func (r *rooms) Fetch(_ context.Context, req *pmapi.Request, dst *pcp.Result) (err error) {
	var line int
	if line, dst.Time, err = r.Next(); err != nil {
		return err
	}
	return r.Columns(req, dst, func(_ pcp.ID, inst int32) (pcp.Value, error) {
		return pcp.DoubleValue(r.lines[line][inst]), nil
	})
}

// open reads a file.
func open(name string) (*rooms, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	table, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(table) == 0 {
		return nil, fmt.Errorf("%s is empty", name)
	}
	// The domains 385 to 510 are free for metrics of one's own.
	r, domain := new(rooms), pcp.NewInDom(385, 1)
	r.Hostname, r.Zone = "attic", "UTC"
	var instances []pcp.Instance
	for i, room := range table[0][1:] {
		instances = append(instances, pcp.Instance{ID: int32(i), Name: room})
	}
	r.SetInstances(domain, instances)
	for _, fields := range table[1:] {
		line := make([]float64, len(fields))
		for i, field := range fields {
			if line[i], err = strconv.ParseFloat(field, 64); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		r.Times = append(r.Times, pcp.Timestamp{Sec: int64(line[0])})
		r.lines = append(r.lines, line[1:])
	}
	return r, r.Add(pmapi.CatalogMetric{
		Name:    "room.temperature",
		OneLine: "temperature of a room",
		Desc: pcp.Desc{ID: pcp.NewID(385, 0, 1), Type: pcp.Double, InDom: domain, Sem: pcp.Instant,
			Units: pcp.Units{Extra: pcp.Temperature, ExtraScale: 1}},
	})
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: rooms FILE.csv EXPRESSION")
	}
	ctx := context.Background()
	src, err := open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	stream, err := query.Over(ctx, src, sampling.Times{}, os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	for sample, err := range stream.Samples {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(sample.Time.Time().UTC().Format(time.TimeOnly))
		for i := range sample.Sets[0].Len() {
			v := sample.Sets[0].At(i)
			fmt.Printf(" %s %.2f", v.Instance, v.Number())
		}
		fmt.Println()
	}
}
