package mmv

import (
	"encoding/binary"

	"pmtools/lib/pcp"
)

// An encoder lays a file out. Its sections have the order of their kinds, as in files that the
// reference writes; so have the strings: names of instances, names of metrics, values, texts of
// metrics, texts of instance domains.
type encoder struct {
	*File
	b       []byte
	insts   map[[2]int64]int // by serial and number, where the instances are
	metrics []int            // where they are
}

// Encode returns the bytes of a file that has the header, instance domains, metrics, values and
// labels of f, in the byte order of the machine. It notes in f.Values where they are; [File.Put]
// fills them, until then they are 0. Texts that are too long are cut: the version says how long
// names may be, see [File.LowestVersion].
func (f *File) Encode() []byte {
	e := encoder{File: f, insts: map[[2]int64]int{}}
	f.order = binary.NativeEndian
	insts := 0
	for i := range f.InDoms {
		insts += len(f.InDoms[i].Instances)
	}
	var tocs [][3]int // kind, number of records, size of each
	if len(f.InDoms) > 0 {
		tocs = append(tocs, [3]int{kindInDoms, len(f.InDoms), indomSize}, [3]int{kindInstances, insts, f.instSize()})
	}
	tocs = append(tocs, [3]int{kindMetrics, len(f.Metrics), f.metricSize()}, [3]int{kindValues, len(f.Values), valueSize})
	if n := f.strings(); n > 0 {
		tocs = append(tocs, [3]int{kindStrings, n, stringSize})
	}
	if len(f.Labels) > 0 {
		tocs = append(tocs, [3]int{kindLabels, len(f.Labels), labelSize})
	}
	at := [kindLabels + 1]int{}
	end := HeaderSize + tocSize*len(tocs)
	for _, t := range tocs {
		at[t[0]] = end
		end += t[1] * t[2]
	}
	e.b = make([]byte, end)
	e.header(len(tocs))
	for i, t := range tocs {
		toc := HeaderSize + tocSize*i
		e.u32(toc, uint32(t[0]))
		e.u32(toc+4, uint32(t[1]))
		e.u64(toc+8, uint64(at[t[0]]))
	}
	next := at[kindStrings]
	e.putInDoms(at[kindInDoms], at[kindInstances], &next)
	e.putMetrics(at[kindMetrics], &next)
	e.putValues(at[kindValues], &next)
	e.putTexts(at[kindInDoms], &next)
	e.putLabels(at[kindLabels])
	return e.b
}

func (f *File) strings() int {
	n := 0
	count := func(texts ...string) {
		for _, t := range texts {
			if t != "" {
				n++
			}
		}
	}
	for i := range f.InDoms {
		count(f.InDoms[i].OneLine, f.InDoms[i].Help)
		if f.Version > 1 {
			n += len(f.InDoms[i].Instances)
		}
	}
	for i := range f.Metrics {
		count(f.Metrics[i].OneLine, f.Metrics[i].Help)
	}
	if f.Version > 1 {
		n += len(f.Metrics)
	}
	for i := range f.Values {
		if f.Metrics[f.Values[i].Metric].Type == pcp.String {
			n++
		}
	}
	return n
}

func (e *encoder) u32(at int, v uint32) { e.order.PutUint32(e.b[at:], v) }
func (e *encoder) u64(at int, v uint64) { e.order.PutUint64(e.b[at:], v) }

// string puts a string at the next place for one, and the offset of that at a place.
func (e *encoder) string(at int, s string, next *int) {
	e.u64(at, uint64(*next))
	copy(e.b[*next:*next+stringSize-1], s)
	*next += stringSize
}

func (e *encoder) text(at int, s string, next *int) {
	if s != "" {
		e.string(at, s, next)
	}
}

func (e *encoder) name(at int, s string, next *int) {
	if e.Version == 1 {
		copy(e.b[at:at+nameSize-1], s)
		return
	}
	e.string(at, s, next)
}

func (e *encoder) header(sections int) {
	copy(e.b, "MMV\x00")
	e.u32(4, uint32(e.Version))
	e.u64(8, e.Generation)
	e.u64(16, e.Generation)
	e.u32(24, uint32(sections))
	e.u32(28, uint32(e.Flags))
	e.u32(32, uint32(e.PID))
	e.u32(36, uint32(e.Cluster))
}

