package content

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"pmtools/lib/pmerr"
)

// holes are the beginnings of files that a hole of zeros makes endless, after a content of some length.
var holes = map[string]struct {
	suffix, head string
	content      int
}{
	"blocks of zstd":        {".zst", "\x28\xb5\x2f\xfd\x00\x30", 0},
	"blocks after content":  {".zst", "\x28\xb5\x2f\xfd\x00\x30\x28\x00\x00hello", 5},
	"a skipped frame":       {".zst", "\x50\x2a\x4d\x18\xff\xff\xff\xff", 0},
	"padding of gzip":       {".gz", string(checked([]byte{3, 0}, nil)), 0},
	"codes of bzip2":        {".bz2", "BZh9", 0},
	"codes of compress":     {".Z", "\x1f\x9d\x90", -1},
	"literals of lzma":      {".lzma", "\x5d\x00\x00\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00", -1},
	"padding between of xz": {".xz", "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46", 0},
}

// sparse writes a file that begins with head and has zeros up to a size.
func sparse(t *testing.T, name, head string, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	err := os.WriteFile(path, []byte(head), 0o666)
	if err == nil {
		err = os.Truncate(path, size)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHole unpacks files of 20 GB that are nearly all hole: they end as damaged where they go on without
// content, and before if nobody waits for them any more.
func TestHole(t *testing.T) {
	size := int64(20 << 30)
	if runtime.GOOS == "windows" { // where zeros may take room
		size = 4 * maxBarren
	}
	for name, tt := range holes {
		t.Run(name, func(t *testing.T) {
			path := sparse(t, "x.0"+tt.suffix, tt.head, size)
			opt := Options{TempDir: t.TempDir(), DiskLimit: 1 << 20}
			ctx, cancel := context.WithCancel(bg)
			time.AfterFunc(20*time.Millisecond, cancel)
			start := time.Now()
			c, err := Open(ctx, path, opt)
			if err == nil {
				_, err = c.View(ctx, Everything)
			}
			if late := time.Since(start); !errors.Is(err, context.Canceled) && pmerr.Of(err) >= 0 || late > 30*time.Second {
				t.Errorf("cancelled: %v after %v", err, late)
			}
			if c != nil {
				c.Close()
			}
			if c, err = Open(bg, path, opt); err == nil {
				var data []byte
				data, err = c.View(bg, Everything)
				if tt.content >= 0 && len(data) != tt.content {
					t.Errorf("%d bytes, want %d", len(data), tt.content)
				}
				c.Close()
			}
			if !errors.Is(err, pmerr.LogRec) && !errors.Is(err, enospc) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// countdown is a context that ends when it was asked so often.
type countdown struct {
	context.Context
	left int
}

// Err implements context.Context.
func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestAsked unpacks files without content: the context is asked again and again.
func TestAsked(t *testing.T) {
	var empty bytes.Buffer
	w, err := xz.WriterConfig{BlockSize: 1}.NewWriter(&empty)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	hello := pack(t, ".xz", []byte("hello"))
	for name, tt := range map[string]struct {
		suffix string
		src    []byte
	}{
		"empty blocks of zstd":    {".zst", append([]byte("\x28\xb5\x2f\xfd\x00\x30"), make([]byte, 1<<20)...)},
		"empty frames of zstd":    {".zst", bytes.Repeat([]byte("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"), 1<<17)},
		"skipped frames of zstd":  {".zst", bytes.Repeat([]byte("\x50\x2a\x4d\x18\x00\x00\x00\x00"), 1<<17)},
		"one skipped frame":       {".zst", append([]byte("\x50\x2a\x4d\x18\x00\x00\x10\x00"), make([]byte, 1<<20)...)},
		"empty members of gzip":   {".gz", bytes.Repeat(checked([]byte{3, 0}, nil), 1<<15)},
		"zeros of gzip":           {".gz", append(checked([]byte{3, 0}, nil), make([]byte, 1<<20)...)},
		"empty streams of bzip2":  {".bz2", bytes.Repeat([]byte("BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00"), 1<<16)},
		"empty streams of xz":     {".xz", bytes.Repeat(empty.Bytes(), 1<<15)},
		"streams of xz, padded":   {".xz", bytes.Repeat(append(bytes.Clone(empty.Bytes()), 0, 0, 0, 0), 1<<15)},
		"small streams of xz":     {".xz", bytes.Repeat(hello, 1<<13)},
		"cleared tables":          {".Z", append([]byte("\x1f\x9d\x90\x61\x00\x02\x00\x00\x00\x00\x00\x00"), bytes.Repeat([]byte("\x00\x01\x00\x00\x00\x00\x00\x00\x00"), 1<<17)...)},
		"one byte after clearing": {".Z", append([]byte("\x1f\x9d\x90"), make([]byte, 1<<20)...)},
	} {
		path := filepath.Join(t.TempDir(), "x.0"+tt.suffix)
		if err := os.WriteFile(path, tt.src, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, often := range []int{0, 3, 10} {
			ctx := &countdown{bg, often}
			c, err := Open(ctx, path, Options{})
			if err == nil {
				_, err = c.View(ctx, Everything)
				c.Close()
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, asked %d times: %v", name, often, err)
			}
		}
	}
}

// heap returns how many bytes of memory are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestWork reads sixteen files in turn, of which each wants a large window, and all of them in the end:
// windows stay within what the process allows, contents are right.
func TestWork(t *testing.T) {
	plain := bytes.Repeat(noise(1<<19), 2)
	dir := t.TempDir()
	packed := map[string][]byte{".zst": nil, ".lzma": nil, ".xz": nil}
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithWindowSize(128<<20))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(plain); err != nil || z.Flush() != nil || z.Close() != nil {
		t.Fatal(err)
	}
	packed[".zst"] = bytes.Clone(out.Bytes())
	out.Reset()
	l, err := lzma.WriterConfig{DictCap: 128 << 20, BufSize: 1 << 16, Matcher: lzma.HashTable4}.NewWriter(&out)
	if err == nil {
		_, err = l.Write(plain)
	}
	if err != nil || l.Close() != nil {
		t.Fatal(err)
	}
	packed[".lzma"] = bytes.Clone(out.Bytes())
	packed[".xz"] = pack(t, ".xz", plain)
	for suffix, src := range packed {
		var files []*File
		for i := range maxOpen {
			path := filepath.Join(dir, fmt.Sprintf("%d%s", i, suffix))
			if err := os.WriteFile(path, src, 0o666); err != nil {
				t.Fatal(err)
			}
			c, err := Open(bg, path, Options{TempDir: dir})
			if err != nil {
				t.Fatalf("%s: %v", suffix, err)
			}
			files = append(files, c)
		}
		before := heap()
		for _, end := range []int64{1, 500_000, int64(len(plain))} {
			for i, c := range files {
				data, err := c.View(bg, end)
				if err != nil || !bytes.Equal(data, plain[:len(data)]) || int64(len(data)) < end {
					t.Fatalf("%s: %d bytes, %v", files[i].path, len(data), err)
				}
				if unpacked.work > maxWork {
					t.Fatalf("%s: %d bytes", files[i].path, unpacked.work)
				}
			}
			if grown := heap() - before; grown > maxWork+64<<20 {
				t.Errorf("%s: %d MiB are in use", suffix, grown>>20)
			}
		}
		for _, c := range files {
			c.Close()
		}
	}
	if unpacked.work != 0 {
		t.Errorf("%d bytes are counted", unpacked.work)
	}
}
