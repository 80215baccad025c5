package archive_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// packFiles compresses all files of an archive and removes the plain ones.
func packFiles(t testing.TB, base, suffix string) {
	t.Helper()
	names, err := filepath.Glob(base + ".*")
	must(t, err)
	for _, name := range names {
		plain, err := os.ReadFile(name)
		must(t, err)
		var out bytes.Buffer
		switch suffix {
		case ".gz":
			w := gzip.NewWriter(&out)
			_, err = w.Write(plain)
			must(t, err, w.Close())
		case ".zst":
			w, err := zstd.NewWriter(&out)
			must(t, err)
			_, err = w.Write(plain)
			must(t, err, w.Close())
		case ".xz":
			w, err := xz.WriterConfig{DictCap: 1 << 16, BlockSize: 2000}.NewWriter(&out)
			must(t, err)
			_, err = w.Write(plain)
			must(t, err, w.Close())
		}
		must(t, os.WriteFile(name+suffix, out.Bytes(), 0o666), os.Remove(name))
	}
}

// dump prints all records of a Set with the values of their columns.
func dump(t testing.TB, s *archive.Set) string {
	t.Helper()
	var b strings.Builder
	var dst pcp.Result
	c := s.Cursor()
	for c.Next(bg, &dst) == nil {
		fmt.Fprintln(&b, dst.Time, len(dst.Sets))
		for i := range dst.Sets {
			v := &dst.Sets[i]
			fmt.Fprintln(&b, v.ID, v.Err, v.Insts, v.Words, v.Blobs, v.Odd)
		}
	}
	end, err := s.End(bg)
	fmt.Fprintln(&b, end, err)
	return b.String()
}

func TestCompressedArchive(t *testing.T) {
	for _, suffix := range []string{".gz", ".zst", ".xz"} {
		for name, limit := range map[string]int64{"memory": 0, "file": 1} {
			t.Run(suffix+" "+name, func(t *testing.T) {
				base := archivetest.Path(t, "volumes")
				want := dump(t, open(t, base))
				packFiles(t, base, suffix)
				s, err := archive.Open(bg, base, &archive.Options{MemLimit: limit, TempDir: t.TempDir()})
				must(t, err)
				defer s.Close()
				if got := dump(t, s); got != want {
					t.Errorf("got %s\nwant %s", got, want)
				}
			})
		}
	}
}

// TestCompress reads files of compress(1). Like gzip, which the reference calls for them, the
// reader goes by the beginning of a file named .gz, .Z or .z.
func TestCompress(t *testing.T) {
	plain := archivetest.Path(t, "mini")
	want := dump(t, open(t, plain))
	files, err := archivetest.ReadFiles("testdata/compressed/mini") // by compress(1), which no program in Go can
	must(t, err)
	packFiles(t, plain, ".gz")
	zipped, err := archivetest.ReadFiles(plain)
	must(t, err)
	for _, suffix := range []string{".gz", ".Z", ".z"} {
		for from, packed := range map[string]archivetest.Files{".Z": files, ".gz": zipped} {
			named := make(archivetest.Files)
			for name, b := range packed {
				named[strings.TrimSuffix(name, from)+suffix] = b
			}
			base := filepath.Join(t.TempDir(), "mini")
			must(t, named.Write(base))
			if got := dump(t, open(t, base)); got != want {
				t.Errorf("%s named %s: got %s\nwant %s", from, suffix, got, want)
			}
		}
	}
}

// TestFS reads an archive that is not in the file system, plain and compressed.
func TestFS(t *testing.T) {
	base := archivetest.Path(t, "volumes")
	want := dump(t, open(t, base))
	for _, suffix := range []string{"", ".gz", ".xz"} {
		if suffix != "" {
			packFiles(t, base, suffix)
		}
		files, err := archivetest.ReadFiles(base)
		must(t, err)
		for file := range files {
			must(t, os.Remove(base+"."+file))
		}
		fsys := make(fstest.MapFS)
		for file, b := range files {
			fsys["some/dir/v."+file] = &fstest.MapFile{Data: b}
		}
		for _, name := range []string{"some/dir/v", "some/dir/v.meta", "some/dir"} {
			s, err := archive.Open(bg, name, &archive.Options{FS: fsys})
			must(t, err)
			defer s.Close()
			if got := dump(t, s); got != want {
				t.Errorf("%q of %q: got %s\nwant %s", name, suffix, got, want)
			}
		}
		for _, name := range []string{"some/dir/x", "no/dir/v", "", "../some/dir/v"} {
			if _, err := archive.Open(bg, name, &archive.Options{FS: fsys}); err == nil {
				t.Errorf("%q: opened", name)
			}
		}
		must(t, archivetest.Build(filepath.Dir(base), "volumes"))
	}
}

func TestCompressedDamage(t *testing.T) {
	for _, file := range []string{".meta", ".index", ".0"} {
		base := archivetest.Path(t, "mini")
		packFiles(t, base, ".gz")
		b, err := os.ReadFile(base + file + ".gz")
		must(t, err)
		must(t, os.WriteFile(base+file+".gz", b[:len(b)-9], 0o666))
		s, err := archive.Open(bg, base, nil)
		if err == nil && file == ".0" { // found when it is read
			var dst pcp.Result
			for c := s.Cursor(); err == nil; {
				err = c.Next(bg, &dst)
			}
		}
		wantCode(t, err, pmerr.LogRec)
	}
}

// TestShared reads one Set in several goroutines; the race detector looks on.
func TestShared(t *testing.T) {
	base := archivetest.Path(t, "indoms")
	packFiles(t, base, ".xz")
	s := open(t, base)
	want := dump(t, open(t, base))
	id, err := s.Lookup("t.i")
	must(t, err)
	d, err := s.Desc(id)
	must(t, err)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			if got := dump(t, s); got != want {
				t.Errorf("goroutine %d read something else", i)
			}
			for n := range 50 {
				if _, err := s.Instances(d.InDom, seconds(int64(n))); err != nil {
					t.Error(err)
				}
				s.Names(id)
			}
			if list, err := s.AllInstances(d.InDom); err != nil || len(list) != 6 {
				t.Errorf("got %v, %v", list, err)
			}
		})
	}
	group.Wait()
}

// TestManyMembers opens more archives than fit into a small table of open files.
func TestManyMembers(t *testing.T) {
	dir := t.TempDir()
	const n = 50
	for i := range n {
		w, err := archive.Create(filepath.Join(dir, fmt.Sprintf("a%02d", i)), &archive.WriterOptions{Host: "h"})
		must(t, err)
		must(t, w.AddMetric(miniDesc, "mini.x"), w.Put(mini(seconds(int64(100*i)), int32(i))), w.Close())
	}
	s := open(t, dir)
	got := strings.Fields(follow(s.Cursor(), miniDesc.ID))
	if len(got) != n+2 || got[n-1] != fmt.Sprintf("%d=%d", 100*(n-1), n-1) {
		t.Errorf("got %v", got)
	}
}
