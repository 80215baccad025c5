package procfs

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

// The way of values from files into columns:
//
// A Table holds the values of one kind of file. It has a row for each instance, or one row for a
// file about the system, and a cell for each key that a metric needs; other keys of the file are
// skipped. Keys are names that stand in the file or numbers of fields. Metrics are bound to cells
// once, by the text in the lists of metrics (see terms). After that a fetch reads files into the
// same cells again, and copies cells into columns.

// A Table is the content of a kind of file.
type Table struct {
	Slots  map[string]int // the cell of each key
	fields []int          // the cell of each numbered field, -1 for none; made when first needed
	Rows   []Row
	index  map[int32]int // indexes of the rows that at has added

	// Tried is the number of instances whose files were looked for, for metrics that need a value.
	Tried int
	// Refused is the error of a metric without values because the kernel hides instances, nil if it
	// hides none.
	Refused error

	Reading *pmda.Reading
	others  []*Table       // tables that are filled together with this one
	list    []pcp.Instance // memory for the list of instances
}

// A Row holds the cells of an instance.
type Row struct {
	Inst  int32
	Name  string // name of the instance, in a table that is the origin of an instance domain
	Cells []Cell
}

// A Cell is a value, or none.
type Cell struct {
	Kind kind
	Num  uint64 // integer, or the bits of a float64
	Text []byte // belongs to the cell
}

type kind uint8

const (
	None kind = iota
	Number
	Float
	Text
)

// NewTable returns a table that load fills, with rows in any order. The tables in needs are read
// before it.
func NewTable(load func(t *Table, req *pmda.Request) error, needs ...*Table) *Table {
	t := &Table{Slots: map[string]int{}}
	t.Reading = &pmda.Reading{Read: func(_ context.Context, req *pmda.Request) error {
		t.Reset()
		for _, o := range t.others {
			o.Reset()
		}
		err := load(t, req)
		t.Sort()
		for _, o := range t.others {
			o.Sort()
		}
		return err
	}}
	for _, n := range needs {
		t.Reading.Needs = append(t.Reading.Needs, n.Reading)
	}
	return t
}

// Beside returns a table that is emptied together with t, and filled by the load function of t.
func (t *Table) Beside() *Table {
	b := &Table{Slots: map[string]int{}, Reading: t.Reading}
	t.others = append(t.others, b)
	return b
}

// Slot returns the cell of a key, for a metric that wants it.
func (t *Table) Slot(key string) int {
	i, ok := t.Slots[key]
	if !ok {
		i = len(t.Slots)
		t.Slots[key] = i
	}
	return i
}

// Reset removes all rows, and keeps their memory.
func (t *Table) Reset() {
	t.Rows, t.Tried, t.Refused = t.Rows[:0], 0, nil
	clear(t.index)
}

// Row adds a row of empty cells. It is valid until the next row is added.
func (t *Table) Row(inst int32) *Row {
	if len(t.Rows) < cap(t.Rows) {
		t.Rows = t.Rows[:len(t.Rows)+1]
	} else {
		t.Rows = append(t.Rows, Row{})
	}
	r := &t.Rows[len(t.Rows)-1]
	r.Inst, r.Name = inst, ""
	if len(r.Cells) != len(t.Slots) {
		r.Cells = make([]Cell, len(t.Slots))
	}
	for i := range r.Cells {
		r.Cells[i].Kind = None
	}
	return r
}

// Named adds a row for an instance that may be new.
func (t *Table) Named(ids *IDs, name []byte) *Row {
	inst, s := ids.ID(name)
	r := t.Row(inst)
	r.Name = s
	return r
}

// At returns the row of an instance, a new one if at has not added one before. The rows have not
// been sorted yet.
func (t *Table) At(inst int32) *Row {
	if i, ok := t.index[inst]; ok {
		return &t.Rows[i]
	}
	if t.index == nil {
		t.index = map[int32]int{}
	}
	t.index[inst] = len(t.Rows)
	return t.Row(inst)
}

// Sort puts the rows into the order of instances, and keeps the first row of an instance.
func (t *Table) Sort() {
	ascending := true
	for i := 1; i < len(t.Rows); i++ {
		ascending = ascending && t.Rows[i-1].Inst < t.Rows[i].Inst
	}
	if ascending {
		return
	}
	slices.SortStableFunc(t.Rows, func(a, b Row) int { return cmp.Compare(a.Inst, b.Inst) })
	first := true
	var last int32
	t.Keep(func(r *Row) bool {
		again := !first && r.Inst == last
		first, last = false, r.Inst
		return !again
	})
}

// Keep removes the rows that f does not return true for, and keeps their memory.
func (t *Table) Keep(f func(*Row) bool) {
	n := 0
	for i := range t.Rows {
		if f(&t.Rows[i]) {
			t.Rows[n], t.Rows[i] = t.Rows[i], t.Rows[n]
			n++
		}
	}
	t.Rows = t.Rows[:n]
}

