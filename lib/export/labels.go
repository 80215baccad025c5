package export

import (
	"context"
	"reflect"
	"slices"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A labelRow has the value of a label from a time on, until another time has rows of the object. The object is
// a domain, an instance domain, a cluster or a metric. An object that has no labels any more has a row with an
// empty name.
type labelRow struct {
	Time   int64   `parquet:"time,timestamp(nanosecond:utc)"`
	Level  string  `parquet:"level,dict"`
	Object *string `parquet:"object,optional,dict"`
	Inst   *int32  `parquet:"inst,optional"`
	Name   string  `parquet:"name,dict"`
	Value  string  `parquet:"value,dict"`
}

// A labelWriter writes the labels of objects where they change.
type labelWriter struct {
	growing[labelRow]
	known        map[pmapi.LabelObject][]pcp.LabelSet
	line         pmapi.Timeline // in which all labels that instances are grouped by are those of the record before
	since, until pcp.Timestamp  // from one time until another, or for ever
	seg          int32          // of the record before
}

// labels writes labels that differ from those before. Those that instances are grouped by are written from the
// record on from which they hold, and again where a stretch of records begins: another export may have written
// what comes before. Those of metrics, and of live sources, are looked at when a group begins.
func (w *writer) labels(ctx context.Context, rec record, begins bool) error {
	l := &w.label
	if w.left || rec.seg != l.seg || l.known == nil {
		l.known, l.line, w.left, begins = make(map[pmapi.LabelObject][]pcp.LabelSet), nil, false, true
	}
	l.seg = rec.seg
	line, recorded := pmapi.As[pmapi.Timeline](w.src)
	changed := recorded && !l.hold(line, w.result.Time)
	if !changed && !begins {
		return nil
	}
	found, err := pmapi.ReadLabels(ctx, w.src, w.objects)
	if err != nil {
		return nil // the next record is an error too
	}
	if changed {
		l.keep(line, w.objects, found)
	}
	for i, o := range w.objects {
		was := l.known[o]
		sets := found[i].Sets
		if sets == nil || reflect.DeepEqual(sets, was) {
			continue
		}
		l.known[o] = sets
		rows := labelRows(o, rec.time, sets)
		if len(rows) == 0 && len(was) > 0 {
			rows = labelRows(o, rec.time, []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Value: "null"}}}})
		}
		if err := l.write(rows...); err != nil {
			return err
		}
	}
	return nil
}

// hold reports whether the labels that instances are grouped by are those of the record before. A recording that
// grows, and gets others, is opened again, as another Timeline.
func (l *labelWriter) hold(line pmapi.Timeline, at pcp.Timestamp) bool {
	return line == l.line && at.Compare(l.since) >= 0 && (l.until == pcp.Timestamp{} || at.Compare(l.until) < 0)
}

// keep notes how long labels hold that instances are grouped by.
func (l *labelWriter) keep(line pmapi.Timeline, objects []pmapi.LabelObject, found []pcp.ObjectLabels) {
	l.line, l.since, l.until = line, pcp.Timestamp{}, pcp.Timestamp{}
	for i, o := range objects {
		if o.Kind == pcp.ClusterLabels || o.Kind == pcp.ItemLabels {
			continue
		}
		since, until := found[i].Since, found[i].Until
		if since.Compare(l.since) > 0 {
			l.since = since
		}
		if (l.until == pcp.Timestamp{} || until.Compare(l.until) < 0) && until != (pcp.Timestamp{}) {
			l.until = until
		}
	}
}

// labelObjects returns the objects whose labels the metrics have, and those of their instances.
func labelObjects(metrics []metric) []pmapi.LabelObject {
	descs := make([]pcp.Desc, 0, 2*len(metrics))
	for i := range metrics {
		d := metrics[i].desc
		descs = append(descs, d, pcp.Desc{ID: pcp.NullID, InDom: d.InDom})
	}
	return pmapi.LabelObjects(descs...)
}

func labelRows(o pmapi.LabelObject, at int64, sets []pcp.LabelSet) (rows []labelRow) {
	var object *string
	name := func(s string) { object = &s }
	level := "context"
	switch o.Kind {
	case pcp.DomainLabels:
		level = "domain"
		name(strconv.Itoa(int(o.Ident)))
	case pcp.ClusterLabels:
		level = "cluster"
		id := pcp.ID(o.Ident)
		name(strconv.Itoa(int(id.Domain())) + "." + strconv.Itoa(int(id.Cluster())))
	case pcp.ItemLabels:
		level = "item"
		name(pcp.ID(o.Ident).String())
	case pcp.InDomLabels:
		level = "indom"
		name(pcp.InDom(o.Ident).String())
	case pcp.InstanceLabels:
		level = "instance"
		name(pcp.InDom(o.Ident).String())
	}
	for _, set := range sets {
		var inst *int32
		if o.Kind == pcp.InstanceLabels {
			inst = &set.Inst
		}
		for _, l := range set.Labels {
			rows = append(rows, labelRow{Time: at, Level: level, Object: object, Inst: inst, Name: utf8Text(l.Name), Value: utf8Text(l.Value)})
		}
	}
	return rows
}

// labelsKey is where the table of metrics says from when on its host's labels hold.
const (
	labelsKey       = "pmtools.labels"
	labelsOfRecords = "records" // from exactly the record whose time they have
)

// labelling returns from when on the labels that are written hold, as a manifest says it.
func (r *reader) labelling() string {
	if _, ok := pmapi.As[pmapi.Timeline](r.src); ok {
		return labelsOfRecords
	}
	return ""
}

// labelling reports whether all labels hold from the records on whose times they have.
func (m *manifest) labelling() bool {
	return !slices.ContainsFunc(m.Exports, func(u unit) bool { return !u.Form.Wide && u.Labels != labelsOfRecords })
}
