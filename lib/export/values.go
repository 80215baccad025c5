package export

import (
	"errors"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"pmtools/lib/export/internal/pagefile"

	"pmtools/lib/version"
)

type valueRow struct {
	Time     int64   `parquet:"time,timestamp(nanosecond:utc),delta"`
	Metric   string  `parquet:"metric,dict"`
	Inst     int32   `parquet:"inst,optional,dict"`
	Instance string  `parquet:"instance,optional,dict"`
	I64      int64   `parquet:"i64,optional,delta"`
	U64      uint64  `parquet:"u64,optional,delta"`
	F64      float64 `parquet:"f64,optional"`
	Text     string  `parquet:"text,optional,dict"`
	Bytes    []byte  `parquet:"bytes,optional"`
	Seg      int32   `parquet:"seg,dict"`
	Record   int32   `parquet:"record,dict"`
	Position int32   `parquet:"position,dict"`
	Units    string  `parquet:"units,dict"`
}

const (
	colTime = iota
	colMetric
	colInst
	colInstance
	colI64      // and the others, in the order of kinds
	colSeg      = colI64 + int(kinds)
	colRecord   = colSeg + 1
	colPosition = colRecord + 1
	colUnits    = colPosition + 1
	colHost     = colUnits + 1 // without the partition host
	cols        = colHost + 1
)

const fileGroups = 64

// chunkRows is how many rows have a page in each column.
const chunkRows = 1 << 15

const chunk = 256

// codec compresses all tables. It keeps its expensive encoders from file to file.
var codec = &zstd.Codec{Level: zstd.SpeedFastest}

func options(more ...parquet.WriterOption) []parquet.WriterOption {
	return append([]parquet.WriterOption{
		parquet.Compression(codec), parquet.CreatedBy("pmtools", version.Version, ""),
		parquet.DataPageStatistics(false), // the index of each column has them
	}, more...)
}

type valueWriter struct {
	stage  *stage
	file   *output
	date   int64
	groups int // in the file
	out    *pagefile.Writer
	page   page
}

func (w *valueWriter) write(g *group, metrics []metric) error {
	if w.file != nil && (w.date != g.date || w.groups == fileGroups) {
		if err := w.close(); err != nil {
			return err
		}
	}
	if w.file == nil {
		if err := w.create(g.date); err != nil {
			return err
		}
	}
	w.groups++
	w.page.begin(g, metrics, w.out, w.stage.place)
	for rows := range slices.Chunk(g.sorted, chunkRows) {
		if err := w.page.write(rows); err != nil {
			return w.file.failed(err)
		}
	}
	return w.file.failed(w.out.EndGroup())
}

func (w *valueWriter) create(date int64) (err error) {
	if w.file, err = w.stage.createNext("values", w.stage.place.dated("values", date)); err != nil {
		return err
	}
	w.date, w.groups = date, 0
	w.out, err = pagefile.New(w.file, &pagefile.Options{
		Schema: w.stage.place.schema(valueRow{}), Codec: codec, More: w.stage.place.options(),
		Filters: []parquet.BloomFilterColumn{parquet.SplitBlockFilter(10, "metric")},
		Sorting: []parquet.SortingColumn{parquet.Ascending("metric"), parquet.NullsFirst(parquet.Ascending("inst")), parquet.Ascending("time")},
	})
	return w.file.failed(err)
}

func (w *valueWriter) close() error {
	if w.file == nil {
		return nil
	}
	err := w.file.failed(errors.Join(w.out.Close(), w.file.close()))
	w.file = nil
	return err
}

// A rowChunk is rows as values of the library.
type rowChunk struct {
	columns [cols][chunk]parquet.Value
	used    [kinds]bool // columns of values that are not all null
	micros  bool
	digits  [chunk][decimalBytes]byte
}

// of fills the column of the host.
func (w *rowChunk) of(p place) {
	w.micros = p.micros
	repeat(w.columns[colHost][:], p.hostValue(colHost))
}

func (w *rowChunk) fill(g *group, metrics []metric, rows []row) {
	c := &w.columns
	for k := range kinds {
		if w.used[k] {
			clear(c[colI64+int(k)][:])
			w.used[k] = false
		}
	}
	for i := range rows {
		rec := g.record(&rows[i])
		c[colTime][i] = parquet.Int64Value(floor(rec.time, tick(w.micros)))
		c[colSeg][i] = parquet.Int32Value(rec.seg)
		c[colRecord][i] = parquet.Int32Value(rec.nth)
		c[colPosition][i] = parquet.Int32Value(rows[i].place)
	}
	for from := 0; from < len(rows); {
		series, k, i := rows[from].series, rows[from].kind(), from
		column := &c[colI64+int(k)]
		for ; i < len(rows) && rows[i].series == series && rows[i].kind() == k; i++ {
			if column[i] = g.value(k, rows[i].word).Level(0, 1, 0); w.micros && k == unsigned {
				column[i] = toDecimal.value(column[i], &w.digits[i])
			}
		}
		w.used[k] = true
		metric, inst, instance := identity(&g.keys[series], metrics)
		repeat(c[colMetric][from:i], metric)
		repeat(c[colUnits][from:i], parquet.ByteArrayValue([]byte(metrics[g.keys[series].metric].units)))
		repeat(c[colInst][from:i], inst)
		repeat(c[colInstance][from:i], instance)
		from = i
	}
}

func repeat(part []parquet.Value, v parquet.Value) {
	for i := range part {
		part[i] = v
	}
}

func identity(k *key, metrics []metric) (name, inst, instance parquet.Value) {
	name = parquet.ByteArrayValue([]byte(utf8Text(metrics[k.metric].name))).Level(0, 0, colMetric)
	if k.member {
		inst = parquet.Int32Value(k.inst).Level(0, 1, colInst)
	}
	if k.named {
		instance = parquet.ByteArrayValue([]byte(k.instance)).Level(0, 1, colInstance)
	}
	return name, inst, instance
}

func (g *group) value(k kind, word uint64) parquet.Value {
	switch k {
	case signed, unsigned:
		return parquet.Int64Value(int64(word))
	case float:
		return parquet.DoubleValue(math.Float64frombits(word))
	}
	return parquet.ByteArrayValue(g.blobs[word])
}
