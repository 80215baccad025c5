package xz

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ulikunitz/xz/lzma"
)

// packAlone compresses b to a file of .lzma, with its size in the head, a marker at the end, or both.
func packAlone(t testing.TB, b []byte, size, marker bool, p lzma.Properties, dictionary int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := lzma.WriterConfig{Properties: &p, DictCap: dictionary, SizeInHeader: size, Size: int64(len(b)), EOSMarker: marker}.NewWriter(&out)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if size { // which the writer leaves out if there is no content
		binary.LittleEndian.PutUint64(out.Bytes()[5:], uint64(len(b)))
	}
	return out.Bytes()
}

// usual are the properties of xz.
var usual = lzma.Properties{LC: 3, PB: 2}

// unpackAlone unpacks a file of .lzma.
func unpackAlone(r io.Reader) ([]byte, error) {
	a, err := NewAlone(r)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(a)
}

func TestAlone(t *testing.T) {
	long := text(600_000)
	for name, want := range map[string][]byte{"nothing": nil, "one": {'a'}, "short": long[:1000], "long": long, "zeros": make([]byte, 1<<20)} {
		for _, end := range []struct{ size, marker bool }{{true, false}, {false, true}, {true, true}} {
			for dictionary, p := range map[int]lzma.Properties{1 << 20: usual, 1 << 12: {LC: 0, LP: 4, PB: 4}} {
				packed := packAlone(t, want, end.size, end.marker, p, dictionary)
				if got, err := unpackAlone(bytes.NewReader(packed)); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s, %v, %v, dictionary of %d: %d bytes, %v", name, end, p, dictionary, len(got), err)
				}
			}
		}
	}
	want := long[:300_000]
	packed := packAlone(t, want, false, true, usual, 1<<16)
	for _, r := range []io.Reader{iotest.OneByteReader(bytes.NewReader(packed)), iotest.DataErrReader(bytes.NewReader(packed))} {
		if got, err := unpackAlone(r); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

// TestAloneKnown unpacks what xz --format=lzma has packed of "hello, hello, hello", and what is wrong
// about its changes.
func TestAloneKnown(t *testing.T) {
	const known = "5d00008000ffffffffffffffff00341949ee8def8c87327f5db7ffffbc640000"
	packed, err := hex.DecodeString(known)
	if err != nil {
		t.Fatal(err)
	}
	const hello = "hello, hello, hello"
	got, err := unpackAlone(bytes.NewReader(packed))
	if err != nil || string(got) != hello {
		t.Errorf("%q, %v", got, err)
	}
	change := func(at int, with ...byte) string {
		return string(slices.Concat(packed[:at], with, packed[at+len(with):]))
	}
	size := func(n uint64) string { return change(5, binary.LittleEndian.AppendUint64(nil, n)...) }
	tests := []struct{ name, src, got, want string }{
		{"nothing", "", "", "EOF"},
		{"only a head", string(packed[:13]), "", "unexpected EOF"},
		{"properties", change(0, 225), "", "properties"},
		{"properties of too many contexts", change(0, 8+9), "", "properties"},
		{"dictionary", change(4, 0xff), "", errDictionary.Error()},
		{"first byte", change(13, 1), "", "begins with"},
		{"a byte behind", string(packed) + "\x00", hello, "does not end"},
		{"the size too", size(uint64(len(hello))), hello, "EOF"},
		{"a smaller size", size(uint64(len(hello) - 1)), "", "damaged"},
		{"size of nothing", size(0), "", "another size"},
		{"a larger size", size(uint64(len(hello) + 1)), hello, "LZMA match"},
		{"a huge size", size(maxAlone - 1), hello, "LZMA match"},
		{"a size that xz does not believe", size(maxAlone), "", "LZMA of"},
		{"a dictionary that no program has", change(1, 1), "", "LZMA of"},
		{"no dictionary", change(1, 0, 0, 0, 0), "", "LZMA of"},
	}
	for _, tt := range tests {
		got, err := unpackAlone(strings.NewReader(tt.src))
		if err == nil {
			err = io.EOF
		}
		if !strings.HasPrefix(string(got), tt.got) || !strings.HasPrefix(hello, string(got)) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, %v; want %q, %s", tt.name, got, err, tt.got, tt.want)
		}
	}
}

// TestAloneDamage changes a bit of each byte of a file, and cuts it everywhere: a cut is noticed, and
// the bytes before it are right. A changed bit need not be noticed: there is no checksum.
func TestAloneDamage(t *testing.T) {
	want := text(3000)
	for _, size := range []bool{false, true} {
		packed := packAlone(t, want, size, !size, usual, 1<<16)
		for i := range packed {
			changed := bytes.Clone(packed)
			changed[i] ^= 1 << (i % 8)
			_, _ = unpackAlone(bytes.NewReader(changed))
			got, err := unpackAlone(bytes.NewReader(packed[:i]))
			if err == nil || !bytes.HasPrefix(want, got) || len(got) < 3000*(i-200)/len(packed) {
				t.Errorf("cut at %d of %d: %d bytes, %v", i, len(packed), len(got), err)
			}
		}
		bad := errors.New("bad disk")
		if got, err := unpackAlone(io.MultiReader(bytes.NewReader(packed[:len(packed)/2]), iotest.ErrReader(bad))); err != bad || !bytes.HasPrefix(want, got) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

// TestAloneMemory asks for a large dictionary: memory is taken as there is content.
func TestAloneMemory(t *testing.T) {
	packed := packAlone(t, text(1000), false, true, usual, 1<<16)
	binary.LittleEndian.PutUint32(packed[1:], maxDictionary)
	a, err := NewAlone(bytes.NewReader(packed))
	if err == nil {
		_, err = io.Copy(io.Discard, a)
	}
	if err != nil || cap(a.d.out) > 1<<20 || a.limit < maxDictionary {
		t.Errorf("%d bytes of %d, %v", cap(a.d.out), a.limit, err)
	}
}

// FuzzAlone compares with another unpacker. Content is that of another unpacker.
func FuzzAlone(f *testing.F) {
	f.Add(packAlone(f, text(3000), true, false, usual, 1<<16))
	f.Add(packAlone(f, text(2000), false, true, lzma.Properties{LC: 1, LP: 2}, 1<<12))
	f.Add(packAlone(f, make([]byte, 10_000), true, true, usual, 1<<12))
	f.Fuzz(func(t *testing.T, src []byte) {
		const most = 1 << 20
		a, err := NewAlone(bytes.NewReader(src))
		if err != nil {
			return
		}
		got, err := io.ReadAll(io.LimitReader(a, most))
		r, stdErr := lzma.NewReader(bytes.NewReader(src))
		if stdErr != nil {
			return
		}
		want, stdErr := io.ReadAll(io.LimitReader(r, most))
		if n := min(len(got), len(want)); !bytes.Equal(got[:n], want[:n]) || err == nil && stdErr == nil && len(got) != len(want) {
			t.Errorf("%d bytes, %v; another unpacker finds %d, %v", len(got), err, len(want), stdErr)
		}
	})
}
