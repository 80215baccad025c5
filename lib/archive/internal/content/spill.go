package content

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"pmtools/lib/pmerr"
)

// The chunks of unpacking grow with the content, within these bounds.
const (
	minChunk = 4 << 10
	maxChunk = 256 << 10
)

const (
	enomem pmerr.Code = -12
	enospc pmerr.Code = -28
)

// unpacked counts the bytes that the unpacked contents of the process take, and those that unpacking takes.
var unpacked ledger

type ledger struct {
	mu                 sync.Mutex
	memory, disk, work int64
}

func (l *ledger) take(count *int64, n, limit int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n > limit-*count {
		return false
	}
	*count += n
	return true
}

func (l *ledger) give(count *int64, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*count -= n
}

// maxWork caps the memory of all unpackers of the process: one LZMA decoder with the largest dictionary,
// 256 MiB, and a quarter more.
const maxWork = 321 << 20

// takeMemory reserves n bytes for unpacking. If they are needed and not free, idle blocks of this file free
// theirs, then other files.
func (c *File) takeMemory(n int64, needed bool) error {
	for !unpacked.take(&unpacked.work, n, maxWork) {
		if !needed {
			return enomem
		}
		if c.blocks != nil && c.taken > 0 {
			c.rest()
		} else if !pool.yield(c) {
			return fmt.Errorf("%w: unpacking would take more than %d MiB", enomem, maxWork>>20)
		}
	}
	c.taken += n
	return nil
}

func (c *File) giveMemory(n int64) {
	unpacked.give(&unpacked.work, n)
	c.taken -= n
}

// unpack makes data at least end bytes long if it can. It returns errors of the context only; any other
// error ends the content, and is kept.
func (c *File) unpack(end int64) error {
	for int64(len(c.data)) < end && !c.whole {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		err := c.unpackMore()
		if !c.wide && wantsMore(err) {
			c.wide = true
			c.release()
			err = c.reopen()
		}
		switch cancelled := c.ctx.Err(); {
		case err == nil:
		case cancelled != nil: // the unpacker saw it, and cannot go on
			pool.remove(c)
			c.release()
			return cancelled
		default:
			c.finish(err)
		}
	}
	return nil
}

func (c *File) unpackMore() error {
	size := min(max(len(c.data), minChunk), maxChunk)
	if c.temp == nil && !c.makeRoom(size) {
		if err := c.spill(); err != nil {
			return err
		}
	}
	if c.temp != nil {
		return c.unpackToDisk(size)
	}
	n, err := c.source.Read(c.data[len(c.data) : len(c.data)+size])
	c.data = c.data[:len(c.data)+n]
	if err == io.EOF && cap(c.data)-len(c.data) > len(c.data)/4 {
		c.data = bytes.Clone(c.data)
		c.keep(int64(cap(c.data)))
	}
	return err
}

func (c *File) makeRoom(size int) bool {
	if cap(c.data)-len(c.data) >= size && c.kept > 0 {
		return true
	}
	room := int64(len(c.data)) + int64(max(size, len(c.data)))
	if !c.keep(room + c.kept) { // both, while one is copied
		return false
	}
	grown := make([]byte, len(c.data), room)
	copy(grown, c.data)
	c.data = grown
	c.keep(room)
	return true
}

// keep sets the memory that the unpacked content uses, unless that exceeds the limit.
func (c *File) keep(n int64) bool {
	if !unpacked.take(&unpacked.memory, n-c.kept, c.opt.MemLimit) {
		return false
	}
	c.kept = n
	return true
}

// spill moves the unpacked content to a temporary file, where the rest follows.
func (c *File) spill() error {
	if err := c.createTemp(); err != nil {
		return err
	}
	data := c.data
	c.data = nil
	if err := c.store(data); err != nil {
		c.data = data
		return err
	}
	c.keep(0)
	return nil
}

func (c *File) createTemp() error {
	temp, err := os.CreateTemp(c.opt.TempDir, "pcp-archive-")
	if err != nil {
		return err
	}
	// The mapping remains. Where open files can be removed, a crash leaves no file.
	_ = os.Remove(temp.Name())
	c.temp, c.diskLimit = temp, c.opt.DiskLimit
	if c.diskLimit <= 0 {
		c.diskLimit = spare(c.opt.tempDir())
	}
	return nil
}

func (c *File) takeDisk(n int64) error {
	if unpacked.take(&unpacked.disk, n, c.diskLimit) {
		c.onDisk += n
		return nil
	}
	err := fmt.Errorf("%w: unpacked archives would take more than %d MiB of %s", enospc, c.diskLimit>>20, c.opt.tempDir())
	c.opt.warn(err, "; a higher PMTOOLS_UNPACK_LIMIT allows more")
	return err
}

func (c *File) store(b []byte) error {
	n := int64(len(b))
	if err := c.takeDisk(n); err != nil {
		return err
	}
	size := int64(len(c.data)) + n
	if size > math.MaxInt/4 {
		return pmerr.LogRec
	}
	if _, err := c.temp.Write(b); err != nil {
		return err
	}
	data, err := c.mapped.extend(c.temp, c.data, int(size), int(min(size, 1<<30)))
	c.data = data
	return err
}

func (c *File) unpackToDisk(size int) error {
	if c.chunk == nil {
		c.chunk = make([]byte, maxChunk)
	}
	n, err := c.source.Read(c.chunk[:size])
	if full := c.store(c.chunk[:n]); full != nil {
		return full
	}
	return err
}

// spare returns the disk space for unpacked files: half of the free space, in which they count as free.
func spare(dir string) int64 {
	free, ok := freeSpace(dir)
	if !ok {
		return 16 << 30
	}
	unpacked.mu.Lock()
	defer unpacked.mu.Unlock()
	return (free + unpacked.disk) / 2
}

// closeTemp closes the temporary file, whose mapping remains.
func (c *File) closeTemp() {
	if c.temp != nil {
		if c.blocks != nil {
			spreads.Add(-1)
		}
		c.temp.Close()
		_ = os.Remove(c.temp.Name()) // where it could not be removed while open
	}
	c.temp, c.chunk = nil, nil
}
