package archivetest

import (
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// A demoMetric is a metric of the demonstration. values returns one value per instance at step i.
type demoMetric struct {
	id     pcp.ID
	name   string
	typ    pcp.Type
	indom  pcp.InDom
	sem    pcp.Sem
	units  pcp.Units
	brief  string
	text   string
	values func(i int) []any
	part   string
}

var (
	loadInDom    = pcp.NewInDom(60, 2)
	demoDisks    = []pcp.Instance{{ID: 0, Name: "sda"}, {ID: 1, Name: "nvme0n1"}}
	demoLoads    = []pcp.Instance{{ID: 1, Name: "1 minute"}, {ID: 5, Name: "5 minute"}, {ID: 15, Name: "15 minute"}}
	demoPhysMem  = 16 * 1024 * 1024 // kilobytes
	demoInterval = 10.0             // seconds between records
)

func demoMetrics() []demoMetric {
	disk := func(item uint32, name string, u pcp.Units, brief, text string, per ...demoRate) demoMetric {
		return demoMetric{pcp.NewID(60, 0, item), "disk.dev." + name, pcp.Uint64, diskInDom, pcp.Counter, u, brief, text,
			func(i int) []any { return demoCounters(i, per) }, "disk"}
	}
	mem := func(item uint32, name string, brief, text string, value func(i int) int) demoMetric {
		return demoMetric{pcp.NewID(60, 1, item), "mem." + name, pcp.Uint64, pcp.NullInDom, pcp.Instant, kbyte, brief, text,
			func(i int) []any { return []any{value(i)} }, "memory"}
	}
	used := func(i int) int { return 6700*1024 + 40960*i + 8192*(i*i%7) }
	free := func(i int) int { return demoPhysMem - used(i) - 4*1024*1024 }
	return []demoMetric{
		disk(4, "read", count, "reads that each disk has completed", "The number of read requests that each disk has completed since boot.",
			demoRate{120400, 31}, demoRate{990120, 210}),
		disk(5, "write", count, "writes that each disk has completed", "The number of write requests that each disk has completed since boot.",
			demoRate{80200, 17}, demoRate{410040, 95}),
		disk(28, "total", count, "reads and writes that each disk has completed", "The sum of disk.dev.read and disk.dev.write.",
			demoRate{200600, 48}, demoRate{1400160, 305}),
		disk(38, "read_bytes", kbyte, "data read from each disk", "The amount of data that each disk has read since boot.",
			demoRate{1926400, 496}, demoRate{63367680, 13440}),
		disk(39, "write_bytes", kbyte, "data written to each disk", "The amount of data that each disk has written since boot.",
			demoRate{2566400, 544}, demoRate{6560640, 1520}),
		disk(41, "total_bytes", kbyte, "data read from and written to each disk", "The sum of disk.dev.read_bytes and disk.dev.write_bytes.",
			demoRate{4492800, 1040}, demoRate{69928320, 14960}),
		{pcp.NewID(60, 2, 0), "kernel.all.load", pcp.Float, loadInDom, pcp.Instant, noUnits, "average number of runnable tasks",
			"The number of tasks that run or wait for a processor or a disk,\naveraged over the last minute, five minutes and a quarter of an hour.",
			func(i int) []any {
				return []any{0.5 + 0.25*float64(i%8), 0.75 + 0.0625*float64(i%16), 0.875 + 0.015625*float64(i)}
			}, "kernel"},
		{pcp.NewID(60, 0, 32), "hinv.ncpu", pcp.Uint32, pcp.NullInDom, pcp.Discrete, noUnits, "number of processors",
			"The number of processors that the system uses.", func(int) []any { return []any{4} }, "hardware"},
		mem(9, "physmem", "size of the memory", "All memory that the system can use.", func(int) int { return demoPhysMem }),
		mem(1, "util.used", "memory in use", "Memory that is used by programs and by the system, without buffers.", used),
		mem(2, "util.free", "memory that nobody uses", "Memory that is neither used nor filled with buffers.", free),
		{pcp.NewID(60, 12, 2), "kernel.uname.release", pcp.String, pcp.NullInDom, pcp.Discrete, noUnits, "release of the kernel",
			"The release of the running kernel as uname shows it.", func(int) []any { return []any{"6.12.0-demo"} }, "kernel"},
	}
}

type demoRate struct{ base, step int }

// demoCounters returns the values of counters after i intervals. The variation is proportional to the step,
// so that sums of counters stay sums.
func demoCounters(i int, rates []demoRate) []any {
	var out []any
	for k, r := range rates {
		n := 0
		for j := range i {
			n += 1 + (j+3*k)%5
		}
		out = append(out, r.base+r.step*n)
	}
	return out
}

// BuildDemo makes the archive dir/HOST, which has what that of demo has, but of another host and from a later time on.
func BuildDemo(dir, host string, later time.Duration) error {
	return build(dir, host, archive.WriterOptions{Host: host, Zone: "UTC", ZoneInfo: ":UTC"}, func(k *kit) {
		k.t0 = pcp.TimestampOf(k.t0.Time().Add(later))
		fillDemo(k)
	})
}

func fillDemo(k *kit) {
	text := func(kind pcp.LabelKind, name, value string) []pcp.LabelSet {
		return []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: name, Value: `"` + value + `"`, Flags: uint8(kind)}}}}
	}
	k.do(k.w.SetLabels(k.t0, pcp.ContextLabels, 0, text(pcp.ContextLabels, "hostname", "demo")))
	k.do(k.w.SetLabels(k.t0, pcp.DomainLabels, 60, text(pcp.DomainLabels, "agent", "linux")))
	k.do(k.w.SetLabels(k.t0, pcp.InDomLabels, uint32(diskInDom), text(pcp.InDomLabels, "device_type", "block")))
	var kinds []pcp.LabelSet
	for i, kind := range []string{"rotating", "flash"} {
		set := text(pcp.InstanceLabels, "medium", kind)
		set[0].Inst = demoDisks[i].ID
		kinds = append(kinds, set...)
	}
	k.do(k.w.SetLabels(k.t0, pcp.InstanceLabels, uint32(diskInDom), kinds))
	k.indom(0, diskInDom, demoDisks...)
	k.indom(0, loadInDom, demoLoads...)
	k.do(k.w.SetText(uint32(diskInDom), true, pcp.OneLine, "the disks of the host"))
	k.do(k.w.SetText(uint32(loadInDom), true, pcp.OneLine, "the times over which the load is averaged"))
	metrics := demoMetrics()
	for _, m := range metrics {
		k.metric(m.id, m.typ, m.indom, m.sem, m.units, m.name)
		k.do(k.w.SetText(uint32(m.id), false, pcp.OneLine, m.brief))
		k.do(k.w.SetText(uint32(m.id), false, pcp.Help, m.text))
		k.do(k.w.SetLabels(k.t0, pcp.ItemLabels, uint32(m.id), text(pcp.ItemLabels, "part", m.part)))
	}
	for i := range 60 {
		var cols []pcp.Values
		for _, m := range metrics {
			var insts []int32
			switch m.indom {
			case diskInDom:
				insts = []int32{0, 1}
			case loadInDom:
				insts = []int32{1, 5, 15}
			}
			cols = append(cols, k.col(m.id, insts, m.values(i)...))
		}
		k.put(demoInterval*float64(i), cols...)
	}
}