// Find returns the row of an instance, or nil. The rows are sorted.
func (t *Table) Find(inst int32) *Row {
	i, ok := slices.BinarySearchFunc(t.Rows, inst, func(r Row, id int32) int { return cmp.Compare(r.Inst, id) })
	if !ok {
		return nil
	}
	return &t.Rows[i]
}

// Cell returns the cell of a key in a row, or nil if no metric needs it.
func (t *Table) Cell(r *Row, key []byte) *Cell {
	if i, ok := t.Slots[string(key)]; ok {
		return &r.Cells[i]
	}
	return nil
}

// Field returns the cell of a numbered field in a row, or nil if no metric needs it.
func (t *Table) Field(r *Row, n int) *Cell {
	if t.fields == nil {
		t.fields = make([]int, 64) // more than any file of the kernel has; further words are skipped
		for i := range t.fields {
			t.fields[i] = -1
			if slot, ok := t.Slots[strconv.Itoa(i)]; ok {
				t.fields[i] = slot
			}
		}
	}
	if n < len(t.fields) && t.fields[n] >= 0 {
		return &r.Cells[t.fields[n]]
	}
	return nil
}

// SetFields sets fields n, n+1 and so on to the numbers of a line.
func (t *Table) SetFields(r *Row, n int, line []byte) {
	for i, word := range Words(line) {
		t.Field(r, n+i).SetWord(word)
	}
}

// SetKeys puts the numbers of a line into the cells of keys.
func (t *Table) SetKeys(r *Row, line []byte, keys ...string) {
	for _, key := range keys {
		var word []byte
		word, line = Word(line)
		t.Cell(r, []byte(key)).SetWord(word)
	}
}

// Set copies the value of another cell.
func (c *Cell) Set(from *Cell) {
	c.Kind, c.Num, c.Text = from.Kind, from.Num, append(c.Text[:0], from.Text...)
}

// SetUint makes a number the value of a cell. There may be no cell.
func (c *Cell) SetUint(v uint64) {
	if c != nil {
		c.Kind, c.Num = Number, v
	}
}

// SetBool makes 1 or 0 the value of a cell.
func (c *Cell) SetBool(v bool) {
	c.SetUint(0)
	if v {
		c.SetUint(1)
	}
}

// Add adds a number to the value of a cell. An empty cell counts as 0.
func (c *Cell) Add(v uint64) {
	if c != nil && c.Kind == Number {
		v += c.Num
	}
	c.SetUint(v)
}

// SetWord makes the decimal number that the first word of a line begins with the value of a cell;
// without a number the cell stays as it is.
func (c *Cell) SetWord(line []byte) {
	if c == nil {
		return
	}
	word, _ := Word(line)
	if v, ok := Uint(word); ok {
		c.SetUint(v)
	}
}

// SetReal makes a number the value of a cell.
func (c *Cell) SetReal(v float64) {
	if c != nil {
		c.Kind, c.Num = Float, math.Float64bits(v)
	}
}

// SetText makes a string the value of a cell.
func (c *Cell) SetText(s []byte) {
	if c != nil {
		c.Kind, c.Text = Text, append(c.Text[:0], s...)
	}
}

// SetString makes a string the value of a cell.
func (c *Cell) SetString(s string) {
	if c != nil {
		c.Kind, c.Text = Text, append(c.Text[:0], s...)
	}
}

func (t *Table) instances() ([]pcp.Instance, error) {
	t.list = t.list[:0]
	for i := range t.Rows {
		t.list = append(t.list, pcp.Instance{ID: t.Rows[i].Inst, Name: t.Rows[i].Name})
	}
	return t.list, nil
}

// Fields sets fields 1, 2 and so on of a row to the numbers of a line.
func Fields(t *Table, r *Row, text []byte) { t.SetFields(r, 1, text) }

// Keyed fills a row from lines of a key and a number: "MemTotal: 123 kB".
func Keyed(t *Table, r *Row, text []byte) {
	for line := range Lines(text) {
		key, rest := Word(line)
		t.Cell(r, bytes.TrimSuffix(key, []byte{':'})).SetWord(rest)
	}
}

// SetPairs sets the cells of pairs like "avg10=0.00 total=5", whose keys get a prefix. between separates key and value.
func (t *Table) SetPairs(r *Row, prefix string, line []byte, between byte) {
	for _, word := range Words(line) {
		key, value, _ := bytes.Cut(word, []byte{between})
		c := t.Cell(r, append([]byte(prefix), key...))
		if n, ok := Real(value); ok && bytes.IndexByte(value, '.') >= 0 {
			c.SetReal(n)
		} else {
			c.SetWord(value)
		}
	}
}

// Real returns the value of a cell that has a float.
func (c *Cell) Real() float64 { return math.Float64frombits(c.Num) }
