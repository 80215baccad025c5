package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/safefile"
)

// twice returns a directory with tables of two exports, and the values in them.
func twice(t *testing.T) (dir, values string) {
	t.Helper()
	c := newCrashed(t)
	if err := c.step(t, c.dir, 0); err != nil {
		t.Fatal(err)
	}
	return c.dir, c.want[1]
}

// failing compacts a copy of tables, while calls that change files fail as fault says. The tables have the same values then, and after
// the next compaction.
func failing(t *testing.T, dir, want string, fault func(*safefile.Op) error) (failed error) {
	t.Helper()
	at := t.TempDir()
	if err := os.CopyFS(at, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	end := safefile.Observe(fault)
	_, failed = Compact(t.Context(), at, false)
	end()
	for range 2 {
		if got := fmt.Sprint(exported(t, filesOf(at, "values"))); got != want {
			t.Fatalf("after %v there is %s, want %s", failed, got, want)
		}
		compact(t, at)
	}
	if list := tree(t, at+"/"+compactDir); len(list) > 0 {
		t.Errorf("after %v, left: %q", failed, list)
	}
	return failed
}

// TestCompactFull: on a full disk a compaction ends with an error that says so, wherever the room ends, and nothing is lost.
func TestCompactFull(t *testing.T) {
	dir, want := twice(t)
	full := 0
	for room := int64(0); ; room += 700 {
		left := atomic.Int64{}
		left.Store(room)
		err := failing(t, dir, want, func(op *safefile.Op) error {
			if op.Kind == safefile.OpWrite && left.Add(-int64(len(op.Data))) < 0 {
				return syscall.ENOSPC
			}
			return nil
		})
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if err == nil {
			break
		}
		if full++; !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), compactDir) && !strings.Contains(err.Error(), manifestFile) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
	if full < 5 {
		t.Errorf("only %d disks were full", full)
	}
}

// TestCompactLate: a file that comes into a directory just before it is exchanged stays, however often its name cannot be given back.
func TestCompactLate(t *testing.T) {
	dir, _ := twice(t)
	const name = "late.parquet"
	values := dir + "/values/host=h"
	text, err := os.ReadFile(filesOf(dir, "values")[0])
	if err != nil {
		t.Fatal(err)
	}
	failed, came := syscall.EIO, false
	fault := func(op *safefile.Op) error {
		if op.Kind == safefile.OpExchange && !came && strings.HasPrefix(op.To, values) {
			came = true
			return os.WriteFile(filepath.Join(op.To, name), text, 0o666)
		}
		if op.Kind == safefile.OpRename && filepath.Base(op.Name) == name {
			return failed
		}
		return nil
	}
	for try := range 3 {
		end := safefile.Observe(fault)
		_, err := Compact(t.Context(), dir, false)
		end()
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if !errors.Is(err, failed) {
			t.Errorf("try %d: %v", try, err)
		}
	}
	compact(t, dir)
	if got := filesOf(dir, "values"); !came || !slices.ContainsFunc(got, func(file string) bool { return filepath.Base(file) == name }) {
		t.Errorf("the late file is lost: %q", got)
	}
	if list := tree(t, dir+"/"+compactDir); len(list) > 0 {
		t.Errorf("left: %q", list)
	}
}

// TestCompactReadOnly: a directory that cannot be written is an error that names it; what would be merged can be asked.
func TestCompactReadOnly(t *testing.T) {
	dir, want := twice(t)
	if err := failing(t, dir, want, func(*safefile.Op) error { return syscall.EROFS }); !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), "compact") {
		t.Errorf("a file system for reading: %v", err)
	}
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		return // nothing keeps root from writing
	}
	// The manifests first: once a compaction has made its directory below theirs, it needs no other there.
	for _, name := range []string{dir + "/" + manifestDir, dir + "/values/host=h"} {
		if err := os.Chmod(name, 0o555); err != nil {
			t.Fatal(err)
		}
		if done, err := Compact(t.Context(), dir, true); err != nil || done.Before < 2 {
			t.Errorf("dry run, %s: %+v, %v", name, done, err)
		}
		if _, err := Compact(t.Context(), dir, false); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// counts returns the values of the column u64 in the files below a directory.
func counts(ctx context.Context, dir string) (list []uint64, err error) {
	for _, file := range filesOf(dir, "values") {
		f, table, err := openTable(ctx, Dir(""), file)
		if err != nil {
			return nil, err
		}
		rows := make([]parquet.Row, table.NumRows())
		for _, g := range table.RowGroups() {
			r := g.Rows()
			n, _ := r.ReadRows(rows)
			for _, row := range rows[:n] {
				list = append(list, row[colI64+int(unsigned)].Uint64())
			}
			r.Close()
		}
		f.Close()
	}
	return list, nil
}

// TestCompactBeside compacts without a pause while archives are exported and tables are read: each reader finds each value that
// was exported before, and none twice, or an error that a file is not there.
func TestCompactBeside(t *testing.T) {
	dir := t.TempDir()
	write := func(i int) {
		t.Helper()
		n := uint64(3 * i)
		if err := writeTo(t, dir, small(t, fmt.Sprint("a", i), "m", int32(i), 1700000000+int64(i)*100, n+1, n+2, n+3)); err != nil {
			t.Error(err)
		}
	}
	write(0)
	compact(t, dir)
	var exports, merged, whole atomic.Int64 // exports, compactions of something, and tables that were read
	exports.Store(1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var beside sync.WaitGroup
	beside.Go(func() {
		for ctx.Err() == nil {
			done, err := Compact(t.Context(), dir, false)
			if err != nil {
				t.Error(err)
				break
			}
			merged.Add(int64(done.Dirs))
		}
	})
	beside.Go(func() {
		for ctx.Err() == nil {
			before := 3 * exports.Load()
			list, err := counts(t.Context(), dir)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				t.Error(err)
				break
			}
			whole.Add(1)
			slices.Sort(list)
			if distinct := len(slices.Compact(slices.Clone(list))); distinct != len(list) || int64(len(list)) < before {
				t.Errorf("a reader finds %d values, %d distinct, after %d were exported", len(list), distinct, before)
			}
		}
	})
	const fewest, most = 12, 500
	for i := 1; i < fewest || i < most && (merged.Load() < 2 || whole.Load() < 2) && !t.Failed(); i++ {
		write(i)
		exports.Add(1)
	}
	cancel()
	beside.Wait()
	if merged.Load() < 2 || whole.Load() < 2 {
		t.Errorf("%d compactions, %d reads", merged.Load(), whole.Load())
	}
	compact(t, dir)
	if list, err := counts(t.Context(), dir); err != nil || int64(len(list)) != 3*exports.Load() {
		t.Errorf("in the end: %d values, %v", len(list), err)
	}
}
