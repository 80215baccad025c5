package builtin

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// How values get from files into columns:
//
// A procfsTable is what was read from one kind of file. It has a row for each
// instance, one for a file that is about the whole system, and a cell for each key
// that a metric asks for; other keys of the file are skipped. Keys are names that
// stand in the file or numbers of fields. Metrics are bound to cells once, by the
// text in the lists of metrics (see procfsTerms). After that a fetch reads files
// into the cells they had before, and copies cells into columns.

// A procfsTable is the content of a kind of file.
type procfsTable struct {
	slots  map[string]int // the cell of each key
	fields []int          // the cell of each numbered field, -1 for none; made when first needed
	rows   []procfsRow
	index  map[int32]int // where rows are that at has added

	reading *pmda.Reading
}

// A procfsRow is what a table has for an instance.
type procfsRow struct {
	inst  int32
	name  string // of the instance, if the table is where an instance domain comes from
	cells []procfsCell
}

// A procfsCell is a value, or none.
type procfsCell struct {
	kind procfsKind
	num  uint64 // or the bits of a float64
	text []byte // belongs to the cell
}

// A procfsKind says what a cell has.
type procfsKind uint8

const (
	procfsNone procfsKind = iota
	procfsNumber
	procfsFloat
	procfsText
)

// newProcfsTable returns a table that load fills. What must be read before it is in
// needs.
func newProcfsTable(load func(t *procfsTable, req *pmda.Request) error, needs ...*procfsTable) *procfsTable {
	t := &procfsTable{slots: map[string]int{}}
	t.reading = &pmda.Reading{Read: func(_ context.Context, req *pmda.Request) error {
		t.reset()
		return load(t, req)
	}}
	for _, n := range needs {
		t.reading.Needs = append(t.reading.Needs, n.reading)
	}
	return t
}

// beside returns a table that is filled when t is.
func (t *procfsTable) beside() *procfsTable {
	return &procfsTable{slots: map[string]int{}, reading: t.reading}
}

// slot returns the cell of a key, for a metric that wants it.
func (t *procfsTable) slot(key string) int {
	i, ok := t.slots[key]
	if !ok {
		i = len(t.slots)
		t.slots[key] = i
	}
	return i
}

// reset removes all rows, and keeps their memory.
func (t *procfsTable) reset() {
	t.rows = t.rows[:0]
	clear(t.index)
}

// row adds a row of empty cells. It is valid until the next row is added.
func (t *procfsTable) row(inst int32) *procfsRow {
	if len(t.rows) < cap(t.rows) {
		t.rows = t.rows[:len(t.rows)+1]
	} else {
		t.rows = append(t.rows, procfsRow{})
	}
	r := &t.rows[len(t.rows)-1]
	r.inst, r.name = inst, ""
	if len(r.cells) != len(t.slots) {
		r.cells = make([]procfsCell, len(t.slots))
	}
	for i := range r.cells {
		r.cells[i].kind = procfsNone
	}
	return r
}

// named adds a row for an instance that may be new.
func (t *procfsTable) named(ids *procfsIDs, name []byte) *procfsRow {
	inst, s := ids.id(name)
	r := t.row(inst)
	r.name = s
	return r
}

// at returns the row of an instance, a new one if at has not added one before. The
// rows have not been sorted yet.
func (t *procfsTable) at(inst int32) *procfsRow {
	if i, ok := t.index[inst]; ok {
		return &t.rows[i]
	}
	if t.index == nil {
		t.index = map[int32]int{}
	}
	t.index[inst] = len(t.rows)
	return t.row(inst)
}

// sort puts the rows into the order of instances, and keeps the first of those that
// are for the same.
func (t *procfsTable) sort() {
	byInst := func(a, b procfsRow) int { return cmp.Compare(a.inst, b.inst) }
	if !slices.IsSortedFunc(t.rows, byInst) {
		slices.SortStableFunc(t.rows, byInst)
	}
	first := true
	var last int32
	t.keep(func(r *procfsRow) bool {
		again := !first && r.inst == last
		first, last = false, r.inst
		return !again
	})
}

// keep removes the rows that f does not return true for, and keeps their memory.
func (t *procfsTable) keep(f func(*procfsRow) bool) {
	n := 0
	for i := range t.rows {
		if f(&t.rows[i]) {
			t.rows[n], t.rows[i] = t.rows[i], t.rows[n]
			n++
		}
	}
	t.rows = t.rows[:n]
}

