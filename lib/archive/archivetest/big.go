package archivetest

import (
	"fmt"
	"path/filepath"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// BuildBig makes the archive dir/name for benchmarks: records of 21 metrics, one second apart.
// Twenty of them have 100 instances, in turn 64-bit counters (big.c00, big.c02 and on), Doubles
// (big.d01) and 32-bit numbers (big.l03); big.n is the number of the record. 5,000 records take
// about 170 MB.
func BuildBig(dir, name string, records int) error {
	return build(dir, name, archive.WriterOptions{}, func(k *kit) { fillLoad(k, load{prefix: "big", metrics: 20, insts: 100, records: records}) })
}

// BuildWide makes the archive dir/name for benchmarks with that many metrics, wide.c00 and on, of
// two instances each, and wide.n.
func BuildWide(dir, name string, metrics, records int) error {
	return build(dir, name, archive.WriterOptions{}, func(k *kit) { fillLoad(k, load{prefix: "wide", metrics: metrics, insts: 2, records: records}) })
}

// memberRecords is the number of records of a set's member for benchmarks, and its length in seconds.
const memberRecords = 100

// MemberName returns the name of a member by its number.
func MemberName(number int) string { return fmt.Sprintf("member%04d", number) }

// BuildMember makes the archive dir/memberNNNN, one of a set for benchmarks: like those of BuildBig,
// with 100 records, and following the member before.
func BuildMember(dir string, number int) error {
	return build(dir, MemberName(number), archive.WriterOptions{}, func(k *kit) {
		k.t0.Sec += int64(number) * memberRecords
		fillLoad(k, load{prefix: "big", metrics: 20, insts: 100, records: memberRecords})
	})
}

type load struct {
	prefix                  string
	metrics, insts, records int
}

// fillLoad reuses the memory of a record for the next.
func fillLoad(k *kit, l load) {
	var insts []pcp.Instance
	var ids []int32
	for i := range l.insts {
		insts = append(insts, pcp.Instance{ID: int32(i), Name: fmt.Sprintf("instance-%03d", i)})
		ids = append(ids, int32(i))
	}
	k.indom(0, testInDom, insts...)
	number := id245(1)
	k.metric(number, pcp.Uint32, pcp.NullInDom, pcp.Instant, noUnits, l.prefix+".n")
	cols := make([]pcp.Values, 1, l.metrics+1)
	for i := range l.metrics {
		id := pcp.NewID(245, uint32(1+i/1000), uint32(i%1000))
		switch i % 4 {
		case 0, 2:
			k.metric(id, pcp.Uint64, testInDom, pcp.Counter, byteU, fmt.Sprintf("%s.c%02d", l.prefix, i))
		case 1:
			k.metric(id, pcp.Double, testInDom, pcp.Instant, noUnits, fmt.Sprintf("%s.d%02d", l.prefix, i))
		case 3:
			k.metric(id, pcp.Uint32, testInDom, pcp.Instant, noUnits, fmt.Sprintf("%s.l%02d", l.prefix, i))
		}
		cols = append(cols, pcp.Values{ID: id, Type: k.types[id], Insts: ids, Words: make([]uint64, l.insts)})
	}
	for r := range l.records {
		cols[0] = k.col(number, nil, r)
		for c := 1; c < len(cols); c++ {
			for i := range cols[c].Words {
				n := (int64(r)*int64(i+3) + int64(c*i)) * 1024
				switch cols[c].Type {
				case pcp.Double:
					cols[c].Words[i] = word(pcp.Double, float64(n%1000)/8)
				case pcp.Uint32:
					cols[c].Words[i] = uint64(n % 100000)
				default:
					cols[c].Words[i] = uint64(n)
				}
			}
		}
		k.put(float64(r), cols...)
	}
}

// BuildSparse makes the archive dir/name for benchmarks: records of 2,000 metrics, sparse.m0000 and
// on, one second apart, with a mark after each 28th. The first ten metrics are in each record, the
// others in one of some hundreds. In turn they are counters, instant, and discrete. 20,000 records
// have about 700 marks.
func BuildSparse(dir, name string, records int) error {
	return build(dir, name, archive.WriterOptions{}, func(k *kit) { fillSparse(k, records) })
}

func build(dir, name string, opt archive.WriterOptions, fill func(k *kit)) error {
	m := maker{name: name, opt: opt, fill: fill}
	return m.build(filepath.Join(dir, name))
}

func fillSparse(k *kit, records int) {
	const metrics, dense, between = 2000, 10, 28
	id := func(i int) pcp.ID { return pcp.NewID(245, uint32(1+i/1000), uint32(i%1000)) }
	for i := range metrics {
		k.metric(id(i), pcp.Uint64, pcp.NullInDom, semantics[i%3], noUnits, fmt.Sprintf("sparse.m%04d", i))
	}
	var cols []pcp.Values
	for r := range records {
		cols = cols[:0]
		for i := range metrics {
			if i < dense || (r+37*i)%(100+i) == 0 {
				cols = append(cols, k.col(id(i), nil, int64(1000*r+i)))
			}
		}
		k.put(float64(r), cols...)
		if r%between == between-1 {
			k.mark(float64(r) + 0.001)
		}
	}
}
