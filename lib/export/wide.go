package export

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// MaxColumns is how many columns of values a wide table has at most.
const MaxColumns = 10_000

// A Wide is a wide table: a row for each record, a column for each instance of each metric. It is
// made by Columns, and then written by its method Write.
type Wide struct {
	columns []wideColumn
	index   map[wideKey]int32
	caches  []wideCache // of the metrics
	cover   *coverage   // the records
}

type wideKey struct {
	metric   int32
	instance string
}

type wideColumn struct {
	wideKey
	name  string
	units string
	inst  int32
	kind  kind
}

// A wideCache has the columns of a metric's instances in the record before.
type wideCache struct {
	insts   []int32
	columns []int32
	round   int
}

// Columns reads all records to find the columns of the table that has them. Write needs new
// sources, because these keep their last sample.
func Columns(ctx context.Context, src pmapi.Source, recs *Records, cfg *Config) (*Wide, error) {
	r, err := newReader(ctx, src, recs, cfg)
	if err != nil {
		return nil, err
	}
	m, unlock, err := openManifest(ctx, cfg.store(), r.host)
	if err != nil {
		return nil, err
	}
	f := r.form(true)
	if err := errors.Join(unlock(), r.attach(ctx, m, &f, nil)); err != nil {
		return nil, err
	}
	w := &Wide{index: make(map[wideKey]int32), caches: make([]wideCache, len(r.metrics)), cover: recs.cover}
	_, err = r.each(ctx, func() (damage, failed error) {
		if damage, failed = w.take(ctx, r); failed == nil && len(w.columns) > MaxColumns {
			failed = fmt.Errorf("a wide table has at most %d columns of values: choose fewer metrics, or export without --wide", MaxColumns)
		}
		return damage, failed
	})
	if err != nil {
		return nil, err
	}
	w.sort(r)
	return w, nil
}

// take puts the values of a record into the group of r, with column numbers as series.
func (w *Wide) take(ctx context.Context, r *reader) (damage, failed error) {
	at, err := nanoseconds(r.result.Time)
	if err != nil {
		return err, nil
	}
	r.group.reset()
	r.recs.accept(at)
	r.group.begin(r.recs.record(at))
	for i := range r.result.Sets {
		v := &r.result.Sets[i]
		if v.Len() == 0 || v.Type == pcp.Event || v.Type == pcp.HighResEvent {
			continue
		}
		columns, err := w.columnsOf(ctx, r, int32(i), v.Insts, at)
		if err != nil {
			return nil, err
		}
		r.group.add(v, columns, 0)
	}
	if r.cfg.Progress != nil {
		r.cfg.Progress(r.result.Time, r.values)
	}
	return nil, nil
}

func (w *Wide) columnsOf(ctx context.Context, r *reader, i int32, insts []int32, at int64) ([]int32, error) {
	m, cache := &r.metrics[i], &w.caches[i]
	var dom *domain
	round := 0
	if m.desc.InDom != pcp.NullInDom {
		var err error
		if dom, err = r.domain(ctx, m.desc.InDom, at, insts, unwatched{}); err != nil {
			return nil, err
		}
		round = dom.round
	}
	if cache.round == round && len(insts) > 0 && slices.Equal(cache.insts, insts) {
		return cache.columns, nil
	}
	cache.round, cache.insts, cache.columns = round, append(cache.insts[:0], insts...), cache.columns[:0]
	for _, inst := range insts {
		k := wideKey{metric: i}
		if dom != nil {
			k.instance = cmp.Or(dom.names[inst], strconv.Itoa(int(inst)))
		}
		n, ok := w.index[k]
		if !ok {
			n = int32(len(w.columns))
			w.index[k] = n
			w.columns = append(w.columns, wideColumn{wideKey: k, inst: inst, kind: kindOf(m.desc.Type)})
		}
		if slices.Contains(cache.columns, n) {
			return nil, fmt.Errorf("%s has two instances that are called %q at %s: export without --wide",
				m.name, k.instance, r.result.Time.Time().Format("2006-01-02 15:04:05.999999999 UTC"))
		}
		cache.columns = append(cache.columns, n)
	}
	return cache.columns, nil
}

// sort orders the columns by metric and instance, and names them.
func (w *Wide) sort(r *reader) {
	slices.SortFunc(w.columns, func(a, b wideColumn) int {
		return cmp.Or(cmp.Compare(a.metric, b.metric), cmp.Compare(a.inst, b.inst), cmp.Compare(a.instance, b.instance))
	})
	for n := range w.columns {
		c := &w.columns[n]
		w.index[c.wideKey] = int32(n)
		c.name, c.units = utf8Text(r.metrics[c.metric].name), r.metrics[c.metric].units
		if r.metrics[c.metric].desc.InDom != pcp.NullInDom {
			c.name += "[" + c.instance + "]"
		}
	}
	w.caches = make([]wideCache, len(r.metrics))
}

// unitsKey is in the metadata of wide tables: a JSON object with the units of each column of values, "" for none.
const unitsKey = "pmtools.units"

func (w *Wide) units() string {
	units := make(map[string]string, len(w.columns))
	for i := range w.columns {
		units[w.columns[i].name] = w.columns[i].units
	}
	text, _ := json.Marshal(units) // it has nothing but texts
	return string(text)
}

const (
	wideTime = iota
	wideSeg
	wideFirst // of the values
)

// An orderedGroup has fields in an order other than that of their names.
type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

func (g *orderedGroup) Fields() []parquet.Field { return g.fields }

