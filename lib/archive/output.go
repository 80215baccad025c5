package archive

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

type outFile struct {
	f    *safefile.File
	w    *bufio.Writer
	size int64
	safe int64 // length of the file when it was last consistent with the others
}

func (o *outFile) create(name string) error {
	f, err := safefile.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	o.f, o.size, o.safe = f, 0, 0
	if o.w == nil {
		o.w = bufio.NewWriterSize(f, 1<<16)
	} else {
		o.w.Reset(f)
	}
	return nil
}

func (o *outFile) write(b []byte) error {
	n, err := o.w.Write(b)
	o.size += int64(n)
	return err
}

func (o *outFile) close() error {
	if o.f == nil {
		return nil
	}
	err := errors.Join(o.w.Flush(), o.f.Close())
	o.f = nil
	return err
}

// settle closes the file after an error, and truncates it to the bytes that agree with the other files. An
// empty file is removed.
func (o *outFile) settle() error {
	if o.f == nil || o.safe == 0 {
		o.discard()
		return nil
	}
	err := errors.Join(o.f.Truncate(o.safe), o.f.Close())
	o.f = nil
	return err
}

// discard closes and removes the file, if there is one. Errors are ignored: the file is of no use.
func (o *outFile) discard() {
	if o.f != nil {
		_ = o.f.Close()
		_ = safefile.RemoveFile(o.f.Name())
		o.f = nil
	}
}

func (w *Writer) discard() {
	w.meta.discard()
	w.index.discard()
	w.data.discard()
}

func (w *Writer) broken(err error) error {
	w.err = cmp.Or(w.err, err)
	return err
}

// put writes the record in w.buf, after its entries in the other files.
func (w *Writer) put(t pcp.Timestamp) error {
	if w.opt.Version == 2 && labelSize(2)+int64(len(w.buf)) > maxV2 {
		return fmt.Errorf("%w: record of %d bytes", pmerr.TooBig, len(w.buf))
	}
	if !w.started {
		if err := w.begin(t); err != nil {
			return w.broken(err)
		}
	}
	limit := w.opt.VolumeBytes
	full := limit > 0 && w.data.size+int64(len(w.buf)) > limit
	if full && w.data.size > labelSize(w.opt.Version) {
		if err := w.nextVolume(); err != nil {
			return w.broken(err)
		}
	}
	if w.indexed < 0 || w.meta.size > w.metaMark || w.data.size-w.indexed > indexBytes {
		w.indexed = w.data.size
		if err := w.putIndex(t, w.metaMark, w.data.size); err != nil {
			return w.broken(err)
		}
	}
	w.metaMark, w.last, w.lastStart = w.meta.size, t, w.data.size
	return w.broken(w.data.write(w.buf))
}

// begin writes the labels, which need the time of the first record, and the metadata that waited for them.
func (w *Writer) begin(t pcp.Timestamp) error {
	if w.opt.Start == (pcp.Timestamp{}) {
		w.opt.Start = t
	}
	w.started = true
	w.meta.size = 0 // label and early metadata were counted already
	early := w.early
	w.early = nil
	return errors.Join(
		w.data.write(w.label(0)), w.index.write(w.label(indexVolume)),
		w.meta.write(w.label(metaVolume)), w.meta.write(early),
	)
}

func (w *Writer) label(volume int32) []byte {
	return appendLabel(nil, &Label{
		Version: w.opt.Version, PID: w.opt.PID, Start: w.opt.Start, Volume: volume, Features: w.opt.Features,
		Host: w.opt.Host, Zone: w.opt.Zone, ZoneInfo: w.opt.ZoneInfo,
	})
}

func (w *Writer) nextVolume() error {
	if err := errors.Join(w.Sync(), w.data.close()); err != nil {
		return err
	}
	w.volume++
	w.indexed = -1
	if err := w.data.create(w.base + "." + strconv.Itoa(int(w.volume))); err != nil {
		return err
	}
	return w.data.write(w.label(w.volume))
}

// putIndex writes an index entry for the record at offset data, but only one per time.
func (w *Writer) putIndex(t pcp.Timestamp, meta, data int64) error {
	if w.indexStart && t == w.indexAt {
		return nil
	}
	w.indexStart, w.indexAt = true, t
	return w.index.write(appendIndexEntry(nil, w.opt.Version, t, w.volume, meta, data))
}

