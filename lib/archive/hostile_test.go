//go:build unix

package archive_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestKinds opens archives with a member that is not a regular file. Opening must neither wait nor
// read without end.
func TestKinds(t *testing.T) {
	const eisdir pmerr.Code = -21
	kinds := []struct {
		name string
		make func(path string) error
		want pmerr.Code
	}{
		{"pipe", func(path string) error { return syscall.Mkfifo(path, 0o666) }, pmerr.Label},
		{"link to a device", func(path string) error { return os.Symlink("/dev/zero", path) }, pmerr.Label},
		{"directory", func(path string) error { return os.Mkdir(path, 0o777) }, eisdir},
	}
	for _, kind := range kinds {
		for _, suffix := range []string{".0", ".meta", ".index"} {
			t.Run(kind.name+suffix, func(t *testing.T) {
				base := newRaw(3).write(t)
				must(t, os.Remove(base+suffix), kind.make(base+suffix))
				_, err := archive.Open(bg, base, nil)
				wantCode(t, err, kind.want)
				if _, err = archive.Open(bg, base+suffix, nil); err == nil {
					t.Error("opened by the name of the file")
				}
			})
		}
	}
}

// TestVolumeKinds reads past a volume that is not a regular file: a directory is reported, and a
// pipe without a label is skipped.
func TestVolumeKinds(t *testing.T) {
	for _, tt := range []struct {
		make func(path string) error
		want pmerr.Code
	}{
		{func(path string) error { return os.Mkdir(path, 0o777) }, -21},
		{func(path string) error { return syscall.Mkfifo(path, 0o666) }, pmerr.EOL},
	} {
		base := newRaw(3).write(t)
		must(t, tt.make(base+".1"))
		c := open(t, base).Cursor()
		var dst pcp.Result
		var err error
		for err == nil {
			err = c.Next(bg, &dst)
		}
		wantCode(t, err, tt.want)
	}
}

// TestSparse opens archives with a huge sparse file.
func TestSparse(t *testing.T) {
	for suffix, want := range map[string]pmerr.Code{".meta": pmerr.LogRec, ".index": 0, ".0": 0} {
		base := newRaw(3).write(t)
		if err := os.Truncate(base+suffix, 200<<30); err != nil {
			t.Skip(err)
		}
		start := time.Now()
		if strconv.IntSize == 32 {
			want = pmerr.LogRec // more than can be mapped
		}
		s, err := archive.Open(bg, base, nil)
		if err == nil {
			err = s.Cursor().Next(bg, new(pcp.Result))
			must(t, s.Close())
		}
		wantCode(t, err, want)
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: took %v", suffix, took)
		}
	}
}

// TestShrink truncates the metadata of an open archive: reading the missing bytes is an error.
func TestShrink(t *testing.T) {
	r := newRaw(3)
	d := pcp.NewInDom(245, 1)
	r.meta = archive.AppendText(r.meta, uint32(miniDesc.ID), false, pcp.OneLine, "text")
	r.meta = archive.AppendInDom(r.meta, 3, seconds(0), d, []pcp.Instance{{ID: 1, Name: "one"}})
	sets := []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: "a", Value: "1"}}}}
	r.meta, _ = archive.AppendLabels(r.meta, 3, seconds(0), pcp.DomainLabels, 245, sets)
	base := r.write(t)
	s := open(t, base)
	must(t, os.Truncate(base+".meta", 0))
	for name, read := range map[string]func() error{
		"Text":          func() error { _, err := s.Text(uint32(miniDesc.ID), false, pcp.OneLine); return err },
		"Instances":     func() error { _, err := s.Instances(d, seconds(9)); return err },
		"AllInstances":  func() error { _, err := s.AllInstances(d); return err },
		"LookupInst":    func() error { _, err := s.LookupInst(d, "one", seconds(9)); return err },
		"LookupInstAll": func() error { _, err := s.LookupInstAll(d, "one"); return err },
		"InstName":      func() error { _, err := s.InstName(d, 1, seconds(9)); return err },
		"Labels":        func() error { _, err := s.Labels(pcp.DomainLabels, 245, seconds(9)); return err },
	} {
		for range 2 { // a fault leaves nothing half done
			if err := read(); !errors.Is(err, pmerr.LogRec) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

// TestOpenShrinking opens an archive again and again while its files lose their content and get it
// back. Each time it is opened or there is an error, and nothing is left after.
func TestOpenShrinking(t *testing.T) {
	r := newRaw(3)
	for i := range 2000 {
		r.meta = archive.AppendText(r.meta, uint32(i), false, pcp.Help, strings.Repeat("x", 100))
	}
	base := r.write(t)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			for suffix, b := range map[string][]byte{".meta": r.meta, ".0": r.data} {
				select {
				case <-stop:
					return
				default:
					_ = os.Truncate(base+suffix, 0)
					_ = os.WriteFile(base+suffix, b, 0o666)
				}
			}
		}
	}()
	before := mappings(t, base)
	for range 2000 {
		s, err := archive.Open(bg, base, nil)
		if err == nil {
			err = s.Close()
		}
		if code := pmerr.Of(err); err != nil && code == pmerr.Generic {
			t.Errorf("error without a code: %v", err)
		}
	}
	close(stop)
	<-done
	if after := mappings(t, base); after != before {
		t.Errorf("%d mappings are left", after-before)
	}
}

