package export

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A metricRow is a row of the table of metrics.
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
}

// An instanceRow is a row of the table of instances: what an instance is called from a time on.
type instanceRow struct {
	Time     int64  `parquet:"time,timestamp(nanosecond:utc)"`
	InDom    string `parquet:"indom,dict"`
	Inst     int32  `parquet:"inst"`
	Instance string `parquet:"instance,dict"`
}

// A labelRow is a row of the table of labels: what a label is from a time on. The object is a
// domain, an instance domain, a cluster or a metric, as pmid and indom have them.
type labelRow struct {
	Time   int64   `parquet:"time,timestamp(nanosecond:utc)"`
	Level  string  `parquet:"level,dict"`
	Object *string `parquet:"object,optional,dict"`
	Inst   *int32  `parquet:"inst,optional"`
	Name   string  `parquet:"name,dict"`
	Value  string  `parquet:"value,dict"`
}

// A table is a small table that is being written.
type table[T any] struct {
	file *os.File
	name string
	out  *parquet.GenericWriter[T]
}

// newTable begins a table.
func newTable[T any](s *stage, p place, name string) (*table[T], error) {
	t := &table[T]{name: filepath.Join(p.dir(name), p.name+".parquet")}
	var err error
	if t.file, err = s.create(t.name); err == nil {
		t.out = parquet.NewGenericWriter[T](t.file, options(nil)...)
	}
	return t, err
}

// write adds rows.
func (t *table[T]) write(rows ...T) error {
	_, err := t.out.Write(rows)
	return t.failed(err)
}

// failed says which table an error is of.
func (t *table[T]) failed(err error) error {
	if err != nil {
		err = &os.PathError{Op: "write", Path: t.name, Err: reason(err)}
	}
	return err
}

// close ends the table.
func (t *table[T]) close() error { return t.failed(errors.Join(t.out.Close(), t.file.Close())) }

// tables are the tables beside the values, while they are written.
type tables struct {
	*reader
	stage *stage
	place place
	insts *table[instanceRow]
	label *table[labelRow]
	known map[labelObject][]pcp.LabelSet
}

// A labelObject is what has labels.
type labelObject struct {
	kind  pcp.LabelKind
	ident uint32
}

// begin begins the tables that grow while the recording is read.
func (t *tables) begin() (err error) {
	t.known = make(map[labelObject][]pcp.LabelSet)
	if t.insts, err = newTable[instanceRow](t.stage, t.place, "instances"); err == nil {
		t.label, err = newTable[labelRow](t.stage, t.place, "labels")
	}
	return err
}

// abandon closes the files, after a failure; they may be closed.
func (t *tables) abandon() {
	t.insts.file.Close()
	t.label.file.Close()
}

// finish ends them and writes that of metrics, which says how the export went.
func (t *tables) finish(ctx context.Context, damage error) error {
	if err := errors.Join(t.insts.close(), t.label.close()); err != nil {
		return err
	}
	m, err := newTable[metricRow](t.stage, t.place, "metrics")
	if err != nil {
		return err
	}
	for k, v := range t.meta(damage) {
		m.out.SetKeyValueMetadata(k, utf8Text(v))
	}
	if err := m.write(t.metricRows(ctx)...); err != nil {
		return errors.Join(err, m.file.Close())
	}
	return m.close()
}

// metricRows returns the table of metrics.
func (r *reader) metricRows(ctx context.Context) []metricRow {
	texts, _ := pmapi.As[pmapi.Texter](r.src)
	rows := make([]metricRow, len(r.metrics))
	for i, m := range r.metrics {
		d, u := m.desc, m.desc.Units
		rows[i] = metricRow{
			Metric: utf8Text(m.name), PMID: d.ID.String(), Type: d.Type.Text(), Semantics: d.Sem.Text(), Units: u.String(),
			DimSpace: int32(u.DimSpace), DimTime: int32(u.DimTime), DimCount: int32(u.DimCount),
			ScaleSpace: int32(u.ScaleSpace), ScaleTime: int32(u.ScaleTime), ScaleCount: int32(u.ScaleCount),
		}
		if d.InDom != pcp.NullInDom {
			s := d.InDom.String()
			rows[i].InDom = &s
		}
		if texts != nil {
			if help, err := texts.Text(ctx, d.ID, pcp.OneLine); err == nil {
				help = utf8Text(help)
				rows[i].Help = &help
			}
		}
	}
	return rows
}

// instances implements watcher: new instances and new names are rows.
func (t *tables) instances(d pcp.InDom, at int64, was, is []pcp.Instance) error {
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
	return t.insts.write(rows...)
}

// labels implements watcher: labels that differ from those before are rows.
func (t *tables) labels(ctx context.Context, at int64) error {
	labeler, ok := pmapi.As[pmapi.Labeler](t.src)
	if !ok {
		return nil
	}
	for _, o := range t.labelled() {
		sets, err := labeler.Labels(ctx, o.kind, o.ident)
		if err != nil || reflect.DeepEqual(sets, t.known[o]) {
			continue // an object without labels is an error too
		}
		t.known[o] = sets
		if err := t.label.write(labelRows(o, at, sets)...); err != nil {
			return err
		}
	}
	return nil
}

// labelled returns what may have labels.
func (t *tables) labelled() []labelObject {
	list := []labelObject{{pcp.ContextLabels, 0}}
	seen := make(map[labelObject]bool)
	add := func(kind pcp.LabelKind, ident uint32) {
		if o := (labelObject{kind, ident}); !seen[o] {
			seen[o] = true
			list = append(list, o)
		}
	}
	for _, m := range t.metrics {
		id := m.desc.ID
		add(pcp.DomainLabels, id.Domain())
		add(pcp.ClusterLabels, uint32(id)&^0x3ff)
		add(pcp.ItemLabels, uint32(id))
		if d := m.desc.InDom; d != pcp.NullInDom {
			add(pcp.InDomLabels, uint32(d))
			add(pcp.InstanceLabels, uint32(d))
		}
	}
	return list
}

// labelRows returns the rows of an object.
func labelRows(o labelObject, at int64, sets []pcp.LabelSet) (rows []labelRow) {
	var object *string
	name := func(s string) { object = &s }
	level := "context"
	switch o.kind {
	case pcp.DomainLabels:
		level = "domain"
		name(strconv.Itoa(int(o.ident)))
	case pcp.ClusterLabels:
		level = "cluster"
		id := pcp.ID(o.ident)
		name(strconv.Itoa(int(id.Domain())) + "." + strconv.Itoa(int(id.Cluster())))
	case pcp.ItemLabels:
		level = "item"
		name(pcp.ID(o.ident).String())
	case pcp.InDomLabels:
		level = "indom"
		name(pcp.InDom(o.ident).String())
	case pcp.InstanceLabels:
		level = "instance"
		name(pcp.InDom(o.ident).String())
	}
	for _, set := range sets {
		var inst *int32
		if o.kind == pcp.InstanceLabels {
			inst = &set.Inst
		}
		for _, l := range set.Labels {
			rows = append(rows, labelRow{Time: at, Level: level, Object: object, Inst: inst, Name: utf8Text(l.Name), Value: utf8Text(l.Value)})
		}
	}
	return rows
}
