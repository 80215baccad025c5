package archive_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestUnpackLazily opens an archive whose volumes unpack to 16 GiB each. Nothing of them is unpacked
// but their beginning; reading to the end is refused when it takes more of the disk than it may.
func TestUnpackLazily(t *testing.T) {
	r := newRaw(3)
	base := r.write(t)
	must(t, archivetest.Bomb(base+".0", r.data))
	temp := t.TempDir()
	var warnings []string
	opt := &archive.Options{TempDir: temp, MemLimit: 1 << 20, DiskLimit: 20 << 20, Warn: func(msg string) { warnings = append(warnings, msg) }}
	start := time.Now()
	s, err := archive.Open(bg, base, opt)
	must(t, err)
	defer s.Close()
	_, err = s.Lookup("mini.x")
	must(t, err)
	c := s.Cursor()
	for i := range 5 {
		var dst pcp.Result
		must(t, c.Next(bg, &dst))
		if dst.Sets[0].Words[0] != uint64(i) {
			t.Errorf("record %d: %v", i, dst.Sets[0].Words)
		}
	}
	wantCode(t, c.Next(bg, new(pcp.Result)), pmerr.LogRec) // zeros
	if took := time.Since(start); took > 30*time.Second || len(warnings) > 0 {
		t.Errorf("took %v, warnings %q", took, warnings)
	}
	const enospc pmerr.Code = -28
	for range 2 {
		_, err = s.End(bg)
		wantCode(t, err, enospc)
	}
	want := "Error: No space left on device: unpacked archives would take more than 20 MiB of " + temp + "; a higher PMTOOLS_UNPACK_LIMIT allows more"
	if len(warnings) != 1 || warnings[0] != want {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestUnpackMetadata opens archives whose metadata or index unpacks to 16 GiB of no use.
func TestUnpackMetadata(t *testing.T) {
	r := newRaw(3)
	for _, tt := range []struct {
		suffix string
		head   []byte
		want   pmerr.Code
	}{
		{".meta", nil, pmerr.Label},
		{".meta", r.meta, pmerr.LogRec},
		{".index", nil, pmerr.Label},
		{".index", r.index, 0},
	} {
		base := r.write(t)
		must(t, archivetest.Bomb(base+tt.suffix, tt.head))
		start := time.Now()
		s, err := archive.Open(bg, base, &archive.Options{DiskLimit: 64 << 20, TempDir: t.TempDir()})
		if wantCode(t, err, tt.want); err == nil {
			must(t, s.Close())
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: took %v", tt.suffix, took)
		}
	}
}

// TestCancelUnpack cancels the opening of an archive, and the search for its end, while files are
// unpacked. Later the same can be done.
func TestCancelUnpack(t *testing.T) {
	r := newRaw(3)
	base := r.write(t)
	record := append([]byte{0x7f, 0xff, 0xff, 0xff}, 0, 0, 0, 4) // of 2 GiB
	must(t, archivetest.Bomb(base+".0", r.data))
	opt := &archive.Options{TempDir: t.TempDir()}
	s, err := archive.Open(bg, base, opt)
	must(t, err)
	defer s.Close()
	must(t, archivetest.Bomb(base+".meta", append(r.meta, record...)))
	for name, read := range map[string]func(ctx context.Context) error{
		"Open": func(ctx context.Context) error { _, err := archive.Open(ctx, base, opt); return err },
		"End":  func(ctx context.Context) error { _, err := s.End(ctx); return err },
		"Fetch": func(ctx context.Context) error {
			c := s.Cursor()
			when := seconds(1e6)
			must(t, c.SetMode(pcp.Back, &when, 0))
			return c.Fetch(ctx, []pcp.ID{miniDesc.ID}, nil, new(pcp.Result))
		},
		"interpolating": func(ctx context.Context) error {
			return between(t, s, 1e6, 1).Fetch(ctx, []pcp.ID{miniDesc.ID}, nil, new(pcp.Result))
		},
	} {
		ctx, cancel := context.WithCancel(bg)
		var at time.Time
		time.AfterFunc(50*time.Millisecond, func() { at = time.Now(); cancel() })
		err := read(ctx)
		if late := time.Since(at); !errors.Is(err, context.Canceled) || late > 30*time.Second {
			t.Errorf("%s: %v after %v", name, err, late)
		}
	}
	var dst pcp.Result
	if c := s.Cursor(); c.Next(bg, &dst) != nil || len(dst.Sets) != 1 {
		t.Error("later: no record")
	}
}

// cancelling is a file system that cancels when a file is read.
type cancelling struct {
	fstest.MapFS
	file   string
	cancel func()
	later  int // files read from then on
}

func (c *cancelling) ReadFile(name string) ([]byte, error) {
	if c.later > 0 || name == c.file {
		c.later++
		c.cancel()
	}
	return c.MapFS.ReadFile(name)
}

// TestCancelOpen cancels the opening of many archives: the rest of them are left alone.
func TestCancelOpen(t *testing.T) {
	fsys := make(fstest.MapFS)
	for i := range 100 {
		label := archive.Label{Version: 3, PID: 1, Start: seconds(int64(100 * i)), Host: "specbox"}
		r := raw{data: archive.AppendLabel(nil, &label)}
		label.Volume = -1
		r.meta = archive.AppendDesc(archive.AppendLabel(nil, &label), miniDesc, "mini.x")
		rec, err := archive.AppendRecord(nil, 3, mini(label.Start, 1))
		must(t, err)
		r.data = append(r.data, rec...)
		for suffix, b := range map[string][]byte{".meta": r.meta, ".0": r.data} {
			fsys["d/"+strings.Repeat("x", i+1)+suffix] = &fstest.MapFile{Data: b}
		}
	}
	ctx, cancel := context.WithCancel(bg)
	c := &cancelling{MapFS: fsys, file: "d/xxxxx.0", cancel: cancel}
	_, err := archive.Open(ctx, "d", &archive.Options{FS: c})
	if !errors.Is(err, context.Canceled) || c.later == 0 || c.later > 3 {
		t.Errorf("%v, %d files read", err, c.later)
	}
}
