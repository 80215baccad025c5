package archive_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// metaTypes returns the types of the records in the metadata of an archive with their sizes.
func metaTypes(t *testing.T, base string) string {
	t.Helper()
	var out []string
	for b := file(t, base+".meta"); len(b) > 0; {
		n := binary.BigEndian.Uint32(b)
		if int(n) > len(b) || n < 12 || binary.BigEndian.Uint32(b[n-4:]) != n {
			t.Fatalf("bad record %x", b)
		}
		out = append(out, fmt.Sprint(binary.BigEndian.Uint32(b[4:]), ":", n))
		b = b[n:]
	}
	return strings.Join(out, " ")
}

// finish writes a record and closes the archive, and returns its metadata.
func finish(t *testing.T, w *archive.Writer, base string) string {
	t.Helper()
	must(t, w.AddMetric(miniDesc, "mini.x"), w.Put(mini(seconds(100), 1)), w.Close())
	return metaTypes(t, base)
}

func TestAddMetric(t *testing.T) {
	change := func(f func(d *pcp.Desc)) pcp.Desc {
		d := setDesc
		f(&d)
		return d
	}
	tests := []struct {
		name  string
		desc  pcp.Desc
		names []string
		want  string // records written by the second call
		err   error
	}{
		{"again", setDesc, []string{"a", "b"}, "", nil},
		{"no name", setDesc, nil, "", nil},
		{"new name", setDesc, []string{"b", "c"}, " 1:41", nil},
		{"other metric", change(func(d *pcp.Desc) { d.ID++ }), []string{"long.name"}, " 1:49", nil},
		{"other metric without name", change(func(d *pcp.Desc) { d.ID++ }), nil, "", pmerr.EINVAL},
		{"empty name", change(func(d *pcp.Desc) { d.ID++ }), []string{""}, "", pmerr.Name},
		{"name without a first component", change(func(d *pcp.Desc) { d.ID++ }), []string{".a"}, "", pmerr.Name},
		{"name too long", change(func(d *pcp.Desc) { d.ID++ }), []string{strings.Repeat("n", 4097)}, "", pmerr.Name},
		{"no metric", change(func(d *pcp.Desc) { d.ID = pcp.NullID }), []string{"n"}, "", pmerr.PMID},
		{"NUL in name", change(func(d *pcp.Desc) { d.ID++ }), []string{"a\x00b"}, "", pmerr.Name},
		{"type", change(func(d *pcp.Desc) { d.Type = pcp.Int64 }), []string{"c"}, "", pmerr.LogChangeType},
		{"semantics", change(func(d *pcp.Desc) { d.Sem = pcp.Instant }), []string{"c"}, "", pmerr.LogChangeSem},
		{"instance domain", change(func(d *pcp.Desc) { d.InDom++ }), []string{"c"}, "", pmerr.LogChangeInDom},
		{"units", change(func(d *pcp.Desc) { d.Units.DimCount = 1 }), []string{"c"}, "", pmerr.LogChangeUnits},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, base := newWriter(t, nil)
			must(t, w.AddMetric(setDesc, "a", "b"))
			if err := w.AddMetric(tt.desc, tt.names...); !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if got, want := finish(t, w, base), "1:46"+tt.want+" 1:46"; got != want {
				t.Errorf("records %s, want %s", got, want)
			}
		})
	}
}

func TestDerivedIsMarked(t *testing.T) {
	w, base := newWriter(t, nil)
	d := pcp.Desc{ID: pcp.NewID(511, 0, 13), Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Instant}
	rec := mini(seconds(100), 5)
	rec.Sets[0].ID = d.ID
	must(t, w.AddMetric(d, "d.x"), w.SetText(uint32(d.ID), false, pcp.OneLine, "t"), w.Put(rec), w.Close())
	marked := string(record(t, "7fe0000d"))
	if meta := string(file(t, base+".meta")); strings.Count(meta, marked) != 2 {
		t.Errorf("metadata %x", meta)
	}
	if data := string(file(t, base+".0")); strings.Count(data, marked) != 1 {
		t.Errorf("data %x", data)
	}
}