// mappings counts the mappings of the files of an archive.
func mappings(t *testing.T, base string) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	return strings.Count(string(maps), base)
}

// many makes n archives that follow each other, one record in each, and returns their directory.
func many(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		label := archive.Label{Version: 3, PID: 4242, Start: seconds(int64(10 * i)), Host: "specbox", Zone: "UTC"}
		rec, err := archive.AppendRecord(nil, 3, mini(label.Start, int32(i)))
		must(t, err)
		base := filepath.Join(dir, fmt.Sprintf("m%05d", i))
		must(t, os.WriteFile(base+".0", append(archive.AppendLabel(nil, &label), rec...), 0o666))
		label.Volume = -1
		must(t, os.WriteFile(base+".meta", archive.AppendDesc(archive.AppendLabel(nil, &label), miniDesc, "mini.x"), 0o666))
	}
	return dir
}

// limitFiles lets the process open only so many files more.
func limitFiles(t *testing.T, more int) (restore func()) {
	t.Helper()
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old))
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 100, Max: old.Max}))
	var taken []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		taken = append(taken, f)
	}
	for range more {
		taken[0].Close()
		taken = taken[1:]
	}
	return func() {
		for _, f := range taken {
			f.Close()
		}
		must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old))
	}
}

// TestDescriptors reads a set of more archives than files may be open.
func TestDescriptors(t *testing.T) {
	const n = 500
	dir := many(t, n)
	defer limitFiles(t, 32)()
	s, err := archive.Open(bg, dir, &archive.Options{Warn: func(msg string) { t.Error(msg) }})
	must(t, err)
	defer s.Close()
	for _, mode := range []pcp.Mode{pcp.Forward, pcp.Back, pcp.Interp} {
		c := at(t, s, mode, 0)
		if mode == pcp.Back {
			c = at(t, s, mode, 1e9)
		}
		var dst pcp.Result
		seen := 0
		for err = nil; err == nil; {
			if err = c.Fetch(bg, []pcp.ID{miniDesc.ID}, nil, &dst); err == nil {
				seen += len(dst.Sets[0].Insts)
			}
			if mode == pcp.Interp && seen > 0 {
				when := seconds(int64(10 * seen))
				must(t, c.SetMode(mode, &when, 0))
			}
		}
		if seen != n || !errors.Is(err, pmerr.EOL) {
			t.Errorf("mode %v: %d values, then %v", mode, seen, err)
		}
	}
}

// TestNoDescriptors opens and reads where no file can be opened: that is an error, and not an
// archive, a member or a volume fewer.
func TestNoDescriptors(t *testing.T) {
	const emfile pmerr.Code = -24
	dir := many(t, 3)
	volumes := setPath(t, "volumes")
	s := open(t, volumes)
	restore := limitFiles(t, 0)
	_, err := archive.Open(bg, dir, nil)
	var dst pcp.Result
	c := s.Cursor()
	var next error
	for next == nil {
		next = c.Next(bg, &dst)
	}
	_, end := s.End(bg)
	restore()
	wantCode(t, err, emfile)
	wantCode(t, next, emfile)
	wantCode(t, end, emfile)
	if _, err := s.End(bg); err != nil {
		t.Errorf("later: %v", err)
	}
	if got := replay(s.Cursor()); got != replay(open(t, volumes).Cursor()) {
		t.Errorf("later: %s", got)
	}
}
