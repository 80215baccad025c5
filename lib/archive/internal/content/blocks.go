package content

import (
	"context"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"pmtools/lib/archive/internal/xz"
	"pmtools/lib/pmerr"
)

// The blocks of an xz file can be unpacked in any order. So a reader that wants a record from the
// middle, or the last one, does not wait for all before it.

// blocks is what is known of them.
type blocks struct {
	*xz.File
	ready []bool
	errs  []error            // why some cannot be unpacked
	begun map[int]chan error // of those that are being unpacked
	stop  atomic.Bool
}

// maxBlock is the largest block that is unpacked by itself.
const maxBlock = 32 << 20

// divide makes the content one of blocks, if there are several small ones, and room for them.
func (c *File) divide(f *xz.File) bool {
	large := func(b xz.Block) bool { return b.Size > maxBlock }
	if len(f.Blocks) < 2 || slices.ContainsFunc(f.Blocks, large) || c.opt.FS != nil || len(c.data) > 0 {
		return false
	}
	if c.keep(f.Size) {
		c.data = make([]byte, f.Size)
	} else if !c.spread(f.Size) {
		return false
	}
	n := len(f.Blocks)
	c.blocks = &blocks{File: f, ready: make([]bool, n), errs: make([]error, n), begun: make(map[int]chan error)}
	return true
}

// spread maps a temporary file of so many bytes, which takes room as blocks are written to it.
func (c *File) spread(size int64) bool {
	if !mapsWritten || size > math.MaxInt/4 || spreads.Load() >= maxSpreads || c.createTemp() != nil {
		return false
	}
	err := c.temp.Truncate(size)
	if err == nil {
		c.data, err = c.mapped.extend(c.temp, nil, int(size), 0)
	}
	if err != nil {
		c.closeTemp()
		c.data = nil
		return false
	}
	spreads.Add(1)
	return true
}

// maxSpreads is how many such files a process has at most: each needs a descriptor.
const maxSpreads = 8

// spreads counts them.
var spreads atomic.Int32

// Span returns the content as far as its length is known. Of this the bytes from lo to hi are there;
// they include those from one offset to another, unless there is an error or the content ends.
func (c *File) Span(ctx context.Context, from, to int64) (data []byte, lo, hi int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocks == nil {
		data, err = c.view(ctx, to)
		return data, 0, int64(len(data)), err
	}
	first, last := c.blocks.Find(from), c.blocks.Find(to-1)
	err = c.unpackBlocks(ctx, first, last)
	if !c.blocks.ready[first] {
		return c.data, from, from, err
	}
	return c.data, c.blocks.start(first), c.blocks.end(first), err
}

// Size returns the length of the content. Of what is not in blocks, all is unpacked for that.
func (c *File) Size(ctx context.Context) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocks != nil {
		return c.blocks.Size, nil
	}
	data, err := c.view(ctx, Everything)
	return int64(len(data)), err
}

// start returns where the content that is there around block i begins.
func (b *blocks) start(i int) int64 {
	for i > 0 && b.ready[i-1] {
		i--
	}
	return b.Blocks[i].Start
}

// end returns where it ends.
func (b *blocks) end(i int) int64 {
	for i < len(b.ready) && b.ready[i] {
		i++
	}
	if i == len(b.ready) {
		return b.Size
	}
	return b.Blocks[i].Start
}

// viewBlocks is View for blocks.
func (c *File) viewBlocks(ctx context.Context, end int64) ([]byte, error) {
	err := c.unpackBlocks(ctx, 0, c.blocks.Find(end-1))
	return c.data[:c.blocks.end(0)], err
}

// unpackBlocks unpacks the blocks from first to last, as far as they are not ready.
func (c *File) unpackBlocks(ctx context.Context, first, last int) error {
	b := c.blocks
	for i := first; i <= last; i++ {
		if b.ready[i] {
			continue
		}
		if b.errs[i] != nil {
			return b.errs[i]
		}
		if c.whole {
			return c.err
		}
		c.ctx = ctx
		if err := c.reopen(); err != nil {
			return err
		}
		err := c.begin(i, last)
		if err == nil {
			err = <-b.begun[i]
			delete(b.begun, i)
		}
		if err != nil {
			b.errs[i] = Coded(err, pmerr.LogRec)
			return b.errs[i]
		}
		b.ready[i] = true
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// begin begins to unpack block i, and as many behind it as there are processors, if these are wanted
// or the one before was: who reads two blocks will read more.
func (c *File) begin(i, last int) error {
	b, n := c.blocks, 1
	if last > i || i > 0 && b.ready[i-1] {
		n = xz.Ahead()
	}
	for k := i; k < min(i+n, len(b.ready)); k++ {
		if b.ready[k] || b.errs[k] != nil || b.begun[k] != nil {
			continue
		}
		if c.temp != nil {
			if err := c.takeDisk(b.Blocks[k].Size); err != nil {
				if k == i {
					return err
				}
				break
			}
		}
		done, temp := make(chan error, 1), c.temp
		out := c.data[b.Blocks[k].Start:][:b.Blocks[k].Size]
		b.begun[k] = done
		go func() { done <- b.unpack(k, out, temp) }()
	}
	return nil
}

// unpack unpacks block i to out, or to its place in a temporary file.
func (b *blocks) unpack(i int, out []byte, temp *os.File) error {
	if temp == nil {
		_, err := b.Unpack(i, out, &b.stop)
		return err
	}
	buf, _ := buffers.Get().(*[]byte)
	if buf == nil || cap(*buf) < len(out) {
		buf = new([]byte)
		*buf = make([]byte, len(out))
	}
	defer buffers.Put(buf)
	_, err := b.Unpack(i, (*buf)[:len(out)], &b.stop)
	if err == nil {
		_, err = temp.WriteAt((*buf)[:len(out)], b.Blocks[i].Start)
	}
	return err
}

// buffers hold what goes to temporary files.
var buffers sync.Pool

// wait waits for the blocks that are being unpacked; with stop, not until they are.
func (b *blocks) wait(stop bool) {
	b.stop.Store(stop)
	for i, done := range b.begun {
		<-done // without a look at it: the block will be unpacked again
		delete(b.begun, i)
	}
}
