package export

import (
	"context"
	"errors"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

type metricRow struct {
	Metric     string  `parquet:"metric"`
	PMID       string  `parquet:"pmid"`
	Type       string  `parquet:"type,dict"`
	Semantics  string  `parquet:"semantics,dict"`
	Units      string  `parquet:"units,dict"`
	DimSpace   int32   `parquet:"dim_space"`
	DimTime    int32   `parquet:"dim_time"`
	DimCount   int32   `parquet:"dim_count"`
	ScaleSpace int32   `parquet:"scale_space"`
	ScaleTime  int32   `parquet:"scale_time"`
	ScaleCount int32   `parquet:"scale_count"`
	InDom      *string `parquet:"indom,optional,dict"`
	Help       *string `parquet:"help,optional"`
	Since      *int64  `parquet:"since,optional,timestamp(nanosecond:utc)"` // it describes the records from that time on, nil for all before the next
}

// An instanceRow names an instance from a time on.
type instanceRow struct {
	Time     int64  `parquet:"time,timestamp(nanosecond:utc)"`
	InDom    string `parquet:"indom,dict"`
	Inst     int32  `parquet:"inst"`
	Instance string `parquet:"instance,dict"`
}

// A missingRow is a metric without values in a record. The error is the recorded code, 0 for no error.
type missingRow struct {
	Time   int64  `parquet:"time,timestamp(nanosecond:utc),delta"`
	Metric string `parquet:"metric,dict"`
	Error  int32  `parquet:"error,dict"`
	Seg    int32  `parquet:"seg,dict"`
	Record int32  `parquet:"record,dict"`
}

type table[T any] struct {
	file *output
	out  *rowWriter[T]
	rows int // since the last group was ended, which is kept in memory
}

const tableRows = 1 << 16

func newTable[T any](o *output, p place) *table[T] {
	return &table[T]{file: o, out: newRowWriter[T](o, p)}
}

func (t *table[T]) write(rows ...T) error {
	err := t.out.write(rows)
	if t.rows += len(rows); err == nil && t.rows >= tableRows {
		t.rows, err = 0, t.out.Flush()
	}
	return t.file.failed(err)
}

func (t *table[T]) close() error { return t.file.failed(errors.Join(t.out.Close(), t.file.close())) }

// A growing table has a file once it has rows.
type growing[T any] struct {
	stage     *stage
	name, dir string
	table     *table[T]
}

func newGrowing[T any](s *stage, name string) growing[T] {
	return growing[T]{stage: s, name: name, dir: s.place.dir(name)}
}

func (g *growing[T]) write(rows ...T) (err error) {
	if len(rows) == 0 {
		return nil
	}
	if g.table == nil {
		if err := g.create(); err != nil {
			return err
		}
	}
	return g.table.write(rows...)
}

func (g *growing[T]) create() error {
	o, err := g.stage.createNext(g.name, g.dir)
	if err == nil {
		g.table = newTable[T](o, g.stage.place)
	}
	return err
}

func (g *growing[T]) close() error {
	if g.table == nil {
		return nil
	}
	err := g.table.close()
	g.table = nil
	return err
}

// finish is close, but it leaves a file without rows if the table has no others: patterns of names should match.
func (g *growing[T]) finish() (err error) {
	if _, some := g.stage.numbers[g.name]; !some && !g.stage.m.has(g.name) {
		if err := g.create(); err != nil {
			return err
		}
	}
	return g.close()
}

// A writer is the sink of Write.
type writer struct {
	*reader
	stage     *stage
	values    valueWriter
	event     eventWriter
	insts     growing[instanceRow]
	label     labelWriter
	none      growing[missingRow]
	ident     identityWriter
	complete  int64 // values in complete files
	committed int64 // of these
	stream    bool  // files stand under their names when their day has ended
}

func newWriter(r *reader, st *stage) *writer {
	return &writer{
		reader: r, stage: st, values: valueWriter{stage: st}, event: eventWriter{growing: newGrowing[eventRow](st, "events")},
		insts: newGrowing[instanceRow](st, "instances"), label: labelWriter{growing: newGrowing[labelRow](st, "labels")},
		none: newGrowing[missingRow](st, "missing"), ident: newIdentityWriter(st, r.recs),
		stream: r.recs.origin.endless(),
	}
}

func (w *writer) rows(g *group, metrics []metric) error {
	return errors.Join(w.ident.write(), w.values.write(g, metrics))
}

func (w *writer) events(e *eventValue, records []pcp.EventRecord) error {
	return w.event.write(e, records)
}

func (w *writer) turn() error {
	err := errors.Join(w.values.close(), w.event.close())
	if w.stream {
		err = errors.Join(err, w.insts.close(), w.label.close(), w.none.close(), w.ident.close())
		w.seal()
	}
	if err == nil && w.stream {
		err = w.commit(nil)
	}
	return err
}

// seal notes that all records so far are in complete files.
func (w *writer) seal() {
	w.recs.tally.seal()
	w.complete = w.reader.values
}

// commit publishes all complete files. With more, other files follow.
func (w *writer) commit(damage error) error {
	if a, ok := pmapi.As[*pmapi.Archive](w.recs.Source); ok && a.Set().Mixed() {
		return errors.New("the archive has been replaced by another while it was read: run this again")
	}
	values := w.complete - w.committed
	if err := w.stage.commit(w.reader, damage, values); err != nil {
		return err
	}
	w.committed += values
	return nil
}

// finish ends all files. If no record was read that the tables do not have, it adds nothing to them.
func (w *writer) finish(damage error) error {
	if w.recs.cover != nil {
		w.recs.end()
		if len(w.recs.tally.pieces) == 0 && len(w.recs.cover.replace) == 0 && len(w.stage.m.Exports) > 0 {
			return nil
		}
	}
	err := errors.Join(w.values.close(), w.event.close(), w.insts.finish(), w.label.finish(), w.none.finish(), w.ident.close())
	if err != nil {
		return err
	}
	w.seal()
	return w.commit(damage)
}

func (r *reader) metricRows(ctx context.Context) []metricRow {
	rows := make([]metricRow, len(r.metrics))
	for i, m := range r.metrics {
		d, u := m.desc, m.desc.Units
		rows[i] = metricRow{
			Metric: utf8Text(m.name), PMID: d.ID.String(), Type: d.Type.Text(), Semantics: d.Sem.Text(), Units: m.units,
			DimSpace: int32(u.DimSpace), DimTime: int32(u.DimTime), DimCount: int32(u.DimCount),
			ScaleSpace: int32(u.ScaleSpace), ScaleTime: int32(u.ScaleTime), ScaleCount: int32(u.ScaleCount),
		}
		if d.InDom != pcp.NullInDom {
			s := d.InDom.String()
			rows[i].InDom = &s
		}
		if help, err := pmapi.LookupText(ctx, r.src, pcp.OneLine, uint32(d.ID)); err == nil {
			help = utf8Text(help)
			rows[i].Help = &help
		}
	}
	return rows
}

// instances writes new instances and new names.
func (w *writer) instances(d pcp.InDom, at int64, was, is []pcp.Instance) error {
	old := make(map[pcp.Instance]bool, len(was))
	for _, in := range was {
		old[in] = true
	}
	var rows []instanceRow
	for _, in := range is {
		if !old[in] {
			rows = append(rows, instanceRow{Time: at, InDom: d.String(), Inst: in.ID, Instance: utf8Text(in.Name)})
		}
	}
	return w.insts.write(rows...)
}

func (w *writer) missing(metric string, rec record, why pmerr.Code) error {
	return w.none.write(missingRow{Time: rec.time, Metric: utf8Text(metric), Error: int32(why), Seg: rec.seg, Record: rec.nth})
}
