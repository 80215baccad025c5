package archive

import (
	"context"
	"sync"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/pmerr"
)

// volume is one data file. It may be shared by goroutines.
type volume struct {
	number int32
	path   string
	opt    content.Options
	opened func(path string, l *Label) // may be nil

	mu        sync.Mutex
	content   *content.File
	label     Label
	labelOnly bool  // the volume held only its label at its opening
	err       error // reason why the file cannot be read, now or later
	closed    bool
}

// open opens the volume on first use and checks its label. It remembers only damage: other errors may pass.
func (v *volume) open(ctx context.Context) (*content.File, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.content != nil || v.err != nil {
		return v.content, v.err
	}
	if v.closed {
		return nil, pmerr.LogFile
	}
	c, err := content.Open(ctx, v.path, v.opt)
	if err != nil {
		return nil, v.failed(-1, err)
	}
	head := make([]byte, labelSize(3)+1)
	n, err := c.Head(ctx, head)
	if err == nil || n > 0 {
		err = v.label.decode(head[:n])
	}
	if err == nil && v.label.Volume != v.number {
		err = pmerr.Label
	}
	if err != nil {
		c.Close()
		return nil, v.failed(0, content.Coded(err, pmerr.LogRec))
	}
	v.labelOnly = int64(n) <= labelSize(v.label.Version)
	v.content = c
	if v.opened != nil {
		v.opened(v.path, &v.label)
	}
	return c, nil
}

// read returns the label, if the volume has been opened.
func (v *volume) read() (l Label, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.label, v.content != nil
}

func (v *volume) failed(off int64, err error) error {
	e := &Error{File: v.path, Offset: off, Err: err}
	if absent(e) {
		v.err = e
	}
	return e
}

func (v *volume) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	if v.content == nil {
		return nil
	}
	c := v.content
	v.content, v.err = nil, pmerr.LogFile
	return c.Close()
}

// absent reports whether an error of volume.open means that the volume is missing, or is damaged from its
// label on, which counts as missing (archive.md A15.1). After other errors records may still exist.
func absent(err error) bool {
	switch pmerr.Of(err) {
	case pmerr.ENOENT, pmerr.Label, pmerr.LogRec, pmerr.NoData:
		return true
	}
	return false
}
