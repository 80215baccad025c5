package pmapi

import (
	"context"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// An Archive is a Source over recorded metrics. It is a Timeline. Fetch reads the next record that has
// one of the metrics, or any next record for a request without metrics, in the direction set by SetMode.
// In the mode Interp the values are interpolated at the position. At the end it fails with pmerr.EOL.
type Archive struct {
	recorded // &rec until Close, then noSource: the files are no longer mapped
	rec      recording
	closed   bool
}

// OpenArchive opens the archives that name lists, separated by commas: base names, member files or
// directories. Errors match the codes of pmerr, or are those of ctx. opt may be nil.
func OpenArchive(ctx context.Context, name string, opt *archive.Options) (*Archive, error) {
	set, err := archive.Open(ctx, name, opt)
	if err != nil {
		return nil, err
	}
	a := OverSet(set)
	a.rec.own = true
	return a, nil
}

// OverSet returns an Archive over files that are open, with a position of its own: a service opens
// them once, and reads them with an Archive for each request. Close leaves the Set open.
func OverSet(set *archive.Set) *Archive {
	a := &Archive{rec: recording{set: set, cursor: set.Cursor()}}
	a.recorded = &a.rec
	return a
}

// Close unmaps the files that OpenArchive has opened. It implements Source.
func (a *Archive) Close() error {
	a.closed, a.recorded = true, nothing
	return a.rec.Close()
}

// Has reports whether the archive describes a metric.
func (a *Archive) Has(id pcp.ID) bool {
	_, err := a.rec.set.Desc(id)
	return err == nil
}

// Set returns the archives. They are closed with a, but for those that were given to OverSet.
func (a *Archive) Set() *archive.Set { return a.rec.set }

// Tap makes a call f for each record and mark that it reads (archive.Cursor.Tap).
func (a *Archive) Tap(f func(*archive.Raw)) { a.rec.cursor.Tap(f) }

// Follow moves a to the position of other, another Archive of the same files, and reports whether
// that was possible (archive.Cursor.Follow).
func (a *Archive) Follow(other *Archive) bool {
	ok := a.rec.cursor.Follow(other.rec.cursor)
	if ok {
		a.rec.interp = false
	}
	return ok
}

// SetMode implements Timeline.
func (a *Archive) SetMode(m pcp.Mode, when *pcp.Timestamp, delta time.Duration) error {
	if a.closed {
		return pmerr.NoContext
	}
	err := a.rec.cursor.SetMode(m, when, delta)
	if err == nil {
		a.rec.interp = m == pcp.Interp
	}
	return err
}

// Origin implements Timeline.
func (a *Archive) Origin() pcp.Timestamp { return a.rec.cursor.Origin() }

// Bounds implements Timeline.
func (a *Archive) Bounds(ctx context.Context) (start, end pcp.Timestamp, err error) {
	if a.closed {
		return start, end, pmerr.NoContext
	}
	end, err = a.rec.set.End(ctx)
	return a.rec.set.Label().Start, end, err
}

// Host implements Source. It has an answer after Close too.
func (a *Archive) Host() (name, zone string) { return a.rec.Host() }

// recorded is the name under which an Archive has the methods of a Source.
type recorded = Source

// A recording is an Archive that is open.
type recording struct {
	set    *archive.Set
	cursor *archive.Cursor
	interp bool // the mode is pcp.Interp
	own    bool // Close closes the set
}

func (r *recording) Close() error {
	if !r.own {
		return nil
	}
	return r.set.Close()
}

func (r *recording) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	return lookupEach(names, r.set.Lookup), nil
}

func (r *recording) Names(_ context.Context, id pcp.ID) ([]string, error) { return r.set.Names(id) }

func (r *recording) Children(_ context.Context, name string) ([]pcp.Child, error) {
	return r.set.Children(name)
}

func (r *recording) Walk(_ context.Context, name string, _ bool, f func(name string, id pcp.ID) bool) error {
	return r.set.Walk(name, f)
}

func (r *recording) Describe(_ context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	return answerEach(ids, r.set.Desc), nil
}

func (r *recording) Instances(_ context.Context, ds []pcp.InDom, when When) ([]pcp.Answer[[]pcp.Instance], error) {
	if when == Ever() {
		return answerEach(ds, r.set.AllInstances), nil
	}
	at := r.time(when)
	return answerEach(ds, func(d pcp.InDom) ([]pcp.Instance, error) { return r.set.Instances(d, at) }), nil
}

func (r *recording) LookupInst(_ context.Context, d pcp.InDom, name string) (int32, error) {
	return r.set.LookupInst(d, name, r.cursor.Origin())
}

func (r *recording) InstName(_ context.Context, d pcp.InDom, inst int32) (string, error) {
	return r.set.InstName(d, inst, r.cursor.Origin())
}

func (r *recording) Fetch(ctx context.Context, req *Request, dst *pcp.Result) error {
	if req.Records {
		return r.record(ctx, req, dst)
	}
	if req.Gaps {
		r.cursor.WatchMarks()
	}
	if len(req.IDs) > 0 || r.interp {
		err := r.cursor.Fetch(ctx, req.IDs, req.Profile, dst)
		dst.Gap = req.Gaps && r.cursor.Marked()
		return err
	}
	for mark := true; mark; mark = len(dst.Sets) == 0 {
		if err := r.cursor.Next(ctx, dst); err != nil {
			return err
		}
	}
	dst.Reset(0)
	return nil
}

func (r *recording) record(ctx context.Context, req *Request, dst *pcp.Result) (err error) {
	mark := false
	if len(req.IDs) > 0 {
		mark, err = r.cursor.FetchOrMark(ctx, req.IDs, req.Profile, dst)
	} else {
		err = r.cursor.Next(ctx, dst)
		mark = err == nil && len(dst.Sets) == 0
	}
	dst.Gap = mark
	return err
}

func (r *recording) Host() (name, zone string) {
	l := r.cursor.Label()
	return l.Host, l.Zone
}

func (r *recording) Labels(_ context.Context, kind pcp.LabelKind, idents []uint32, when When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	at := r.time(when)
	rs := make([]pcp.Answer[pcp.ObjectLabels], len(idents))
	for i, ident := range idents {
		v := &rs[i].Value
		v.Sets, rs[i].Err = r.set.Labels(kind, ident, at)
		v.Since, v.Until = r.set.LabelsHold(kind, ident, at)
	}
	return rs, nil
}

// time returns the time of a question, normalised: a result may have a full second of nanoseconds.
func (r *recording) time(when When) pcp.Timestamp {
	at, ok := when.Time()
	if !ok {
		at = r.cursor.Origin()
	}
	return at.Add(0)
}

func (r *recording) Text(_ context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error) {
	rs := make([]pcp.Answer[string], len(idents))
	isInDom := kind&pcp.InDomText != 0
	for i, ident := range idents {
		rs[i].Value, rs[i].Err = r.set.Text(ident, isInDom, kind&^pcp.InDomText)
		if rs[i].Err != nil && !isInDom && pcp.ID(ident).IsDerived() { // a metric that nobody has defined
			rs[i].Err = pmerr.PMID
		}
	}
	return rs, nil
}
