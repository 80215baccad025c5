package zstd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

// text returns n bytes: words that repeat at all distances, noise, and runs of the same byte.
func text(n int) []byte {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, 0, n+300)
	for len(b) < n {
		switch k := random.IntN(9); {
		case k < 2 || len(b) == 0:
			for range random.IntN(40) {
				b = append(b, byte(random.NormFloat64()*20))
			}
		case k < 5:
			b = binary.BigEndian.AppendUint32(b, random.Uint32N(300))
		case k < 6:
			b = append(b, bytes.Repeat([]byte{byte(k)}, random.IntN(40))...)
		default:
			from := random.IntN(len(b))
			b = append(b, b[from:min(from+random.IntN(300), len(b))]...)
		}
	}
	return b[:n]
}

// pack compresses b.
func pack(t testing.TB, b []byte, options ...zstd.EOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, append(options, zstd.WithEncoderConcurrency(1))...)
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

// unpack unpacks a file.
func unpack(src []byte) ([]byte, error) {
	r := NewReader(bytes.NewReader(src))
	defer r.Close()
	return io.ReadAll(r)
}

// TestUnpack unpacks what another program has packed.
func TestUnpack(t *testing.T) {
	long := text(700_000)
	for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBetterCompression, zstd.SpeedBestCompression} {
		for _, size := range []int{0, 1, 20, 1000, 150_000, len(long)} {
			for _, window := range []int{1 << 10, 1 << 16, 1 << 23} {
				packed := pack(t, long[:size], zstd.WithEncoderLevel(level), zstd.WithWindowSize(window), zstd.WithZeroFrames(true))
				if got, err := unpack(packed); err != nil || !bytes.Equal(got, long[:size]) {
					t.Errorf("%v of %d with a window of %d: %d bytes, %v", level, size, window, len(got), err)
				}
			}
		}
	}
}

// TestFiles unpacks what the program zstd has packed: the name of a file says how.
func TestFiles(t *testing.T) {
	names, err := filepath.Glob("testdata/*.zst")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := unpack(src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r, err := zstd.NewReader(bytes.NewReader(src))
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(r)
		if r.Close(); err != nil || len(want) == 0 || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d, %v", name, len(got), len(want), err)
		}
	}
}

// TestRead reads pieces of all sizes from a source that gives a byte at a time.
func TestRead(t *testing.T) {
	want := text(5000)
	packed := append(pack(t, want[:3000]), pack(t, want[3000:])...)
	if err := iotest.TestReader(NewReader(iotest.OneByteReader(bytes.NewReader(packed))), want); err != nil {
		t.Error(err)
	}
}

// TestClose ends the work that was begun ahead, wherever it is.
func TestClose(t *testing.T) {
	want := text(3_000_000)
	packed := pack(t, want)
	for _, n := range []int{0, 1, 600_000, 2_000_000, len(want)} {
		r := NewReader(bytes.NewReader(packed))
		got := make([]byte, n)
		if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, want[:n]) {
			t.Errorf("%d bytes: %v", n, err)
		}
		for range 2 {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := r.Read(got); n > 0 && err == nil {
			t.Error("closed, and read")
		}
		if r.full != nil {
			if _, more := <-r.full; more {
				t.Error("the work ahead goes on")
			}
		}
	}
}

// TestMemory unpacks a frame with much more content than its window, and one with a small part of what
// its window could hold: memory follows the content.
func TestMemory(t *testing.T) {
	large := pack(t, text(3_000_000), zstd.WithWindowSize(1<<16))
	small := pack(t, text(300_000), zstd.WithWindowSize(1<<27), zstd.WithSingleSegment(false))
	for _, tt := range []struct {
		src  []byte
		most int
	}{{large, 1<<16 + 4*(1<<16+pad)}, {small, 1 << 20}} {
		r := NewReader(bytes.NewReader(tt.src))
		if _, err := io.Copy(io.Discard, r); err != nil || len(r.w.out) > tt.most {
			t.Errorf("%d bytes, at most %d are wanted; %v", len(r.w.out), tt.most, err)
		}
		r.Close()
	}
}

// TestDamage changes each byte of files, and cuts them everywhere: that is noticed, but for bits that
// have no meaning.
func TestDamage(t *testing.T) {
	want := text(3000)
	for _, packed := range [][]byte{
		pack(t, want), append(pack(t, want[:700]), pack(t, want[700:], zstd.WithEncoderLevel(zstd.SpeedFastest))...),
	} {
		for i := range packed {
			changed := bytes.Clone(packed)
			changed[i] ^= 1 << (i % 8)
			if got, err := unpack(changed); err == nil && !bytes.Equal(got, want) {
				t.Errorf("a bit of byte %d changed is not noticed", i)
			}
			got, err := unpack(packed[:i])
			if err == nil && !bytes.HasPrefix(want, got) || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("cut at %d: %v", i, err)
			}
			if i < len(packed) && err == nil && len(got) == len(want) {
				t.Errorf("cut at %d is not noticed", i)
			}
		}
	}
}

