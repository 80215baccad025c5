package pmcdtest

import (
	"math"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The instance domains of Sample.
const (
	BinInDom    pcp.InDom = 29<<22 | 2 // instances 100 to 300, "bin-100" to "bin-300"
	ColorInDom  pcp.InDom = 253 << 22
	NobodyInDom pcp.InDom = 253<<22 | 1 // without instances
)

// Sample returns a World with some metrics of the reference's sample agent: of each type, with and
// without instances, help texts and labels, and some with errors.
func Sample() *World {
	w := &World{Labels: map[LabelKey][]pcp.LabelSet{}}
	w.InDoms = []InDom{
		{ID: BinInDom, Instances: []pcp.Instance{{ID: 100, Name: "bin-100"}, {ID: 200, Name: "bin-200"}, {ID: 300, Name: "bin-300"}}, OneLine: "bins", Help: "all the bins"},
		{ID: ColorInDom, Instances: []pcp.Instance{{ID: 0, Name: "red"}, {ID: 1, Name: "green light"}, {ID: 2, Name: "blue"}}, OneLine: "colours"},
		{ID: NobodyInDom},
	}
	add := func(name string, cluster, item uint32, t pcp.Type, d pcp.InDom, words ...uint64) *Metric {
		m := Metric{Name: name, Desc: pcp.Desc{ID: pcp.NewID(29, cluster, item), Type: t, InDom: d, Sem: pcp.Instant}}
		insts := []pcp.Instance{{ID: pcp.NullInst}}
		if i := w.indom(d); i != nil {
			insts = i.Instances
		}
		for i := range words {
			m.Values.Insts = append(m.Values.Insts, insts[i].ID)
		}
		m.Values.Words = words
		w.Metrics = append(w.Metrics, m)
		return &w.Metrics[len(w.Metrics)-1]
	}
	text := func(m *Metric, values ...string) *Metric {
		m.Values.Words = nil
		for _, v := range values {
			m.Values.Blobs = append(m.Values.Blobs, []byte(v))
		}
		return m
	}
	add("sample.control", 0, 0, pcp.Int32, pcp.NullInDom, 0).Help = "A control"
	m := add("sample.bin", 0, 6, pcp.Int32, BinInDom, 100, 200, 300)
	m.OneLine = "Several constant instances"
	add("sample.long.one", 0, 10, pcp.Int32, pcp.NullInDom, 1).StoreErr = pmerr.Permission
	add("sample.long.write_me", 0, 36, pcp.Int32, pcp.NullInDom, 2)
	add("sample.ulong", 0, 37, pcp.Uint32, pcp.NullInDom, math.MaxUint32)
	m = add("sample.longlong", 0, 38, pcp.Int64, ColorInDom, 1, math.MaxUint64, 3)
	m.OneLine, m.Help, m.Desc.Sem = "Three colours", "Three colours\nin full", pcp.Counter
	add("sample.ulonglong", 0, 39, pcp.Uint64, pcp.NullInDom, math.MaxUint64)
	add("sample.float", 0, 40, pcp.Float, pcp.NullInDom, uint64(math.Float32bits(1.5)))
	add("sample.double", 0, 3, pcp.Double, pcp.NullInDom, math.Float64bits(-2.5))
	text(add("sample.string.hullo", 0, 31, pcp.String, pcp.NullInDom, 0), "hullo world!")
	text(add("sample.string.write_me", 0, 32, pcp.String, pcp.NullInDom, 0), "13")
	text(add("sample.aggr", 0, 41, pcp.Aggregate, pcp.NullInDom, 0), "\x01\x02\x03")
	add("sample.novalues", 0, 138, pcp.Int32, NobodyInDom)
	add("sample.broken", 0, 54, pcp.Int32, pcp.NullInDom).Values.Err = pmerr.AppVersion
	add("sample.nodesc", 0, 55, pcp.Int32, pcp.NullInDom).DescErr = pmerr.Again
	one := []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: "agent", Value: `"sample"`, Flags: 2}, {Name: "role", Value: `"testing"`, Flags: 2}}}}
	w.Labels[LabelKey{pcp.DomainLabels, 29}] = one
	w.Labels[LabelKey{pcp.ContextLabels, math.MaxUint32}] = []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: "hostname", Value: `"test"`, Flags: 1}}}}
	w.Labels[LabelKey{pcp.InstanceLabels, uint32(BinInDom)}] = []pcp.LabelSet{
		{Inst: 100, Labels: []pcp.Label{{Name: "bin", Value: "100", Flags: 32}}}, {Inst: 200}, {Inst: 300, Labels: []pcp.Label{{Name: "bin", Value: "300", Flags: 32}}},
	}
	return w
}
