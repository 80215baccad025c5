package pagefile

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding"

	_ "pmtools/test/env"
)

type row struct {
	Time  int64    `parquet:"time,timestamp(nanosecond:utc),delta"`
	Name  string   `parquet:"name,dict"`
	Count uint64   `parquet:"count,optional,delta"` // 0 for none
	Load  *float64 `parquet:"load,optional"`
	Place *int32   `parquet:"place,optional,dict"`
	Text  *string  `parquet:"text,optional"`
}

// group writes a page of rows for each column.
func (w *Writer) group(rows []row) error {
	var times []int64
	var counts []uint64
	var loads []float64
	var names, places []int32
	var text []byte
	offsets := []uint32{0}
	var levels [4][]byte
	level := func(i int, some bool) {
		b := byte(0)
		if some {
			b = 1
		}
		levels[i] = append(levels[i], b)
	}
	insert := func(c *Column, v parquet.Value) int32 {
		var n [1]int32
		c.Insert(n[:], []parquet.Value{v})
		return n[0]
	}
	for _, r := range rows {
		times = append(times, r.Time)
		names = append(names, insert(w.Column(1), parquet.ByteArrayValue([]byte(r.Name))))
		if level(0, r.Count != 0); r.Count != 0 {
			counts = append(counts, r.Count)
		}
		if level(1, r.Load != nil); r.Load != nil {
			loads = append(loads, *r.Load)
		}
		if level(2, r.Place != nil); r.Place != nil {
			places = append(places, insert(w.Column(4), parquet.Int32Value(*r.Place)))
		}
		if level(3, r.Text != nil); r.Text != nil {
			text = append(text, *r.Text...)
			offsets = append(offsets, uint32(len(text)))
		}
	}
	for _, err := range []error{
		w.Column(0).Values(encoding.Int64Values(times), len(times), nil),
		w.Column(1).Numbers(names, names, nil),
		w.Column(2).Values(encoding.Uint64Values(counts), len(counts), levels[0]),
		w.Column(3).Values(encoding.DoubleValues(loads), len(loads), levels[1]),
		w.Column(4).Numbers(places, places, levels[2]),
		w.Column(5).Values(encoding.ByteArrayValues(text, offsets), len(offsets)-1, levels[3]),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// rows returns random rows in which some columns have no values.
func rows(rng *rand.Rand, n int) (list []row) {
	some := [4]float64{float64(rng.IntN(3)) / 2, float64(rng.IntN(3)) / 2, float64(rng.IntN(3)) / 2, float64(rng.IntN(3)) / 2}
	for i := range n {
		r := row{Time: int64(i) * 1e9, Name: fmt.Sprint("name ", rng.IntN(5))}
		if rng.Float64() < some[0] {
			r.Count = rng.Uint64()
		}
		if rng.Float64() < some[1] {
			v := rng.NormFloat64()
			r.Load = &v
		}
		if rng.Float64() < some[2] {
			v := int32(rng.IntN(1000)) - 500
			r.Place = &v
		}
		if rng.Float64() < some[3] {
			v := strings.Repeat(fmt.Sprint(i), rng.IntN(30))
			r.Text = &v
		}
		list = append(list, r)
	}
	return list
}

// TestFile: files have the rows, the bounds, the indexes and the metadata of those which the library writes.
func TestFile(t *testing.T) {
	schema := parquet.SchemaOf(row{})
	codec := &zstd.Codec{Level: zstd.SpeedFastest}
	sorting := []parquet.SortingColumn{parquet.Ascending("name"), parquet.NullsFirst(parquet.Descending("place"))}
	filters := []parquet.BloomFilterColumn{parquet.SplitBlockFilter(10, "name")}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var ours, theirs bytes.Buffer
		more := []parquet.WriterOption{parquet.KeyValueMetadata("a", "b"), parquet.CreatedBy("x", "1", "y")}
		w, err := New(&ours, &Options{Schema: schema, Codec: codec, Sorting: sorting, Filters: filters, More: more})
		if err != nil {
			t.Fatal(err)
		}
		// One page each: the library ends those by the size of the values.
		library := parquet.NewGenericWriter[row](&theirs, append(more, schema, parquet.Compression(codec), parquet.BloomFilters(filters...),
			parquet.SortingWriterConfig(parquet.SortingColumns(sorting...)), parquet.DataPageStatistics(false))...)
		var all []row
		for range seed % 4 {
			list := rows(rng, rng.IntN(3000)+1)
			all = append(all, list...)
			if err := w.group(list); err != nil {
				t.Fatal(err)
			}
			if err := w.EndGroup(); err != nil {
				t.Fatal(err)
			}
			if _, err := library.Write(list); err != nil {
				t.Fatal(err)
			}
			if err := library.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := library.Close(); err != nil {
			t.Fatal(err)
		}
		a, b := read(t, ours.Bytes()), read(t, theirs.Bytes())
		got, err := parquet.Read[row](bytes.NewReader(ours.Bytes()), int64(ours.Len()))
		if err != nil || len(got) != len(all) || len(all) > 0 && !reflect.DeepEqual(got, all) {
			t.Fatalf("seed %d: %d rows, %v, want %d", seed, len(got), err, len(all))
		}
		compare(t, seed, a, b)
	}
}

func read(t *testing.T, file []byte) *parquet.File {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// compare compares what files say about their rows. Places of pages differ, as the library compresses pages of other sizes.
func compare(t *testing.T, seed uint64, a, b *parquet.File) {
	t.Helper()
	x, y := *a.Metadata(), *b.Metadata()
	for g := range x.RowGroups {
		if !reflect.DeepEqual(x.RowGroups[g].SortingColumns, y.RowGroups[g].SortingColumns) || x.RowGroups[g].NumRows != y.RowGroups[g].NumRows {
			t.Errorf("seed %d: row group %d: %+v, want %+v", seed, g, x.RowGroups[g], y.RowGroups[g])
		}
		for c := range x.RowGroups[g].Columns {
			m, n := x.RowGroups[g].Columns[c].MetaData, y.RowGroups[g].Columns[c].MetaData
			n.DataPageOffset, n.DictionaryPageOffset, n.BloomFilterOffset = m.DataPageOffset, m.DictionaryPageOffset, m.BloomFilterOffset
			if !reflect.DeepEqual(m, n) {
				t.Errorf("seed %d: row group %d, column %d: %+v\nwant %+v", seed, g, c, m, n)
			}
		}
	}
	x.RowGroups, y.RowGroups = nil, nil
	if !reflect.DeepEqual(x, y) {
		t.Errorf("seed %d: %+v\nwant %+v", seed, x, y)
	}
	if !reflect.DeepEqual(a.ColumnIndexes(), b.ColumnIndexes()) {
		t.Errorf("seed %d: the indexes of columns are %+v\nwant %+v", seed, a.ColumnIndexes(), b.ColumnIndexes())
	}
	for g, group := range a.RowGroups() {
		chunk := group.ColumnChunks()[1]
		for _, name := range []string{"name 0", "name 4", "name 7"} {
			got, err := chunk.BloomFilter().Check(parquet.ValueOf(name))
			want, _ := b.RowGroups()[g].ColumnChunks()[1].BloomFilter().Check(parquet.ValueOf(name))
			if err != nil || got != want {
				t.Errorf("seed %d: the filter says %v of %s, %v, want %v", seed, got, name, err, want)
			}
		}
	}
}

// TestPages: several pages of a column are one column, whatever their bounds are.
func TestPages(t *testing.T) {
	var out bytes.Buffer
	w, err := New(&out, &Options{Schema: parquet.SchemaOf(row{}), Codec: &zstd.Codec{}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var all []row
	for range 10 {
		list := rows(rng, rng.IntN(500)+1)
		all = append(all, list...)
		if err := w.group(list); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.EndGroup(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f := read(t, out.Bytes())
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for _, r := range all {
		least, most = min(least, r.Time), max(most, r.Time)
	}
	s := f.Metadata().RowGroups[0].Columns[0].MetaData.Statistics
	if low, high := parquet.Int64.Value(s.MinValue).Int64(), parquet.Int64.Value(s.MaxValue).Int64(); low != least || high != most {
		t.Errorf("bounds %d and %d, want %d and %d", low, high, least, most)
	}
	if got, err := parquet.Read[row](bytes.NewReader(out.Bytes()), int64(out.Len())); err != nil || !reflect.DeepEqual(got, all) {
		t.Errorf("%d rows, %v, want %d", len(got), err, len(all))
	}
	// A page in the middle is found by the index.
	rowsOf := f.RowGroups()[0].Rows()
	defer rowsOf.Close()
	if err := rowsOf.SeekToRow(int64(len(all) / 2)); err != nil {
		t.Fatal(err)
	}
	buf := make([]parquet.Row, 1)
	if n, err := rowsOf.ReadRows(buf); n != 1 || buf[0][0].Int64() != all[len(all)/2].Time {
		t.Errorf("row %d: %v, %v", len(all)/2, buf[0], err)
	}
}

// TestRowsDiffer: a column that lacks rows is an error.
func TestRowsDiffer(t *testing.T) {
	w, err := New(&bytes.Buffer{}, &Options{Schema: parquet.SchemaOf(row{}), Codec: &zstd.Codec{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Column(0).Values(encoding.Int64Values([]int64{1}), 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.EndGroup(); err == nil {
		t.Error("no error")
	}
	if _, err := New(&bytes.Buffer{}, &Options{Schema: parquet.SchemaOf(struct{ List []int64 }{}), Codec: &zstd.Codec{}}); err == nil {
		t.Error("a list is accepted")
	}
}
