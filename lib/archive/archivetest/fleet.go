package archivetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

const (
	fleetStart    = 1704067200 // 2024-01-01 00:00 UTC
	fleetRecords  = 24 * 60
	fleetInterval = 60.0
	fleetDisks    = 20
	fleetCPUs     = 8
)

// FleetHost returns the name of a host by its number.
func FleetHost(number int) string { return fmt.Sprintf("host%04d", number) }

// BuildFleetHost makes the archive dir/hostNNNN, a recording of a host of a fleet: 2024-01-01 in UTC, a
// record each minute, with 20 metrics, eight of which have 20 disks as instances. Disks are busy by
// the time of the day, on some hosts more than on others. Every tenth host is started again at noon:
// there is a mark, and counters begin again.
func BuildFleetHost(dir string, number int) error {
	name := FleetHost(number)
	opt := archive.WriterOptions{Host: name, Zone: "UTC", ZoneInfo: ":UTC"}
	return build(dir, name, opt, func(k *kit) {
		k.t0 = pcp.Timestamp{Sec: fleetStart}
		newFleetHost(k, number).fill()
	})
}

type fleetHost struct {
	k        *kit
	number   int
	rng      *rand.Rand
	load     float64 // load of the host at noon, 0 to 1
	insts    []int32
	disks    []pcp.Values // as in diskCounters
	counters []pcp.Values // of the host, as in hostCounters
	gauges   []pcp.Values
}

type fleetMetric struct {
	cluster, item uint32
	name          string
	typ           pcp.Type
	sem           pcp.Sem
	units         pcp.Units
}

var (
	diskCounters = []fleetMetric{
		{0, 4, "disk.dev.read", pcp.Uint64, pcp.Counter, count},
		{0, 5, "disk.dev.write", pcp.Uint64, pcp.Counter, count},
		{0, 28, "disk.dev.total", pcp.Uint64, pcp.Counter, count},
		{0, 38, "disk.dev.read_bytes", pcp.Uint64, pcp.Counter, kbyte},
		{0, 39, "disk.dev.write_bytes", pcp.Uint64, pcp.Counter, kbyte},
		{0, 40, "disk.dev.total_bytes", pcp.Uint64, pcp.Counter, kbyte},
		{0, 46, "disk.dev.avactive", pcp.Uint32, pcp.Counter, msec},
		{0, 47, "disk.dev.aveq", pcp.Uint32, pcp.Counter, msec},
	}
	hostCounters = []fleetMetric{
		{0, 20, "kernel.all.cpu.user", pcp.Uint64, pcp.Counter, msec},
		{0, 21, "kernel.all.cpu.nice", pcp.Uint64, pcp.Counter, msec},
		{0, 22, "kernel.all.cpu.sys", pcp.Uint64, pcp.Counter, msec},
		{0, 35, "kernel.all.cpu.wait.total", pcp.Uint64, pcp.Counter, msec},
		{0, 23, "kernel.all.cpu.idle", pcp.Uint64, pcp.Counter, msec},
		{0, 12, "kernel.all.intr", pcp.Uint64, pcp.Counter, count},
		{0, 13, "kernel.all.pswitch", pcp.Uint64, pcp.Counter, count},
	}
	hostGauges = []fleetMetric{
		{2, 3, "kernel.all.nprocs", pcp.Uint32, pcp.Instant, noUnits},
		{1, 0, "mem.physmem", pcp.Uint64, pcp.Discrete, kbyte},
		{1, 1, "mem.util.used", pcp.Uint64, pcp.Instant, kbyte},
		{1, 2, "mem.util.free", pcp.Uint64, pcp.Instant, kbyte},
		{0, 32, "hinv.ncpu", pcp.Uint32, pcp.Discrete, noUnits},
	}
)

func newFleetHost(k *kit, number int) *fleetHost {
	h := &fleetHost{k: k, number: number, rng: rand.New(rand.NewPCG(uint64(number), 1))}
	h.load = 0.1 + 0.7*h.rng.Float64()*h.rng.Float64()
	var disks []pcp.Instance
	for i := range int32(fleetDisks) {
		disks = append(disks, pcp.Instance{ID: i, Name: "sd" + string(rune('a'+i))})
		h.insts = append(h.insts, i)
	}
	k.indom(0, diskInDom, disks...)
	h.disks = h.add(diskCounters, diskInDom, h.insts)
	h.counters = h.add(hostCounters, pcp.NullInDom, []int32{pcp.NullInst})
	h.gauges = h.add(hostGauges, pcp.NullInDom, []int32{pcp.NullInst})
	return h
}

func (h *fleetHost) add(list []fleetMetric, d pcp.InDom, insts []int32) (cols []pcp.Values) {
	for _, m := range list {
		id := pcp.NewID(60, m.cluster, m.item)
		h.k.metric(id, m.typ, d, m.sem, m.units, m.name)
		cols = append(cols, pcp.Values{ID: id, Type: m.typ, Insts: insts, Words: make([]uint64, len(insts))})
	}
	return cols
}

func (h *fleetHost) fill() {
	for r := range fleetRecords {
		if h.number%10 == 7 && r == fleetRecords/2 {
			h.k.mark(fleetInterval*float64(r) - 30)
			for _, cols := range [][]pcp.Values{h.disks, h.counters} {
				for i := range cols {
					clear(cols[i].Words)
				}
			}
		}
		busy := h.load * (0.6 - 0.4*math.Cos(2*math.Pi*float64(r)/fleetRecords)) // less at night
		for i := range h.insts {
			h.disk(i, min(1, busy*(0.4+1.2*h.rng.Float64())/(1+0.1*float64(i))))
		}
		h.host(min(1, busy*(0.7+0.6*h.rng.Float64())))
		h.k.put(fleetInterval*float64(r), slices.Concat(h.disks, h.counters, h.gauges)...)
	}
}

// disk advances the counters of a disk by a minute, for a part of which it is busy.
func (h *fleetHost) disk(i int, busy float64) {
	reads, writes := uint64(6000*busy*h.rng.Float64()), uint64(9000*busy*h.rng.Float64())
	readKB, writeKB := reads*uint64(4+h.rng.IntN(60)), writes*uint64(4+h.rng.IntN(28))
	ms := uint64(60_000 * busy)
	for m, n := range []uint64{reads, writes, reads + writes, readKB, writeKB, readKB + writeKB, ms, ms + ms*uint64(h.rng.IntN(300))/100} {
		w := &h.disks[m].Words[i]
		if *w += n; h.disks[m].Type == pcp.Uint32 {
			*w = uint64(uint32(*w)) // as in the kernel, whose counter starts at 0 again
		}
	}
}

func (h *fleetHost) host(busy float64) {
	all := uint64(fleetCPUs * 60_000)
	user, sys, wait := uint64(float64(all)*busy*0.6), uint64(float64(all)*busy*0.2), uint64(float64(all)*busy*0.1)
	nice := uint64(h.rng.IntN(1000))
	for m, n := range []uint64{user, nice, sys, wait, all - user - nice - sys - wait, uint64(500_000 * busy), uint64(900_000 * busy)} {
		h.counters[m].Words[0] += n
	}
	memory := uint64(64 << 20)
	used := uint64(float64(memory) * (0.2 + 0.7*busy))
	for m, n := range []uint64{uint64(200 + 400*busy), memory, used, memory - used, fleetCPUs} {
		h.gauges[m].Words[0] = n
	}
}