func (w *Wide) schema(micros bool) *parquet.Schema {
	kinds := [...]parquet.Node{
		signed:   parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked),
		unsigned: parquet.Encoded(parquet.Uint(64), &parquet.DeltaBinaryPacked),
		float:    parquet.Leaf(parquet.DoubleType),
		text:     parquet.Encoded(parquet.String(), &parquet.RLEDictionary),
		blob:     parquet.Leaf(parquet.ByteArrayType),
	}
	times := parquet.Encoded(parquet.Timestamp(parquet.Nanosecond), &parquet.DeltaBinaryPacked)
	if micros {
		times, kinds[unsigned] = microTimes(), decimal()
	}
	g := &orderedGroup{Group: parquet.Group{
		"time": times,
		"seg":  parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.RLEDictionary),
	}}
	place := map[string]int{"time": wideTime, "seg": wideSeg}
	for n, c := range w.columns {
		g.Group[c.name] = parquet.Optional(kinds[c.kind])
		place[c.name] = wideFirst + n
	}
	g.fields = g.Group.Fields()
	slices.SortFunc(g.fields, func(a, b parquet.Field) int { return cmp.Compare(place[a.Name()], place[b.Name()]) })
	return parquet.NewSchema("wide", g)
}

// Write writes the table, as Write does the others, and that of metrics. It has no events. A value
// that does not fit the type of its metric, or text that is not UTF-8, is an error. Without the
// partition date there is one file.
func (w *Wide) Write(ctx context.Context, src pmapi.Source, recs *Records, cfg *Config) (sum Summary, failed error) {
	r, err := newReader(ctx, src, recs, cfg)
	if err != nil {
		return sum, err
	}
	st, err := r.open(ctx, true, w.cover)
	if err != nil {
		return sum, err
	}
	defer func() { failed = errors.Join(failed, st.remove()) }()
	out := newWideWriter(w, st, recs)
	damage, err := r.each(ctx, func() (damage, failed error) {
		if damage, failed = w.take(ctx, r); damage == nil && failed == nil {
			failed = out.add(r.group)
			r.values += int64(r.group.len())
		}
		return damage, failed
	})
	recs.end()
	recs.tally.seal()
	if err == nil {
		err = errors.Join(out.close(), out.ident.close())
	}
	if err == nil && (len(recs.tally.pieces) > 0 || len(recs.cover.replace) > 0 || !st.m.has("wide")) {
		err = st.commit(r, damage, r.values)
	}
	return Summary{Metrics: len(r.metrics), Values: r.values, Files: st.namesOf("wide"), Damage: damage, tables: st.moved}, err
}

type wideWriter struct {
	*Wide
	stage *stage
	file  *output
	out   *parquet.GenericWriter[any]
	ident identityWriter
	date  int64
	cells [][]parquet.Value // by column and row
	rows  int               // in cells
	group int               // rows in the row group, without those
}

// wideCells is the least number of cells in a row group but the last.
const wideCells = 1 << 20

func newWideWriter(w *Wide, st *stage, recs *Records) *wideWriter {
	out := &wideWriter{Wide: w, stage: st, ident: newIdentityWriter(st, recs), cells: make([][]parquet.Value, wideFirst+len(w.columns))}
	for i := range out.cells {
		out.cells[i] = make([]parquet.Value, min(max(1<<17/len(out.cells), 1), chunk))
	}
	return out
}

func (w *wideWriter) add(g *group) error {
	if g.len() == 0 {
		return nil
	}
	rec := &g.records[0]
	date := floor(rec.time, day)
	if w.file != nil && date != w.date && !w.stage.place.NoDate {
		if err := w.close(); err != nil {
			return err
		}
	}
	if w.file == nil {
		if err := w.create(date); err != nil {
			return err
		}
	}
	micros := w.stage.place.micros
	w.cells[wideTime][w.rows] = parquet.Int64Value(floor(rec.time, tick(micros)))
	w.cells[wideSeg][w.rows] = parquet.Int32Value(rec.seg)
	for i := range g.rows {
		row := &g.rows[i]
		if c := &w.columns[row.series]; row.kind() != c.kind {
			return fmt.Errorf("%s has a value that does not fit the type of its column: export without --wide", c.name)
		}
		cell := &w.cells[wideFirst+row.series][w.rows]
		if *cell = g.value(row.kind(), row.word).Level(0, 1, 0); micros && row.kind() == unsigned {
			*cell = toDecimal.value(*cell, new([decimalBytes]byte))
		}
	}
	if w.rows++; w.rows == len(w.cells[0]) {
		return w.flush()
	}
	return nil
}

func (w *wideWriter) create(date int64) (err error) {
	p := w.stage.place
	if w.file, err = w.stage.create("wide", p.dated("wide", date), -1); err != nil {
		return err
	}
	w.date, w.group = date, 0
	w.out = parquet.NewGenericWriter[any](w.file, w.stage.place.options(w.schema(w.stage.place.micros), parquet.KeyValueMetadata(unitsKey, w.units()))...)
	return nil
}

func (w *wideWriter) flush() error {
	for i, column := range w.out.ColumnWriters() {
		if _, err := column.WriteRowValues(w.cells[i][:w.rows]); err != nil {
			return w.file.failed(err)
		}
		clear(w.cells[i])
	}
	w.group += w.rows
	w.rows = 0
	if err := w.ident.write(); err != nil {
		return err
	}
	if w.group*len(w.cells) < wideCells {
		return nil
	}
	w.group = 0
	return w.file.failed(w.out.Flush())
}

func (w *wideWriter) close() error {
	if w.file == nil {
		return nil
	}
	err := w.flush()
	if err == nil {
		err = w.file.failed(w.out.Close())
	}
	err = errors.Join(err, w.file.close())
	w.file = nil
	return err
}
