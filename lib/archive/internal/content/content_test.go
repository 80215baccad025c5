package content

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// bg is what nothing ends.
var bg = context.Background()

// bzip2Hello is "hello, archive\n" as bzip2 packs it, which the standard library can only unpack.
const bzip2Hello = "425a683931415926535959278d67000003d180001040042a6491002000310340d02001a69502788c0fa538f8bb9229c28482c93c6b38"

// pack compresses b the way of a suffix.
func pack(t testing.TB, suffix string, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w interface {
		Write([]byte) (int, error)
		Close() error
	}
	var err error
	switch suffix {
	case ".Z":
		return packLZW(b, 16, 50000)
	case ".gz", ".z":
		w = gzip.NewWriter(&out)
	case ".xz":
		w, err = xz.NewWriter(&out)
	case ".lzma":
		w, err = lzma.NewWriter(&out)
	case ".zst":
		w, err = zstd.NewWriter(&out)
	}
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

// noise returns bytes that do not compress to nothing.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 29)
	}
	return b
}

func TestContent(t *testing.T) {
	plain := noise(3 << 19)
	dir := t.TempDir()
	for _, suffix := range []string{"", ".gz", ".z", ".Z", ".xz", ".lzma", ".zst"} {
		packed := plain
		if suffix != "" {
			packed = pack(t, suffix, plain)
		}
		for name, limit := range map[string]int64{"in memory": 0, "in a temporary file": 1 << 19} {
			t.Run(suffix+" "+name, func(t *testing.T) {
				path := filepath.Join(dir, "x.0"+suffix)
				if err := os.WriteFile(path, packed, 0o666); err != nil {
					t.Fatal(err)
				}
				temp := t.TempDir()
				c, err := Open(bg, path, Options{MemLimit: limit, TempDir: temp})
				if err != nil {
					t.Fatal(err)
				}
				var first []byte
				for _, end := range []int64{1, 132, 1 << 18, 1 << 20, 5, Everything} {
					data, err := c.View(bg, end)
					if err != nil || int64(len(data)) < min(end, int64(len(plain))) || !bytes.Equal(data, plain[:len(data)]) {
						t.Fatalf("view(%d): %d bytes, %v", end, len(data), err)
					}
					if first == nil {
						first = data[:100]
					}
				}
				if !bytes.Equal(first, plain[:100]) {
					t.Error("the first view has changed")
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				if left, _ := os.ReadDir(temp); len(left) != 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	}
}

func TestContentDamage(t *testing.T) {
	plain := noise(100 << 10)
	dir := t.TempDir()
	xzBytes := pack(t, ".xz", plain)
	tests := []struct {
		name   string
		suffix string
		src    []byte
		late   bool // found when it is read
	}{
		{"gz cut", ".gz", pack(t, ".gz", plain)[:5000], true},
		{"gz empty", ".gz", nil, false},
		{"zst cut", ".zst", pack(t, ".zst", plain)[:5000], true},
		{"lzma cut", ".lzma", pack(t, ".lzma", plain)[:5000], true},
		{"bz2 nothing", ".bz2", []byte("nothing"), true},
		{"xz cut", ".xz", xzBytes[:5000], false},
		{"xz of nothing", ".xz", []byte("nothing of the kind, but long enough for an end"), false},
		{"xz with bad block", ".xz", append(append(bytes.Clone(xzBytes[:5000]), 0xff, 0xff, 0xff, 0xff), xzBytes[5004:]...), true},
		{"xz with huge dictionary", ".xz", bytes.Replace(xzBytes, []byte{0x21, 1, xzBytes[bytes.IndexByte(xzBytes, 0x21)+2]}, []byte{0x21, 1, 40}, 1), false},
		{"compress cut", ".Z", packLZW(plain, 16, 1<<30)[:2], false},
		{"compress with bad code", ".Z", append(packLZW(plain, 16, 1<<30)[:5000], bytes.Repeat([]byte{0xff}, 100)...), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, "y.0"+tt.suffix)
			if err := os.WriteFile(path, tt.src, 0o666); err != nil {
				t.Fatal(err)
			}
			c, err := Open(bg, path, Options{})
			if tt.late && err == nil {
				_, err = c.View(bg, Everything)
				c.Close()
			} else if err == nil {
				t.Error("opened")
				c.Close()
			}
			if !errors.Is(err, pmerr.LogRec) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSettle(t *testing.T) {
	dir := t.TempDir()
	for _, suffix := range []string{"", ".gz", ".bz2"} {
		want := []byte("hello, archive\n")
		packed := want
		switch suffix {
		case ".gz":
			packed = pack(t, suffix, want)
		case ".bz2":
			packed, _ = hex.DecodeString(bzip2Hello)
		}
		path := filepath.Join(dir, "x.meta"+suffix)
		if err := os.WriteFile(path, packed, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Open(bg, path, Options{})
		if err != nil {
			t.Errorf("%q: %v", suffix, err)
			continue
		}
		if got, err := c.View(bg, Everything); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: got %q, %v", suffix, got, err)
		}
		c.Settle()
		if got, err := c.View(bg, Everything); err != nil || !bytes.Equal(got, want) || c.file != nil {
			t.Errorf("%q, settled: got %q, %v, descriptor %v", suffix, got, err, c.file)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "none.xz")} {
		if _, err := Open(bg, path, Options{}); !errors.Is(err, pmerr.ENOENT) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
