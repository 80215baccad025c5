package archive

import (
	"bytes"
	"fmt"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A labelKey identifies what a label record is about, a textKey a help text.
type (
	labelKey struct {
		kind  pcp.LabelKind
		ident uint32
	}
	textKey struct{ kind, ident uint32 }
)

// AddMetric describes a metric. Without names it adds none; a metric may get
// more names later, but its description may not change. A derived metric is
// recorded under its marked identifier (archive.md A11.9), here and everywhere.
func (w *Writer) AddMetric(d pcp.Desc, names ...string) error {
	if w.err != nil {
		return w.err
	}
	d.ID = stored(d.ID)
	m := w.metrics[d.ID]
	switch {
	case m != nil && m.desc != d:
		return fmt.Errorf("metric %v: %w", d.ID, changed(m.desc, d))
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
	if err := w.putMeta(AppendDesc(nil, d, fresh...)); err != nil {
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

// changed returns the code for what differs in two descriptions of a metric, in
// the order in which a reader would find it (archive.md A3.2).
func changed(a, b pcp.Desc) error {
	switch {
	case a.Type != b.Type:
		return pmerr.LogChangeType
	case a.Sem != b.Sem:
		return pmerr.LogChangeSem
	case a.InDom != b.InDom:
		return pmerr.LogChangeInDom
	}
	return pmerr.LogChangeUnits
}

// SetLabels says that from t on an object has these labels: kind is their level,
// and ident the domain, instance domain, cluster or metric, of no meaning for
// ContextLabels. There is one set, or for InstanceLabels one for each instance.
// Nothing is written if the object has them already.
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
	rec, err := AppendLabels(nil, w.opt.Version, t, kind, ident, sets)
	if err != nil {
		return err
	}
	key := labelKey{kind, ident}
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

// SetText gives a metric, or if isInDom an instance domain, a help text. Texts
// have no time: the last one holds for the whole archive. An equal text is not
// written again.
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
	key := textKey{textType(isInDom, kind), ident}
	if old, ok := w.texts[key]; ok && old == text {
		return nil
	}
	if err := w.putMeta(AppendText(nil, ident, isInDom, kind, text)); err != nil {
		return err
	}
	w.texts[key] = text
	return nil
}

// PutMeta appends a metadata record that the caller made, one of time t. What it
// says is not looked at: SetInDom and the other methods do not know of it.
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
