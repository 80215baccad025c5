package archivetest

import (
	"fmt"
	"os"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

func cut(file string, n int64) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return os.Truncate(file, info.Size()-n)
}

// fillMini writes the minimal archive of archive.md A19.
func fillMini(k *kit) {
	k.metric(id245(1), pcp.Int32, pcp.NullInDom, pcp.Instant, noUnits, "mini.x")
	k.put(0, k.col(id245(1), nil, 7))
	k.put(1, k.col(id245(1), nil, 9))
}

// fillInterp writes four records ten seconds apart with each type and semantics, t.c.l to t.d.s: the
// numbers 10, 15, 40, 5 and the strings v0 to v3 (archive.md A13.10).
func fillInterp(k *kit) {
	numeric := []struct {
		name string
		typ  pcp.Type
	}{{"l", pcp.Int32}, {"ul", pcp.Uint32}, {"ll", pcp.Int64}, {"ull", pcp.Uint64}, {"f", pcp.Float}, {"d", pcp.Double}}
	for si, sem := range semantics {
		prefix := "t." + sem.String()[:1] + "."
		for ti, t := range numeric {
			k.metric(id245(uint32(10*si+ti+1)), t.typ, pcp.NullInDom, sem, noUnits, prefix+t.name)
		}
		k.metric(id245(uint32(10*si+8)), pcp.String, pcp.NullInDom, sem, noUnits, prefix+"s")
	}
	negative := id245(40)
	k.metric(negative, pcp.Int32, pcp.NullInDom, pcp.Counter, noUnits, "t.c.neg")
	for i, x := range []int{10, 15, 40, 5} {
		cols := []pcp.Values{k.col(negative, nil, -x)}
		for si := range semantics {
			for ti := range numeric {
				cols = append(cols, k.col(id245(uint32(10*si+ti+1)), nil, x))
			}
			cols = append(cols, k.col(id245(uint32(10*si+8)), nil, fmt.Sprintf("v%d", i)))
		}
		k.put(10*float64(i), cols...)
	}
}

func trio(k *kit, d pcp.InDom) []pcp.ID {
	ids := []pcp.ID{id245(1), id245(2), id245(3)}
	for i, sem := range semantics {
		k.metric(ids[i], pcp.Uint32, d, sem, noUnits, "t."+sem.String()[:1])
	}
	return ids
}

// fillMarks writes 100+t every ten seconds from 0 to 60, with a mark at 25 (archive.md A13.11).
func fillMarks(k *kit) {
	ids := trio(k, pcp.NullInDom)
	for t := 0; t <= 60; t += 10 {
		if t == 30 {
			k.mark(25)
		}
		var cols []pcp.Values
		for _, id := range ids {
			cols = append(cols, k.col(id, nil, 100+t))
		}
		k.put(float64(t), cols...)
	}
}

// fillGaps writes 100+t at 0, 10, 50 and 60; between them no values, an error, and a record without the
// metrics (archive.md A13.12).
func fillGaps(k *kit) {
	ids := trio(k, pcp.NullInDom)
	other := id245(9)
	k.metric(other, pcp.Int32, pcp.NullInDom, pcp.Instant, noUnits, "t.other")
	for t := 0; t <= 60; t += 10 {
		cols := []pcp.Values{k.col(other, nil, t)}
		for _, id := range ids {
			switch t {
			case 20:
				cols = append(cols, empty(id))
			case 30:
				cols = append(cols, failed(id, pmerr.AppVersion))
			case 40:
			default:
				cols = append(cols, k.col(id, nil, 100+t))
			}
		}
		k.put(float64(t), cols...)
	}
}

// fillDomains writes 100*i+t for a domain of 15 instances (small.c, .i and .d) and one of 16 (large.*)
// every ten seconds from 0 to 60. Instance 5 is absent from 20 to 39, instance 7 from 20 on (archive.md
// A13.13).
func fillDomains(k *kit) {
	sizes := []int32{15, 16}
	for n, name := range []string{"small", "large"} {
		for i, sem := range semantics {
			k.metric(id245(uint32(10*n+i+1)), pcp.Uint32, pcp.NewInDom(245, uint32(n+1)), sem, noUnits, name+"."+sem.String()[:1])
		}
	}
	for t := 0; t <= 60; t += 10 {
		var cols []pcp.Values
		for n, size := range sizes {
			d := pcp.NewInDom(245, uint32(n+1))
			var ids []int32
			var insts []pcp.Instance
			var values []any
			for i := int32(1); i <= size; i++ {
				if i == 7 && t >= 20 || i == 5 && t >= 20 && t < 40 {
					continue
				}
				ids = append(ids, i)
				insts = append(insts, pcp.Instance{ID: i, Name: fmt.Sprintf("inst %d", i)})
				values = append(values, int64(100*i)+int64(t))
			}
			if t == 0 || t == 20 || t == 40 {
				k.indom(float64(t), d, insts...)
			}
			for i := range semantics {
				cols = append(cols, k.col(id245(uint32(10*n+i+1)), ids, values...))
			}
		}
		k.put(float64(t), cols...)
	}
}

// fillVolumes writes 300 records a tenth of a second apart in three volumes. Every 50th has new metadata.
func fillVolumes(k *kit) {
	k.metric(id245(1), pcp.Uint64, pcp.NullInDom, pcp.Counter, byteU, "t.c")
	for i := range 300 {
		var cols []pcp.Values
		if i%50 == 0 {
			item := uint32(i/50 + 2)
			k.metric(id245(item), pcp.Int32, pcp.NullInDom, pcp.Instant, noUnits, fmt.Sprintf("t.v%d", item))
			cols = append(cols, k.col(id245(item), nil, i))
		}
		k.put(0.1*float64(i), append(cols, k.col(id245(1), nil, 1000*i))...)
	}
}
