package archive

import (
	"errors"
	"sync"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// member is one archive of a Set. It may be shared by goroutines.
type member struct {
	name    string // as given to Open
	label   Label  // of the first volume
	volumes []*volume
	index   []indexEntry
	closers []func() error

	mu      sync.Mutex
	endSize int64 // size of the last volume when the logical end was found, 0 for never
	endTime pcp.Timestamp
	endErr  error
}

// volume is one data file. It may be shared by goroutines.
type volume struct {
	number int32
	path   string
	opt    content.Options

	mu      sync.Mutex
	content *content.File
	label   Label
	err     error // why it cannot be read
	closed  bool
}

// open opens the volume if that was not done yet, and checks its label.
func (v *volume) open() (*content.File, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.content != nil || v.err != nil {
		return v.content, v.err
	}
	if v.closed {
		return nil, pmerr.LogFile
	}
	c, err := content.Open(v.path, v.opt)
	if err != nil {
		v.err = &Error{File: v.path, Offset: -1, Err: err}
		return nil, v.err
	}
	data, err := c.View(labelSize(3) + 1)
	if err == nil || len(data) > 0 {
		err = v.label.decode(data)
	}
	if err == nil && v.label.Volume != v.number {
		err = pmerr.Label
	}
	if err != nil {
		c.Close()
		v.err = &Error{File: v.path, Err: content.Coded(err, pmerr.LogRec)}
		return nil, v.err
	}
	v.content = c
	return c, nil
}

// close frees content.Everything.
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

// close frees content.Everything.
func (m *member) close() error {
	var errs []error
	for _, v := range m.volumes {
		errs = append(errs, v.close())
	}
	for _, f := range m.closers {
		errs = append(errs, f())
	}
	m.closers = nil
	return errors.Join(errs...)
}

// volumeIndex returns the position of the volume with a number, or -1.
func (m *member) volumeIndex(number int32) int {
	for i, v := range m.volumes {
		if v.number == number {
			return i
		}
	}
	return -1
}
