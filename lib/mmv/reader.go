package mmv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"pmtools/lib/pcp"
)

type reader struct {
	b     []byte
	file  *File
	spans []span // in the order of the file
	insts int    // how many instances there are
	owned int    // how many of them domains have
}

type span struct {
	kind, count, at, size int
	first                 int // how many records of the kind are in sections before it
}

func (s *span) end() int { return s.at + s.count*s.size }

// parseHeader reads the beginning of a file.
func parseHeader(b []byte) (Header, error) {
	var h Header
	if len(b) < HeaderSize || string(b[:4]) != "MMV\x00" {
		return h, fmt.Errorf("%w: no header", ErrFormat)
	}
	for _, h.order = range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if h.Version = int(h.order.Uint32(b[4:])); h.Version >= 1 && h.Version <= 3 {
			break
		}
	}
	if h.Version < 1 || h.Version > 3 {
		return h, fmt.Errorf("%w: version %d", ErrFormat, binary.LittleEndian.Uint32(b[4:]))
	}
	h.Generation = h.order.Uint64(b[8:])
	if h.Generation == 0 || h.Generation != h.order.Uint64(b[16:]) {
		return h, ErrChanging
	}
	h.sections = int(int32(h.order.Uint32(b[24:])))
	h.Flags = Flags(h.order.Uint32(b[28:]))
	h.PID, h.Cluster = int32(h.order.Uint32(b[32:])), int32(h.order.Uint32(b[36:]))
	return h, nil
}

// Parse decodes a file. A truncated record or a bad offset is an error; sections of an unknown kind
// are ignored. An error is ErrChanging, or wraps ErrFormat.
func Parse(b []byte) (*File, error) {
	h, err := parseHeader(b)
	if err != nil {
		return nil, err
	}
	r := &reader{b: b, file: &File{Header: h}}
	if err := r.sections(); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		kind int
		read func(at int) error
	}{
		{kindInDoms, r.indom}, {kindMetrics, r.metric}, {kindValues, r.value}, {kindLabels, r.label},
	} {
		for _, s := range r.spans {
			if s.kind != step.kind {
				continue
			}
			for i := range s.count {
				at := s.at + i*s.size
				if err := step.read(at); err != nil {
					return nil, fmt.Errorf("%w, record %d of section %d at %#x", err, i, s.kind, at)
				}
			}
		}
	}
	return r.file, nil
}

// size returns the size of a record, 0 if the kind is not known.
func (r *reader) size(kind int) int {
	switch kind {
	case kindInDoms:
		return indomSize
	case kindInstances:
		return r.file.instSize()
	case kindMetrics:
		return r.file.metricSize()
	case kindValues:
		return valueSize
	case kindStrings:
		return stringSize
	case kindLabels:
		if r.file.Version == 3 {
			return labelSize
		}
	}
	return 0
}

// sections finds out where the sections are. Those of known kinds lie within the file, so that
// their records may be read, and do not overlap.
func (r *reader) sections() error {
	n := r.file.sections
	if n < 0 || n > (len(r.b)-HeaderSize)/tocSize {
		return fmt.Errorf("%w: %d sections in %d bytes", ErrFormat, n, len(r.b))
	}
	for i := range n {
		toc := r.b[HeaderSize+i*tocSize:]
		kind, count := int(int32(r.file.order.Uint32(toc))), int(int32(r.file.order.Uint32(toc[4:])))
		size := r.size(kind)
		if size == 0 || count == 0 {
			continue
		}
		at, ok := r.offset(toc[8:], size)
		if !ok || count < 0 || count > (len(r.b)-at)/size {
			return fmt.Errorf("%w: section %d has %d records at %#x", ErrFormat, kind, count, r.file.order.Uint64(toc[8:]))
		}
		r.spans = append(r.spans, span{kind: kind, count: count, at: at, size: size})
	}
	slices.SortStableFunc(r.spans, func(a, b span) int { return a.at - b.at })
	total := make(map[int]int)
	for i := range r.spans {
		s := &r.spans[i]
		if i > 0 && r.spans[i-1].end() > s.at {
			return fmt.Errorf("%w: sections %d and %d overlap at %#x", ErrFormat, r.spans[i-1].kind, s.kind, s.at)
		}
		s.first = total[s.kind]
		total[s.kind] += s.count
	}
	r.insts = total[kindInstances]
	r.file.Metrics = make([]Metric, 0, total[kindMetrics])
	r.file.Values = make([]Value, 0, total[kindValues])
	return nil
}

// record returns the number, from 0 on, of the record of a kind at an offset.
func (r *reader) record(kind int, where uint64) (int, bool) {
	i := sort.Search(len(r.spans), func(i int) bool { return uint64(r.spans[i].at) > where }) - 1
	if i < 0 || r.spans[i].kind != kind {
		return 0, false
	}
	s := &r.spans[i]
	off, size := where-uint64(s.at), uint64(s.size)
	return s.first + int(off/size), off%size == 0 && off/size < uint64(s.count)
}

