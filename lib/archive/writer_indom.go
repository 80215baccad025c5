package archive

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// inDomState is the instances of a domain as last written, ascending.
type inDomState struct{ insts []pcp.Instance }

// SetInDom says which instances a domain has from t on. It writes nothing if they
// have not changed, a delta if that is possible and small, or else all of them
// (archive.md A18.2).
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
	insts = slices.Clone(insts)
	slices.SortStableFunc(insts, func(a, b pcp.Instance) int { return cmp.Compare(a.ID, b.ID) })
	if err := checkInsts(insts); err != nil {
		return fmt.Errorf("instance domain %v: %w", d, err)
	}
	old := w.indoms[d]
	if old != nil && slices.Equal(old.insts, insts) {
		return nil
	}
	rec := w.inDomRecord(t, d, old, insts)
	if err := w.putTimed(t, rec); err != nil {
		return err
	}
	w.indoms[d] = &inDomState{insts}
	return nil
}

// checkInsts finds what in a sorted list of instances cannot be recorded.
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

// inDomRecord chooses between a full record and a delta. A domain that is or was
// empty is written in full: readers ignore a full record without instances, and
// some fail over a delta that leaves none (archive.md A7.3, A22.18).
func (w *Writer) inDomRecord(t pcp.Timestamp, d pcp.InDom, old *inDomState, insts []pcp.Instance) []byte {
	if w.opt.Version > 2 && old != nil && len(old.insts) > 0 && len(insts) > 0 {
		added, deleted, ok := instDelta(old.insts, insts)
		if ok && len(added)+len(deleted) <= len(insts) {
			return AppendInDomDelta(nil, t, d, added, deleted)
		}
	}
	return AppendInDom(nil, w.opt.Version, t, d, insts)
}

// instDelta compares two ascending lists of instances. It is not ok if an instance
// has got another name, which a delta cannot say.
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
