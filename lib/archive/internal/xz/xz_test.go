package xz

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	_ "pmtools/test/env"
)

// bg is what nothing ends.
var bg = context.Background()

// text returns n bytes: words that repeat at all distances, and noise among them.
func text(n int) []byte {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, 0, n+300)
	for len(b) < n {
		switch k := random.IntN(8); {
		case k < 2 || len(b) == 0:
			for range random.IntN(40) {
				b = append(b, byte(random.Uint32()))
			}
		case k < 5:
			b = binary.BigEndian.AppendUint32(b, random.Uint32N(300))
		default:
			from := random.IntN(len(b))
			b = append(b, b[from:min(from+random.IntN(300), len(b))]...)
		}
	}
	return b[:n]
}

// pack compresses b.
func pack(t testing.TB, b []byte, config xz.WriterConfig) []byte {
	t.Helper()
	var out bytes.Buffer
	if config.DictCap == 0 {
		config.DictCap = 1 << 17
	}
	w, err := config.NewWriter(&out)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unpack unpacks an xz file.
func unpack(src []byte) ([]byte, error) {
	f, err := Open(bg, bytes.NewReader(src), int64(len(src)))
	if err != nil {
		return nil, err
	}
	r := NewReader(f)
	b, err := io.ReadAll(r)
	if err == nil && int64(len(b)) != f.Size {
		err = fmt.Errorf("%d bytes, the layout says %d", len(b), f.Size)
	}
	return b, err
}

func TestUnpack(t *testing.T) {
	long := text(200_000)
	multi := slices.Concat(pack(t, long[:1000], xz.WriterConfig{}), make([]byte, 8), pack(t, nil, xz.WriterConfig{}),
		pack(t, long[1000:70000], xz.WriterConfig{BlockSize: 9999}), make([]byte, 4))
	tests := []struct {
		name   string
		packed []byte
		want   []byte
	}{
		{"one block", pack(t, long, xz.WriterConfig{}), long},
		{"blocks", pack(t, long, xz.WriterConfig{BlockSize: 30000}), long},
		{"tiny blocks", pack(t, long[:30], xz.WriterConfig{BlockSize: 1}), long[:30]},
		{"streams and padding", multi, long[:70000]},
		{"nothing", pack(t, nil, xz.WriterConfig{}), nil},
		{"small dictionary", pack(t, long, xz.WriterConfig{DictCap: 4096}), long},
		{"no check", pack(t, long[:9999], xz.WriterConfig{NoCheckSum: true}), long[:9999]},
		{"crc32", pack(t, long[:9999], xz.WriterConfig{CheckSum: xz.CRC32, BlockSize: 1000}), long[:9999]},
		{"sha256", pack(t, long[:9999], xz.WriterConfig{CheckSum: xz.SHA256, BlockSize: 1000}), long[:9999]},
	}
	for _, p := range []lzma.Properties{{LC: 0}, {LC: 4}, {LP: 4, PB: 4}, {LC: 1, LP: 3, PB: 1}, {LC: 3, LP: 1, PB: 2}} {
		config := xz.WriterConfig{Properties: &p}
		tests = append(tests, struct {
			name         string
			packed, want []byte
		}{fmt.Sprint(p), pack(t, long[:100_000], config), long[:100_000]})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := unpack(tt.packed)
			if err != nil || !bytes.Equal(got, tt.want) {
				t.Errorf("%d bytes, %v; want %d bytes", len(got), err, len(tt.want))
			}
		})
	}
}

// TestLarge has blocks with more content than is kept of them.
func TestLarge(t *testing.T) {
	want := bytes.Repeat(text(100_003), 60)
	packed := pack(t, want, xz.WriterConfig{DictCap: 1 << 17, BlockSize: 5_500_000})
	f, err := Open(bg, bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(f)
	if err := iotest.TestReader(io.LimitReader(r, 1000), want[:1000]); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want[1000:]) {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(want)-1000)
	}
	if n := f.Memory(); n > 1<<20 {
		t.Errorf("%d bytes of memory", n)
	}
	for i, want := range map[int64]int{-1: 0, 0: 0, 5_499_999: 0, 5_500_000: 1, 1 << 40: 1} {
		if got := f.Find(i); got != want {
			t.Errorf("offset %d is in block %d, want %d", i, got, want)
		}
	}
}

