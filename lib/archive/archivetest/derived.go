package archivetest

import (
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

const testInDom = pcp.InDom(245<<22 | 1)

// fillTA writes the archive TA of derived.md D13: six records one second apart, with errors, missing values
// and fewer instances.
func fillTA(k *kit) {
	k.t0.Sec = 1000000000
	const a, b, c, d, s = 0, 1, 2, 3, 4
	ids := [...]pcp.ID{id245(1), id245(2), id245(3), id245(4), id245(5)}
	k.metric(ids[a], pcp.Uint32, pcp.NullInDom, pcp.Counter, count, "t.a")
	k.metric(ids[b], pcp.Int32, testInDom, pcp.Instant, noUnits, "t.b")
	k.metric(ids[c], pcp.Int32, testInDom, pcp.Instant, noUnits, "t.c")
	k.metric(ids[d], pcp.Int32, pcp.NullInDom, pcp.Instant, noUnits, "t.d")
	k.metric(ids[s], pcp.Int32, pcp.NullInDom, pcp.Instant, noUnits, "t.s")
	k.indom(0, testInDom, pcp.Instance{ID: 1, Name: "one"}, pcp.Instance{ID: 2, Name: "two blank"},
		pcp.Instance{ID: 3, Name: "three"}, pcp.Instance{ID: 4, Name: "a]b"}, pcp.Instance{ID: 5, Name: "a/b"})
	counters := [...]pcp.Values{
		k.col(ids[a], nil, 0), k.col(ids[a], nil, 101), failed(ids[a], pmerr.Again),
		k.col(ids[a], nil, 309), empty(ids[a]), k.col(ids[a], nil, 525),
	}
	for i, counter := range counters {
		tb := k.col(ids[b], []int32{1, 2, 3, 4, 5}, 10+i, 20+i, 30+i, 40+i, 50+i)
		if i == 3 {
			tb = k.col(ids[b], []int32{4, 5}, 23, 13)
		}
		ts := k.col(ids[s], nil, i)
		if i == 1 {
			ts = failed(ids[s], pmerr.Value)
		}
		k.put(float64(i), counter, tb, k.col(ids[c], []int32{1, 2, 3, 4}, 1000, 2000, 3000, 4000),
			k.col(ids[d], nil, i%2), ts)
	}
}

// fillScrambled writes metrics whose instances come, go and change their order: a value, a counter, and a
// value that fails or has no values at times. Its own generator makes the archive the same everywhere.
func fillScrambled(k *kit) {
	k.t0.Sec = 1000000000
	const instances = 8
	ids := [...]pcp.ID{id245(1), id245(2), id245(3)}
	k.metric(ids[0], pcp.Int32, testInDom, pcp.Instant, noUnits, "r.a")
	k.metric(ids[1], pcp.Uint32, testInDom, pcp.Counter, count, "r.b")
	k.metric(ids[2], pcp.Double, testInDom, pcp.Instant, noUnits, "r.c")
	var names []pcp.Instance
	for i := range int32(instances) {
		names = append(names, pcp.Instance{ID: 10 * i, Name: fmt.Sprintf("r%d", i)})
	}
	k.indom(0, testInDom, names...)
	state := uint32(1)
	below := func(n uint32) uint32 {
		state = state*1664525 + 1013904223
		return state >> 16 % n
	}
	for record := range 30 {
		cols := make([]pcp.Values, len(ids))
		for c, id := range ids {
			var insts []int32
			var values []any
			for i := range uint32(instances) {
				if below(4) > 0 {
					insts = append(insts, 10*int32(i))
				}
			}
			for i := range insts {
				if record%3 == 2 { // in the other records they only come and go
					j := below(uint32(len(insts)))
					insts[i], insts[j] = insts[j], insts[i]
				}
			}
			for _, inst := range insts {
				values = append(values, record*100+int(inst))
			}
			cols[c] = k.col(id, insts, values...)
		}
		switch {
		case record%7 == 3:
			cols[2] = failed(ids[2], pmerr.Again)
		case record%7 == 5:
			cols[2] = empty(ids[2])
		}
		k.put(float64(record), cols...)
	}
}

// fillWrap writes an unsigned and a signed 32-bit counter that overflow at nearly every step.
func fillWrap(k *kit) {
	unsigned, signed := pcp.NewID(29, 0, 58), pcp.NewID(29, 0, 57)
	k.metric(unsigned, pcp.Uint32, pcp.NullInDom, pcp.Counter, noUnits, "sample.wrap.ulong")
	k.metric(signed, pcp.Int32, pcp.NullInDom, pcp.Counter, noUnits, "sample.wrap.long")
	rows := []struct {
		sec              int64
		nsec             int32
		unsigned, signed int64
	}{
		{1120121298, 720354000, 2147483586, -1073741870},
		{1120121299, 720186000, 4294967232, -48},
		{1120121300, 720032000, 2147483582, 1073741774},
		{1120121301, 719877000, 4294967228, 2147483596},
		{1120121302, 719734000, 2147483578, -1073741878},
		{1120121303, 719568000, 4294967224, -56},
	}
	for _, r := range rows {
		k.putAt(pcp.Timestamp{Sec: r.sec, Nsec: r.nsec}, k.col(unsigned, nil, r.unsigned), k.col(signed, nil, r.signed))
	}
}

var (
	diskInDom   = pcp.NewInDom(60, 1)
	colourInDom = pcp.NewInDom(29, 1)
	binInDom    = pcp.NewInDom(29, 2)
)

// fillDerived writes recorded derived metrics along with their operands. The last one is a difference, without
// a value in the first record.
func fillDerived(k *kit) {
	colour, bin := pcp.NewID(29, 0, 5), pcp.NewID(29, 0, 6)
	sum, zero, await := pcp.NewID(511, 2048, 3), pcp.NewID(511, 2048, 4), pcp.NewID(511, 2048, 5)
	read, total, active := pcp.NewID(60, 0, 4), pcp.NewID(60, 0, 28), pcp.NewID(60, 0, 79)
	k.metric(colour, pcp.Int32, colourInDom, pcp.Instant, noUnits, "sample.dupnames.four.colour", "sample.colour")
	k.metric(bin, pcp.Int32, binInDom, pcp.Instant, noUnits, "sample.dupnames.five.bin", "sample.dupnames.four.bin",
		"sample.dupnames.three.bin", "sample.dupnames.two.bin", "sample.bin")
	k.metric(sum, pcp.Uint32, binInDom, pcp.Instant, noUnits, "sample.derived.a")
	k.metric(zero, pcp.Int32, colourInDom, pcp.Instant, noUnits, "sample.derived.b")
	k.metric(read, pcp.Uint64, diskInDom, pcp.Counter, count, "disk.dev.read")
	k.metric(total, pcp.Uint64, diskInDom, pcp.Counter, count, "disk.dev.total")
	k.metric(active, pcp.Uint32, diskInDom, pcp.Counter, msec, "disk.dev.total_rawactive")
	k.metric(await, pcp.Double, diskInDom, pcp.Instant,
		pcp.Units{DimTime: 1, ScaleTime: pcp.Msec, DimCount: -1}, "disk.dev.await")
	start := pcp.Timestamp{Sec: 1715213979, Nsec: 893503962}
	k.t0 = start
	colours := []int32{0, 1, 2}
	bins := []int32{100, 200, 300, 400, 500, 600, 700, 800, 900}
	disks := []int32{0, 1, 2, 3, 4}
	k.indom(0, colourInDom, named(colours, "red", "green", "blue")...)
	k.indom(0, binInDom, named(bins, "bin-100", "bin-200", "bin-300", "bin-400", "bin-500",
		"bin-600", "bin-700", "bin-800", "bin-900")...)
	k.indom(0, diskInDom, named(disks, "sdb", "sda", "sdd", "sdc", "sde")...)
	rows := []struct {
		sec                 int64
		nsec                int32
		read, total, active []any
		await               []any
	}{
		{1715213979, 893503962, ints(675058, 408690, 1098438, 232322, 393950),
			ints(4620672, 1558822, 3238509, 348905, 2509394), ints(27856455, 12918870, 32142813, 192180, 26755321), nil},
		{1715213981, 893451741, ints(675058, 408690, 1098438, 232322, 393950),
			ints(4620719, 1558826, 3238514, 348905, 2509394), ints(27856541, 12918895, 32142870, 192180, 26755321),
			[]any{1.829787234042553, 6.25, 11.4, 0.0, 0.0}},
		{1715213983, 894389397, ints(675058, 408690, 1098440, 232322, 393950),
			ints(4620771, 1558826, 3238516, 348939, 2509394), ints(27856818, 12918895, 32142871, 192223, 26755321),
			[]any{5.326923076923077, 0.0, 0.5, 1.264705882352941, 0.0}},
	}
	for i, r := range rows {
		waits := empty(await)
		if r.await != nil {
			waits = k.col(await, disks, r.await...)
		}
		c := int64(i)
		k.putAt(pcp.Timestamp{Sec: r.sec, Nsec: r.nsec}, waits, k.col(zero, colours, 0, 0, 0),
			k.col(sum, bins, ints(142, 242, 342, 442, 542, 642, 742, 842, 942)...),
			k.col(active, disks, r.active...), k.col(total, disks, r.total...), k.col(read, disks, r.read...),
			k.col(bin, bins, ints(100, 200, 300, 400, 500, 600, 700, 800, 900)...),
			k.col(colour, colours, 125+c, 226+c, 327+c))
	}
}

func named(ids []int32, names ...string) []pcp.Instance {
	insts := make([]pcp.Instance, len(ids))
	for i, id := range ids {
		insts[i] = pcp.Instance{ID: id, Name: names[i]}
	}
	return insts
}
