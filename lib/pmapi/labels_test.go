package pmapi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// objects returns objects as text.
func objects(list []pmapi.LabelObject) string {
	var b strings.Builder
	for _, o := range list {
		fmt.Fprintf(&b, " %d:%d", o.Kind, o.Ident)
	}
	return strings.TrimSpace(b.String())
}

func TestLabelObjects(t *testing.T) {
	id, d := pcp.NewID(60, 3, 7), pcp.NewInDom(61, 1)
	cluster, item, indom := uint32(pcp.NewID(60, 3, 0)), uint32(id), uint32(d)
	for _, tt := range []struct {
		name  string
		descs []pcp.Desc
		want  string
	}{
		{"nothing", nil, "1:0"},
		{"singular", []pcp.Desc{{ID: id, InDom: pcp.NullInDom}}, fmt.Sprintf("1:0 2:60 8:%d 16:%d", cluster, item)},
		{"instances", []pcp.Desc{{ID: id, InDom: d}}, fmt.Sprintf("1:0 2:60 4:%d 8:%d 16:%d 32:%d", indom, cluster, item, indom)},
		{"expression", []pcp.Desc{{ID: pcp.NullID, InDom: pcp.NullInDom}}, "1:0"},
		{"expression with instances", []pcp.Desc{{ID: pcp.NullID, InDom: d}}, fmt.Sprintf("1:0 2:61 4:%d 32:%d", indom, indom)},
		{"each once", []pcp.Desc{{ID: id + 1, InDom: d}, {ID: id, InDom: d}},
			fmt.Sprintf("1:0 2:60 4:%d 8:%d 16:%d 16:%d 32:%d", indom, cluster, item, item+1, indom)},
	} {
		if got := objects(pmapi.LabelObjects(tt.descs...)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A labeller is a Source that has the labels of a table.
type labeller struct {
	pmapi.Source
	sets map[pmapi.LabelObject][]pcp.LabelSet
	err  error // identifiers that are not in the table
}

func (l *labeller) Labels(_ context.Context, kind pcp.LabelKind, idents []uint32, _ pmapi.When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	found := make([]pcp.Answer[pcp.ObjectLabels], len(idents))
	for i, ident := range idents {
		sets, ok := l.sets[pmapi.LabelObject{Kind: kind, Ident: ident}]
		if found[i].Value.Sets = sets; !ok {
			found[i].Err = l.err
		}
	}
	return found, nil
}

// Describe answers that every metric but one is that of the table.
func (l *labeller) Describe(_ context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	if ids[0] == pcp.NullID {
		return []pcp.Answer[pcp.Desc]{{Err: pmerr.PMID}}, nil
	}
	return []pcp.Answer[pcp.Desc]{{Value: pcp.Desc{ID: ids[0], InDom: pcp.NewInDom(60, 1)}}}, nil
}

// TestLookupLabels: the levels come in order, empty ones and those of instances are left out.
func TestLookupLabels(t *testing.T) {
	id := pcp.NewID(60, 3, 7)
	set := func(name string) []pcp.LabelSet {
		return []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: name, Value: "1"}}}}
	}
	src := &labeller{err: pmerr.NoLabels, sets: map[pmapi.LabelObject][]pcp.LabelSet{
		{Kind: pcp.ItemLabels, Ident: uint32(id)}:                      set("item"),
		{Kind: pcp.ClusterLabels, Ident: uint32(pcp.NewID(60, 3, 0))}:  {{Inst: pcp.NullInst}},
		{Kind: pcp.InDomLabels, Ident: uint32(pcp.NewInDom(60, 1))}:    set("indom"),
		{Kind: pcp.InstanceLabels, Ident: uint32(pcp.NewInDom(60, 1))}: set("instance"),
		{Kind: pcp.ContextLabels}:                                      set("context"),
	}}
	sets, err := pmapi.LookupLabels(t.Context(), src, id)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sets {
		got = append(got, s.Labels[0].Name)
	}
	if diff := cmp.Diff([]string{"context", "indom", "item"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := pmapi.LookupLabels(t.Context(), src, pcp.NullID); !errors.Is(err, pmerr.PMID) {
		t.Errorf("unknown metric: %v", err)
	}
	src.err = pmerr.IPC
	if _, err := pmapi.LookupLabels(t.Context(), src, id); !errors.Is(err, pmerr.IPC) {
		t.Errorf("lost connection: %v", err)
	}
}

// TestLabels: of labels with one name that of the highest level counts, and of instances each has its own.
func TestLabels(t *testing.T) {
	desc := pcp.Desc{ID: pcp.NewID(60, 3, 7), InDom: pcp.NewInDom(60, 1)}
	src := &labeller{sets: make(map[pmapi.LabelObject][]pcp.LabelSet), err: pmerr.NoLabels}
	list := pmapi.LabelObjects(desc)
	for i, o := range list {
		if o.Kind == pcp.ClusterLabels {
			continue
		}
		for inst := range int32(2) {
			if o.Kind != pcp.InstanceLabels && inst > 0 {
				break
			}
			set := pcp.LabelSet{Inst: inst}
			for _, name := range "abcdef"[i:] { // each level changes the values of the levels below for these names
				set.Labels = append(set.Labels, pcp.Label{Name: string(name), Value: fmt.Sprintf("%d/%d", o.Kind, inst)})
			}
			src.sets[o] = append(src.sets[o], set)
		}
	}
	found, err := pmapi.ReadLabels(t.Context(), src, list)
	if err != nil || len(found) != len(list) {
		t.Fatalf("%d, %v", len(found), err)
	}
	var labels pmapi.Labels
	if got := labels.Of(desc, 0); len(got) != 0 {
		t.Errorf("before: %v", got)
	}
	for i, o := range list {
		labels.Set(o, found[i])
	}
	text := func(d pcp.Desc, inst int32) string {
		var b strings.Builder
		for _, l := range labels.Of(d, inst) {
			b.WriteString(" " + l.Name + "=" + l.Value)
		}
		return b.String()
	}
	got := []string{text(desc, 0), text(desc, 1), text(desc, 2), text(pcp.Desc{ID: pcp.NullID, InDom: desc.InDom}, 1)}
	want := []string{
		" a=1/0 b=2/0 c=4/0 d=4/0 e=16/0 f=32/0", " a=1/0 b=2/0 c=4/0 d=4/0 e=16/0 f=32/1",
		" a=1/0 b=2/0 c=4/0 d=4/0 e=16/0 f=16/0", " a=1/0 b=2/0 c=4/0 d=4/0 e=4/0 f=32/1",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
}

// TestReadLabelsLost: a lost connection, or the end of the context, is an error.
func TestReadLabelsLost(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	src := &labeller{err: pmerr.IPC}
	if _, err := pmapi.ReadLabels(ctx, src, pmapi.LabelObjects()); !errors.Is(err, pmerr.IPC) {
		t.Errorf("%v", err)
	}
	cancel()
	if _, err := pmapi.ReadLabels(ctx, src, pmapi.LabelObjects()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