// putMeta appends a metadata record. Before the first record it stays in memory.
func (w *Writer) putMeta(rec []byte) error {
	if w.opt.Version == 2 && w.meta.size+int64(len(rec)) > maxV2 {
		return fmt.Errorf("%w: more than 2 GiB of metadata", pmerr.TooBig)
	}
	if !w.started {
		w.early = append(w.early, rec...)
		w.meta.size += int64(len(rec))
		return nil
	}
	return w.broken(w.meta.write(rec))
}

func (w *Writer) metaTime(t pcp.Timestamp) (pcp.Timestamp, error) {
	t, err := w.opt.clip(t)
	switch {
	case err != nil:
		return t, err
	case w.metaTimed && t.Compare(w.metaLast) < 0:
		return t, fmt.Errorf("%w: metadata of %v after some of %v", pmerr.EINVAL, t, w.metaLast)
	case w.opt.Start != (pcp.Timestamp{}) && t.Compare(w.opt.Start) < 0:
		return t, fmt.Errorf("%w: metadata of %v before the start of the archive", pmerr.EINVAL, t)
	}
	return t, nil
}

// putTimed appends a metadata record whose time metaTime has checked.
func (w *Writer) putTimed(t pcp.Timestamp, rec []byte) error {
	if err := w.putMeta(rec); err != nil {
		return err
	}
	if !w.metaTimed {
		w.metaTimed, w.metaFirst = true, t
	}
	w.metaLast = t
	return nil
}

// Flush writes all buffered data, so that readers see all records put so far.
func (w *Writer) Flush() error {
	if w.err != nil || !w.started {
		return w.err
	}
	// The index must never be ahead of the data.
	return w.broken(w.flush())
}

// flush writes the buffered bytes of all files, which are consistent then. With the option Sync those of the index wait.
func (w *Writer) flush() error {
	files := []*outFile{&w.meta, &w.data, &w.index}
	if w.opt.Sync {
		files = files[:2]
	}
	for _, o := range files {
		if err := o.w.Flush(); err != nil {
			return err
		}
	}
	for _, o := range files {
		o.safe = o.size
	}
	return nil
}

// Sync writes all buffered data. With the option Sync all records so far are on the disk when it returns.
func (w *Writer) Sync() error {
	if w.err != nil || !w.started {
		return w.err
	}
	return w.broken(w.sync())
}

func (w *Writer) sync() error {
	if err := w.flush(); err != nil || !w.opt.Sync {
		return err
	}
	// In this order each file refers to what is on the disk.
	for _, o := range []*outFile{&w.meta, &w.data, &w.index} {
		if err := o.w.Flush(); err != nil {
			return err
		}
		if err := o.f.Sync(); err != nil {
			return err
		}
		o.safe = o.size
	}
	return safefile.SyncDir(filepath.Dir(w.base))
}

// Close ends the archive with an entry in the temporal index for the last record: the entry holds
// its start, because the reference misses a record when it seeks exactly its time and the entry
// points after it. Without any record there is no archive: the files are removed and the error is
// pmerr.NoData. After Close the other methods return fs.ErrClosed; Close itself may be called
// again. After an error of the file system the records up to the last Flush stay, as a readable
// archive.
func (w *Writer) Close() error {
	if errors.Is(w.err, fs.ErrClosed) {
		return nil
	}
	err := w.err
	w.err = fs.ErrClosed
	if !w.started {
		w.discard()
		return errors.Join(err, pmerr.NoData)
	}
	if err == nil {
		err = w.putIndex(w.last, w.meta.size, w.lastStart)
	}
	if err == nil {
		err = w.sync()
	}
	if err != nil {
		return errors.Join(err, w.index.settle(), w.data.settle(), w.meta.settle())
	}
	err = errors.Join(w.meta.close(), w.data.close(), w.index.close())
	if err == nil && w.metaTimed && w.metaLast.Compare(w.last) > 0 {
		err = fmt.Errorf("%w: metadata of %v after the last record", pmerr.EINVAL, w.metaLast)
	}
	return err
}
