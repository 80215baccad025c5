package remotewrite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
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
	text      []byte // compressed, once it is
}

const formVersion = 1

// A keyBlock is a Block to which others are stored as differences.
type keyBlock struct {
	index  map[Labels]int // nil where it is only read
	series []keySeries
}

type keySeries struct {
	Series
	bits uint64 // the last value
}

// newKey returns a keyBlock, with what is needed to refer to it.
func newKey(b *Block) *keyBlock {
	k := &keyBlock{make(map[Labels]int, len(b.series)), make([]keySeries, len(b.series))}
	for i := range b.series {
		s := &b.series[i]
		k.index[s.Labels] = i
		k.series[i] = keySeries{s.Series, math.Float64bits(s.samples[len(s.samples)-1].value)}
	}
	return k
}

// find returns the number of the same series, or -1. A nil keyBlock has none.
func (k *keyBlock) find(s *Series) int {
	if k == nil {
		return -1
	}
	i, ok := k.index[s.Labels]
	if !ok {
		return -1
	}
	x := &k.series[i]
	if x.Created != s.Created || x.Meta != s.Meta && (x.Meta == nil || s.Meta == nil || *x.Meta != *s.Meta) {
		return -1
	}
	return i
}

// encode returns a Block as it is stored, as the difference to a key unless that is nil.
func (b *Block) encode(key *keyBlock) []byte {
	base := b.series[0].samples[0].ms
	refs := make([]int, len(b.series))
	var metas []*Metadata
	number := make(map[*Metadata]uint64)
	for i := range b.series {
		s := &b.series[i]
		if refs[i] = key.find(&s.Series); refs[i] < 0 && s.Meta != nil && number[s.Meta] == 0 {
			metas = append(metas, s.Meta)
			number[s.Meta] = uint64(len(metas))
		}
	}
	out := append(make([]byte, 0, 1024+len(b.series)*16+b.Samples*10), formVersion, 0)
	if b.describes {
		out[1] = 1
	}
	for _, n := range []int{len(b.series), b.Samples, len(metas)} {
		out = binary.AppendUvarint(out, uint64(n))
	}
	out = binary.AppendVarint(out, base)
	for _, m := range metas {
		out = append(out, byte(m.Kind))
		for _, text := range []string{m.Name, m.Help, m.Unit} {
			out = appendString(out, text)
		}
	}
	out = b.appendSeries(out, refs, base, number)
	for i := range b.series {
		out = binary.AppendUvarint(out, uint64(len(b.series[i].samples)))
	}
	for i := range b.series {
		last := base
		for _, x := range b.series[i].samples {
			out = binary.AppendVarint(out, x.ms-last)
			last = x.ms
		}
	}
	return b.appendPlanes(out, refs, key)
}