func TestSetLabels(t *testing.T) {
	set := func(value string) []pcp.LabelSet {
		return []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: "a", Value: value}}}}
	}
	type call struct {
		kind  pcp.LabelKind
		ident uint32
		sets  []pcp.LabelSet
		err   error
	}
	tests := []struct {
		name  string
		calls []call
		want  string
	}{
		{"unchanged", []call{{pcp.ItemLabels, 1, set("1"), nil}, {pcp.ItemLabels, 1, set("1"), nil}}, "7:63"},
		{"changed and back", []call{{pcp.ItemLabels, 1, set("1"), nil}, {pcp.ItemLabels, 1, set("12"), nil}, {pcp.ItemLabels, 1, set("1"), nil}},
			"7:63 7:64 7:63"},
		{"other object", []call{{pcp.ItemLabels, 1, set("1"), nil}, {pcp.ItemLabels, 2, set("1"), nil}, {pcp.ClusterLabels, 1, set("1"), nil}},
			"7:63 7:63 7:63"},
		{"context has no identifier", []call{{pcp.ContextLabels, 1, set("1"), nil}, {pcp.ContextLabels, 2, set("1"), nil}}, "7:63"},
		{"no instances", []call{{pcp.InstanceLabels, 1, nil, nil}}, "7:36"},
		{"two sets", []call{{pcp.ItemLabels, 1, append(set("1"), set("2")...), pmerr.EINVAL}, {pcp.InstanceLabels, 1, append(set("1"), set("2")...), nil}},
			"7:90"},
		{"no set", []call{{pcp.ItemLabels, 1, nil, pmerr.EINVAL}}, ""},
		{"level", []call{{3, 1, set("1"), pmerr.EINVAL}, {0, 1, set("1"), pmerr.EINVAL}, {64, 1, set("1"), pmerr.EINVAL}}, ""},
		{"bad label", []call{{pcp.ItemLabels, 1, set(""), pmerr.EINVAL}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, base := newWriter(t, &archive.WriterOptions{Start: seconds(0)})
			for i, c := range tt.calls {
				if err := w.SetLabels(seconds(int64(i)), c.kind, c.ident, c.sets); !errors.Is(err, c.err) {
					t.Errorf("call %d: error %v, want %v", i, err, c.err)
				}
			}
			if got := finish(t, w, base); got != strings.TrimSpace(tt.want+" 1:46") {
				t.Errorf("records %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSetText(t *testing.T) {
	w, base := newWriter(t, nil)
	must(t, w.SetText(1, false, pcp.OneLine, "abc"), w.SetText(1, false, pcp.OneLine, "abc"), w.SetText(1, true, pcp.OneLine, "abc"),
		w.SetText(1, false, pcp.Help, ""), w.SetText(1, false, pcp.Help, ""), w.SetText(1, false, pcp.OneLine, "abcd"))
	for _, err := range []error{w.SetText(1, false, 3, "x"), w.SetText(1, false, pcp.Help, "a\x00")} {
		if !errors.Is(err, pmerr.EINVAL) {
			t.Errorf("error %v", err)
		}
	}
	if got, want := finish(t, w, base), "4:24 4:24 4:21 4:25 1:46"; got != want {
		t.Errorf("records %s, want %s", got, want)
	}
}

// instances makes instances of words such as "3=three".
func instances(words ...string) []pcp.Instance {
	var out []pcp.Instance
	for _, w := range words {
		id, name, _ := strings.Cut(w, "=")
		var n int32
		if _, err := fmt.Sscan(id, &n); err != nil {
			panic(err)
		}
		out = append(out, pcp.Instance{ID: n, Name: name})
	}
	return out
}

func TestSetInDom(t *testing.T) {
	abc := instances("1=a", "2=b", "3=c")
	tests := []struct {
		name  string
		steps [][]pcp.Instance
		v3    string
		v2    string
	}{
		{"same", [][]pcp.Instance{abc, abc}, "5:62", "2:58"},
		{"same in other order", [][]pcp.Instance{abc, instances("3=c", "1=a", "2=b")}, "5:62", "2:58"},
		{"one more", [][]pcp.Instance{abc, instances("1=a", "2=b", "3=c", "4=d")}, "5:62 6:42", "2:58 2:68"},
		{"one less", [][]pcp.Instance{abc, instances("1=a", "3=c")}, "5:62 6:40", "2:58 2:48"},
		{"one for another", [][]pcp.Instance{abc, instances("1=a", "3=c", "4=d")}, "5:62 6:50", "2:58 2:58"},
		{"most changed", [][]pcp.Instance{abc, instances("1=a", "5=e", "6=f")}, "5:62 5:62", "2:58 2:58"},
		{"name changed", [][]pcp.Instance{abc, instances("1=a", "2=b", "3=d")}, "5:62 5:62", "2:58 2:58"},
		{"emptied and back", [][]pcp.Instance{abc, nil, instances("1=a")}, "5:62 5:32 5:42", "2:58 2:28 2:38"},
		{"empty twice", [][]pcp.Instance{nil, nil}, "5:32", "2:28"},
	}
	for _, tt := range tests {
		for version, want := range map[int]string{2: tt.v2, 3: tt.v3} {
			t.Run(fmt.Sprint(tt.name, " version ", version), func(t *testing.T) {
				w, base := newWriter(t, &archive.WriterOptions{Version: version, Start: seconds(0)})
				for i, insts := range tt.steps {
					must(t, w.SetInDom(seconds(int64(i)), testDom, insts))
				}
				if got := finish(t, w, base); got != want+" 1:46" {
					t.Errorf("records %s, want %s", got, want)
				}
			})
		}
	}
}

// TestSetInDomSorts makes sure that the caller's slice stays as it is while the record ascends.
func TestSetInDomSorts(t *testing.T) {
	w, base := newWriter(t, &archive.WriterOptions{Start: seconds(0)})
	given := instances("3=c", "1=a")
	must(t, w.SetInDom(seconds(0), testDom, given))
	if given[0].ID != 3 {
		t.Errorf("slice changed: %v", given)
	}
	finish(t, w, base)
	want := record(t, `3d400001 00000002 00000001 00000003 00000000 00000002 "a\x00c\x00"`)
	if got := string(file(t, base+".meta")); !strings.Contains(got, string(want)) {
		t.Errorf("metadata %x", got)
	}
}

func TestSetInDomErrors(t *testing.T) {
	tests := []struct {
		name  string
		at    pcp.Timestamp
		indom pcp.InDom
		insts []pcp.Instance
		err   error
	}{
		{"no domain", seconds(0), pcp.NullInDom, nil, pmerr.InDom},
		{"negative", seconds(0), testDom, instances("-1=a"), pmerr.Inst},
		{"twice", seconds(0), testDom, instances("1=a", "2=b", "1=c"), pmerr.Inst},
		{"NUL", seconds(0), testDom, instances("1=a\x00b"), pmerr.Inst},
		{"time", pcp.Timestamp{Nsec: -1}, testDom, nil, pmerr.EINVAL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, base := newWriter(t, nil)
			if err := w.SetInDom(tt.at, tt.indom, tt.insts); !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if got := finish(t, w, base); got != "1:46" {
				t.Errorf("records %s", got)
			}
		})
	}
}