func (r *reader) instance(where uint64) (int32, bool) {
	if _, ok := r.record(kindInstances, where); !ok {
		return 0, false
	}
	return int32(r.file.order.Uint32(r.b[where+12:])), true
}

// offset reads the offset of something of a size, and reports whether it lies within the file.
func (r *reader) offset(b []byte, size int) (int, bool) {
	at := r.file.order.Uint64(b)
	if at > math.MaxInt || int(at) > len(r.b)-size {
		return 0, false
	}
	return int(at), true
}

// text returns a string that ends with NUL, or where it must.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// string reads the offset of a string, and returns the string; "" for none.
func (r *reader) string(b []byte) (string, error) {
	if r.file.order.Uint64(b) == 0 {
		return "", nil
	}
	at, ok := r.offset(b, 1)
	if !ok {
		return "", fmt.Errorf("%w: string at %#x", ErrFormat, r.file.order.Uint64(b))
	}
	return text(r.b[at:min(at+stringSize, len(r.b))]), nil
}

func (r *reader) name(b []byte) (string, error) {
	if r.file.Version == 1 {
		return text(b[:nameSize]), nil
	}
	return r.string(b)
}

func (r *reader) indom(at int) error {
	b, size := r.b[at:], r.file.instSize()
	d := InDom{Serial: r.file.order.Uint32(b)}
	n := int(int32(r.file.order.Uint32(b[4:])))
	first := 0
	if n != 0 {
		var ok bool
		if first, ok = r.offset(b[8:], size); !ok || n < 0 || n > (len(r.b)-first)/size {
			return fmt.Errorf("%w: %d instances at %#x", ErrFormat, n, r.file.order.Uint64(b[8:]))
		}
	}
	// Each instance belongs to one domain.
	if r.owned += n; r.owned > r.insts {
		return fmt.Errorf("%w: %d instances, but %d in domains", ErrFormat, r.insts, r.owned)
	}
	if n > 0 {
		d.Instances = make([]pcp.Instance, 0, n)
	}
	for i := range n {
		inst, ok := r.instance(uint64(first + i*size))
		if !ok {
			return fmt.Errorf("%w: no instance at %#x", ErrFormat, first+i*size)
		}
		name, err := r.name(r.b[first+i*size+16:])
		if err != nil {
			return err
		}
		d.Instances = append(d.Instances, pcp.Instance{ID: inst, Name: name})
	}
	var err error
	if d.OneLine, d.Help, err = r.texts(b[16:]); err != nil {
		return err
	}
	r.file.InDoms = append(r.file.InDoms, d)
	return nil
}

func (r *reader) texts(b []byte) (oneLine, help string, err error) {
	if oneLine, err = r.string(b); err == nil {
		help, err = r.string(b[8:])
	}
	return oneLine, help, err
}

func (r *reader) metric(at int) error {
	b, order := r.b[at:at+r.file.metricSize()], r.file.order
	var m Metric
	var err error
	if m.Name, err = r.name(b); err != nil {
		return err
	}
	b = b[len(b)-40:]
	m.Item = int32(order.Uint32(b))
	m.Type, m.Sem = pcp.Type(int32(order.Uint32(b[4:]))), pcp.Sem(int32(order.Uint32(b[8:])))
	m.Units = pcp.UnitsOf(order.Uint32(b[12:]))
	if m.Serial = order.Uint32(b[16:]); m.Serial == math.MaxUint32 {
		m.Serial = 0
	}
	if m.OneLine, m.Help, err = r.texts(b[24:]); err != nil {
		return err
	}
	r.file.Metrics = append(r.file.Metrics, m)
	return nil
}

func (r *reader) value(at int) error {
	b := r.b[at:]
	where := r.file.order.Uint64(b[16:])
	metric, ok := r.record(kindMetrics, where)
	if !ok {
		return fmt.Errorf("%w: no metric at %#x", ErrFormat, where)
	}
	v := Value{Metric: metric, Inst: pcp.NullInst, at: at}
	if where := r.file.order.Uint64(b[24:]); r.file.Metrics[metric].Serial != 0 {
		if v.Inst, ok = r.instance(where); !ok {
			return fmt.Errorf("%w: no instance at %#x", ErrFormat, where)
		}
	}
	r.file.Values = append(r.file.Values, v)
	return nil
}

// label reads a label. A label of another level is left out.
func (r *reader) label(at int) error {
	b := r.b[at : at+labelSize]
	flags := r.file.order.Uint32(b)
	l := Label{
		Kind:     pcp.LabelKind(flags) & labelKinds,
		Optional: flags&pcp.LabelOptional != 0,
		Ident:    r.file.order.Uint32(b[4:]),
		Inst:     int32(r.file.order.Uint32(b[8:])),
		Text:     strings.TrimSpace(text(b[labelText:])),
	}
	switch l.Kind {
	case pcp.ClusterLabels, pcp.InDomLabels, pcp.ItemLabels, pcp.InstanceLabels:
		r.file.Labels = append(r.file.Labels, l)
	}
	return nil
}
