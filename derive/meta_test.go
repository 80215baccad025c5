package derive_test

import (
	"context"
	"errors"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// TestLabelsAndTexts covers derived metrics with and without these, also over a Source without
// them.
func TestLabelsAndTexts(t *testing.T) {
	ctx := context.Background()
	var w lines
	src, reg := define(t, newFake(qa), &w, "x.y=1")
	id := lookup(t, src, "x.y")
	for _, k := range []pcp.LabelKind{pcp.ItemLabels, pcp.ClusterLabels} {
		if l, err := pmapi.LabelsOf(ctx, src, k, uint32(id)); err != nil || len(l) != 1 || len(l[0].Labels) != 0 {
			t.Errorf("labels %d: %v, %v", k, l, err)
		}
	}
	if l, err := pmapi.LabelsOf(ctx, src, pcp.DomainLabels, 511); err != nil || len(l) != 1 {
		t.Errorf("domain labels: %v, %v", l, err)
	}
	if l, err := pmapi.LabelsOf(ctx, src, pcp.ContextLabels, 0); err != nil || len(l) != 1 {
		t.Errorf("context labels: %v, %v", l, err)
	}
	if _, err := pmapi.LookupText(ctx, src, pcp.OneLine, uint32(id)); !errors.Is(err, pmerr.Text) {
		t.Errorf("text: %v", err)
	}
	if err := reg.Note("x.y", "oneline", "short"); err != nil {
		t.Error(err)
	}
	src = derive.NewSource(newFake(qa), reg.Set(), nil)
	for _, k := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
		if s, err := pmapi.LookupText(ctx, src, k, uint32(id)); s != "short" || err != nil {
			t.Errorf("text %d: %q, %v", k, s, err)
		}
	}
	if _, err := pmapi.LookupText(ctx, src, 3, uint32(id)); !errors.Is(err, pmerr.Arg) {
		t.Errorf("text of no kind: %v", err)
	}
	if err := reg.Note("x.y", "helptext", "long"); err != nil {
		t.Error(err)
	}
	src = derive.NewSource(newFake(qa), reg.Set(), nil)
	if s, _ := pmapi.LookupText(ctx, src, pcp.Help, uint32(id)); s != "long" {
		t.Errorf("help: %q", s)
	}
	for want, err := range map[error]error{
		pmerr.Text: reg.Note("x.y", "helptext", "again"), pmerr.Name: reg.Note("nosuch", "helptext", "x"), pmerr.Arg: reg.Note("x.y", "7", "x"),
	} {
		if !errors.Is(err, want) {
			t.Errorf("Note: %v, want %v", err, want)
		}
	}
	if s, err := pmapi.LookupText(ctx, src, pcp.OneLine, uint32(lookup(t, src, "event.flags"))); s != "Flags for event records" || err != nil {
		t.Errorf("event.flags: %q, %v", s, err)
	}
	if _, err := pmapi.LookupText(ctx, src, pcp.OneLine|pcp.InDomText, uint32(pcp.NewInDom(29, 1))); !errors.Is(err, pmerr.Text) {
		t.Errorf("domain text: %v", err)
	}
	if _, err := pmapi.LookupText(ctx, src, pcp.OneLine, uint32(pcp.NewID(29, 0, 1))); !errors.Is(err, pmerr.Text) {
		t.Errorf("base text: %v", err)
	}
}
