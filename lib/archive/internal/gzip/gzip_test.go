package gzip

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

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
			from := max(len(b)-1-random.IntN(40_000), 0)
			b = append(b, b[from:min(from+random.IntN(300), len(b))]...)
		}
	}
	return b[:n]
}

// pack compresses b.
func pack(t testing.TB, b []byte, level int, head gzip.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err == nil {
		w.Header = head
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

// wrap makes deflated data a file of gzip, with a checksum in its head.
func wrap(deflated, plain []byte) []byte {
	b := []byte{0x1f, 0x8b, 8, flagCRC, 1, 2, 3, 4, 0, 255}
	b = binary.LittleEndian.AppendUint16(b, uint16(crc32.ChecksumIEEE(b)))
	b = binary.LittleEndian.AppendUint32(append(b, deflated...), crc32.ChecksumIEEE(plain))
	return binary.LittleEndian.AppendUint32(b, uint32(len(plain)))
}

// unpack unpacks a file of gzip.
func unpack(r io.Reader) ([]byte, error) {
	g, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(g)
}

// TestKnown unpacks what gzip has packed.
func TestKnown(t *testing.T) {
	known, err := os.ReadFile("testdata/known.txt")
	if err != nil {
		t.Fatal(err)
	}
	plain := map[string]string{"hello": "hello", "zeros": string(make([]byte, 100_000))}
	for i := range 300 {
		plain["lines"] += fmt.Sprintf("%d %d\n", i, i*i%997)
	}
	for _, part := range strings.Split(string(known), "\n\n")[1:] {
		name, code, _ := strings.Cut(part, "\n")
		packed, err := hex.DecodeString(strings.ReplaceAll(code, "\n", ""))
		if err != nil {
			t.Fatal(err)
		}
		got, err := unpack(bytes.NewReader(packed))
		if file, _, _ := strings.Cut(name, " "); err != nil || plain[file] == "" || string(got) != plain[file] {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(plain[file]))
		}
	}
}

func TestUnpack(t *testing.T) {
	long := text(700_000)
	texts := map[string][]byte{
		"nothing": nil, "one": {'a'}, "hello": []byte("hello"), "long": long, "zeros": make([]byte, 1<<20),
		"pairs": bytes.Repeat([]byte("ab"), 150_000), "words": bytes.Repeat([]byte("there is a house in new orleans "), 9000),
		"far": bytes.Repeat(long[:history], 9), "too far": bytes.Repeat(long[:history+1], 9), "full": long[:3*room],
	}
	for name, want := range texts {
		for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
			packed := pack(t, want, level, gzip.Header{})
			if got, err := unpack(bytes.NewReader(packed)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, level %d: %d bytes of %d, %v", name, level, len(got), len(want), err)
			}
		}
	}
}

// TestMembers unpacks members with all that a head can have, and zeros behind them.
func TestMembers(t *testing.T) {
	want := text(100_000)
	members := slices.Concat(
		pack(t, want[:1000], 6, gzip.Header{Name: strings.Repeat("x", 500), Comment: "hello", Extra: make([]byte, 60_000)}),
		pack(t, nil, 6, gzip.Header{Comment: "c", OS: 3}), wrap([]byte{3, 0}, nil), pack(t, want[1000:], 1, gzip.Header{}),
	)
	for _, zeros := range []int{0, 1, 511, 200_000} {
		packed := append(bytes.Clone(members), make([]byte, zeros)...)
		for name, r := range map[string]io.Reader{
			"all": bytes.NewReader(packed), "bytes": iotest.OneByteReader(bytes.NewReader(packed)),
			"halves": iotest.HalfReader(bytes.NewReader(packed)), "errors": iotest.DataErrReader(bytes.NewReader(packed)),
		} {
			if got, err := unpack(r); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d zeros, by %s: %d bytes, %v", zeros, name, len(got), err)
			}
		}
	}
	g, err := NewReader(bytes.NewReader(members))
	if err == nil {
		err = iotest.TestReader(g, want)
	}
	if err != nil {
		t.Error(err)
	}
	for _, behind := range []string{"garbage", "\x00garbage", "\x00\x1f\x8b\x08", "\x1f", "\x1f\x8b\x08", string(members[:len(members)-1])} {
		got, err := unpack(strings.NewReader(string(members) + behind))
		if err == nil || !bytes.HasPrefix(got, want) {
			t.Errorf("%.10q behind: %d bytes, %v", behind, len(got), err)
		}
	}
}