func (e *encoder) putInDoms(at, inst int, next *int) {
	for i := range e.InDoms {
		d := &e.InDoms[i]
		e.u32(at, d.Serial)
		e.u32(at+4, uint32(len(d.Instances)))
		e.u64(at+8, uint64(inst))
		for _, in := range d.Instances {
			e.u64(inst, uint64(at))
			e.u32(inst+12, uint32(in.ID))
			e.name(inst+16, in.Name, next)
			e.insts[[2]int64{int64(d.Serial), int64(in.ID)}] = inst
			inst += e.instSize()
		}
		at += indomSize
	}
}

func (e *encoder) putMetrics(at int, next *int) {
	for i := range e.Metrics {
		m := &e.Metrics[i]
		e.metrics = append(e.metrics, at)
		e.name(at, m.Name, next)
		at += e.metricSize()
		e.u32(at-40, uint32(m.Item))
		e.u32(at-36, uint32(m.Type))
		e.u32(at-32, uint32(m.Sem))
		e.u32(at-28, m.Units.Word())
		e.u32(at-24, m.Serial)
	}
}

func (e *encoder) putValues(at int, next *int) {
	for i := range e.Values {
		v := &e.Values[i]
		v.at = at
		m := &e.Metrics[v.Metric]
		e.u64(at+16, uint64(e.metrics[v.Metric]))
		if v.Inst != pcp.NullInst {
			e.u64(at+24, uint64(e.insts[[2]int64{int64(m.Serial), int64(v.Inst)}]))
		}
		if m.Type == pcp.String {
			e.string(at+8, "", next)
		}
		at += valueSize
	}
}

func (e *encoder) putTexts(indom int, next *int) {
	for i, at := range e.metrics {
		end := at + e.metricSize()
		e.text(end-16, e.Metrics[i].OneLine, next)
		e.text(end-8, e.Metrics[i].Help, next)
	}
	for i := range e.InDoms {
		at := indom + i*indomSize
		e.text(at+16, e.InDoms[i].OneLine, next)
		e.text(at+24, e.InDoms[i].Help, next)
	}
}

func (e *encoder) putLabels(at int) {
	for _, l := range e.Labels {
		flags := uint32(l.Kind)
		if l.Optional {
			flags |= pcp.LabelOptional
		}
		e.u32(at, flags)
		e.u32(at+4, l.Ident)
		e.u32(at+8, uint32(l.Inst))
		copy(e.b[at+labelText:at+labelSize-1], l.Text)
		at += labelSize
	}
}

// LowestVersion returns the lowest version of the format that can hold f: 3 if there are labels,
// else 2 if a name has 64 bytes or more, else 1.
func (f *File) LowestVersion() int {
	if len(f.Labels) > 0 {
		return 3
	}
	for i := range f.InDoms {
		for _, in := range f.InDoms[i].Instances {
			if len(in.Name) >= nameSize {
				return 2
			}
		}
	}
	for i := range f.Metrics {
		if len(f.Metrics[i].Name) >= nameSize {
			return 2
		}
	}
	return 1
}

// Put writes a value into b, which [File.Encode] returned: the word of a number, of which the upper
// half follows a 32-bit value (see [Sentinel]), and the extra word of Elapsed; or a string, of
// which 255 bytes fit.
func (f *File) Put(b []byte, v *Value, word uint64, extra int64, s string) {
	at := b[v.at:]
	switch f.Metrics[v.Metric].Type {
	case pcp.Int32, pcp.Uint32, pcp.Float:
		f.order.PutUint32(at, uint32(word))
		f.order.PutUint32(at[4:], uint32(word>>32))
	case pcp.String:
		text := b[f.order.Uint64(at[8:]):][:stringSize-1]
		clear(text)
		f.order.PutUint32(at, uint32(copy(text, s)))
	case Elapsed:
		f.order.PutUint64(at[8:], uint64(extra))
		fallthrough
	default:
		f.order.PutUint64(at, word)
	}
}
