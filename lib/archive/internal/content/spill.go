package content

import (
	"io"
	"math"
	"os"

	"pmtools/lib/pmerr"
)

// maxContent is the maximal length of an unpacked file. A longer one counts as damaged.
const maxContent = 16 << 30

// readChunk is the number of bytes unpacked at a time.
const readChunk = 256 << 10

// unpack makes data at least end bytes long if it can.
func (c *File) unpack(end int64) {
	limit := c.opt.MemLimit
	for int64(len(c.data)) < end {
		if int64(len(c.data)) >= limit {
			c.spill()
			return
		}
		if cap(c.data)-len(c.data) < readChunk {
			grown := make([]byte, len(c.data), min(2*cap(c.data), int(limit))+2*readChunk)
			copy(grown, c.data)
			c.data = grown
		}
		n, err := c.source.Read(c.data[len(c.data) : len(c.data)+readChunk])
		c.data = c.data[:len(c.data)+n]
		if err != nil {
			c.finish(err)
			return
		}
	}
}

// spill moves data and the rest of the file to a temporary file and maps that.
func (c *File) spill() {
	temp, err := os.CreateTemp(c.opt.TempDir, "pcp-archive-")
	if err != nil {
		c.finish(err)
		return
	}
	// The mapping remains. Where open files can be removed, a crash leaves nothing behind.
	os.Remove(temp.Name())
	defer os.Remove(temp.Name())
	defer temp.Close()
	size := int64(len(c.data))
	if _, err = temp.Write(c.data); err == nil {
		var n int64
		n, err = io.CopyBuffer(struct{ io.Writer }{temp}, io.LimitReader(c.source, maxContent-size), make([]byte, readChunk))
		size += n
	}
	if err == nil {
		err = io.EOF
	}
	if size >= maxContent || size > math.MaxInt/2 {
		err = pmerr.LogRec
	} else if data, mapErr := c.mapped.extend(temp, nil, int(size)); mapErr == nil {
		c.data = data
	} else {
		err = mapErr
	}
	c.finish(err)
}