// TestErrors has errors and where they are.
func TestErrors(t *testing.T) {
	hello := pack(t, []byte("hello"))
	frame := "\x28\xb5\x2f\xfd"
	tests := []struct{ name, src, want string }{
		{"nothing", "", "unexpected EOF"},
		{"no frame", "hello, archive", `no zstd file: no frame at byte 0, but 0x6c6c6568`},
		{"garbage behind", string(hello) + "hello", "no frame at byte 18"},
		{"rest of a frame", string(hello) + frame[:3], "unexpected EOF"},
		{"skipped", "\x5f\x2a\x4d\x18\x03\x00\x00\x00abc" + string(hello), ""},
		{"skipped part", "\x50\x2a\x4d\x18\x03\x00\x00\x00ab", "unexpected EOF"},
		{"reserved bit", frame + "\x08", "reserved bit"},
		{"dictionary", frame + "\x21\x07\x05", "frame at byte 0: zstd file cannot be unpacked: it needs dictionary 7"},
		{"dictionary 0", frame + "\x21\x00\x01\x09\x00\x00a", ""},
		{"window", frame + "\x00\x98", "it needs a window of 536870912 bytes, at most 268435456 are possible"},
		{"size", frame + "\xe0\xff\xff\xff\xff\xff\xff\xff\xff", "it needs a window of"},
		{"kind", frame + "\x20\x01\x0f\x00\x00a", "block at byte 6: damaged zstd file: block of an unknown kind"},
		{"large block", frame + "\x00\x00\x81\x3e\x00", "block at byte 6: damaged zstd file: 2000 bytes, at most 1024 are possible"},
		{"less content", frame + "\x20\x02\x09\x00\x00a", "frame of 1 bytes, its header says 2"},
		{"more content", frame + "\x20\x01\x12\x00\x00a", "frame of 2 bytes, its header says 1"},
		{"checksum", string(hello[:len(hello)-1]) + "\x00", "wrong checksum"},
		{"no sequences", frame + "\x20\x05\x0d\x00\x00\x00", "part of a block is missing"},
		{"no match", frame + "\x20\x05\x3d\x00\x00\x00\x01\x54\x00\x02\x80\x01", "symbol 128"},
		{"too far", frame + "\x20\x05\x3d\x00\x00\x00\x01\x54\x00\x02\x02\x01", "damaged zstd file"},
		{"no code", frame + "\x20\x05\x1d\x00\x00\x53\x00\x00", "literals without a code"},
		{"repeated", frame + "\x20\x05\x1d\x00\x00\x00\x01\xfc", "block repeats a table that is not there"},
	}
	for _, tt := range tests {
		_, err := unpack([]byte(tt.src))
		if err == nil && tt.want != "" || err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

// FuzzUnpack compares with another unpacker.
func FuzzUnpack(f *testing.F) {
	f.Add(pack(f, []byte("hello")))
	f.Add(pack(f, text(2000)))
	f.Add(append(pack(f, text(500), zstd.WithEncoderCRC(false)), pack(f, text(400), zstd.WithSingleSegment(true))...))
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := unpack(src)
		r, e := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if e != nil {
			t.Fatal(e)
		}
		defer r.Close()
		want, other := io.ReadAll(r)
		if errors.Is(err, io.ErrUnexpectedEOF) && other == nil && len(got) == len(want) {
			return // it overlooks a part of a magic number at the end
		}
		if (err == nil) != (other == nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v; another unpacker finds %d, %v", len(got), err, len(want), other)
		}
	})
}

// FuzzBlock unpacks blocks behind a good beginning, without a checksum.
func FuzzBlock(f *testing.F) {
	packed := pack(f, text(3000), zstd.WithEncoderCRC(false))
	f.Add(packed[7:])                          // behind a header that says the size
	head := []byte("\x28\xb5\x2f\xfd\x00\x30") // a window of 64 KiB
	f.Fuzz(func(t *testing.T, src []byte) {
		whole := append(bytes.Clone(head), src...)
		got, err := unpack(whole)
		r, e := zstd.NewReader(bytes.NewReader(whole), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if e != nil {
			t.Fatal(e)
		}
		defer r.Close()
		want, other := io.ReadAll(r)
		if err == nil && (other != nil || !bytes.Equal(got, want)) {
			t.Errorf("%d bytes, %v; another unpacker finds %d, %v", len(got), err, len(want), other)
		}
	})
}

// BenchmarkUnpack unpacks words and noise.
func BenchmarkUnpack(b *testing.B) {
	want := text(4 << 20)
	packed := pack(b, want)
	b.SetBytes(int64(len(want)))
	for b.Loop() {
		r := NewReader(bytes.NewReader(packed))
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}