// TestDamage changes a bit of each byte of a file, and cuts it everywhere: that is noticed, and what was
// unpacked of a cut file is right.
func TestDamage(t *testing.T) {
	want := text(3000)
	for _, level := range []int{0, 1, 6} {
		packed := pack(t, want, level, gzip.Header{})
		packed = wrap(packed[10:len(packed)-8], want)
		if got, err := unpack(bytes.NewReader(packed)); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		unused := 0 // bits before a stored block, or behind the last one
		for i := range packed {
			changed := bytes.Clone(packed)
			changed[i] ^= 1 << (i % 8)
			if got, err := unpack(bytes.NewReader(changed)); err == nil {
				if unused++; unused > 2 || !bytes.Equal(got, want) {
					t.Errorf("a bit of byte %d changed is not noticed", i)
				}
			}
			got, err := unpack(bytes.NewReader(packed[:i]))
			if i > 0 && err != io.ErrUnexpectedEOF || err == nil || !bytes.HasPrefix(want, got) {
				t.Errorf("cut at %d: %d bytes, %v", i, len(got), err)
			}
			if i == len(packed)-8 && !bytes.Equal(got, want) {
				t.Errorf("%d bytes of a file without its last eight", len(got))
			}
		}
	}
}

// A writer writes bits, the lowest first.
type writer struct {
	b []byte
	n int
}

// put writes n bits; codes have their highest first.
func (w *writer) put(v, n int) *writer {
	for i := range n {
		if w.n++; w.n%8 == 1 {
			w.b = append(w.b, 0)
		}
		w.b[len(w.b)-1] |= byte(v>>i&1) << ((w.n - 1) % 8)
	}
	return w
}

// code writes a code.
func (w *writer) code(v, n int) *writer {
	for i := n - 1; i >= 0; i-- {
		w.put(v>>i, 1)
	}
	return w
}

// fixed begins a last block of fixed codes.
func fixed() *writer { return new(writer).put(1, 1).put(1, 2) }

// dynamic begins a last block, with codes of one bit for two of the lengths of codes: for those of
// these places in headOrder.
func dynamic(lits, dists, one, another int) *writer {
	w := new(writer).put(1, 1).put(2, 2).put(lits-257, 5).put(dists-1, 5).put(15, 4)
	for i := range headOrder {
		if i == one || i == another {
			w.put(1, 3)
		} else {
			w.put(0, 3)
		}
	}
	return w
}

// TestMatches unpacks matches of each length at distances from one to the largest.
func TestMatches(t *testing.T) {
	for _, distance := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 100, 257, 258, 259, 24577, 32767, 32768} {
		w, want := fixed(), []byte(nil)
		for i := range distance {
			want = append(want, byte(i*7919>>3)&0x7f)
			w.code(0x30+int(want[i]), 8)
		}
		symbol, extra := 0, distance-1
		for d := 29; d >= 0; d-- {
			if base := int(distanceEntry(d) >> 16); base <= distance {
				symbol, extra = d, distance-base
				break
			}
		}
		for length := 3; length <= 258; length++ {
			code := len(lengthBases) - 1
			for int(lengthBases[code]>>16) > length {
				code--
			}
			if code < 23 {
				w.code(code+1, 7)
			} else {
				w.code(0xc0+code-23, 8)
			}
			w.put(length-int(lengthBases[code]>>16), int(lengthBases[code]&63))
			w.code(symbol, 5).put(extra, int(distanceEntry(symbol)&63))
			for range length {
				want = append(want, want[len(want)-distance])
			}
		}
		packed := w.code(0, 7).b
		if std, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed))); err != nil || !bytes.Equal(std, want) {
			t.Fatalf("distance %d: the test is wrong: %v", distance, err)
		}
		if got, err := unpack(bytes.NewReader(wrap(packed, want))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("distance %d: %d bytes, %v; want %d", distance, len(got), err, len(want))
		}
	}
}

