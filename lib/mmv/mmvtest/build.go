// Package mmvtest makes memory-mapped value files for tests.
package mmvtest

import (
	"encoding/binary"
	"math"

	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
)

// A Spec says what a file has.
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

// version returns the version of the file.
func (s *Spec) version() int {
	v := 1
	for _, m := range s.Metrics {
		if len(m.Name) >= 64 {
			v = 2
		}
	}
	switch {
	case s.Version != 0:
		return s.Version
	case len(s.Labels) > 0:
		return 3
	}
	return v
}

// A builder puts a file together, in little-endian byte order.
type builder struct {
	*Spec
	b       []byte
	short   bool // names are part of the records
	insts   map[[2]int64]int
	metrics []int
	strings []func(at int) // puts offsets where they belong
	texts   []string
}

// u32 and u64 put a number at a place.
func (b *builder) u32(at int, v uint32) { binary.LittleEndian.PutUint32(b.b[at:], v) }
func (b *builder) u64(at int, v uint64) { binary.LittleEndian.PutUint64(b.b[at:], v) }

// grow adds records, and returns where they are.
func (b *builder) grow(count, size int) int {
	at := len(b.b)
	b.b = append(b.b, make([]byte, count*size)...)
	return at
}

// text puts the offset of a string at a place, later. The empty one has none.
func (b *builder) text(at int, s string) {
	if s != "" {
		b.texts = append(b.texts, s)
		b.strings = append(b.strings, func(offset int) { b.u64(at, uint64(offset)) })
	}
}

// name puts a name at a place.
func (b *builder) name(at int, s string) {
	if b.short {
		copy(b.b[at:at+63], s)
		return
	}
	b.text(at, s)
}

// Build returns the bytes of a file.
func Build(s *Spec) []byte {
	b := &builder{Spec: s, short: s.version() == 1, insts: map[[2]int64]int{}}
	count := 0
	for _, d := range s.InDoms {
		count += len(d.Instances)
	}
	b.grow(1, 40+6*16)
	copy(b.b, "MMV")
	b.u32(4, uint32(s.version()))
	generation := s.Generation
	if generation == 0 {
		generation = 1
	}
	b.u64(8, generation)
	b.u64(16, generation)
	b.u32(28, uint32(s.Flags))
	b.u32(32, uint32(s.PID))
	b.u32(36, uint32(s.Cluster))

	instSize, metricSize := 24, 48
	if b.short {
		instSize, metricSize = 80, 104
	}
	indoms, insts := b.grow(len(s.InDoms), 32), b.grow(count, instSize)
	b.putInDoms(indoms, insts, instSize)
	metrics := b.grow(len(s.Metrics), metricSize)
	b.putMetrics(metrics, metricSize)
	values := b.grow(len(s.Values), 32)
	b.putValues(values)
	labels := b.grow(len(s.Labels), 256)
	b.putLabels(labels)
	strings := b.grow(len(b.texts), 256)
	for i, t := range b.texts {
		at := strings + 256*i
		copy(b.b[at:at+255], t)
		b.strings[i](at)
	}
	sections := 0
	for kind, sec := range [][2]int{
		{len(s.InDoms), indoms}, {count, insts}, {len(s.Metrics), metrics}, {len(s.Values), values}, {len(b.texts), strings}, {len(s.Labels), labels},
	} {
		if sec[0] == 0 {
			continue
		}
		at := 40 + 16*sections
		b.u32(at, uint32(1+kind))
		b.u32(at+4, uint32(sec[0]))
		b.u64(at+8, uint64(sec[1]))
		sections++
	}
	b.u32(24, uint32(sections))
	return b.b
}

// putInDoms puts instance domains and their instances.
func (b *builder) putInDoms(at, inst, size int) {
	for i, d := range b.InDoms {
		here := at + 32*i
		b.u32(here, d.Serial)
		b.u32(here+4, uint32(len(d.Instances)))
		b.u64(here+8, uint64(inst))
		b.text(here+16, d.OneLine)
		b.text(here+24, d.Help)
		for _, in := range d.Instances {
			b.u64(inst, uint64(here))
			b.u32(inst+12, uint32(in.ID))
			b.name(inst+16, in.Name)
			b.insts[[2]int64{int64(d.Serial), int64(in.ID)}] = inst
			inst += size
		}
	}
}

// putMetrics puts metrics.
func (b *builder) putMetrics(at, size int) {
	for i, m := range b.Metrics {
		here := at + size*i
		b.metrics = append(b.metrics, here)
		b.name(here, m.Name)
		rest := here + size - 40
		b.u32(rest, uint32(m.Item))
		b.u32(rest+4, uint32(m.Type))
		b.u32(rest+8, uint32(m.Sem))
		b.u32(rest+12, m.Units.Word())
		b.u32(rest+16, m.Serial)
		if m.Serial == 0 {
			b.u32(rest+16, math.MaxUint32)
		}
		b.text(rest+24, m.OneLine)
		b.text(rest+32, m.Help)
	}
}

// putValues puts values.
func (b *builder) putValues(at int) {
	for i, v := range b.Values {
		here := at + 32*i
		b.u64(here, v.Word)
		b.u64(here+8, uint64(v.Extra))
		b.u64(here+16, uint64(b.metrics[v.Metric]))
		m := b.Metrics[v.Metric]
		if v.Inst != pcp.NullInst {
			b.u64(here+24, uint64(b.insts[[2]int64{int64(m.Serial), int64(v.Inst)}]))
		}
		if m.Type == pcp.String {
			b.u32(here, uint32(len(v.Text)))
			// An empty string is a string as well.
			b.texts = append(b.texts, v.Text)
			b.strings = append(b.strings, func(offset int) { b.u64(here+8, uint64(offset)) })
		}
	}
}

// putLabels puts labels.
func (b *builder) putLabels(at int) {
	for i, l := range b.Labels {
		here := at + 256*i
		flags := uint32(l.Kind)
		if l.Optional {
			flags |= pcp.LabelOptional
		}
		b.u32(here, flags)
		b.u32(here+4, l.Ident)
		b.u32(here+8, uint32(l.Inst))
		copy(b.b[here+12:here+255], l.Text)
	}
}

// Demo returns what a program in a factory may have: metrics of all types, with and without
// instances, help texts and labels.
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
