package content

import (
	"context"
	"io"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"pmtools/lib/archive/internal/xz"
	"pmtools/lib/pmerr"
)

// The blocks of an xz file can be unpacked in any order, each as far as it is read. So a reader that
// wants a record from the middle, or the last one, does not wait for all before it.

type blocks struct {
	*xz.File
	parts []part
	idle  []int // of the blocks that can go on where they are, those used last at the end
	stop  atomic.Bool
}

type part struct {
	have  int64           // how many bytes of it are there
	more  int64           // how many more than are wanted were unpacked last
	taken int64           // bytes of memory that r may use
	r     *xz.BlockReader // unpacks from pos on; nil if it begins again
	pos   int64
	disk  bool       // there is room on the disk
	err   error      // why it cannot be unpacked
	begun chan error // the end of the work on it, which has r and pos
}

const (
	maxBlock  = 32 << 20 // bytes of a block
	maxBlocks = 1 << 14  // which is 160 GiB as pmlogger's housekeeping packs them
)

// divide has the content unpacked block by block, if it has several small blocks and there is room for them.
func (c *File) divide(f *xz.File) bool {
	large := func(b xz.Block) bool { return b.Size > maxBlock }
	if len(f.Blocks) < 2 || len(f.Blocks) > maxBlocks || slices.ContainsFunc(f.Blocks, large) || c.opt.FS != nil || len(c.data) > 0 {
		return false
	}
	if c.keep(f.Size) {
		c.data = make([]byte, f.Size)
	} else if !c.spread(f.Size) {
		return false
	}
	c.blocks = &blocks{File: f, parts: make([]part, len(f.Blocks))}
	return true
}

// spread maps a temporary file of the size of the content. It takes disk space as blocks are written to it.
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

// maxSpreads caps these files: each needs a descriptor.
const maxSpreads = 8

var spreads atomic.Int32

// Span returns the content as far as its length is known. The bytes from lo to hi are valid; they include
// those from one offset to another, unless there is an error or the content ends.
func (c *File) Span(ctx context.Context, from, to int64) (data []byte, lo, hi int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocks == nil {
		data, err = c.view(ctx, to)
		return data, 0, int64(len(data)), err
	}
	first, last := c.blocks.Find(from), c.blocks.Find(to-1)
	err = c.unpackBlocks(ctx, first, last, to)
	lo, hi = c.blocks.start(first), c.blocks.end(first)
	if err != nil && hi <= from {
		lo, hi = from, from
	}
	return c.data, lo, hi, err
}

// Size returns the length of the content. A file that is not in blocks is unpacked completely for it.
func (c *File) Size(ctx context.Context) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocks != nil {
		return c.blocks.Size, nil
	}
	data, err := c.view(ctx, Everything)
	return int64(len(data)), err
}

func (b *blocks) whole(i int) bool { return b.parts[i].have == b.Blocks[i].Size }

// start returns where the unpacked content around block i begins.
func (b *blocks) start(i int) int64 {
	for i > 0 && b.whole(i-1) {
		i--
	}
	return b.Blocks[i].Start
}

func (b *blocks) end(i int) int64 {
	for i < len(b.parts)-1 && b.whole(i) {
		i++
	}
	return b.Blocks[i].Start + b.parts[i].have
}

func (c *File) viewBlocks(ctx context.Context, end int64) ([]byte, error) {
	err := c.unpackBlocks(ctx, 0, c.blocks.Find(end-1), end)
	return c.data[:c.blocks.end(0)], err
}