func appendString[T ~string](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func (b *Block) appendSeries(out []byte, refs []int, base int64, number map[*Metadata]uint64) []byte {
	next := 0
	var fresh []*timeSeries
	for i, ref := range refs {
		if ref < 0 {
			out, fresh = append(out, 0), append(fresh, &b.series[i])
			continue
		}
		distance := ref - next
		out = binary.AppendUvarint(out, 1+uint64(distance<<1^distance>>(bits.UintSize-1)))
		next = ref + 1
	}
	for _, s := range fresh {
		out = appendString(out, s.Labels)
	}
	for _, s := range fresh {
		out = binary.AppendUvarint(out, number[s.Meta])
	}
	for _, s := range fresh {
		created := s.Created
		if created != 0 {
			if created -= base; created >= 0 {
				created++
			}
		}
		out = binary.AppendVarint(out, created)
	}
	return out
}

func (b *Block) appendPlanes(out []byte, refs []int, key *keyBlock) []byte {
	list := make([]uint64, 0, b.Samples)
	for i := range b.series {
		var last uint64
		if refs[i] >= 0 {
			last = key.series[refs[i]].bits
		}
		for _, x := range b.series[i].samples {
			v := math.Float64bits(x.value)
			list = append(list, v^last)
			last = v
		}
	}
	for shift := 56; shift >= 0; shift -= 8 {
		for _, v := range list {
			out = append(out, byte(v>>shift))
		}
	}
	return out
}

var errForm = errors.New("the form of the samples is not known")

// A blockReader reads a block. After an error all it reads is 0.
type blockReader struct {
	b   []byte
	err error
}

func (r *blockReader) fail() { r.b, r.err = nil, errForm }

func (r *blockReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *blockReader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count returns a number of things, each of which takes a byte at least.
func (r *blockReader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *blockReader) bytes(n int) []byte {
	if n > len(r.b) {
		r.fail()
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *blockReader) text() string { return string(r.bytes(r.count())) }

// decode returns the Block that encode has made with the same key.
func decode(body []byte, key *keyBlock) (*Block, error) {
	r := &blockReader{b: body}
	head := r.bytes(2)
	if r.err != nil || head[0] != formVersion || head[1] > 1 {
		return nil, errForm
	}
	b := &Block{describes: head[1] == 1}
	series, samples, metas := r.count(), r.count(), r.count()
	base := r.varint()
	list := r.metas(metas)
	refs, fresh := r.series(b, series, key)
	r.newSeries(fresh, base, list)
	r.samples(b, samples, base)
	r.values(b, refs, key)
	if r.err == nil && (len(r.b) > 0 || len(b.series) == 0) {
		r.err = fmt.Errorf("%w: %d bytes follow", errForm, len(r.b))
	}
	return b, r.err
}

func (r *blockReader) metas(n int) (list []*Metadata) {
	for range n {
		kind := r.bytes(1)
		m := &Metadata{Name: r.text(), Help: r.text(), Unit: r.text()}
		if r.err != nil {
			return nil
		}
		m.Kind = Kind(kind[0])
		list = append(list, m)
	}
	return list
}

// series reads which series are those of the key, by their numbers or -1, and which are new.
func (r *blockReader) series(b *Block, n int, key *keyBlock) (refs []int, fresh []*timeSeries) {
	if r.err != nil {
		return nil, nil
	}
	b.series = make([]timeSeries, n)
	refs, next := make([]int, n), int64(0)
	for i := range refs {
		v := r.uvarint()
		if refs[i] = -1; v == 0 {
			fresh = append(fresh, &b.series[i])
			continue
		}
		v--
		next += int64(v>>1) ^ -int64(v&1)
		if key == nil || next < 0 || next >= int64(len(key.series)) {
			r.fail()
			return refs, nil
		}
		refs[i], b.series[i].Series = int(next), key.series[next].Series
		next++
	}
	return refs, fresh
}

func (r *blockReader) newSeries(fresh []*timeSeries, base int64, metas []*Metadata) {
	for _, s := range fresh {
		s.Labels = Labels(r.text())
	}
	for _, s := range fresh {
		meta := r.uvarint()
		if meta > uint64(len(metas)) {
			r.fail()
			return
		}
		if meta > 0 {
			s.Meta = metas[meta-1]
		}
	}
	for _, s := range fresh {
		created := r.varint()
		if created > 0 {
			created--
		} else if created == 0 {
			continue
		}
		s.Created = created + base
	}
}

func (r *blockReader) samples(b *Block, n int, base int64) {
	if r.err != nil {
		return
	}
	rest := make([]sample, n)
	b.Samples = n
	for i := range b.series {
		n := r.uvarint()
		if n > uint64(len(rest)) || n == 0 {
			r.fail()
			return
		}
		b.series[i].samples, rest = rest[:n], rest[n:]
	}
	if len(rest) > 0 {
		r.fail()
	}
	for i := range b.series {
		last := base
		for j := range b.series[i].samples {
			last += r.varint()
			b.series[i].samples[j].ms = last
		}
	}
}

func (r *blockReader) values(b *Block, refs []int, key *keyBlock) {
	n := b.Samples
	planes := r.bytes(8 * n)
	if r.err != nil {
		return
	}
	k := 0
	for i := range b.series {
		var last uint64
		if refs[i] >= 0 {
			last = key.series[refs[i]].bits
		}
		for j := range b.series[i].samples {
			var v uint64
			for p := range 8 {
				v = v<<8 | uint64(planes[p*n+k])
			}
			last ^= v
			b.series[i].samples[j].value = math.Float64frombits(last)
			k++
		}
	}
}
