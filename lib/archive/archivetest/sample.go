package archivetest

import (
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

var (
	mirageInDom = pcp.NewInDom(29, 3)
	loggerInDom = pcp.NewInDom(2, 1)
)

// logger describes the three metrics of a logger, and returns their columns for the first record.
func logger(k *kit, pid int32, name, host, path string, port int64) []pcp.Values {
	ids := [...]pcp.ID{pcp.NewID(2, 3, 3), pcp.NewID(2, 3, 0), pcp.NewID(2, 3, 2)}
	k.metric(ids[0], pcp.String, loggerInDom, pcp.Discrete, noUnits, "pmcd.pmlogger.host")
	k.metric(ids[1], pcp.Uint32, loggerInDom, pcp.Discrete, noUnits, "pmcd.pmlogger.port")
	k.metric(ids[2], pcp.String, loggerInDom, pcp.Discrete, noUnits, "pmcd.pmlogger.archive")
	k.indom(0, loggerInDom, pcp.Instance{ID: pid, Name: name})
	inst := []int32{pid}
	return []pcp.Values{k.col(ids[0], inst, host), k.col(ids[1], inst, port), k.col(ids[2], inst, path)}
}

// fillSample writes the archive of the examples in derived.md D12 and D13: five records half a second
// apart, after one of the logger itself.
func fillSample(k *kit) {
	k.t0 = pcp.Timestamp{Sec: 1262170739, Nsec: 5168000}
	first := logger(k, 3931, "3931", "bozo.localdomain", "/var/log/pcp/sample", 4331)
	k.put(0, first...)
	metrics := sampleMetrics()
	for _, d := range metrics {
		k.metric(d.id, d.typ, d.indom, d.sem, d.units, d.name)
	}
	insts := []int32{0, 46, 47, 10, 15, 16, 17, 18}
	names := []string{"m-00", "m-46", "m-47", "m-10", "m-15", "m-16", "m-17", "m-18"}
	offsets := []int64{0, 4599, 4698, 997, 1496, 1595, 1694, 1793} // above m-00
	k.do(k.w.SetInDom(pcp.Timestamp{Sec: 1262170739, Nsec: 505162000}, mirageInDom, named(insts, names...)))
	rows := []struct {
		sec    int64
		nsec   int32
		values []any   // of the singular metrics
		mirage []int64 // of m-00, for the two metrics
	}{
		{1262170739, 505162000, ints(770, 23132, 767, 23833, 1, 1, 1, 1, 1, 1, 1), []int64{34, 26}},
		{1262170740, 5135000, ints(726, 23979, 626, 24172, 1, 1, 1, 1, 1, 1, 1), []int64{18, 10}},
		{1262170740, 505139000, ints(414, 24629, 875, 25624, 1, 1, 1, 1, 1, 1, 1), []int64{2, 94}},
		{1262170741, 5139000, ints(1019, 26082, 78, 26730, 1, 1, 1, 1, 1, 1, 1), []int64{86, 78}},
		{1262170741, 505136000, ints(294, 26857, 196, 26911, 10, 10, 10, 1000000000000, 10, 1099511627776, 2), []int64{70, 62}},
	}
	for _, r := range rows {
		var cols []pcp.Values
		for i, x := range r.values {
			cols = append(cols, k.col(metrics[i].id, nil, x))
		}
		for j, scale := range []int64{1000000, 1} {
			var values []any
			for _, off := range offsets {
				values = append(values, (r.mirage[j]+off)*scale)
			}
			cols = append(cols, k.col(metrics[len(r.values)+j].id, insts, values...))
		}
		k.putAt(pcp.Timestamp{Sec: r.sec, Nsec: r.nsec}, cols...)
	}
}

type sampleMetric struct {
	id    pcp.ID
	name  string
	typ   pcp.Type
	indom pcp.InDom
	sem   pcp.Sem
	units pcp.Units
}

func sampleMetrics() []sampleMetric {
	perSec := pcp.Units{DimSpace: 1, DimTime: -1, ScaleTime: pcp.Sec}
	perHour := pcp.Units{DimSpace: 1, DimTime: -1, ScaleTime: pcp.Hour}
	sec := pcp.Units{DimTime: 1, ScaleTime: pcp.Sec}
	step := func(item uint32, name string, u pcp.Units) sampleMetric {
		return sampleMetric{pcp.NewID(29, 0, item), "sample.scale_step." + name, pcp.Double, pcp.NullInDom, pcp.Instant, u}
	}
	one := func(item uint32, name string, sem pcp.Sem, u pcp.Units) sampleMetric {
		return sampleMetric{pcp.NewID(29, 0, item), "sample." + name, pcp.Int32, pcp.NullInDom, sem, u}
	}
	return []sampleMetric{
		one(85, "byte_rate_perhour", pcp.Instant, perHour),
		one(83, "kbyte_ctr", pcp.Counter, kbyte),
		one(82, "byte_rate", pcp.Instant, perSec),
		one(81, "byte_ctr", pcp.Counter, byteU),
		step(71, "none_up", noUnits),
		step(70, "time_up_nanosecs", pcp.Units{DimTime: 1, ScaleTime: pcp.Nsec}),
		step(69, "time_up_secs", sec),
		step(68, "count_down", count),
		step(67, "count_up", pcp.Units{DimCount: 1, DimTime: -1, ScaleTime: pcp.Sec}),
		step(66, "bytes_down", byteU),
		step(65, "bytes_up", perSec),
		{pcp.NewID(29, 0, 38), "sample.mirage_longlong", pcp.Int64, mirageInDom, pcp.Instant,
			pcp.Units{DimSpace: 1, DimTime: -1, ScaleTime: pcp.Msec}},
		{pcp.NewID(29, 0, 37), "sample.mirage", pcp.Int32, mirageInDom, pcp.Instant,
			pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte, DimTime: -1, ScaleTime: pcp.Sec}},
	}
}