// TestNext unpacks a block by pieces of all sizes.
func TestNext(t *testing.T) {
	want := bytes.Repeat(text(100_003), 13)
	packed := pack(t, want, xz.WriterConfig{DictCap: 1 << 17})
	f, err := Open(bg, bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3 { // the decoder is used again
		r, err := f.OpenBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		for pos := 0; ; {
			n := 1 + random.IntN(1<<random.IntN(20))
			piece, err := r.Next(n)
			if err == io.EOF && pos == len(want) {
				break
			}
			if err != nil {
				t.Fatalf("at %d: %d bytes for %d, %v", pos, len(piece), n, err)
			} else if len(piece) == 0 || len(piece) > n+maxMatch || !bytes.HasPrefix(want[pos:], piece) {
				t.Fatalf("at %d: %d bytes for %d, %v", pos, len(piece), n, err)
			}
			pos += len(piece)
		}
		r.Close()
	}
}

// TestCRC compares with the standard library, which the writer of the tests uses too.
func TestCRC(t *testing.T) {
	src := text(500)
	for n := range src {
		want := crc64.New(crc64.MakeTable(crc64.ECMA))
		want.Write(src[:n])
		var c crc
		c.Write(src[:n/3])
		c.Write(src[n/3 : n])
		if got := c.Sum(nil); !bytes.Equal(got, want.Sum(nil)) {
			t.Errorf("%d bytes: got %x, want %x", n, got, want.Sum(nil))
		}
	}
}

// TestEarly reads the beginning of a block: the rest of it is not unpacked.
func TestEarly(t *testing.T) {
	want := text(200_000)
	packed := pack(t, want, xz.WriterConfig{})
	f, err := Open(bg, bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(f)
	got := make([]byte, 100)
	if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, want[:100]) || r.block.left < 50_000 {
		t.Errorf("got %q, %v; %d bytes are left", got, err, r.block.left)
	}
}

// TestDamage changes a bit of each byte of a file, and cuts it everywhere: that is noticed, and what was
// unpacked before is right.
func TestDamage(t *testing.T) {
	want := text(3000)
	packed := pack(t, want, xz.WriterConfig{BlockSize: 1000})
	for i := range packed {
		changed := bytes.Clone(packed)
		changed[i] ^= 1 << (i % 8)
		if _, err := unpack(changed); err == nil {
			t.Errorf("a bit of byte %d changed is not noticed", i)
		}
		if _, err := unpackPieces(changed, 100); err == nil {
			t.Errorf("a bit of byte %d changed is not noticed in pieces", i)
		}
		if _, err := unpack(packed[:i]); err == nil {
			t.Errorf("cut at %d is not noticed", i)
		}
	}
	f, err := Open(bg, bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	packed[f.Blocks[2].pos+100] ^= 1
	got, err := unpack(packed)
	if !errors.Is(err, errDamage) || len(got) < 2000 || !bytes.Equal(got[:2000], want[:2000]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestDictionary refuses a block that asks for much memory.
func TestDictionary(t *testing.T) {
	packed := pack(t, []byte("hello"), xz.WriterConfig{})
	head := packed[endSize : endSize+4*int(packed[endSize])+4]
	head[bytes.IndexByte(head, 0x21)+2] = 40
	binary.LittleEndian.PutUint32(head[len(head)-4:], crc32.ChecksumIEEE(head[:len(head)-4]))
	if _, err := unpack(packed); !errors.Is(err, errDictionary) {
		t.Errorf("got %v", err)
	}
	for bits, want := range map[byte]uint64{0: 4 << 10, 1: 6 << 10, 22: 8 << 20, 28: 64 << 20, 40: 4 << 30} {
		if got := dictionarySize(bits); got != want {
			t.Errorf("%d: got %d, want %d", bits, got, want)
		}
	}
}

// TestCancelled ends with the context.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(bg)
	cancel()
	packed := pack(t, []byte("hello"), xz.WriterConfig{})
	if _, err := Open(ctx, bytes.NewReader(packed), int64(len(packed))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// FuzzUnpack compares with another unpacker, and with pieces of another size.
func FuzzUnpack(f *testing.F) {
	f.Add(pack(f, []byte("hello"), xz.WriterConfig{}))
	f.Add(append(pack(f, text(2000), xz.WriterConfig{BlockSize: 700}), append(make([]byte, 8), pack(f, nil, xz.WriterConfig{})...)...))
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := unpack(src)
		if pieces, err2 := unpackPieces(src, 1+len(src)%300); (err2 == nil) != (err == nil) || err == nil && !bytes.Equal(pieces, got) {
			t.Errorf("%d bytes, %v; in pieces %d, %v", len(got), err, len(pieces), err2)
		}
		if err != nil {
			return
		}
		r, err := xz.NewReader(bytes.NewReader(src))
		if err != nil {
			return
		}
		if want, err := io.ReadAll(r); err == nil && !bytes.Equal(got, want) {
			t.Errorf("%d bytes, another unpacker finds %d", len(got), len(want))
		}
	})
}

// unpackPieces unpacks an xz file n bytes at a time.
func unpackPieces(src []byte, n int) (out []byte, err error) {
	f, err := Open(bg, bytes.NewReader(src), int64(len(src)))
	if err != nil {
		return nil, err
	}
	for i := range f.Blocks {
		r, err := f.OpenBlock(i)
		for err == nil {
			var piece []byte
			if piece, err = r.Next(n); err == nil {
				out = append(out, piece...)
			}
		}
		if err != io.EOF {
			return out, err
		}
		r.Close()
	}
	return out, nil
}

// FuzzDecoder unpacks chunks after a good beginning: checksums do not keep damage from the decoder.
func FuzzDecoder(f *testing.F) {
	packed := pack(f, text(3000), xz.WriterConfig{})
	head := endSize + 4*int(packed[endSize]) + 4
	f.Add(packed[head : len(packed)-60])
	f.Fuzz(func(t *testing.T, src []byte) {
		var d decoder
		d.begin(1000, 5000)
		for {
			c, err := readChunk(src)
			if err != nil || c.control == lastChunk || c.head+c.size > len(src) || c.unpacked > len(d.out) {
				return
			}
			copy(d.in[:], src[c.head:c.head+c.size])
			if d.load(c) != nil {
				return
			}
			for n := len(src)%1000 + 1; d.left > 0; {
				d.makeRoom(n)
				if d.unpack(n) != nil {
					return
				}
			}
			src = src[c.head+c.size:]
		}
	})
}

// BenchmarkUnpack unpacks words and noise.
func BenchmarkUnpack(b *testing.B) {
	want := text(4 << 20)
	packed := pack(b, want, xz.WriterConfig{})
	b.SetBytes(int64(len(want)))
	for b.Loop() {
		if _, err := unpack(packed); err != nil {
			b.Fatal(err)
		}
	}
}
