package export

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"pmtools/lib/pcp"
)

type key struct {
	metric   int32
	inst     int32
	instance string
	member   bool // the metric has a domain, and inst is valid
	named    bool // there is an instance
}

// A kind is a column of values.
type kind uint8

const (
	signed kind = iota
	unsigned
	float
	text
	blob
	kinds
)

func kindOf(t pcp.Type) kind {
	switch t {
	case pcp.Int32, pcp.Int64:
		return signed
	case pcp.Uint32, pcp.Uint64:
		return unsigned
	case pcp.Float, pcp.Double:
		return float
	case pcp.String:
		return text
	}
	return blob
}

type group struct {
	number  int   // how many were before
	date    int64 // days since 1970
	keys    []key
	table   map[key]int32
	records []record
	rows    []row
	blobs   [][]byte
	bytes   int     // in blobs
	sorted  []row   // by metric, instance and time
	start   []int32 // in sorted, of the rows of each series, by its rank
	ranked  []int32 // series, sorted
	back    bool    // time goes back somewhere
	copies  bool    // blobs are copied, because their archive may be closed
}

type record struct {
	time int64
	seg  int32
	nth  int32 // among the records of the time
}

// A row is a value. word is its bits, or the place of its bytes in blobs.
type row struct {
	word   uint64
	series int32
	place  int32  // of the value among those of its metric in the record
	at     uint32 // the number of the record, and the kind in the last bits
}

const kindBits = 3

func (r *row) kind() kind { return kind(r.at & (1<<kindBits - 1)) }

func (g *group) record(r *row) *record { return &g.records[r.at>>kindBits] }

// The limits of a group; bytes are those of texts and blobs.
const (
	groupRows   = 1 << 18
	groupSeries = 1 << 16
	groupBytes  = 8 << 20
)

// groups has the memory of groups that are not needed any more: some 20 MB, which the next recording needs.
var groups sync.Pool

// newGroup returns an empty group.
func newGroup(copies bool) *group {
	g, ok := groups.Get().(*group)
	if !ok {
		g = new(group)
	}
	g.copies = copies
	return g
}

// release ends the use of the group.
func (g *group) release() {
	clear(g.keys) // they have names of archives
	g.reset()
	g.number, g.date = 0, 0
	groups.Put(g)
}

func (g *group) len() int { return len(g.rows) }

func (g *group) full() bool {
	return len(g.rows) >= groupRows || len(g.keys) >= groupSeries || g.bytes >= groupBytes
}

func (g *group) reset() {
	g.number++
	g.keys, g.records, g.rows, g.bytes, g.back = g.keys[:0], g.records[:0], g.rows[:0], 0, false
	clear(g.blobs)
	g.blobs = g.blobs[:0]
	clear(g.table)
}

func (g *group) seriesOf(k key) int32 {
	n, ok := g.table[k]
	if !ok {
		if g.table == nil {
			g.table = make(map[key]int32)
		}
		n = int32(len(g.keys))
		g.table[k] = n
		g.keys = append(g.keys, k)
	}
	return n
}

func (g *group) begin(rec record) {
	if n := len(g.records); n > 0 && len(g.rows) > 0 && int(g.rows[len(g.rows)-1].at>>kindBits) < n-1 {
		g.records = g.records[:n-1] // nothing of it was wanted
	}
	if n := len(g.records); n > 0 && rec.time < g.records[n-1].time {
		g.back = true
	}
	g.records = append(g.records, rec)
}

// add adds values of a metric, the first of which has a place in the record.
func (g *group) add(v *pcp.Values, series []int32, place int32) {
	if v.Odd != nil || !v.Type.Arithmetic() {
		g.addBytes(v, series, place)
		return
	}
	at := g.at(kindOf(v.Type))
	if v.Type == pcp.Float {
		for i, w := range v.Words {
			g.rows = append(g.rows, row{math.Float64bits(float64(math.Float32frombits(uint32(w)))), series[i], place + int32(i), at})
		}
		return
	}
	for i, w := range v.Words {
		g.rows = append(g.rows, row{w, series[i], place + int32(i), at})
	}
}

func (g *group) at(k kind) uint32 { return uint32(len(g.records)-1)<<kindBits | uint32(k) }

// addBytes adds a column with values that are not numbers. A value that does not fit its type is kept as it
// was found.
func (g *group) addBytes(v *pcp.Values, series []int32, place int32) {
	for i := range series {
		at := place + int32(i)
		if v.Odd == nil || !v.Odd[i].Bad {
			if v.Type.Arithmetic() {
				one := pcp.Values{Type: v.Type, Words: v.Words[i : i+1], Insts: v.Insts[i : i+1]}
				g.add(&one, series[i:i+1], at)
				continue
			}
			g.addBlob(v.Type == pcp.String, v.Blobs[i], series[i], at)
			continue
		}
		odd := v.Odd[i]
		if odd.InSitu {
			odd.Blob = binary.BigEndian.AppendUint32(nil, odd.Word)
		}
		g.addBlob(false, odd.Blob, series[i], at)
	}
}

// addBlob adds bytes. A string that is not UTF-8 counts as bytes: it would make the file unreadable.
func (g *group) addBlob(str bool, b []byte, series, place int32) {
	if g.copies {
		b = bytes.Clone(b)
	}
	k := blob
	if str && utf8.Valid(b) {
		k = text
	}
	g.rows = append(g.rows, row{uint64(len(g.blobs)), series, place, g.at(k)})
	g.blobs = append(g.blobs, b)
	g.bytes += len(b)
}

// sort sorts the rows by metric, instance and time.
func (g *group) sort(metrics []metric) {
	g.ranked = g.ranked[:0]
	for i := range g.keys {
		g.ranked = append(g.ranked, int32(i))
	}
	slices.SortFunc(g.ranked, func(a, b int32) int {
		x, y := &g.keys[a], &g.keys[b]
		return cmp.Or(cmp.Compare(x.metric, y.metric), cmp.Compare(x.inst, y.inst), cmp.Compare(x.instance, y.instance))
	})
	place := make([]int32, len(g.keys)) // where the next row of a series goes
	for i := range g.rows {
		place[g.rows[i].series]++
	}
	g.start = g.start[:0]
	n := int32(0)
	for _, s := range g.ranked {
		g.start = append(g.start, n)
		n, place[s] = n+place[s], n
	}
	g.start = append(g.start, n)
	g.sorted = slices.Grow(g.sorted[:0], len(g.rows))[:len(g.rows)]
	for i := range g.rows {
		to := &place[g.rows[i].series]
		g.sorted[*to] = g.rows[i]
		*to++
	}
	g.sortTimes()
}

// sortTimes sorts an instance by time if the clock went back, or the instance got another name.
func (g *group) sortTimes() {
	byTime := func(a, b row) int { return cmp.Compare(g.record(&a).time, g.record(&b).time) }
	for i := 0; i < len(g.ranked); {
		j := i + 1
		for x := &g.keys[g.ranked[i]]; j < len(g.ranked); j++ {
			if y := &g.keys[g.ranked[j]]; x.metric != y.metric || x.inst != y.inst {
				break
			}
		}
		if g.back || j > i+1 {
			slices.SortStableFunc(g.sorted[g.start[i]:g.start[j]], byTime)
		}
		i = j
	}
}
