package archive

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// labelSetOf returns a label set of one label.
func labelSetOf(inst int32, name, value string) pcp.LabelSet {
	return pcp.LabelSet{Inst: inst, Labels: []pcp.Label{{Name: name, Value: value}}}
}

// annotated returns a Set with labels and texts.
func annotated(t testing.TB) *Set {
	t.Helper()
	var src []byte
	add := func(at int64, kind pcp.LabelKind, ident uint32, sets ...pcp.LabelSet) {
		var err error
		if src, err = AppendLabels(src, 3, sec(at), kind, ident, sets); err != nil {
			t.Fatal(err)
		}
	}
	item := uint32(pcp.NewID(245, 3, 2))
	add(10, pcp.ContextLabels, 0xffffffff, labelSetOf(-1, "hostname", `"h"`))
	add(20, pcp.ItemLabels, item, labelSetOf(-1, "item", "2"))
	add(10, pcp.ItemLabels, item, labelSetOf(-1, "item", "1")) // out of order
	add(10, pcp.ClusterLabels, item&^0x3ff, labelSetOf(-1, "cluster", "3"))
	add(10, pcp.InstanceLabels, uint32(elevenDom), labelSetOf(4, "n", "4"), labelSetOf(7, "n", "7"))
	src = AppendText(src, item, false, pcp.OneLine, "one line")
	src = AppendText(src, item, false, pcp.OneLine, "better line")
	src = AppendText(src, item+1, false, pcp.OneLine, "other")
	src = AppendText(src, item+1, false, pcp.Help, "help of other")
	src = AppendText(src, item+2, false, pcp.Help, "")
	m, off, err := decodeMeta(context.Background(), src, nil)
	if err != nil {
		t.Fatalf("offset %d: %v", off, err)
	}
	s := newSet(nil)
	s.members = []*member{{label: Label{Host: "labelhost"}}}
	if err := s.merge(m); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLabels(t *testing.T) {
	s := annotated(t)
	item := uint32(pcp.NewID(245, 3, 2))
	tests := []struct {
		name  string
		kind  pcp.LabelKind
		ident uint32
		at    int64
		want  string
	}{
		{"context", pcp.ContextLabels, 0, 10, `[{-1 <nil> [{hostname "h" 1}]}]`},
		{"context too early", pcp.ContextLabels, 0, 9, "[]"},
		{"item first", pcp.ItemLabels, item, 19, "[{-1 <nil> [{item 1 16}]}]"},
		{"item second", pcp.ItemLabels, item, 20, "[{-1 <nil> [{item 2 16}]}]"},
		{"item of another", pcp.ItemLabels, item + 1, 20, "[]"},
		{"cluster by metric", pcp.ClusterLabels, item, 20, "[{-1 <nil> [{cluster 3 8}]}]"},
		{"instances", pcp.InstanceLabels, uint32(elevenDom), 20, "[{4 <nil> [{n 4 32}]} {7 <nil> [{n 7 32}]}]"},
		{"domain", pcp.DomainLabels, 245, 20, "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sets, err := s.Labels(tt.kind, tt.ident, sec(tt.at))
			for i := range sets {
				for k := range sets[i].Labels {
					sets[i].Labels[k].Flags |= uint8(tt.kind) // some writers leave it out
				}
			}
			if got := fmt.Sprint(sets); err != nil || got != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
	for _, c := range []struct{ at, since, until int64 }{{9, 0, 10}, {10, 10, 20}, {19, 10, 20}, {20, 20, 0}, {99, 20, 0}} {
		var want [2]pcp.Timestamp
		for i, n := range []int64{c.since, c.until} {
			if n > 0 {
				want[i] = sec(n)
			}
		}
		if since, until := s.LabelsHold(pcp.ItemLabels, item, sec(c.at)); since != want[0] || until != want[1] {
			t.Errorf("at %d: hold from %v until %v, want %v", c.at, since, until, want)
		}
	}
	s.labels = nil
	sets, err := s.Labels(pcp.ContextLabels, 0, sec(0))
	if got, want := fmt.Sprint(sets), `[{-1 <nil> [{hostname "labelhost" 1}]}]`; err != nil || got != want {
		t.Errorf("without records: got %s, %v, want %s", got, err, want)
	}
}

func TestText(t *testing.T) {
	s := annotated(t)
	item := uint32(pcp.NewID(245, 3, 2))
	tests := []struct {
		name    string
		id      uint32
		isInDom bool
		kind    pcp.TextKind
		want    string
		err     error
	}{
		{"later one", item, false, pcp.OneLine, "better line", nil},
		{"help falls back", item, false, pcp.Help, "better line", nil},
		{"help", item + 1, false, pcp.Help, "help of other", nil},
		{"empty help, no line", item + 2, false, pcp.Help, "", pmerr.Text},
		{"none", item + 3, false, pcp.OneLine, "", pmerr.Text},
		{"none for any domain", item, true, pcp.Help, "", pmerr.NotHost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := s.Text(tt.id, tt.isInDom, tt.kind); got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v, want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestMergeConflicts(t *testing.T) {
	base := pcp.Desc{ID: 1, Type: pcp.Int32, InDom: 5, Sem: pcp.Counter}
	tests := []struct {
		name   string
		change func(d *pcp.Desc)
		want   error
	}{
		{"same", func(d *pcp.Desc) {}, nil},
		{"all", func(d *pcp.Desc) { *d = pcp.Desc{ID: 1, Type: pcp.Int64, Units: pcp.Units{DimTime: 1}} }, pmerr.LogChangeType},
		{"semantics and more", func(d *pcp.Desc) { d.Sem, d.InDom = pcp.Instant, 6 }, pmerr.LogChangeSem},
		{"domain and units", func(d *pcp.Desc) { d.InDom, d.Units.DimTime = 6, 1 }, pmerr.LogChangeInDom},
		{"extra units", func(d *pcp.Desc) { d.Units.Extra = 1 }, pmerr.LogChangeUnits},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSet(nil)
			other := base
			tt.change(&other)
			err := s.merge(&metadata{descs: []descRecord{{desc: base}, {desc: other}}})
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
