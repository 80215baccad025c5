package export

import (
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// Sorted rows have long runs of the same metric and instance. Parquet's package looks each value up
// in the dictionary of its column, and compares each for the bounds of a page; the types of this
// file do so once for each run. The bytes of the file are the same.

// withRuns returns a schema whose named columns are written by runs.
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

type runField struct{ parquet.Field }

func (f runField) Type() parquet.Type { return runType{f.Field.Type()} }

type runType struct{ parquet.Type }

func (t runType) NewDictionary(column, values int, data encoding.Values) parquet.Dictionary {
	return runDictionary{t.Type.NewDictionary(column, values, data)}
}

type runDictionary struct{ parquet.Dictionary }

func (d runDictionary) Type() parquet.Type { return runIndexType{d.Dictionary.Type(), d.Dictionary} }

type runIndexType struct {
	parquet.Type
	dict parquet.Dictionary
}

func (t runIndexType) NewColumnBuffer(column, values int) parquet.ColumnBuffer {
	return &runBuffer{ColumnBuffer: t.Type.NewColumnBuffer(column, 0), typ: t, column: column}
}

// A runBuffer holds the numbers of a page. It has only the methods of a ColumnBuffer that a writer calls.
type runBuffer struct {
	parquet.ColumnBuffer
	typ    runIndexType
	column int
	index  []int32
	runs   []int32 // the numbers of runs, which may have neighbours that are equal
}

func (b *runBuffer) Reset() { b.index, b.runs = b.index[:0], b.runs[:0] }

func (b *runBuffer) Len() int { return len(b.index) }

func (b *runBuffer) Size() int64 { return 4 * int64(len(b.index)) }

// WriteValues implements parquet.ValueWriter. Texts of a run share their bytes.
func (b *runBuffer) WriteValues(values []parquet.Value) (int, error) {
	for i := 0; i < len(values); {
		var number [1]int32
		b.typ.dict.Insert(number[:], values[i:i+1])
		b.runs = append(b.runs, number[0])
		n := runLen(values[i:])
		i += n
		b.index = slices.Grow(b.index, n)
		for range n {
			b.index = append(b.index, number[0])
		}
	}
	return len(values), nil
}

// runLen returns how many values are the first one.
func runLen(values []parquet.Value) int {
	n := 1
	if values[0].Kind() == parquet.Int32 {
		for first := values[0].Int32(); n < len(values) && values[n].Int32() == first; n++ {
		}
		return n
	}
	for first := values[0].ByteArray(); n < len(values) && shared(first, values[n].ByteArray()); n++ {
	}
	return n
}

// shared reports whether slices are the same memory, or empty.
func shared(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func (b *runBuffer) Page() parquet.Page {
	return runPage{b.typ.NewPage(b.column, len(b.index), encoding.Int32Values(b.index)), b}
}

type runPage struct {
	parquet.Page
	buffer *runBuffer
}

func (p runPage) Bounds() (low, high parquet.Value, ok bool) {
	b := p.buffer
	b.runs = slices.Compact(b.runs)
	low, high = b.typ.dict.Bounds(b.runs)
	return low, high, len(b.runs) > 0
}
