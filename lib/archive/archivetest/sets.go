package archivetest

import (
	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// setMakers returns archives that are opened together: setA and setB follow one
// another, the others clash with setA in the way of their name
// (archive.md A3).
func setMakers() []maker {
	set := func(name string, start int, change func(d *pcp.Desc)) maker {
		return maker{name: name, v2: name == "setB", fill: func(k *kit) { fillSet(k, start, change) }}
	}
	all := []maker{
		set("setA", 0, nil),
		set("setB", 10, nil),
		set("overlap", 1, nil),
		set("samestart", 0, nil),
		set("otherhost", 20, nil),
		set("othertype", 20, func(d *pcp.Desc) { d.Type = pcp.Uint32 }),
		set("othersem", 20, func(d *pcp.Desc) { d.Sem = pcp.Discrete }),
		set("otherindom", 20, func(d *pcp.Desc) { d.InDom = testInDom }),
		set("otherunits", 20, func(d *pcp.Desc) { d.Units = count }),
	}
	for i := range all {
		if all[i].name == "otherhost" {
			all[i].opt = archive.WriterOptions{Host: "elsewhere"}
		}
	}
	return all
}

// fillSet writes three records one second apart: t.n is the time since the start
// of setA, t.i has an instance for the archive.
func fillSet(k *kit, start int, change func(d *pcp.Desc)) {
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
