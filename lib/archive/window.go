package archive

import (
	"context"
	"math"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/pmerr"
)

// window is a reader's view of the volume that it stands in.
type window struct {
	ctx   context.Context // context of the current reader
	vol   *volume         // the volume of data
	cont  *content.File
	data  []byte
	lo    int64 // offset of the first byte in data
	hi    int64 // offset after the last available byte
	label int64 // size of its label
	seen  int64 // offset of the reader at its last release
}

// releaseStep is the number of bytes after which a reader releases them: pages of a mapped file count as
// memory of the process as long as they are mapped.
const releaseStep = 2 << 20

// look turns the window to a volume. It reports false for one that is absent.
func (w *window) look(v *volume) (ok bool, err error) {
	if v == w.vol {
		return true, nil
	}
	c, err := v.open(w.ctx)
	if err != nil {
		if absent(err) {
			err = nil
		}
		return false, err
	}
	data, lo, hi, err := c.Span(w.ctx, 0, 1)
	if err != nil {
		return false, &Error{File: v.path, Offset: -1, Err: err}
	}
	if w.cont != nil {
		w.cont.Release(0, int64(len(w.data)))
	}
	w.vol, w.cont, w.data, w.lo, w.hi = v, c, data, lo, hi
	w.label = labelSize(v.label.Version)
	w.seen = w.label
	return true, nil
}

// visit notes that the reader looks at an offset. The error is that of the context.
func (w *window) visit(off int64) error {
	if d := off - w.seen; d >= releaseStep || d <= -releaseStep {
		w.cont.Release(min(off, w.seen), max(off, w.seen))
		w.seen = off
		return w.ctx.Err()
	}
	return nil
}

// need makes the bytes from one offset to another available, up to the end of the volume.
func (w *window) need(from, to int64) error {
	if from >= w.lo && to <= w.hi {
		return nil
	}
	var err error
	if w.data, w.lo, w.hi, err = w.cont.Span(w.ctx, from, to); err != nil {
		return w.damage(w.hi, err)
	}
	return nil
}

func (w *window) size() (int64, error) {
	size, err := w.cont.Size(w.ctx)
	if err != nil {
		return size, w.damage(size, err)
	}
	return size, nil
}

func (w *window) damage(off int64, err error) error {
	return &Error{File: w.vol.path, Offset: off, Err: content.Coded(err, pmerr.LogRec)}
}

// recordAt returns the record that begins at an offset, nil if there is none.
func (w *window) recordAt(off int64) ([]byte, error) {
	if off > math.MaxInt64-4 { // an index may say so, and off+4 would be negative
		return nil, nil
	}
	if err := w.visit(off); err != nil {
		return nil, err
	}
	for {
		src, need, err := []byte(nil), off+4, error(nil)
		if off >= w.lo {
			src, need, err = recordAt(w.data[:w.hi], off)
		}
		if err != nil {
			return nil, w.damage(off, err)
		}
		if need == 0 {
			return src, nil
		}
		if err := w.need(off, need); err != nil {
			return nil, err
		}
		switch {
		case need <= w.hi:
		case need == off+4: // not even the length word is complete
			return nil, nil
		default:
			return nil, w.damage(off, pmerr.LogRec)
		}
	}
}

// recordBefore returns the record that ends at an offset, nil if there is none.
func (w *window) recordBefore(off int64) ([]byte, error) {
	if off <= w.label {
		return nil, nil
	}
	if err := w.need(off-4, off); err != nil {
		return nil, err
	}
	if err := w.visit(off); err != nil {
		return nil, err
	}
	if size, ok := trailerBefore(w.data[:w.hi], off); ok && size <= off-w.label {
		if err := w.need(off-size, off); err != nil {
			return nil, err
		}
	}
	src, err := recordBefore(w.data[:w.hi], w.label, off)
	if err != nil {
		return nil, w.damage(off, err)
	}
	return src, nil
}
