// Command import makes a PCP archive of a file in CSV: each line has a time in seconds since 1970
// and a temperature for each room, the first line the names of the rooms. All of PCP's tools read
// the archive.
//
//	$ import rooms.csv rooms
//	rooms: 3 records of 2 rooms
//	$ pminfo -a rooms -df room.temperature
//	room.temperature
//	    Data Type: double  InDom: 385.1 0x60400001
//	    Semantics: instant  Units: temperature (C)
//	    inst [0 or "office"] value 20.5
//	    inst [1 or "attic"] value 17
package main

import (
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"strconv"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: import FILE.csv ARCHIVE")
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	if len(lines) < 2 {
		log.Fatalf("%s: no values", os.Args[1])
	}
	if err := write(os.Args[2], lines); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d records of %d rooms\n", os.Args[2], len(lines)-1, len(lines[0])-1)
}

// write writes the archive.
func write(base string, lines [][]string) error {
	w, err := archive.Create(base, &archive.WriterOptions{Host: "attic", Zone: "UTC"})
	if err != nil {
		return err
	}
	defer w.Close()
	// The domains 385 to 510 are free for metrics of one's own. The description tells every tool
	// how to show, convert and combine the values.
	rooms := pcp.NewInDom(385, 1)
	desc := pcp.Desc{ID: pcp.NewID(385, 0, 1), Type: pcp.Double, InDom: rooms, Sem: pcp.Instant,
		Units: pcp.Units{Extra: pcp.Temperature, ExtraScale: 1}}
	if err := w.AddMetric(desc, "room.temperature"); err != nil {
		return err
	}
	var instances []pcp.Instance
	for i, name := range lines[0][1:] {
		instances = append(instances, pcp.Instance{ID: int32(i), Name: name})
	}
	for n, line := range lines[1:] {
		sec, err := strconv.ParseInt(line[0], 10, 64)
		if err != nil {
			return err
		}
		at := pcp.Timestamp{Sec: sec}
		if n == 0 {
			if err := w.SetInDom(at, rooms, instances); err != nil {
				return err
			}
		}
		column := pcp.Values{ID: desc.ID, Type: desc.Type}
		for i, text := range line[1:] {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return err
			}
			column.Insts = append(column.Insts, int32(i))
			column.Words = append(column.Words, pcp.DoubleValue(x).Word())
		}
		if err := w.Put(&pcp.Result{Time: at, Sets: []pcp.Values{column}}); err != nil {
			return err
		}
	}
	return w.Close() // the first error of a write is returned here again
}