// TestRefused has what gzip cannot have written.
func TestRefused(t *testing.T) {
	head := string(wrap(nil, nil)[:12])
	data := func(w *writer) string { return head + string(w.b) + strings.Repeat("\x00", 20) }
	tests := []struct{ name, src, want string }{
		{"nothing", "", "EOF"},
		{"a byte", "\x1f", "unexpected EOF"},
		{"another magic", "\x1f\x8c\x08\x00......", "no head"},
		{"another method", "\x1f\x8b\x07\x00......", "no head"},
		{"encrypted", "\x1f\x8b\x08\x20......", "no head"},
		{"checksum of the head", head[:11] + "\x00\x03\x00", "checksum of a head"},
		{"checksum", head + "\x03\x00\x01\x00\x00\x00\x00\x00\x00\x00", "checksum 0x0, want 0 with 0x1"},
		{"size", head + "\x03\x00\x00\x00\x00\x00\x01\x00\x00\x00", "0 bytes"},
		{"kind of block", data(new(writer).put(7, 3)), "kind of block"},
		{"stored", head + "\x01\x05\x00\xfb\xffhello", "length of a stored block"},
		{"length symbol", data(fixed().code(0xc6, 8)), "code of a literal or length"},
		{"distance symbol", data(fixed().code(0x30, 8).code(1, 7).code(30, 5)), "distance"},
		{"distance", data(fixed().code(0x30, 8).code(1, 7).code(1, 5)), "distance"},
		{"287 codes", data(dynamic(287, 1, 0, 3)), "number of codes"},
		{"31 distances", data(dynamic(257, 31, 0, 3)), "number of codes"},
		{"no first code", data(dynamic(257, 1, 0, 3).put(1, 1)), "length of the first code"},
		{"a code more", data(dynamic(257, 1, 2, 3).put(127, 7).put(0, 1).put(127, 7).put(-1, 60)), "number of the lengths"},
		{"three codes of a bit", data(new(writer).put(1, 1).put(2, 2).put(0, 14).put(1+1<<3+1<<6, 9)), "lengths of codes"},
		{"too few codes", data(new(writer).put(1, 1).put(2, 2).put(0, 14).put(2+2<<3, 6)), "lengths of codes"},
		{"too many codes", data(dynamic(257, 1, 3, 17).put(-1, 258)), "codes of a block"},
		{"no code of a length", data(new(writer).put(1, 1).put(2, 2).put(0, 14).put(1, 12).put(1, 1)), "length of a code"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := unpack(strings.NewReader(tt.src))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%d bytes, %v; want %s", len(got), err, tt.want)
			}
		})
	}
	// A second member does not see the first.
	first := pack(t, []byte("hello"), 6, gzip.Header{})
	if _, err := unpack(bytes.NewReader(append(first, data(fixed().code(1, 7).code(0, 5))...))); !errors.Is(err, errDamage) {
		t.Errorf("a match in the member before: %v", err)
	}
}

// TestBroken unpacks from what fails: the error is its own.
func TestBroken(t *testing.T) {
	want, bad := text(300_000), errors.New("bad disk")
	for level := range 3 {
		packed := pack(t, want, level, gzip.Header{})
		for _, n := range []int{0, 5, len(packed) / 2, len(packed) - 4, len(packed)} {
			got, err := unpack(io.MultiReader(bytes.NewReader(packed[:n]), iotest.ErrReader(bad)))
			if err != bad || !bytes.HasPrefix(want, got) || n > 5 && len(got) < 100_000 {
				t.Errorf("after %d: %d bytes, %v", n, len(got), err)
			}
		}
	}
}

