package archivetest

import "pmtools/lib/pcp"

// set returns the function that fills a member of a set with three records, one second apart: t.n is the
// time since the start of setA, and t.i has an instance for the archive. change may change the description
// of t.n.
func set(start int, change func(d *pcp.Desc)) func(k *kit) {
	return func(k *kit) {
		d := pcp.Desc{ID: id245(1), Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Instant}
		insts := []int32(nil)
		if change != nil {
			change(&d)
		}
		k.metric(d.ID, d.Type, d.InDom, d.Sem, d.Units, "t.n")
		if d.InDom != pcp.NullInDom {
			insts = []int32{0}
			k.indom(float64(start), d.InDom, pcp.Instance{ID: 0, Name: "zero"})
		}
		parts := pcp.NewInDom(245, 7)
		k.metric(id245(2), pcp.Int32, parts, pcp.Instant, noUnits, "t.i")
		k.indom(float64(start), parts, pcp.Instance{ID: int32(start), Name: "part " + string(rune('a'+start))})
		for i := range 3 {
			k.put(float64(start+i), k.col(d.ID, insts, start+i), k.col(id245(2), []int32{int32(start)}, i))
		}
	}
}
