package export

import (
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// Sorted rows have long runs of the same metric and instance. Parquet's package looks each value up
// in the dictionary of its column, and compares each for the bounds of a page; the types of this
// file do so once for each run. The bytes of the file are the same.

// withRuns returns a schema in which the columns that have names are written by runs.
func withRuns(s *parquet.Schema, names ...string) *parquet.Schema {
	g := &orderedGroup{Group: make(parquet.Group), fields: s.Fields()}
	for i, f := range g.fields {
		if slices.Contains(names, f.Name()) {
			g.fields[i] = runField{f}
		}
		g.Group[f.Name()] = g.fields[i]
	}
	return parquet.NewSchema(s.Name(), g)
}

// A runField is a column that is written by runs.
type runField struct{ parquet.Field }

// Type implements parquet.Node.
func (f runField) Type() parquet.Type { return runType{f.Field.Type()} }

// A runType is a type of such a column.
type runType struct{ parquet.Type }

// NewDictionary implements parquet.Type.
func (t runType) NewDictionary(column, values int, data encoding.Values) parquet.Dictionary {
	return runDictionary{t.Type.NewDictionary(column, values, data)}
}

// A runDictionary is the dictionary of such a column.
type runDictionary struct{ parquet.Dictionary }

// Type implements parquet.Dictionary.
func (d runDictionary) Type() parquet.Type { return runIndexType{d.Dictionary.Type(), d.Dictionary} }

// A runIndexType is the type of numbers in a dictionary.
type runIndexType struct {
	parquet.Type
	dict parquet.Dictionary
}

// NewColumnBuffer implements parquet.Type.
func (t runIndexType) NewColumnBuffer(column, values int) parquet.ColumnBuffer {
	return &runBuffer{ColumnBuffer: t.Type.NewColumnBuffer(column, 0), typ: t, column: column}
}

// A runBuffer holds the numbers of a page. It has only those methods of a ColumnBuffer that a
// writer calls.
type runBuffer struct {
	parquet.ColumnBuffer
	typ    runIndexType
	column int
	index  []int32
	runs   []int32 // the numbers of runs, which may have neighbours that are equal
}

// Reset implements parquet.ColumnBuffer.
func (b *runBuffer) Reset() { b.index, b.runs = b.index[:0], b.runs[:0] }

// Len implements parquet.ColumnBuffer.
func (b *runBuffer) Len() int { return len(b.index) }

// Size implements parquet.ColumnBuffer.
func (b *runBuffer) Size() int64 { return 4 * int64(len(b.index)) }

// WriteValues implements parquet.ValueWriter. Values of a run share their bytes.
func (b *runBuffer) WriteValues(values []parquet.Value) (int, error) {
	for i := 0; i < len(values); {
		var number [1]int32
		b.typ.dict.Insert(number[:], values[i:i+1])
		b.runs = append(b.runs, number[0])
		first := values[i].ByteArray()
		for same := true; same; same = i < len(values) && shared(first, values[i].ByteArray()) {
			b.index = append(b.index, number[0])
			i++
		}
	}
	return len(values), nil
}

// shared reports whether slices are the same memory.
func shared(a, b []byte) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// Page implements parquet.ColumnBuffer.
func (b *runBuffer) Page() parquet.Page {
	return runPage{b.typ.NewPage(b.column, len(b.index), encoding.Int32Values(b.index)), b}
}

// A runPage is a page of a runBuffer.
type runPage struct {
	parquet.Page
	buffer *runBuffer
}

// Bounds implements parquet.Page.
func (p runPage) Bounds() (low, high parquet.Value, ok bool) {
	b := p.buffer
	b.runs = slices.Compact(b.runs)
	low, high = b.typ.dict.Bounds(b.runs)
	return low, high, len(b.runs) > 0
}
