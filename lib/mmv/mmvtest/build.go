// Package mmvtest makes memory-mapped value files for tests.
package mmvtest

import (
	"math"

	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
)

// A Spec describes the content of a file.
type Spec struct {
	Version    int    // 0 means the lowest that will do
	Generation uint64 // 0 means 1
	Flags      mmv.Flags
	PID        int32
	Cluster    int32
	InDoms     []mmv.InDom
	Metrics    []mmv.Metric
	Values     []Value
	Labels     []mmv.Label
}

// A Value is a value of a metric.
type Value struct {
	Metric int   // its place among the metrics
	Inst   int32 // pcp.NullInst if it has no instances
	Word   uint64
	Extra  int64
	Text   string // of a string
}

// Build returns the bytes of a file.
func Build(s *Spec) []byte {
	f := &mmv.File{
		Header: mmv.Header{Version: s.Version, Generation: max(s.Generation, 1), Flags: s.Flags, PID: s.PID, Cluster: s.Cluster},
		InDoms: s.InDoms, Metrics: s.Metrics, Labels: s.Labels,
	}
	if f.Version == 0 {
		f.Version = f.LowestVersion()
	}
	for _, v := range s.Values {
		f.Values = append(f.Values, mmv.Value{Metric: v.Metric, Inst: v.Inst})
	}
	b := f.Encode()
	for i, v := range s.Values {
		f.Put(b, &f.Values[i], v.Word, v.Extra, v.Text)
	}
	return b
}

// Demo returns metrics of all types, with and without instances, help texts and labels, as a
// program in a factory may have.
func Demo() *Spec {
	count, bytes := pcp.Units{DimCount: 1}, pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	return &Spec{
		Cluster: 321,
		InDoms: []mmv.InDom{
			{Serial: 61, Instances: []pcp.Instance{{ID: 0, Name: "Anvils"}, {ID: 1, Name: "Rockets"}}, OneLine: "Acme products", Help: "Popular Acme products"},
			{Serial: 7, Instances: []pcp.Instance{{ID: 5, Name: "green with spaces"}}},
		},
		Metrics: []mmv.Metric{
			{Name: "count", Item: 7, Type: pcp.Uint64, Sem: pcp.Counter, Units: count, Serial: 61, OneLine: "throughput", Help: "How many were made"},
			{Name: "state", Item: 8, Type: pcp.String, Sem: pcp.Discrete, OneLine: "state"},
			{Name: "busy", Item: 9, Type: mmv.Elapsed, Sem: pcp.Counter},
			{Name: "n.i32", Item: 10, Type: pcp.Int32, Sem: pcp.Instant, Units: bytes},
			{Name: "n.u32", Item: 11, Type: pcp.Uint32, Sem: pcp.Instant},
			{Name: "n.i64", Item: 12, Type: pcp.Int64},
			{Name: "n.float", Item: 13, Type: pcp.Float, Sem: pcp.Instant},
			{Name: "n.double", Item: 14, Type: pcp.Double, Sem: pcp.Instant, Serial: 7},
			{Name: "more.count", Item: 15, Type: pcp.Uint64, Sem: pcp.Counter, Units: count, Serial: 61},
		},
		Values: []Value{
			{Metric: 0, Inst: 0, Word: 5}, {Metric: 0, Inst: 1, Word: 1}, {Metric: 1, Inst: pcp.NullInst, Text: "running"},
			{Metric: 2, Inst: pcp.NullInst, Word: 2500}, {Metric: 3, Inst: pcp.NullInst, Word: 0xfffffff9}, {Metric: 4, Inst: pcp.NullInst, Word: 0xfffffff0},
			{Metric: 5, Inst: pcp.NullInst, Word: math.MaxUint64 - 8}, {Metric: 6, Inst: pcp.NullInst, Word: uint64(math.Float32bits(1.5))},
			{Metric: 7, Inst: 5, Word: math.Float64bits(-2.5)}, {Metric: 8, Inst: 1, Word: 99},
		},
	}
}
