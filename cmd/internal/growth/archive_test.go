package growth

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/export"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// archiveOperations are those on recorded metrics.
func archiveOperations() []operation {
	return []operation{
		{"open an archive", "metrics", steps, func(t *testing.T, n int) func() {
			base := write(t, shape{metrics: n, records: 2})
			return func() { must(open(t, base).Close()) }
		}},
		{"names of an archive", "metrics", steps, func(t *testing.T, n int) func() {
			a := kept(t, write(t, shape{metrics: n, records: 2}))
			return func() {
				must(a.Walk(ctx, "", true, func(string, pcp.ID) bool { return true }))
			}
		}},
		{"describe all metrics of an archive", "metrics", steps, func(t *testing.T, n int) func() {
			a := kept(t, write(t, shape{metrics: n, records: 2}))
			return func() { must2(a.Describe(ctx, ids(n))) }
		}},
		{"fetch all metrics of a record", "metrics", steps, func(t *testing.T, n int) func() {
			return fetchFirst(t, shape{metrics: n, records: 2}, ids(n))
		}},
		{"fetch one metric", "metrics", steps, func(t *testing.T, n int) func() {
			return fetchFirst(t, shape{metrics: n, records: 2}, ids(1))
		}},
		{"fetch one metric", "instances", steps, func(t *testing.T, n int) func() {
			return fetchFirst(t, shape{metrics: 1, insts: n, records: 2}, ids(1))
		}},
		{"name each instance", "instances", steps, func(t *testing.T, n int) func() {
			a := kept(t, write(t, shape{metrics: 1, insts: n, records: 2}))
			return func() {
				for i := range int32(n) {
					must2(a.InstName(ctx, domain, i))
				}
			}
		}},
		{"find an instance by its name", "instances", steps, func(t *testing.T, n int) func() {
			a := kept(t, write(t, shape{metrics: 1, insts: n, records: 2}))
			return func() { must2(a.LookupInst(ctx, domain, instance(n-1))) }
		}},
		{"read each record", "records", []int{1000, 10000, 100000}, func(t *testing.T, n int) func() {
			return fetchAll(t, shape{metrics: 10, records: n}, ids(1), pcp.Forward, 0)
		}},
		{"interpolate each 10 s", "records", []int{1000, 10000, 100000}, func(t *testing.T, n int) func() {
			return fetchAll(t, shape{metrics: 10, records: n}, ids(1), pcp.Interp, 10*time.Second)
		}},
		{"interpolate each 10 s", "instances", steps, func(t *testing.T, n int) func() {
			return fetchAll(t, shape{metrics: 1, insts: n, records: 100}, ids(1), pcp.Interp, 10*time.Second)
		}},
		{"interpolate each 10 min", "records", []int{1000, 10000, 100000}, func(t *testing.T, n int) func() {
			return fetchAll(t, shape{metrics: 10, records: n}, ids(1), pcp.Interp, 10*time.Minute)
		}},
		{"open a set", "members", []int{10, 100, 1000}, func(t *testing.T, n int) func() {
			set := members(t, n)
			return func() { must(open(t, set).Close()) }
		}},
		{"read each record of a set", "members", []int{10, 100, 1000}, func(t *testing.T, n int) func() {
			return readAll(t, members(t, n), ids(1), pcp.Forward, 0)
		}},
		{"write an archive", "records", steps, func(t *testing.T, n int) func() {
			return func() { write(t, shape{metrics: 10, records: n}) }
		}},
		{"export as tables", "records", steps, func(t *testing.T, n int) func() {
			base := write(t, shape{metrics: 10, records: n})
			return func() {
				a := open(t, base)
				recs, err := export.NewRecords(a)
				must(err)
				must2(export.Write(ctx, recs, recs, &export.Config{Dir: t.TempDir(), Name: "a"}))
				must(a.Close())
			}
		}},
		{"values as text", "instances", steps, func(t *testing.T, n int) func() {
			var res pcp.Result
			must(kept(t, write(t, shape{metrics: 1, insts: n, records: 2})).Fetch(ctx, &pmapi.Request{IDs: ids(1)}, &res))
			var b []byte
			return func() {
				b = b[:0]
				for i := range res.Sets[0].Insts {
					b = (&format.Options{}).AppendValue(b, &res.Sets[0], i, 1)
				}
			}
		}},
		{"select instances one by one", "instances", steps, func(t *testing.T, n int) func() {
			return func() {
				p := new(pcp.Profile)
				p.DelAll()
				for i := range int32(n) {
					p.Add(domain, i*7%int32(n))
				}
				for i := range int32(n) {
					if !p.Selects(domain, i) {
						panic("an instance is missing")
					}
				}
			}
		}},
	}
}

