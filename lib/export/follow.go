package export

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// An Opener opens a recording.
type Opener func(context.Context) (pmapi.Source, error)

// Follow returns the Records of the archive base, which is still being written: at its end they wait
// for more, until the context of Write is done. open opens it, at first and again when there is more
// metadata or another volume. If quiet is not 0, they end when nothing was recorded for that long. The caller
// closes the Records.
func Follow(ctx context.Context, base string, quiet time.Duration, open Opener) (*Records, error) {
	f := &followed{base: base, open: open, poll: time.Second, quiet: quiet, recs: &Records{}}
	f.recs.origin = f
	return f.recs, f.reopen(ctx)
}

// followed is the origin of the records of an archive that grows.
//
// Metadata is written before the records that need it. A record is used only if the metadata has
// not grown between opening the archive and reading the record. Otherwise the archive is opened
// again and the record is read again; trail stays before the record until then.
type followed struct {
	recording
	recs    *Records
	base    string
	open    Opener
	poll    time.Duration
	quiet   time.Duration  // 0 for no end
	ahead   *pmapi.Archive // reads
	trail   *pmapi.Archive // has read the used records
	src     [2]pmapi.Source
	meta    int64 // the size of the metadata when the archive was opened
	volumes int   // how many there were then
	metrics int
	size    int64 // of the volumes, when the end was reached last
	damaged int   // how often it had grown since, and the next record could still not be read
	idle    func() error
}

var errGrown = errors.New("the recording has more metrics")

func (f *followed) endless() bool { return true }

func (f *followed) files() (volumes int, size int64) {
	entries, _ := os.ReadDir(filepath.Dir(f.base))
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), filepath.Base(f.base)+".")
		if !ok || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if info, err := e.Info(); err == nil {
			volumes, size = volumes+1, size+info.Size()
		}
	}
	return volumes, size
}

func metaSize(base string) int64 {
	info, err := os.Stat(base + ".meta")
	if err != nil {
		return -1
	}
	return info.Size()
}

// reopen opens the archive and returns to the last used record.
func (f *followed) reopen(ctx context.Context) error {
	meta := metaSize(f.base)
	volumes, _ := f.files()
	var src [2]pmapi.Source
	var archives [2]*pmapi.Archive
	for i := range src {
		opened, err := f.open(ctx)
		if err != nil { // opened may be a nil pointer of a type
			closeAll(src)
			return err
		}
		src[i] = opened
		archives[i], _ = pmapi.As[*pmapi.Archive](opened)
		if archives[i] == nil || f.trail != nil && !archives[i].Follow(f.trail) {
			closeAll(src)
			return errors.New("the archive is not the one that was followed any more")
		}
	}
	closeAll(f.src)
	f.src, f.ahead, f.trail = src, archives[0], archives[1]
	f.meta, f.volumes = meta, volumes
	if f.recs.cover != nil {
		f.recs.queue, f.recs.cover.at = f.recs.queue[:0], 0
		f.ahead.Tap(f.recs.hear)
	}
	f.recording = recording{f.ahead, f.ahead}
	f.recs.Source = src[0]
	n := 0
	if err := src[0].Walk(ctx, "", true, func(string, pcp.ID) bool { n++; return true }); err != nil {
		return err
	}
	grown := f.metrics != 0 && n != f.metrics
	f.metrics = n
	if grown {
		return errGrown
	}
	return nil
}

func closeAll(list [2]pmapi.Source) {
	for _, src := range list {
		if src != nil {
			src.Close()
		}
	}
}

// refresh is reopen, but it tolerates failures for a while: the writer may be in the middle of a record.
func (f *followed) refresh(ctx context.Context) error {
	for try := 0; ; try++ {
		err := f.reopen(ctx)
		if err == nil || errors.Is(err, errGrown) || try == 60 {
			return err
		}
		if err := sleep(ctx, f.poll); err != nil {
			return err
		}
	}
}

func (f *followed) rewind(pcp.Timestamp) error {
	return errors.Join(f.ahead.SetMode(pcp.Forward, &pcp.Timestamp{}, 0), f.trail.SetMode(pcp.Forward, &pcp.Timestamp{}, 0))
}

func (f *followed) next(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	for {
		if metaSize(f.base) != f.meta {
			if err := f.refresh(ctx); err != nil {
				return err
			}
		}
		err := f.ahead.Fetch(ctx, req, dst)
		switch {
		case err == nil && metaSize(f.base) != f.meta:
			continue
		case err == nil:
			f.trail.Follow(f.ahead)
			f.damaged = 0
			return nil
		case !errors.Is(err, pmerr.EOL) && (!errors.Is(err, pmerr.LogRec) || f.damaged > 10):
			return err
		}
		if err := f.wait(ctx, err); err != nil {
			return err
		}
	}
}

// wait waits until the archive has grown. An unreadable record at its end may be incomplete.
func (f *followed) wait(ctx context.Context, why error) error {
	if err := f.idle(); err != nil {
		return &sinkError{err}
	}
	for begun := time.Now(); ; {
		volumes, size := f.files()
		if volumes != f.volumes {
			return f.refresh(ctx)
		}
		if size != f.size {
			f.size = size
			if errors.Is(why, pmerr.LogRec) {
				f.damaged++
			}
			return nil
		}
		if f.quiet > 0 && time.Since(begun) >= f.quiet {
			return why
		}
		if err := sleep(ctx, f.poll); err != nil {
			return err
		}
	}
}

// A sinkError is a failure of a sink during a read.
type sinkError struct{ error }

func (e *sinkError) Unwrap() error { return e.error }

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
