package archivetest

import (
	"fmt"
	"strings"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// BuildProcs makes the archive dir/name for benchmarks of hosts on which processes come and go: each
// record, ten seconds after the one before, has 500 processes, 10 of them new. It is of version 2,
// in which all processes and their long names are listed again whenever one has changed: 600 records
// have 17 MB of data and 85 MB of metadata.
func BuildProcs(dir, name string, records int) error {
	return build(dir, name, archive.WriterOptions{Version: 2}, func(k *kit) {
		churn{records: records, live: 500, fresh: 10, metrics: 4, long: 270}.fill(k)
	})
}

// BuildDay makes an archive of the same kind in version 3, which lists changes only: 1,400 processes,
// one of them new in each record. 8,640 records are a day of 10,039 processes, and 190 MB.
func BuildDay(dir, name string, records int) error {
	return build(dir, name, archive.WriterOptions{}, func(k *kit) {
		churn{records: records, live: 1400, fresh: 1, metrics: 2, long: 60}.fill(k)
	})
}

type churn struct {
	records int
	live    int // processes in each record; half of them remain
	fresh   int // number of the others that are replaced in each record, the oldest first
	metrics int // in turn 32-bit counters, 32-bit numbers, 64-bit counters, 64-bit numbers
	long    int // bytes of a process's name
}

func (c churn) fill(k *kit) {
	types := [...]pcp.Type{pcp.Uint32, pcp.Uint32, pcp.Uint64, pcp.Uint64}
	cols := make([]pcp.Values, c.metrics)
	ids := make([]int32, c.live)
	for i := range cols {
		id, sem := id245(uint32(1+i)), [...]pcp.Sem{pcp.Counter, pcp.Instant}[i%2]
		k.metric(id, types[i%4], testInDom, sem, noUnits, fmt.Sprintf("procs.m%d", i))
		cols[i] = pcp.Values{ID: id, Type: types[i%4], Insts: ids, Words: make([]uint64, c.live)}
	}
	insts := make([]pcp.Instance, c.live)
	for r := range c.records {
		for i := range insts {
			pid := 1 + i
			if i >= c.live/2 {
				pid += r * c.fresh
			}
			if int(insts[i].ID) != pid {
				name := fmt.Sprintf("%06d /usr/bin/program-%d ", pid, pid%97)
				insts[i] = pcp.Instance{ID: int32(pid), Name: name + strings.Repeat("x", c.long-len(name))}
			}
			ids[i] = int32(pid)
			for m := range cols {
				cols[m].Words[i] = uint64(r*(pid%1000) + m)
			}
		}
		k.indom(float64(10*r), testInDom, insts...)
		k.put(float64(10*r), cols...)
	}
}