var ctx = context.Background()

// domain is the instance domain of the metrics, if they have one.
var domain = pcp.NewInDom(245, 1)

// must panics on errors, which cannot happen: this is a measurement.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// must2 is must for functions that have a result.
func must2[T any](_ T, err error) { must(err) }

// id returns the identifier of metric i.
func id(i int) pcp.ID { return pcp.NewID(245, uint32(i/1000), uint32(i%1000)) }

// ids returns the first n identifiers.
func ids(n int) []pcp.ID {
	list := make([]pcp.ID, n)
	for i := range list {
		list[i] = id(i)
	}
	return list
}

// name returns the name of metric i: a hundred are in one node.
func name(i int) string { return fmt.Sprintf("group%d.sub%d.metric%d", i/10000, i/100, i) }

// instance returns the name of instance i.
func instance(i int) string { return fmt.Sprintf("inst%05d", i) }

// A shape is what an archive holds: counters, one record each second.
type shape struct{ metrics, insts, records, start int }

// write makes an archive in a directory of its own, and returns its base name.
func write(t *testing.T, s shape) string { return writeAs(t, filepath.Join(t.TempDir(), "a"), s) }

// writeAs makes an archive.
func writeAs(t *testing.T, base string, s shape) string {
	w, err := archive.Create(base, &archive.WriterOptions{Host: "growth", Zone: "UTC"})
	must(err)
	at := func(i int) pcp.Timestamp { return pcp.Timestamp{Sec: int64(1700000000 + s.start + i)} }
	insts, indom := []int32{pcp.NullInst}, pcp.NullInDom
	if s.insts > 0 {
		var list []pcp.Instance
		insts, indom = nil, domain
		for i := range s.insts {
			list, insts = append(list, pcp.Instance{ID: int32(i), Name: instance(i)}), append(insts, int32(i))
		}
		must(w.SetInDom(at(0), indom, list))
	}
	sets := make([]pcp.Values, s.metrics)
	for i := range sets {
		must(w.AddMetric(pcp.Desc{ID: id(i), Type: pcp.Uint64, InDom: indom, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}, name(i)))
		sets[i] = pcp.Values{ID: id(i), Type: pcp.Uint64, Insts: insts, Words: make([]uint64, len(insts))}
	}
	for r := range s.records {
		for i := range sets {
			for k := range sets[i].Words {
				sets[i].Words[k] += uint64(i + k)
			}
		}
		must(w.Put(&pcp.Result{Time: at(r), Sets: sets}))
	}
	must(w.Close())
	return base
}

// members makes n archives that follow each other, and returns their names.
func members(t *testing.T, n int) string {
	dir := t.TempDir()
	var names []string
	for i := range n {
		names = append(names, writeAs(t, filepath.Join(dir, fmt.Sprintf("m%04d", i)), shape{metrics: 10, records: 10, start: 20 * i}))
	}
	return strings.Join(names, ",")
}

// open opens archives.
func open(t *testing.T, list string) *pmapi.Archive {
	a, err := pmapi.OpenArchive(ctx, list, nil)
	must(err)
	return a
}

// kept opens archives until the test ends.
func kept(t *testing.T, list string) *pmapi.Archive {
	a := open(t, list)
	t.Cleanup(func() { a.Close() })
	return a
}

// fetchFirst fetches the first values of metrics.
func fetchFirst(t *testing.T, s shape, ids []pcp.ID) func() {
	a := kept(t, write(t, s))
	var res pcp.Result
	return func() {
		must(a.SetMode(pcp.Forward, &pcp.Timestamp{}, 0))
		must(a.Fetch(ctx, &pmapi.Request{IDs: ids}, &res))
	}
}

// fetchAll fetches metrics from the start to the end.
func fetchAll(t *testing.T, s shape, ids []pcp.ID, mode pcp.Mode, step time.Duration) func() {
	return readAll(t, write(t, s), ids, mode, step)
}

// readAll is fetchAll of archives that exist.
func readAll(t *testing.T, list string, ids []pcp.ID, mode pcp.Mode, step time.Duration) func() {
	a := kept(t, list)
	var res pcp.Result
	return func() {
		must(a.SetMode(mode, &pcp.Timestamp{Sec: 1700000000}, step))
		for {
			err := a.Fetch(ctx, &pmapi.Request{IDs: ids}, &res)
			if errors.Is(err, pmerr.EOL) {
				return
			}
			must(err)
		}
	}
}
