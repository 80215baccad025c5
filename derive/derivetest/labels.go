package derivetest

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A tape has the labels of its domains, by which expressions make groups.

// A labelling is the labels of an object from a time on.
type labelling struct {
	since pcp.Timestamp
	sets  []pcp.LabelSet
}

// label copies the labels that a recording has at a time, if they are others than before.
func (t *tape) label(ctx context.Context, src pmapi.LabelPast, at pcp.Timestamp) error {
	var descs []pcp.Desc
	for _, d := range t.descs {
		descs = append(descs, pcp.Desc{ID: pcp.NullID, InDom: d.InDom})
	}
	for _, o := range pmapi.LabelObjects(descs...) {
		list := t.labels[o]
		since, _ := src.LabelsHold(o.Kind, o.Ident, at)
		if n := len(list); n > 0 && list[n-1].since == since {
			continue
		}
		sets, err := src.LabelsAt(ctx, o.Kind, o.Ident, at)
		if err != nil {
			return err
		}
		t.labels[o] = append(list, labelling{since, sets})
	}
	return nil
}

// labelled returns the labels of an object at a time.
func (t *tape) labelled(kind pcp.LabelKind, ident uint32, at pcp.Timestamp) (found labelling, ok bool) {
	for _, l := range t.labels[pmapi.LabelObject{Kind: kind, Ident: ident}] {
		if l.since.Compare(at) <= 0 {
			found, ok = l, true
		}
	}
	return found, ok
}

// LabelsHold implements pmapi.LabelPast.
func (r *replay) LabelsHold(kind pcp.LabelKind, ident uint32, at pcp.Timestamp) (since, until pcp.Timestamp) {
	for _, l := range r.labels[pmapi.LabelObject{Kind: kind, Ident: ident}] {
		if l.since.Compare(at) > 0 {
			return since, l.since
		}
		since = l.since
	}
	return since, until
}

// LabelsAt implements pmapi.LabelPast. Where nothing was recorded the host is the only label, as in an archive.
func (r *replay) LabelsAt(_ context.Context, kind pcp.LabelKind, ident uint32, at pcp.Timestamp) ([]pcp.LabelSet, error) {
	l, ok := r.labelled(kind, ident, at)
	if !ok && kind == pcp.ContextLabels {
		host, _ := r.Host()
		l.sets = []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: "hostname", Value: `"` + host + `"`, Flags: uint8(kind)}}}}
	}
	return l.sets, nil
}

// Labels implements pmapi.Source.
func (r *replay) Labels(ctx context.Context, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	return r.LabelsAt(ctx, kind, ident, r.Origin())
}