// TestFixedOnce: an empty block of the fixed codes takes ten bits, and must take no more time than these.
func TestFixedOnce(t *testing.T) {
	var z inflater
	if err := z.fixed(); err != nil || !z.packed {
		t.Fatal(err)
	}
	z.lit[0] = 12345
	if err := z.fixed(); err != nil || z.lit[0] != 12345 {
		t.Error("tables are made again")
	}
}

// members unpacks a file with the library of Go, by the rules of gzip for what is between members.
func members(src []byte) (all []byte, err error) {
	for in := bytes.NewReader(src); ; {
		head := src[len(src)-in.Len():]
		if len(all) > 0 || len(head) < len(src) {
			if rest := bytes.TrimLeft(head, "\x00"); len(rest) == 0 {
				return all, nil
			} else if len(rest) < len(head) {
				return all, errDamage
			}
		}
		if len(head) > 3 && head[3]&flagReserved != 0 {
			return all, errDamage
		}
		r, err := gzip.NewReader(in)
		if err != nil {
			return all, err
		}
		r.Multistream(false)
		b, err := io.ReadAll(r)
		if all = append(all, b...); err != nil {
			return all, err
		}
	}
}

// FuzzUnpack compares with the library of Go.
func FuzzUnpack(f *testing.F) {
	hello := pack(f, []byte("hello"), 6, gzip.Header{})
	f.Add(hello)
	f.Add(slices.Concat(hello, pack(f, text(2000), 9, gzip.Header{Name: "a", Comment: "b", Extra: []byte("cd")}), make([]byte, 8)))
	f.Add(wrap([]byte{3, 0}, nil))
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := unpack(bytes.NewReader(src))
		want, stdErr := members(src)
		if errors.Is(stdErr, gzip.ErrHeader) && len(src) > 512 {
			return // it takes no longer names
		}
		if (err == nil) != (stdErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v; the library finds %d, %v", len(got), err, len(want), stdErr)
		}
	})
}

// FuzzInflate unpacks deflated data: checksums do not keep damage from the decoder.
func FuzzInflate(f *testing.F) {
	for _, level := range []int{flate.HuffmanOnly, 0, 1, 9} {
		packed := pack(f, text(3000), level, gzip.Header{})
		f.Add(packed[10 : len(packed)-8])
	}
	f.Add(fixed().code(0x30, 8).code(0, 7).b)
	f.Add(dynamic(257, 1, 3, 17).put(-1, 100).b)
	f.Fuzz(func(t *testing.T, src []byte) {
		ours := bytes.NewReader(src)
		z := inflater{r: iotest.OneByteReader(ours)}
		var got []byte
		var err error
		for done := false; !done && err == nil; {
			var piece []byte
			piece, done, err = z.inflate()
			got = append(got, piece...)
		}
		in := bytes.NewReader(src)
		want, stdErr := io.ReadAll(flate.NewReader(in))
		switch {
		case (err == nil) != (stdErr == nil):
			t.Errorf("%v; the library says %v", err, stdErr)
		case err == nil && (!bytes.Equal(got, want) || z.end-z.pos+ours.Len() != in.Len()):
			t.Errorf("%d bytes and %d behind; the library finds %d and %d", len(got), z.end-z.pos+ours.Len(), len(want), in.Len())
		case !bytes.HasPrefix(want, got) && !bytes.HasPrefix(got, want):
			t.Errorf("%d bytes before an error are not the %d of the library", len(got), len(want))
		}
	})
}

// BenchmarkUnpack unpacks words and noise.
func BenchmarkUnpack(b *testing.B) {
	want := text(4 << 20)
	packed := pack(b, want, 6, gzip.Header{})
	b.SetBytes(int64(len(want)))
	for b.Loop() {
		g, err := NewReader(bytes.NewReader(packed))
		if err == nil {
			_, err = io.Copy(io.Discard, g)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
