package export

import (
	"context"

	"pmtools/lib/pcp"
)

// An eventRow is a row of the table of events: a parameter of a record, or a record without parameters. Its
// columns of values are those of a valueRow.
type eventRow struct {
	Time      int64    `parquet:"time,timestamp(nanosecond:utc)"`     // of the event
	Recorded  int64    `parquet:"recorded,timestamp(nanosecond:utc)"` // of the record in the archive
	Metric    string   `parquet:"metric,dict"`
	Inst      *int32   `parquet:"inst,optional,dict"`
	Instance  *string  `parquet:"instance,optional,dict"`
	Record    int32    `parquet:"record"`
	Flags     uint32   `parquet:"flags"`
	Missed    *int32   `parquet:"missed,optional"`
	Position  *int32   `parquet:"position,optional"` // of the parameter in the record
	Parameter *string  `parquet:"parameter,optional,dict"`
	PMID      *string  `parquet:"pmid,optional,dict"`
	I64       *int64   `parquet:"i64,optional"`
	U64       *uint64  `parquet:"u64,optional"`
	F64       *float64 `parquet:"f64,optional"`
	Text      *string  `parquet:"text,optional"`
	Bytes     *[]byte  `parquet:"bytes,optional"`
	Seg       int32    `parquet:"seg,dict"`
}

type eventValue struct {
	date     int64
	recorded int64
	seg      int32
	metric   string
	key      *key
	name     func(pcp.ID) *string // of a parameter
}

// takeEvents hands over the records of an event metric. A damaged value becomes a row of bytes.
func (r *reader) takeEvents(ctx context.Context, i int, v *pcp.Values, series []int32, to sink) error {
	g := r.group
	rec := &g.records[len(g.records)-1]
	for n := range v.Len() {
		records, err := pcp.UnpackEvents(v.Value(n))
		if err != nil {
			one := pcp.Values{Type: v.Type, Blobs: v.Blobs[n : n+1], Insts: v.Insts[n : n+1]}
			if v.Odd != nil {
				one.Odd = v.Odd[n : n+1]
			}
			g.add(&one, series[n:n+1], int32(n))
			continue
		}
		e := &eventValue{
			date: g.date, recorded: rec.time, seg: rec.seg, metric: utf8Text(r.metrics[i].name), key: &g.keys[series[n]],
			name: func(id pcp.ID) *string { return r.paramName(ctx, id) },
		}
		if err := to.events(e, records); err != nil {
			return err
		}
	}
	return nil
}

// paramName returns the name of a parameter, nil without one.
func (r *reader) paramName(ctx context.Context, id pcp.ID) *string {
	name, ok := r.params[id]
	if !ok {
		if names, err := r.src.Names(ctx, id); err == nil && len(names) > 0 {
			text := utf8Text(names[0])
			name = &text
		}
		if r.params == nil {
			r.params = make(map[pcp.ID]*string)
		}
		r.params[id] = name
	}
	return name
}

func (e *eventValue) rows(records []pcp.EventRecord) (rows []eventRow, err error) {
	for n := range records {
		rec := &records[n]
		row := eventRow{Recorded: e.recorded, Metric: e.metric, Record: int32(n), Flags: uint32(rec.Flags), Seg: e.seg}
		if row.Time, err = nanoseconds(rec.Time); err != nil {
			return nil, err
		}
		if e.key.member {
			row.Inst = &e.key.inst
		}
		if e.key.named {
			row.Instance = &e.key.instance
		}
		if rec.Flags&pcp.EventMissed != 0 {
			row.Missed = &rec.Missed
		}
		if len(rec.Params) == 0 {
			rows = append(rows, row)
		}
		for i := range rec.Params {
			p := &rec.Params[i]
			row := row
			id, at := p.ID.String(), int32(i)
			row.Position, row.PMID, row.Parameter = &at, &id, e.name(p.ID)
			row.set(p)
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// set gives the row the value of a parameter, as in a valueRow.
func (row *eventRow) set(p *pcp.Param) {
	var g group
	odd := pcp.Values{Type: pcp.Unknown, Insts: []int32{0}, Blobs: [][]byte{nil}, Odd: []pcp.Odd{p.Odd}}
	g.begin(record{})
	if v := p.Value; !v.IsSet() {
		g.add(&odd, []int32{0}, 0)
	} else if v.Type().Arithmetic() {
		g.add(&pcp.Values{Type: v.Type(), Insts: []int32{0}, Words: []uint64{v.Word()}}, []int32{0}, 0)
	} else {
		g.add(&pcp.Values{Type: v.Type(), Insts: []int32{0}, Blobs: [][]byte{v.Bytes()}}, []int32{0}, 0)
	}
	switch v := g.value(g.rows[0].kind(), g.rows[0].word); g.rows[0].kind() {
	case signed:
		n := v.Int64()
		row.I64 = &n
	case unsigned:
		n := v.Uint64()
		row.U64 = &n
	case float:
		n := v.Double()
		row.F64 = &n
	case text:
		s := string(v.ByteArray())
		row.Text = &s
	default:
		b := v.ByteArray()
		row.Bytes = &b
	}
}

// An eventWriter writes a file of events for each day or period.
type eventWriter struct {
	growing[eventRow]
	date int64
	rows int64
}

func (w *eventWriter) write(e *eventValue, records []pcp.EventRecord) error {
	rows, err := e.rows(records)
	if err != nil || len(rows) == 0 {
		return err
	}
	if w.table != nil && w.date != e.date {
		if err := w.close(); err != nil {
			return err
		}
	}
	w.date, w.dir = e.date, w.stage.place.dated(w.name, e.date)
	w.rows += int64(len(rows))
	return w.growing.write(rows...)
}
