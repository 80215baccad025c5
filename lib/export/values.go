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

// chunk is how many rows are read at a time.
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

func (g *group) value(k kind, word uint64) parquet.Value {
	switch k {
	case signed, unsigned:
		return parquet.Int64Value(int64(word))
	case float:
		return parquet.DoubleValue(math.Float64frombits(word))
	}
	return parquet.ByteArrayValue(g.blobs[word])
}

// seriesValue returns the value of one of seriesColumns, null if a series has none.
func seriesValue(column int, k *key, metrics []metric) (v parquet.Value) {
	switch column {
	case colMetric:
		return parquet.ByteArrayValue([]byte(utf8Text(metrics[k.metric].name)))
	case colInst:
		if k.member {
			v = parquet.Int32Value(k.inst)
		}
	case colInstance:
		if k.named {
			v = parquet.ByteArrayValue([]byte(k.instance))
		}
	default:
		return parquet.ByteArrayValue([]byte(metrics[k.metric].units))
	}
	return v
}
