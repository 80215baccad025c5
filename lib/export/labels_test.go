package export

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// labelsIn returns what tables say of one label of instances, and of their domain: time, instance, value.
func labelsIn(t *testing.T, dir, name string) (list []string) {
	t.Helper()
	for _, file := range filesOf(dir, "labels") {
		rows, err := parquet.ReadFile[labelRow](file)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			switch {
			case r.Level != "instance" && r.Level != "indom", r.Name != name && r.Name != "":
			case r.Inst == nil:
				list = append(list, fmt.Sprint(r.Time/1e9-1700000000, " all ", r.Name, r.Value))
			default:
				list = append(list, fmt.Sprint(r.Time/1e9-1700000000, " ", *r.Inst, " ", r.Value))
			}
		}
	}
	slices.Sort(list)
	return list
}

// relabelled writes an archive in which the labels of a domain end at the third record, and those of an instance
// change between the first and the second one. A mark precedes the fourth.
func relabelled(t *testing.T) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), "relabelled")
	w, err := archive.Create(base, &archive.WriterOptions{Host: "h"})
	l := &logger{t: t, w: w}
	l.must(err)
	d := pcp.Desc{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint64, InDom: pcp.NewInDom(60, 1)}
	l.must(w.AddMetric(d, "a.count"))
	at := func(s int64) pcp.Timestamp { return pcp.Timestamp{Sec: 1700000000 + s} }
	set := func(inst int32, value string) []pcp.LabelSet {
		return []pcp.LabelSet{{Inst: inst, Labels: []pcp.Label{{Name: "kind", Value: value}}}}
	}
	l.must(w.SetInDom(at(0), d.InDom, []pcp.Instance{{ID: 1, Name: "one"}}))
	l.must(w.SetLabels(at(0), pcp.InDomLabels, uint32(d.InDom), set(pcp.NullInst, "0")))
	l.must(w.SetLabels(at(0), pcp.InstanceLabels, uint32(d.InDom), set(1, "1")))
	for n := range int64(4) {
		switch n {
		case 1:
			l.must(w.SetLabels(at(7), pcp.InstanceLabels, uint32(d.InDom), set(1, "2")))
		case 2:
			l.must(w.SetLabels(at(20), pcp.InDomLabels, uint32(d.InDom), []pcp.LabelSet{{Inst: pcp.NullInst}}))
		case 3:
			l.must(w.Mark(at(25)))
		}
		l.must(w.Put(&pcp.Result{Time: at(10 * n), Sets: []pcp.Values{{ID: d.ID, Type: d.Type, Insts: []int32{1}, Words: []uint64{1}}}}))
	}
	l.must(w.Close())
	return base
}

// TestLabelTimes: rows of labels have the time of the first record at which they hold, and are there again after a
// mark; labels that have gone are an empty name.
func TestLabelTimes(t *testing.T) {
	dir := t.TempDir()
	if err := writeTo(t, dir, relabelled(t)); err != nil {
		t.Fatal(err)
	}
	want := []string{"0 1 1", "0 all kind0", "10 1 2", "20 all null", "30 1 2"}
	if got := labelsIn(t, dir, "kind"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnlabelled: tables say from which record on labels hold, unless an earlier version has written some of them.
func TestUnlabelled(t *testing.T) {
	unlabelled := func(dir string) []string {
		f, err := (&Tables{Store: Dir(dir)}).Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return f.Unlabelled
	}
	dir := t.TempDir()
	if err := writeTo(t, dir, small(t, "first", "m", 1, 1700000000, 1, 2)); err != nil {
		t.Fatal(err)
	}
	if hosts := unlabelled(dir); hosts != nil {
		t.Error(hosts)
	}
	m, unlock, err := openManifest(t.Context(), Dir(dir), "h")
	if err != nil {
		t.Fatal(err)
	}
	m.Exports[0].Labels, m.Commit = "", change{}
	if err := m.write(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := writeTo(t, dir, small(t, "second", "m", 2, 1700000100, 1, 2)); err != nil {
		t.Fatal(err)
	}
	if err := writeTo(t, dir, archivetest.Path(t, "labels")); err != nil {
		t.Fatal(err)
	}
	if hosts := unlabelled(dir); !slices.Equal(hosts, []string{"h"}) {
		t.Errorf("%q", hosts)
	}
}
