package pmapi

import (
	"context"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// An Archive is a Source over recorded metrics. It is a Timeline.
type Archive struct {
	set    *archive.Set
	cursor *archive.Cursor
	interp bool // the mode is pcp.Interp
	closed bool // the files are no longer mapped: neither set nor cursor may be asked
}

// OpenArchive opens the archives that name lists, separated by commas: base names, member files or
// directories (archive.md A1). Errors match the codes of pmerr, or are those of ctx. opt may be nil.
func OpenArchive(ctx context.Context, name string, opt *archive.Options) (*Archive, error) {
	set, err := archive.Open(ctx, name, opt)
	if err != nil {
		return nil, err
	}
	return &Archive{set: set, cursor: set.Cursor()}, nil
}

// Close unmaps the files. It implements Source.
func (a *Archive) Close() error {
	a.closed = true
	return a.set.Close()
}

// Lookup implements Source.
func (a *Archive) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	if a.closed {
		return nil, pmerr.NoContext
	}
	return lookupEach(names, a.set.Lookup), nil
}

// Has reports whether the archive describes a metric.
func (a *Archive) Has(id pcp.ID) bool {
	_, err := a.set.Desc(id)
	return err == nil
}

// Names implements Source.
func (a *Archive) Names(_ context.Context, id pcp.ID) ([]string, error) {
	if a.closed {
		return nil, pmerr.NoContext
	}
	return a.set.Names(id)
}

// Children implements Source.
func (a *Archive) Children(_ context.Context, name string) ([]pcp.Child, error) {
	if a.closed {
		return nil, pmerr.NoContext
	}
	return a.set.Children(name)
}

// Walk implements Source.
func (a *Archive) Walk(_ context.Context, name string, f func(name string, id pcp.ID) bool) error {
	if a.closed {
		return pmerr.NoContext
	}
	return a.set.Walk(name, f)
}

// Describe implements Source.
func (a *Archive) Describe(_ context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	if a.closed {
		return nil, pmerr.NoContext
	}
	rs := make([]pcp.Answer[pcp.Desc], len(ids))
	for i, id := range ids {
		rs[i].Value, rs[i].Err = a.set.Desc(id)
	}
	return rs, nil
}

// Instances implements Source.
func (a *Archive) Instances(_ context.Context, d pcp.InDom) ([]pcp.Instance, error) {
	if a.closed {
		return nil, pmerr.NoContext
	}
	return a.set.Instances(d, a.cursor.Origin())
}

// LookupInst implements Source.
func (a *Archive) LookupInst(_ context.Context, d pcp.InDom, name string) (int32, error) {
	if a.closed {
		return pcp.NullInst, pmerr.NoContext
	}
	return a.set.LookupInst(d, name, a.cursor.Origin())
}

// InstName implements Source.
func (a *Archive) InstName(_ context.Context, d pcp.InDom, inst int32) (string, error) {
	if a.closed {
		return "", pmerr.NoContext
	}
	return a.set.InstName(d, inst, a.cursor.Origin())
}

// InstancesAt implements Timeline.
func (a *Archive) InstancesAt(_ context.Context, d pcp.InDom, at pcp.Timestamp) ([]pcp.Instance, error) {
	if a.closed {
		return nil, pmerr.NoContext
	}
	return a.set.Instances(d, at.Add(0)) // a result may have a full second of nanoseconds
}

// AllInstances implements Timeline.
func (a *Archive) AllInstances(_ context.Context, d pcp.InDom) ([]pcp.Instance, error) {
	if a.closed {
		return nil, pmerr.NoContext
	}
	return a.set.AllInstances(d)
}

// Fetch implements Source: the next record that has one of the metrics, or any next record for a
// request without metrics, in the direction set by SetMode. In the mode Interp the values are
// interpolated at the position. At the end it fails with pmerr.EOL.
func (a *Archive) Fetch(ctx context.Context, req *Request, dst *pcp.Result) error {
	if a.closed {
		return pmerr.NoContext
	}
	if len(req.IDs) > 0 || a.interp {
		return a.cursor.Fetch(ctx, req.IDs, req.Profile, dst)
	}
	for mark := true; mark; mark = len(dst.Sets) == 0 {
		if err := a.cursor.Next(ctx, dst); err != nil {
			return err
		}
	}
	dst.Reset(0)
	return nil
}

// FetchRecord implements Timeline.
func (a *Archive) FetchRecord(ctx context.Context, req *Request, dst *pcp.Result) (mark bool, err error) {
	if a.closed {
		return false, pmerr.NoContext
	}
	if len(req.IDs) == 0 {
		err = a.cursor.Next(ctx, dst)
		return err == nil && len(dst.Sets) == 0, err
	}
	return a.cursor.FetchOrMark(ctx, req.IDs, req.Profile, dst)
}

// Follow moves a to the position of other, another Archive of the same files, and reports whether
// that was possible (archive.Cursor.Follow).
func (a *Archive) Follow(other *Archive) bool {
	ok := a.cursor.Follow(other.cursor)
	if ok {
		a.interp = false
	}
	return ok
}

// Store implements Source.
func (a *Archive) Store(context.Context, []pcp.Values) error {
	if a.closed {
		return pmerr.NoContext
	}
	return pmerr.NotHost
}

// SetMode implements Timeline.
func (a *Archive) SetMode(m pcp.Mode, when *pcp.Timestamp, delta time.Duration) error {
	if a.closed {
		return pmerr.NoContext
	}
	err := a.cursor.SetMode(m, when, delta)
	if err == nil {
		a.interp = m == pcp.Interp
	}
	return err
}

// Origin implements Timeline.
func (a *Archive) Origin() pcp.Timestamp { return a.cursor.Origin() }

// Host implements Source.
func (a *Archive) Host() (name, zone string) {
	l := a.cursor.Label()
	return l.Host, l.Zone
}

// Bounds implements Timeline.
func (a *Archive) Bounds(ctx context.Context) (start, end pcp.Timestamp, err error) {
	if a.closed {
		return start, end, pmerr.NoContext
	}
	end, err = a.set.End(ctx)
	return a.set.Label().Start, end, err
}

// Labels implements Source.
func (a *Archive) Labels(_ context.Context, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	if a.closed {
		return nil, pmerr.NoContext
	}
	return a.set.Labels(kind, ident, a.cursor.Origin())
}

// Text implements Source.
func (a *Archive) Text(_ context.Context, id pcp.ID, kind pcp.TextKind) (string, error) {
	if a.closed {
		return "", pmerr.NoContext
	}
	return a.set.Text(uint32(id), false, kind)
}

// InDomText implements Source.
func (a *Archive) InDomText(_ context.Context, d pcp.InDom, kind pcp.TextKind) (string, error) {
	if a.closed {
		return "", pmerr.NoContext
	}
	return a.set.Text(uint32(d), true, kind)
}