// find returns the row of an instance, or nil. The rows are sorted.
func (t *procfsTable) find(inst int32) *procfsRow {
	i, ok := slices.BinarySearchFunc(t.rows, inst, func(r procfsRow, id int32) int { return cmp.Compare(r.inst, id) })
	if !ok {
		return nil
	}
	return &t.rows[i]
}

// cell returns the cell of a key in a row, or nil if no metric wants it.
func (t *procfsTable) cell(r *procfsRow, key []byte) *procfsCell {
	if i, ok := t.slots[string(key)]; ok {
		return &r.cells[i]
	}
	return nil
}

// field returns the cell of a numbered field in a row, or nil if no metric wants it.
func (t *procfsTable) field(r *procfsRow, n int) *procfsCell {
	if t.fields == nil {
		t.fields = make([]int, 64)
		for i := range t.fields {
			t.fields[i] = -1
			if slot, ok := t.slots[strconv.Itoa(i)]; ok {
				t.fields[i] = slot
			}
		}
	}
	if n < len(t.fields) && t.fields[n] >= 0 {
		return &r.cells[t.fields[n]]
	}
	return nil
}

// setFields puts the numbers of a line into numbered fields, the first of which is
// number n.
func (t *procfsTable) setFields(r *procfsRow, n int, line []byte) {
	for word, rest := procfsWord(line); len(word) > 0 && n < 64; word, rest = procfsWord(rest) {
		t.field(r, n).setWord(word)
		n++
	}
}

// setUint makes a number the value of a cell. There may be no cell.
func (c *procfsCell) setUint(v uint64) {
	if c != nil {
		c.kind, c.num = procfsNumber, v
	}
}

// setWord makes a decimal number the value of a cell; it stays empty if the word is none.
func (c *procfsCell) setWord(word []byte) {
	if c == nil {
		return
	}
	if v, ok := procfsUint(word); ok {
		c.setUint(v)
	}
}

// setReal makes a number the value of a cell.
func (c *procfsCell) setReal(v float64) {
	if c != nil {
		c.kind, c.num = procfsFloat, math.Float64bits(v)
	}
}

// setText makes a string the value of a cell.
func (c *procfsCell) setText(s []byte) {
	if c != nil {
		c.kind, c.text = procfsText, append(c.text[:0], s...)
	}
}

// setString makes a string the value of a cell.
func (c *procfsCell) setString(s string) {
	if c != nil {
		c.kind, c.text = procfsText, append(c.text[:0], s...)
	}
}

// A procfsIDs numbers instances by their names in the order in which they were first
// seen, and never uses a number again.
type procfsIDs struct {
	ids   map[string]int32
	names []string
}

// id returns the number of an instance, and its name as a string.
func (n *procfsIDs) id(name []byte) (int32, string) {
	if i, ok := n.ids[string(name)]; ok {
		return i, n.names[i]
	}
	if n.ids == nil {
		n.ids = map[string]int32{}
	}
	s, i := string(name), int32(len(n.names))
	n.ids[s] = i
	n.names = append(n.names, s)
	return i, s
}

// procfsInDom returns the instance domain whose instances are the rows of a table,
// sorted, and have their names there.
func procfsInDom(serial uint32, t *procfsTable, oneline string) *pmda.InDom {
	var list []pcp.Instance
	return &pmda.InDom{
		Serial: serial,
		Needs:  t.reading,
		List: func() ([]pcp.Instance, error) {
			list = list[:0]
			for i := range t.rows {
				list = append(list, pcp.Instance{ID: t.rows[i].inst, Name: t.rows[i].name})
			}
			return list, nil
		},
		OneLine: oneline,
	}
}

// procfsKeyed fills a row from lines of a key and a number: "MemTotal: 123 kB".
func procfsKeyed(t *procfsTable, r *procfsRow, text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		key, rest := procfsWord(line)
		if c := t.cell(r, bytes.TrimSuffix(key, []byte{':'})); c != nil {
			word, _ := procfsWord(rest)
			c.setWord(word)
		}
	}
}

// real returns the value of a cell that has a float.
func (c *procfsCell) real() float64 { return math.Float64frombits(c.num) }
