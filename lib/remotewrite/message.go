package remotewrite

import (
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/snappy"
)

// This file writes the protobuf messages of remote write: WriteRequest, TimeSeries, Label, Sample and MetricMetadata of 1.0, and
// Request, TimeSeries, Sample and Metadata of 2.0 (io.prometheus.write.v2).

// message returns the message of a version as it is sent, compressed.
func (b *Block) message(version int) []byte {
	if version == 1 {
		return snappy.Encode(nil, b.message1())
	}
	return snappy.Encode(nil, b.message2())
}

func (b *Block) message1() []byte {
	var out, part []byte
	for i := range b.series {
		s := &b.series[i]
		part = append(part[:0], s.Labels...)
		for _, x := range s.samples {
			part = appendSample(part, x, 0)
		}
		out = appendText(out, part, 1)
	}
	if !b.describes {
		return out
	}
	described := make(map[*Metadata]bool)
	for i := range b.series {
		m := b.series[i].Meta
		if m == nil || described[m] {
			continue
		}
		described[m] = true
		part = append(part[:0], 1<<3, byte(m.Kind))
		part = appendText(part, m.Name, 2)
		part = appendText(part, valid(m.Help), 4)
		part = appendText(part, m.Unit, 5)
		out = appendText(out, part, 3)
	}
	return out
}

// appendSample appends a Sample, with the time when its counter began unless that is 0.
func appendSample(b []byte, x sample, start int64) []byte {
	var scratch [32]byte
	s := binary.LittleEndian.AppendUint64(append(scratch[:0], 1<<3|1), math.Float64bits(x.value))
	s = binary.AppendUvarint(append(s, 2<<3), uint64(x.ms))
	if start != 0 && start < x.ms { // one that is not earlier says nothing, and receivers may refuse it
		s = binary.AppendUvarint(append(s, 3<<3), uint64(start))
	}
	return appendText(b, s, 2)
}

// symbols are the texts of a message of 2.0, of which each has a number. The first one is "".
type symbols struct {
	list  []string
	index map[string]uint64
}

func (s *symbols) of(text string) uint64 {
	n, ok := s.index[text]
	if !ok {
		n = uint64(len(s.list))
		s.list = append(s.list, text)
		s.index[text] = n
	}
	return n
}

func (b *Block) message2() []byte {
	syms := symbols{[]string{""}, map[string]uint64{"": 0}}
	var list, part, refs []byte
	for i := range b.series {
		s := &b.series[i]
		refs = refs[:0]
		for name, value := range s.Labels.All() {
			refs = binary.AppendUvarint(refs, syms.of(name))
			refs = binary.AppendUvarint(refs, syms.of(value))
		}
		part = appendText(part[:0], refs, 1)
		for _, x := range s.samples {
			part = appendSample(part, x, s.Created)
		}
		if m := s.Meta; m != nil {
			refs = append(refs[:0], 1<<3, byte(m.Kind), 3<<3)
			refs = binary.AppendUvarint(refs, syms.of(valid(m.Help)))
			refs = binary.AppendUvarint(append(refs, 4<<3), syms.of(m.Unit))
			part = appendText(part, refs, 5)
		}
		if s.Created != 0 { // where receivers look for it that know 2.0 as it was before rc.4, which has it in each Sample
			part = binary.AppendUvarint(append(part, 6<<3), uint64(s.Created))
		}
		list = appendText(list, part, 5)
	}
	var out []byte
	for _, text := range syms.list {
		out = appendText(out, text, 4)
	}
	return append(out, list...)
}

func appendText[T string | []byte](b []byte, text T, field byte) []byte {
	b = append(b, field<<3|2)
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}
