package remotewrite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// This file has the form of samples in the queue, which becomes a message of the protocol only when it is sent: the version of the
// server may change meanwhile. All of a kind stands together, so that it compresses well. A Block that is stored as the difference to
// another one, its key, names series by their numbers there:
//
//	byte    version of the form
//	byte    1 if the metadata are to be sent by themselves too
//	uvarint numbers of series, samples and metadata
//	varint  a time in milliseconds, to which others are relative
//	        each metadata: byte kind; name, help and unit, each a uvarint length and the text
//	uvarint each series: 0 for a new one, else 1 and the zigzag distance of its number in the key to that after the last one
//	        each new series: uvarint length of its labels, and the labels as in a message of 1.0
//	uvarint each new series: number of its metadata, from 1; 0 for none
//	varint  each new series: Created, relative, or 0 for none
//	uvarint each series: number of its samples
//	varint  each sample: its time, relative to the one before in its series
//	        each of eight bytes of a double, the highest first: this byte of each sample, exclusive-ored with that of the sample before
//	        in the series, or in the key

// A Block is samples that belong to one request. It is valid until the Request is used again.
type Block struct {
	Samples int
	// Part is the number of the Block in its batch. The Blocks of a batch have other series, so that they may be sent at the same
	// time; part 0 begins a batch, which is sent after the one before.
	Part int
	// Alike says that the Block resembles an earlier one, so that storing the difference is enough.
	Alike bool

	slot      int // Blocks of a slot resemble each other
	describes bool
	series    []timeSeries
	index     map[Labels]int // of the series, if differences to it are written
}

const formVersion = 1

// key returns a Block for the differences of later ones: the series with their last samples.
func (b *Block) key() *Block {
	k := &Block{series: slices.Clone(b.series), index: make(map[Labels]int, len(b.series))}
	samples := make([]sample, len(k.series))
	for i := range k.series {
		s := &k.series[i]
		k.index[s.Labels], samples[i] = i, s.samples[len(s.samples)-1]
		s.samples = samples[i : i+1]
	}
	return k
}

// find returns the number of the same series, or -1. A nil Block has none.
func (b *Block) find(s *Series) int {
	if b == nil {
		return -1
	}
	i, ok := b.index[s.Labels]
	if !ok {
		return -1
	}
	x := &b.series[i]
	if x.Created != s.Created || x.Meta != s.Meta && (x.Meta == nil || s.Meta == nil || *x.Meta != *s.Meta) {
		return -1
	}
	return i
}

// lastBits returns the last value of a series.
func (b *Block) lastBits(series int) uint64 {
	list := b.series[series].samples
	return math.Float64bits(list[len(list)-1].value)
}

// encode returns a Block as it is stored, as the difference to a key unless that is nil.
func (b *Block) encode(key *Block) []byte {
	base, next := b.series[0].samples[0].ms, 0
	var metas, refs, labels, numbers, begins, counts, times []byte
	number := make(map[*Metadata]uint64)
	values := make([]uint64, 0, b.Samples)
	for i := range b.series {
		s := &b.series[i]
		var last uint64
		if ref := key.find(&s.Series); ref >= 0 {
			distance := int64(ref - next)
			refs = binary.AppendUvarint(refs, 1+uint64(distance<<1^distance>>63))
			next, last = ref+1, key.lastBits(ref)
		} else {
			if m := s.Meta; m != nil && number[m] == 0 {
				number[m] = uint64(len(number) + 1)
				metas = appendString(appendString(appendString(append(metas, byte(m.Kind)), m.Name), m.Help), m.Unit)
			}
			refs, labels, numbers = append(refs, 0), appendString(labels, s.Labels), binary.AppendUvarint(numbers, number[s.Meta])
			begins = binary.AppendVarint(begins, begin(s.Created, base))
		}
		counts = binary.AppendUvarint(counts, uint64(len(s.samples)))
		ms := base
		for _, x := range s.samples {
			bits := math.Float64bits(x.value)
			times, values = binary.AppendVarint(times, x.ms-ms), append(values, bits^last)
			ms, last = x.ms, bits
		}
	}
	head := []byte{formVersion, 0}
	if b.describes {
		head[1] = 1
	}
	for _, n := range []int{len(b.series), b.Samples, len(number)} {
		head = binary.AppendUvarint(head, uint64(n))
	}
	out := slices.Concat(binary.AppendVarint(head, base), metas, refs, labels, numbers, begins, counts, times)
	out = slices.Grow(out, 8*len(values))
	for shift := 56; shift >= 0; shift -= 8 {
		for _, v := range values {
			out = append(out, byte(v>>shift))
		}
	}
	return out
}

