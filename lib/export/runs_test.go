package export

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestRuns: columns that are written by runs are the bytes that they are otherwise.
func TestRuns(t *testing.T) {
	type row struct {
		Metric   string `parquet:"metric,dict"`
		Instance string `parquet:"instance,optional,dict"`
		Position int32  `parquet:"position,dict"`
	}
	names := [][]byte{[]byte("b.two"), []byte("a.one"), []byte("c"), nil}
	write := func(schema *parquet.Schema) []byte {
		var buf bytes.Buffer
		w := parquet.NewGenericWriter[any](&buf, options(schema, parquet.PageBufferSize(1<<12),
			parquet.BloomFilters(parquet.SplitBlockFilter(10, "metric")))...)
		for group := range 3 {
			for n := range 200 {
				name := names[(n/7+group)%4]
				metric := make([]parquet.Value, 1+n%40)
				instance := make([]parquet.Value, len(metric)) // null at first
				for i := range metric {
					metric[i] = parquet.ByteArrayValue(name)
					if i > n%5 {
						instance[i] = parquet.ByteArrayValue(names[(n+i/9)%3]).Level(0, 1, 1)
					}
				}
				position := make([]parquet.Value, len(metric))
				for i := range position {
					position[i] = parquet.Int32Value(int32(i/3)).Level(0, 0, 2)
				}
				for i, values := range [][]parquet.Value{metric, instance, position} {
					if _, err := w.ColumnWriters()[i].WriteRowValues(values); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	plain := parquet.SchemaOf(row{})
	if got, want := write(withRuns(plain, "metric", "instance", "position")), write(plain); !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want these %d", len(got), len(want))
	}
}
