package fetchgroup

import (
	"fmt"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmcd/pmcdtest"
)

// fleetHost is what is asked of each host of a fleet: ten metrics and a domain of 100 instances.
type fleetHost struct {
	Time  time.Time `pcp:",time"`
	A0    float64   `pcp:"f.a0"`
	A1    float64   `pcp:"f.a1"`
	A2    float64   `pcp:"f.a2"`
	A3    float64   `pcp:"f.a3"`
	A4    float64   `pcp:"f.a4"`
	A5    float64   `pcp:"f.a5"`
	A6    float64   `pcp:"f.a6"`
	A7    float64   `pcp:"f.a7"`
	A8    float64   `pcp:"f.a8"`
	A9    float64   `pcp:"f.a9"`
	Disks []struct {
		Name string  `pcp:",instance"`
		Read float64 `pcp:"f.all"`
	}
}

// fleetWorld returns the metrics of fleetHost; n goes into their values.
func fleetWorld(n int) *pmcdtest.World {
	d := pcp.NewInDom(60, 1)
	w := &pmcdtest.World{InDoms: []pmcdtest.InDom{{ID: d}}}
	all := pmcdtest.Metric{Name: "f.all", Desc: pcp.Desc{ID: pcp.NewID(60, 1, 0), Type: pcp.Uint64, InDom: d, Sem: pcp.Instant}}
	for i := range 100 {
		w.InDoms[0].Instances = append(w.InDoms[0].Instances, pcp.Instance{ID: int32(i), Name: fmt.Sprintf("disk-%02d", i)})
		all.Values.Insts, all.Values.Words = append(all.Values.Insts, int32(i)), append(all.Values.Words, uint64(n+i))
	}
	for i := range 10 {
		w.Metrics = append(w.Metrics, pmcdtest.Metric{Name: fmt.Sprint("f.a", i), Values: one(uint64(n + i)),
			Desc: pcp.Desc{ID: pcp.NewID(60, 0, uint32(i)), Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Instant}})
	}
	w.Metrics = append(w.Metrics, all)
	return w
}
