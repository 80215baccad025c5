package xz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// A forgery is an xz stream of one block, of which each part can be another than it should be.
type forgery struct {
	check        byte
	flags        byte  // of the block: which sizes its header has
	packed       int64 // in the header, added to the right one
	plain        int64
	spare        []byte // in the header, after the filter
	padding      byte   // of the block
	indicator    byte   // which the index begins with
	count        int64  // of the index, added to the right one
	indexPacked  int64  // in the index, added to the right one
	indexPlain   int64
	long         bool // the last number of the index has a byte too many
	indexPadding byte
	footer       byte // the first byte of the flags there
}

// seal appends the checksum of b.
func seal(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)) }

// stream returns the stream of a content.
func (f forgery) stream(content string) []byte {
	chunk := append([]byte{1, byte((len(content) - 1) >> 8), byte(len(content) - 1)}, content...)
	chunk = append(chunk, 0)
	head := []byte{0, f.flags}
	if f.flags&0x40 != 0 {
		head = binary.AppendUvarint(head, uint64(int64(len(chunk))+f.packed))
	}
	if f.flags&0x80 != 0 {
		head = binary.AppendUvarint(head, uint64(int64(len(content))+f.plain))
	}
	head = append(append(head, 0x21, 1, 8), f.spare...)
	for len(head)%4 != 0 {
		head = append(head, 0)
	}
	head[0] = byte(len(head) / 4)
	block := append(seal(head), chunk...)
	size := len(block) + 4
	for len(block)%4 != 0 {
		block = append(block, f.padding)
	}
	block = binary.LittleEndian.AppendUint32(block, crc32.ChecksumIEEE([]byte(content)))
	index := binary.AppendUvarint([]byte{f.indicator}, uint64(1+f.count))
	index = binary.AppendUvarint(index, uint64(int64(size)+f.indexPacked))
	index = binary.AppendUvarint(index, uint64(int64(len(content))+f.indexPlain))
	if f.long {
		index[len(index)-1] |= 0x80
		index = append(index, 0)
	}
	for len(index)%4 != 0 {
		index = append(index, f.indexPadding)
	}
	return finish(block, seal(index), f.check, f.footer)
}

// finish puts header and footer around blocks and an index.
func finish(blocks, index []byte, check, flag byte) []byte {
	flags := []byte{flag, check}
	footer := append(binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1)), flags...)
	return slices.Concat([]byte("\xfd7zXZ\x00"), binary.LittleEndian.AppendUint32([]byte{0, 1}, crc32.ChecksumIEEE([]byte{0, 1})),
		blocks, index, binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(footer)), footer, []byte("YZ"))
}

// TestContradictions has files whose parts are sealed and say different things of one content, which is
// right.
func TestContradictions(t *testing.T) {
	content := strings.Repeat("x", 137)
	for _, f := range []forgery{{check: 1}, {check: 1, flags: 0xc0}, {check: 1, spare: []byte{0, 0, 0, 0}}, {check: 1, flags: 0x80}} {
		if got, err := unpack(f.stream(content)); err != nil || string(got) != content {
			t.Fatalf("%+v: %q, %v", f, got, err)
		}
	}
	for name, f := range map[string]forgery{
		"packed size in the header":  {check: 1, flags: 0x40, packed: 1},
		"plain size in the header":   {check: 1, flags: 0x80, plain: -1},
		"bytes after the filter":     {check: 1, spare: []byte{1}},
		"padding of the block":       {check: 1, padding: 1},
		"beginning of the index":     {check: 1, indicator: 1},
		"a block more":               {check: 1, count: 1},
		"a block less":               {check: 1, count: -1},
		"length in the index":        {check: 1, indexPacked: -1},
		"a larger one":               {check: 1, indexPacked: 1},
		"a far larger one":           {check: 1, indexPacked: 4},
		"content in the index":       {check: 1, indexPlain: 1},
		"less of it":                 {check: 1, indexPlain: -1},
		"a long number":              {check: 1, long: true},
		"padding of the index":       {check: 1, indexPadding: 1},
		"another check":              {check: 4},
		"an unknown flag":            {check: 0x11},
		"another unknown flag":       {check: 1, footer: 1},
		"reserved flag of the block": {check: 1, flags: 4},
	} {
		if got, err := unpack(f.stream(content)); !errors.Is(err, errLayout) && !errors.Is(err, errDamage) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestRecords has an index of many records: of nothing, and of no more than a file may have.
func TestRecords(t *testing.T) {
	records := func(n int, record string) []byte {
		index := append(binary.AppendUvarint([]byte{0}, uint64(n)), bytes.Repeat([]byte(record), n)...)
		for len(index)%4 != 0 {
			index = append(index, 0)
		}
		return finish(nil, seal(index), 1, 0)
	}
	for name, tt := range map[string]struct {
		src  []byte
		want error
	}{
		"of nothing":         {records(1<<20, "\x00\x00"), errLayout},
		"of too little":      {records(1<<20, "\x08\x00"), errLayout},
		"of no block":        {records(1<<10, "\x0c\x00"), errLayout},
		"too many":           {records(maxBlocks+1, "\x0c\x00"), errBlocks},
		"in a larger index":  {records(maxIndex, "\x00\x00"), errLayout},
		"without a number":   {finish(nil, seal(nil), 1, 0), errLayout},
		"fewer than it says": {finish(nil, seal([]byte{0, 0xff, 0xff, 0x3f}), 1, 0), errLayout},
	} {
		var err error
		n := allocated(func() { _, err = Open(bg, bytes.NewReader(tt.src), int64(len(tt.src))) })
		if !errors.Is(err, tt.want) || n > 16<<20 {
			t.Errorf("%s: %v, %d MiB are allocated", name, err, n>>20)
		}
	}
}

// TestStreams opens and unpacks files of many streams: sixteen times as many take some sixteen times as
// long, not 256 times.
func TestStreams(t *testing.T) {
	one := append(forgery{check: 1}.stream("hello"), 0, 0, 0, 0)
	took := func(n int) time.Duration {
		src := bytes.Repeat(one, n)
		best := time.Hour
		for range 3 {
			start := time.Now()
			got, err := unpack(src)
			if err != nil || len(got) != 5*n {
				t.Fatalf("%d streams: %d bytes, %v", n, len(got), err)
			}
			best = min(best, time.Since(start))
		}
		return best
	}
	few, many := took(10_000), took(160_000)
	t.Logf("%v, %v", few, many)
	if many > 100*few {
		t.Errorf("%v for 10,000, %v for 160,000", few, many)
	}
}