func appendString[T ~string](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// begin returns Created as it is stored: 0 means that it is not known.
func begin(created, base int64) int64 {
	if created != 0 {
		if created -= base; created >= 0 {
			created++
		}
	}
	return created
}

var errForm = errors.New("the form of the samples is not known")

// A blockReader reads a block. After an error all it reads is 0.
type blockReader struct {
	bytes.Reader
	err error
}

func (r *blockReader) fail() {
	r.err = errForm
	r.Reset(nil)
}

func (r *blockReader) uvarint() uint64 {
	v, err := binary.ReadUvarint(r)
	if err != nil {
		r.fail()
		return 0
	}
	return v
}

func (r *blockReader) varint() int64 { return signed(r.uvarint()) }

func signed(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// count returns a number of things, each of which takes a byte at least.
func (r *blockReader) count() int {
	n := r.uvarint()
	if n > uint64(r.Len()) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *blockReader) bytes(n int) []byte {
	b := make([]byte, n)
	if k, _ := r.Read(b); k < n {
		r.fail()
	}
	return b
}

func (r *blockReader) text() string { return string(r.bytes(r.count())) }

// decode returns the Block that encode has made with the same key.
func decode(body []byte, key *Block) (*Block, error) {
	r := &blockReader{Reader: *bytes.NewReader(body)}
	head := r.bytes(2)
	b := &Block{describes: head[1] == 1}
	series, samples, metas := r.count(), r.count(), make([]*Metadata, r.count())
	base := r.varint()
	if head[0] != formVersion || head[1] > 1 || series == 0 {
		r.fail()
	}
	for i := range metas {
		metas[i] = &Metadata{Kind: Kind(r.bytes(1)[0]), Name: r.text(), Help: r.text(), Unit: r.text()}
	}
	b.series = make([]timeSeries, series)
	last := r.refs(b, key, metas, base)
	r.samples(b, samples, base)
	r.values(b, last)
	if r.Len() > 0 {
		r.fail()
	}
	return b, r.err
}

// refs reads what the series are, and returns their last values in the key.
func (r *blockReader) refs(b, key *Block, metas []*Metadata, base int64) (last []uint64) {
	var fresh []*timeSeries
	last = make([]uint64, len(b.series))
	next := int64(0)
	for i := range b.series {
		v := r.uvarint()
		if v == 0 {
			fresh = append(fresh, &b.series[i])
			continue
		}
		next += signed(v - 1)
		if key == nil || next < 0 || next >= int64(len(key.series)) {
			r.fail()
			return last
		}
		b.series[i].Series, last[i] = key.series[next].Series, key.lastBits(int(next))
		next++
	}
	for _, s := range fresh {
		s.Labels = Labels(r.text())
	}
	for _, s := range fresh {
		if n := r.uvarint(); n > uint64(len(metas)) {
			r.fail()
		} else if n > 0 {
			s.Meta = metas[n-1]
		}
	}
	for _, s := range fresh {
		if created := r.varint(); created > 0 {
			s.Created = base + created - 1
		} else if created < 0 {
			s.Created = base + created
		}
	}
	return last
}

func (r *blockReader) samples(b *Block, n int, base int64) {
	list := make([]sample, n)
	b.Samples = n
	for i := range b.series {
		n := r.uvarint()
		if n > uint64(len(list)) || n == 0 {
			r.fail()
			return
		}
		b.series[i].samples, list = list[:n], list[n:]
	}
	if len(list) > 0 {
		r.fail()
	}
	for i := range b.series {
		ms := base
		for j := range b.series[i].samples {
			ms += r.varint()
			b.series[i].samples[j].ms = ms
		}
	}
}

func (r *blockReader) values(b *Block, last []uint64) {
	if r.Len() != 8*b.Samples {
		r.fail()
		return
	}
	planes, k := r.bytes(8*b.Samples), 0
	for i := range b.series {
		bits := last[i]
		for j := range b.series[i].samples {
			var v uint64
			for p := range 8 {
				v = v<<8 | uint64(planes[p*b.Samples+k])
			}
			bits ^= v
			b.series[i].samples[j].value = math.Float64frombits(bits)
			k++
		}
	}
}