// fillExtra writes metrics in units beyond space, time and count.
func fillExtra(k *kit) {
	k.t0 = pcp.Timestamp{Sec: 1779516513, Nsec: 950443211}
	first := logger(k, 2375028, "2375028", "bozo.localdomain", "/var/log/pcp/extra", 4332)
	k.put(0, first...)
	rows := []struct {
		item  uint32
		name  string
		kind  int8
		scale uint8
		value float64
	}{
		{184, "power.microwatt", pcp.Power, 4, 42000000},
		{183, "power.milliwatt", pcp.Power, 3, 42000000},
		{182, "power.watt", pcp.Power, 2, 42},
		{181, "power.kilowatt", pcp.Power, 1, 0.042},
		{180, "current.microamp", pcp.Current, 3, 13000000},
		{179, "current.milliamp", pcp.Current, 2, 13000},
		{178, "current.amp", pcp.Current, 1, 13},
		{177, "voltage.microvolt", pcp.Voltage, 3, 240000000},
		{176, "voltage.millivolt", pcp.Voltage, 2, 240000},
		{175, "voltage.volt", pcp.Voltage, 1, 240},
		{174, "temperature.kelvin", pcp.Temperature, 3, 237.15},
		{173, "temperature.fahrenheit", pcp.Temperature, 2, 32},
		{172, "temperature.celsius", pcp.Temperature, 1, 0},
	}
	var cols []pcp.Values
	for _, r := range rows {
		id := pcp.NewID(29, 0, r.item)
		k.metric(id, pcp.Float, pcp.NullInDom, pcp.Instant, pcp.Units{Extra: r.kind, ExtraScale: r.scale}, "sample."+r.name)
		cols = append(cols, k.col(id, nil, r.value))
	}
	for i := range 4 {
		k.put(0.15*float64(i), cols...)
	}
	k.put(0.6002596790, first...)
}

// fillAgent writes constants of the sample agent, and its metrics that always fail.
func fillAgent(k *kit) {
	k.metric(pcp.NewID(29, 0, 5), pcp.Int32, colourInDom, pcp.Instant, noUnits, "sample.colour")
	k.metric(pcp.NewID(29, 0, 6), pcp.Int32, binInDom, pcp.Instant, noUnits, "sample.bin")
	k.metric(pcp.NewID(29, 0, 50), pcp.Int32, binInDom, pcp.Instant, noUnits, "sample.part_bin")
	k.metric(pcp.NewID(29, 0, 153), pcp.String, binInDom, pcp.Instant, noUnits, "sample.string.bin")
	k.metric(pcp.NewID(29, 0, 3), pcp.Double, pcp.NullInDom, pcp.Counter, msec, "sample.milliseconds")
	bins := []int32{100, 200, 300, 400, 500, 600, 700, 800, 900}
	names := []string{"bin-100", "bin-200", "bin-300", "bin-400", "bin-500", "bin-600", "bin-700", "bin-800", "bin-900"}
	colours := []int32{0, 1, 2}
	k.indom(0, colourInDom, named(colours, "red", "green", "blue")...)
	k.indom(0, binInDom, named(bins, names...)...)
	constants := []struct {
		item  uint32
		name  string
		typ   pcp.Type
		value any
	}{
		{10, "long.one", pcp.Int32, 1}, {13, "long.million", pcp.Int32, 1000000}, {20, "longlong.one", pcp.Int64, 1},
		{93, "ulong.one", pcp.Uint32, 1}, {94, "ulong.ten", pcp.Uint32, 10}, {99, "ulonglong.ten", pcp.Uint64, 10},
		{31, "string.hullo", pcp.String, "hullo world!"}, {33, "aggregate.null", pcp.Aggregate, ""},
		{34, "aggregate.hullo", pcp.Aggregate, "hullo world!"},
	}
	for _, c := range constants {
		k.metric(pcp.NewID(29, 0, c.item), c.typ, pcp.NullInDom, pcp.Instant, noUnits, "sample."+c.name)
	}
	noValues, again, noSupport := pcp.NewID(29, 0, 900), pcp.NewID(29, 0, 901), pcp.NewID(29, 0, 55)
	k.metric(noValues, pcp.Int32, pcp.NullInDom, pcp.Instant, noUnits, "sample.bad.novalues")
	k.metric(again, pcp.Int32, pcp.NullInDom, pcp.Discrete, noUnits, "sample.bad.fetch.again")
	k.metric(noSupport, pcp.NoSupport, pcp.NullInDom, pcp.Instant, noUnits, "sample.bad.nosupport")
	for i := range 3 {
		cols := []pcp.Values{
			k.col(pcp.NewID(29, 0, 5), colours, 101+i, 202+i, 303+i),
			k.col(pcp.NewID(29, 0, 6), bins, ints(100, 200, 300, 400, 500, 600, 700, 800, 900)...),
			k.col(pcp.NewID(29, 0, 50), []int32{100, 300, 500, 700, 900}, 100, 300, 500, 700, 900),
			k.col(pcp.NewID(29, 0, 153), bins, "100", "200", "300", "400", "500", "600", "700", "800", "900"),
			k.col(pcp.NewID(29, 0, 3), nil, 1000.25*float64(i)+0.5),
			empty(noValues), failed(again, pmerr.Again), failed(noSupport, pmerr.AppVersion),
		}
		for _, c := range constants {
			cols = append(cols, k.col(pcp.NewID(29, 0, c.item), nil, c.value))
		}
		k.put(float64(i), cols...)
	}
}
