package export

import (
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"pmtools/lib/export/internal/pagefile"
)

// A page is some rows of a group, as columns. Rows are sorted by series, so that a column which says
// something about the series has one number of the dictionary for each run.
type page struct {
	g       *group
	metrics []metric
	out     *pagefile.Writer
	place   place
	tick    int64

	times    []int64
	words    [kinds][]uint64 // of numbers, or the places of bytes
	levels   [kinds][]byte
	series   [len(seriesColumns)]seriesColumn
	numbered [3]numbers // of seg, record and position
	hosts    []int32
	floats   []float64
	bytes    []byte
	offsets  []uint32
	texts    []parquet.Value
	numbers  []int32
}

// seriesColumns are the columns that say something about the series.
var seriesColumns = [...]int{colMetric, colInst, colInstance, colUnits}

// A seriesColumn has a value for each series, or none.
type seriesColumn struct {
	*pagefile.Column
	number   []int32 // in the dictionary, by series: unknown or absent
	rows     []int32 // of the page
	distinct []int32
	levels   []byte
}

const (
	unknown = -1
	absent  = -2
)

// numbers are 32-bit numbers of a page, most of which are that of the row before.
type numbers struct {
	*pagefile.Column
	known    map[int32]int32
	last     int32
	number   int32 // of last
	rows     []int32
	distinct []int32
}

// begin begins a group.
func (p *page) begin(g *group, metrics []metric, out *pagefile.Writer, at place) {
	p.g, p.metrics, p.out, p.place, p.tick = g, metrics, out, at, tick(at.micros)
	for i, column := range seriesColumns {
		c := &p.series[i]
		c.Column = out.Column(column)
		c.number = c.number[:0]
		for range g.keys {
			c.number = append(c.number, unknown)
		}
	}
	for i := range p.numbered {
		c := &p.numbered[i]
		c.Column = out.Column(colSeg + i)
		c.known = make(map[int32]int32)
	}
}

// write writes a page of each column.
func (p *page) write(rows []row) error {
	p.reset(len(rows))
	for i := range rows {
		rec := p.g.record(&rows[i])
		p.times = append(p.times, floor(rec.time, p.tick))
		p.numbered[0].add(rec.seg)
		p.numbered[1].add(rec.nth)
		p.numbered[2].add(rows[i].place)
	}
	for from := 0; from < len(rows); {
		series, k, i := rows[from].series, rows[from].kind(), from
		words, levels := p.words[k], p.levels[k]
		for ; i < len(rows) && rows[i].series == series && rows[i].kind() == k; i++ {
			words = append(words, rows[i].word)
			levels[i] = 1
		}
		p.words[k] = words
		p.run(series, i-from)
		from = i
	}
	return p.columns(len(rows))
}

func (p *page) reset(rows int) {
	p.times = p.times[:0]
	for k := range kinds {
		p.words[k] = p.words[k][:0]
		if p.levels[k] == nil {
			p.levels[k] = make([]byte, chunkRows)
		}
		clear(p.levels[k][:rows])
	}
	for i := range p.series {
		c := &p.series[i]
		c.rows, c.distinct, c.levels = c.rows[:0], c.distinct[:0], c.levels[:0]
	}
	for i := range p.numbered {
		c := &p.numbered[i]
		c.rows, c.distinct = c.rows[:0], c.distinct[:0]
	}
}

func (c *numbers) add(v int32) {
	if v != c.last || len(c.distinct) == 0 {
		n, ok := c.known[v]
		if !ok {
			var number [1]int32
			c.Insert(number[:], []parquet.Value{parquet.Int32Value(v)})
			n = number[0]
			c.known[v] = n
		}
		c.last, c.number = v, n
		c.distinct = append(c.distinct, n)
	}
	c.rows = append(c.rows, c.number)
}

// run adds rows of a series to the columns of series.
func (p *page) run(series int32, n int) {
	for i := range p.series {
		c := &p.series[i]
		number := c.number[series]
		if number == unknown {
			number = absent
			if v := seriesValue(seriesColumns[i], &p.g.keys[series], p.metrics); !v.IsNull() {
				var inserted [1]int32
				c.Insert(inserted[:], []parquet.Value{v})
				number = inserted[0]
			}
			c.number[series] = number
		}
		level := byte(0)
		if number != absent {
			level = 1
			c.distinct = append(c.distinct, number)
			for range n {
				c.rows = append(c.rows, number)
			}
		}
		for range n {
			c.levels = append(c.levels, level)
		}
	}
}

// columns writes a page of so many rows of each column.
func (p *page) columns(rows int) error {
	if err := p.out.Column(colTime).Values(encoding.Int64Values(p.times), rows, nil); err != nil {
		return err
	}
	for i := range p.series {
		c := &p.series[i]
		if err := c.Numbers(c.rows, c.distinct, c.levels); err != nil {
			return err
		}
	}
	for i := range p.numbered {
		c := &p.numbered[i]
		if err := c.Numbers(c.rows, c.distinct, nil); err != nil {
			return err
		}
	}
	for k := range kinds {
		if err := p.values(k, p.levels[k][:rows]); err != nil {
			return err
		}
	}
	if !p.place.NoHost {
		return nil
	}
	if len(p.hosts) < rows {
		p.hosts = make([]int32, chunkRows)
	}
	host, zero := p.out.Column(colHost), []int32{0}
	host.Insert(zero, []parquet.Value{p.place.hostValue(colHost)}) // there is only one
	return host.Numbers(p.hosts[:rows], zero, nil)
}

// values writes a page of the values of a kind.
func (p *page) values(k kind, levels []byte) error {
	c, words := p.out.Column(colI64+int(k)), p.words[k]
	switch k {
	case float:
		p.floats = p.floats[:0]
		for _, w := range words {
			p.floats = append(p.floats, math.Float64frombits(w))
		}
		return c.Values(encoding.DoubleValues(p.floats), len(words), levels)
	case text:
		p.texts, p.numbers = p.texts[:0], p.numbers[:0]
		for _, w := range words {
			p.texts, p.numbers = append(p.texts, parquet.ByteArrayValue(p.g.blobs[w])), append(p.numbers, 0)
		}
		c.Insert(p.numbers, p.texts)
		return c.Numbers(p.numbers, p.numbers, levels)
	case blob:
		p.bytes, p.offsets = p.bytes[:0], append(p.offsets[:0], 0)
		for _, w := range words {
			p.bytes = append(p.bytes, p.g.blobs[w]...)
			p.offsets = append(p.offsets, uint32(len(p.bytes)))
		}
		return c.Values(encoding.ByteArrayValues(p.bytes, p.offsets), len(words), levels)
	}
	if k == unsigned && p.place.micros {
		p.bytes = p.bytes[:0]
		for _, w := range words {
			p.bytes = binary.BigEndian.AppendUint64(append(p.bytes, 0), w)
		}
		return c.Values(encoding.FixedLenByteArrayValues(p.bytes, decimalBytes), len(words), levels)
	}
	return c.Values(encoding.Uint64Values(words), len(words), levels)
}
