package archive

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// maxText limits the text in one metadata record, far below the limit of the length word.
const maxText = 1 << 28

// AddMetric describes a metric. A metric may get more names later, but its description may not
// change. In all records a derived metric is recorded under its marked identifier (archive.md
// A11.9).
func (w *Writer) AddMetric(d pcp.Desc, names ...string) error {
	if w.err != nil {
		return w.err
	}
	d.ID = stored(d.ID)
	m := w.metrics[d.ID]
	switch {
	case m != nil && m.desc != d:
		return fmt.Errorf("metric %v: %w", d.ID, changed(&m.desc, &d))
	case d.ID == pcp.NullID:
		return fmt.Errorf("%w: no metric", pmerr.PMID)
	case m == nil && len(names) == 0:
		return fmt.Errorf("metric %v: %w: no name", d.ID, pmerr.EINVAL)
	}
	var fresh []string
	for _, n := range names {
		if n == "" || n[0] == '.' || strings.IndexByte(n, 0) >= 0 || len(n) > maxName {
			return fmt.Errorf("metric %v: %w: %.80q", d.ID, pmerr.Name, n)
		}
		if m == nil || !m.names[n] {
			fresh = append(fresh, n)
		}
	}
	if m != nil && len(fresh) == 0 {
		return nil
	}
	if err := w.putMeta(appendDesc(nil, d, fresh...)); err != nil {
		return err
	}
	if m == nil {
		m = &metricState{desc: d, names: make(map[string]bool)}
		w.metrics[d.ID] = m
	}
	for _, n := range fresh {
		m.names[n] = true
	}
	return nil
}

// SetLabels sets the labels of an object from time t on: kind is their level, and ident the domain,
// instance domain, cluster or metric; ContextLabels ignore it. There is one set, or for
// InstanceLabels one for each instance. If the object already has these labels, nothing is written.
func (w *Writer) SetLabels(t pcp.Timestamp, kind pcp.LabelKind, ident uint32, sets []pcp.LabelSet) error {
	if w.err != nil {
		return w.err
	}
	switch kind {
	case pcp.ContextLabels:
		ident = uint32(pcp.NullID)
	case pcp.ItemLabels:
		ident = uint32(stored(pcp.ID(ident)))
	case pcp.DomainLabels, pcp.InDomLabels, pcp.ClusterLabels, pcp.InstanceLabels:
	default:
		return fmt.Errorf("%w: label level %d", pmerr.EINVAL, kind)
	}
	if kind != pcp.InstanceLabels && len(sets) != 1 {
		return fmt.Errorf("%w: %d label sets where there is one", pmerr.EINVAL, len(sets))
	}
	t, err := w.metaTime(t)
	if err != nil {
		return err
	}
	rec, err := appendLabels(nil, w.opt.Version, t, kind, ident, sets)
	if err != nil {
		return err
	}
	key := labelIdent{kind, ident}
	body := rec[8+stampSize(w.opt.Version):]
	if bytes.Equal(body, w.labels[key]) {
		return nil
	}
	if err := w.putTimed(t, rec); err != nil {
		return err
	}
	w.labels[key] = body
	return nil
}

// SetText sets a help text of a metric, or of an instance domain if isInDom is set. Texts have no
// time: the last one holds for the whole archive. An equal text is not written again.
func (w *Writer) SetText(ident uint32, isInDom bool, kind pcp.TextKind, text string) error {
	if w.err != nil {
		return w.err
	}
	if kind != pcp.OneLine && kind != pcp.Help {
		return fmt.Errorf("%w: text kind %d", pmerr.EINVAL, kind)
	}
	if strings.IndexByte(text, 0) >= 0 || len(text) > maxText {
		return fmt.Errorf("%w: text with NUL or of more than %d bytes", pmerr.EINVAL, maxText)
	}
	if !isInDom {
		ident = uint32(stored(pcp.ID(ident)))
	}
	key := textIdent{textType(isInDom, kind), ident}
	if old, ok := w.texts[key]; ok && old == text {
		return nil
	}
	if err := w.putMeta(appendText(nil, ident, isInDom, kind, text)); err != nil {
		return err
	}
	w.texts[key] = text
	return nil
}

// PutMeta appends a metadata record of time t that the caller encoded. Its content is not examined,
// so SetInDom and the other methods do not see it.
func (w *Writer) PutMeta(t pcp.Timestamp, rec []byte) error {
	if w.err != nil {
		return w.err
	}
	t, err := w.metaTime(t)
	if err != nil {
		return err
	}
	return w.putTimed(t, rec)
}

// SetInDom sets the instances of a domain from time t on. It writes nothing if they have not
// changed, a delta if that is possible and small, and otherwise all of them (archive.md A18.2).
func (w *Writer) SetInDom(t pcp.Timestamp, d pcp.InDom, insts []pcp.Instance) error {
	if w.err != nil {
		return w.err
	}
	t, err := w.metaTime(t)
	if err != nil {
		return err
	}
	if d == pcp.NullInDom {
		return fmt.Errorf("%w: instances of no domain", pmerr.InDom)
	}
	insts = append([]pcp.Instance{}, insts...)
	slices.SortStableFunc(insts, byID)
	if err := checkInsts(insts); err != nil {
		return fmt.Errorf("instance domain %v: %w", d, err)
	}
	old := w.indoms[d]
	if old != nil && slices.Equal(old, insts) {
		return nil
	}
	if err := w.putTimed(t, w.inDomRecord(t, d, old, insts)); err != nil {
		return err
	}
	w.indoms[d] = insts
	return nil
}

func checkInsts(insts []pcp.Instance) error {
	total := 0
	for i, in := range insts {
		switch {
		case in.ID < 0:
			return fmt.Errorf("%w: instance %d is negative", pmerr.Inst, in.ID)
		case i > 0 && in.ID == insts[i-1].ID:
			return fmt.Errorf("%w: instance %d twice", pmerr.Inst, in.ID)
		case strings.IndexByte(in.Name, 0) >= 0:
			return fmt.Errorf("%w: NUL in the name of instance %d", pmerr.Inst, in.ID)
		}
		if total += len(in.Name) + 9; total > maxText {
			return fmt.Errorf("%w: too many instances", pmerr.TooBig)
		}
	}
	return nil
}

// inDomRecord chooses between a full record and a delta. A domain that is or was empty is written in full:
// readers ignore a full record without instances, and some fail on a delta that leaves none (archive.md
// A7.3, A22.18).
func (w *Writer) inDomRecord(t pcp.Timestamp, d pcp.InDom, old, insts []pcp.Instance) []byte {
	if w.opt.Version > 2 && len(old) > 0 && len(insts) > 0 {
		added, deleted, ok := instDelta(old, insts)
		if ok && len(added)+len(deleted) <= len(insts) {
			return AppendInDomDelta(nil, t, d, added, deleted)
		}
	}
	return appendInDom(nil, w.opt.Version, t, d, insts)
}

// instDelta compares two ascending lists of instances. ok is false if a name has changed: a delta cannot
// express that.
func instDelta(from, to []pcp.Instance) (added []pcp.Instance, deleted []int32, ok bool) {
	i, k := 0, 0
	for i < len(from) || k < len(to) {
		switch {
		case k == len(to) || i < len(from) && from[i].ID < to[k].ID:
			deleted = append(deleted, from[i].ID)
			i++
		case i == len(from) || to[k].ID < from[i].ID:
			added = append(added, to[k])
			k++
		case from[i].Name != to[k].Name:
			return nil, nil, false
		default:
			i++
			k++
		}
	}
	return added, deleted, true
}