// unpackBlocks unpacks the missing parts of the blocks from first to last, of the last one up to an offset.
func (c *File) unpackBlocks(ctx context.Context, first, last int, end int64) error {
	b := c.blocks
	for i := first; i <= last; i++ {
		p, block := &b.parts[i], b.Blocks[i]
		want := min(end-block.Start, block.Size)
		switch {
		case p.have >= want:
			continue
		case p.err != nil:
			return p.err
		case c.whole:
			return c.err
		}
		c.ctx = ctx
		err := c.reopen()
		if err != nil {
			return err
		}
		// A second block read in sequence starts read-ahead.
		if p.begun != nil || last > i || i > 0 && b.whole(i-1) {
			err = c.unpackAhead(ctx, i)
		} else if err = c.reserve(i, true); err == nil {
			p.more = max(2*p.more, minChunk)
			err = c.note(i, c.unpackBlock(ctx, i, min(want+p.more, block.Size)))
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// unpackAhead unpacks all of block i, and starts goroutines for the blocks after it, one per processor as
// far as memory allows. They go on when ctx is done.
func (c *File) unpackAhead(ctx context.Context, i int) error {
	b := c.blocks
	for k := i; k < min(i+min(runtime.GOMAXPROCS(0), maxAhead), len(b.parts)); k++ {
		p := &b.parts[k]
		if b.whole(k) || p.err != nil || p.begun != nil {
			continue
		}
		if err := c.reserve(k, k == i); err != nil {
			if k == i {
				return err
			}
			break
		}
		done := make(chan error, 1)
		p.begun = done
		go func() { done <- c.unpackBlock(context.Background(), k, b.Blocks[k].Size) }()
	}
	select {
	case err := <-b.parts[i].begun:
		return c.note(i, err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

const maxAhead = 4

// reserve takes memory and disk space for unpacking block i. For a needed block other blocks give up theirs.
func (c *File) reserve(i int, needed bool) error {
	b, p := c.blocks, &c.blocks.parts[i]
	if c.temp != nil && !p.disk {
		if err := c.takeDisk(b.Blocks[i].Size); err != nil {
			return c.note(i, err)
		}
		p.disk = true
	}
	if p.taken == 0 {
		n := b.Blocks[i].Memory()
		if err := c.takeMemory(n, needed); err != nil {
			return err
		}
		p.taken = n
	}
	b.idle = slices.DeleteFunc(b.idle, func(k int) bool { return k == i })
	return nil
}

// unpackBlock unpacks block i up to an offset in it, or slightly further, and verifies its checksum at the end.
func (c *File) unpackBlock(ctx context.Context, i int, to int64) (err error) {
	b, p, block := c.blocks, &c.blocks.parts[i], c.blocks.Blocks[i]
	if p.r == nil {
		p.pos = 0
		if p.r, err = b.OpenBlock(i); err != nil {
			return err
		}
	}
	for p.pos < to || p.pos == block.Size {
		piece, err := p.r.Next(int(max(to-p.pos, 1)))
		if err == io.EOF {
			return nil
		}
		if known := p.have - p.pos; err == nil && known < int64(len(piece)) { // it may begin again
			known = max(known, 0)
			err = c.put(piece[known:], block.Start+p.pos+known)
		}
		p.pos += int64(len(piece))
		switch {
		case err != nil:
			return err
		case b.stop.Load():
			return context.Canceled
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
	return nil
}

// drop frees the decoder of block i: the next read starts the block again.
func (c *File) drop(i int) {
	p := &c.blocks.parts[i]
	if p.r != nil {
		p.r.Close()
		p.r = nil
	}
	c.giveMemory(p.taken)
	p.taken = 0
}

func (c *File) put(piece []byte, off int64) error {
	if c.temp == nil {
		copy(c.data[off:], piece)
		return nil
	}
	_, err := c.temp.WriteAt(piece, off)
	return err
}

// maxIdle caps the blocks whose decoders are kept between reads.
const maxIdle = 4

func (c *File) note(i int, err error) error {
	b, p := c.blocks, &c.blocks.parts[i]
	p.begun = nil
	if err != nil && !cancelled(err) {
		p.err = Coded(err, pmerr.LogRec)
		c.drop(i)
		return p.err
	}
	if err == nil && p.pos == b.Blocks[i].Size {
		p.have = p.pos
		c.drop(i)
		return nil
	}
	p.have = max(p.have, min(p.pos, b.Blocks[i].Size-1)) // its end is not checked
	if b.idle = append(b.idle, i); len(b.idle) > maxIdle {
		c.drop(b.idle[0])
		b.idle = b.idle[1:]
	}
	return err
}

// rest waits for the goroutines that unpack blocks, and frees the decoders.
func (c *File) rest() {
	b := c.blocks
	b.stop.Store(true)
	for i := range b.parts {
		if done := b.parts[i].begun; done != nil {
			_ = c.note(i, <-done) // the next reader gets the error
		}
	}
	b.stop.Store(false)
	for _, i := range b.idle {
		c.drop(i)
	}
	b.idle = nil
}
