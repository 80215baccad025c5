package sourcetest

import (
	"context"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A liar is an archive whose answers are changed by those functions that are set.
type liar struct {
	*pmapi.Archive
	lookup    func(rs []pcp.Answer[pcp.ID]) []pcp.Answer[pcp.ID]
	names     func(names []string, err error) ([]string, error)
	children  func(list []pcp.Child, err error) ([]pcp.Child, error)
	walk      func(prefix string, f func(string, pcp.ID) bool) error
	describe  func(rs []pcp.Answer[pcp.Desc]) ([]pcp.Answer[pcp.Desc], error)
	instances func(list []pcp.Instance, err error) ([]pcp.Instance, error)
	instName  func(name string, err error) (string, error)
	instID    func(id int32, err error) (int32, error)
	all       func(list []pcp.Instance, err error) ([]pcp.Instance, error)
	labels    func(sets []pcp.LabelSet) []pcp.LabelSet
	text      func(s string, err error) (string, error)
	ask       func(req *pmapi.Request) *pmapi.Request
	fetch     func(req *pmapi.Request, dst *pcp.Result, err error) error
	instead   func(req *pmapi.Request, dst *pcp.Result) error
	setMode   func(m pcp.Mode, when *pcp.Timestamp) error
	origin    func(t pcp.Timestamp) pcp.Timestamp
	bounds    func(start, end pcp.Timestamp) (pcp.Timestamp, pcp.Timestamp)
	host      func() string
	close     func(err error) error
	since     int64 // is added to the times of labels
	many      bool
}

func (l *liar) Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	rs, err := l.Archive.Lookup(ctx, names)
	if l.lookup != nil {
		rs = l.lookup(rs)
	}
	return rs, err
}

func (l *liar) Names(ctx context.Context, id pcp.ID) ([]string, error) {
	names, err := l.Archive.Names(ctx, id)
	if l.names != nil {
		return l.names(names, err)
	}
	return names, err
}

func (l *liar) Children(ctx context.Context, name string) ([]pcp.Child, error) {
	list, err := l.Archive.Children(ctx, name)
	if l.children != nil {
		return l.children(list, err)
	}
	return list, err
}

func (l *liar) Walk(ctx context.Context, name string, ids bool, f func(string, pcp.ID) bool) error {
	if l.walk != nil {
		return l.walk(name, f)
	}
	return l.Archive.Walk(ctx, name, ids, func(name string, id pcp.ID) bool {
		if l.many && !ids {
			name += "?"
		}
		return f(name, id)
	})
}

func (l *liar) Describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	rs, err := l.Archive.Describe(ctx, ids)
	if l.describe != nil {
		return l.describe(rs)
	}
	return rs, err
}

func (l *liar) Instances(ctx context.Context, ds []pcp.InDom, at pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	found, err := l.Archive.Instances(ctx, ds, at)
	lie := l.instances
	if at == pmapi.Ever() {
		lie = l.all
	}
	for i := range found {
		if a := &found[i]; lie != nil {
			a.Value, a.Err = lie(a.Value, a.Err)
		}
		if l.many && len(ds) > 1 {
			found[i].Value = nil
		}
	}
	return found, err
}

func (l *liar) InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error) {
	name, err := l.Archive.InstName(ctx, d, inst)
	if l.instName != nil {
		return l.instName(name, err)
	}
	return name, err
}

func (l *liar) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	id, err := l.Archive.LookupInst(ctx, d, name)
	if l.instID != nil {
		return l.instID(id, err)
	}
	return id, err
}

func (l *liar) Labels(ctx context.Context, kind pcp.LabelKind, idents []uint32, at pmapi.When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	found, err := l.Archive.Labels(ctx, kind, idents, at)
	for i := range found {
		v := &found[i].Value
		if l.labels != nil && len(v.Sets) > 0 {
			v.Sets = l.labels(v.Sets)
		}
		if l.many && len(idents) > 1 {
			v.Sets = append(v.Sets, pcp.LabelSet{})
		}
		v.Since.Sec += l.since
	}
	return found, err
}

func (l *liar) Text(ctx context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error) {
	found, err := l.Archive.Text(ctx, kind, idents)
	for i := range found {
		if l.text != nil {
			found[i].Value, found[i].Err = l.text(found[i].Value, found[i].Err)
		}
		if l.many && len(idents) > 1 {
			found[i].Value += "?"
		}
	}
	return found, err
}

func (l *liar) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	if l.instead != nil {
		return l.instead(req, dst)
	}
	asked := req
	if l.ask != nil {
		asked = l.ask(req)
	}
	err := l.Archive.Fetch(ctx, asked, dst)
	if l.fetch != nil {
		return l.fetch(req, dst, err)
	}
	return err
}

func (l *liar) SetMode(m pcp.Mode, when *pcp.Timestamp, delta time.Duration) error {
	if l.setMode != nil {
		return l.setMode(m, when)
	}
	return l.Archive.SetMode(m, when, delta)
}

func (l *liar) Origin() pcp.Timestamp {
	if l.origin != nil {
		return l.origin(l.Archive.Origin())
	}
	return l.Archive.Origin()
}

func (l *liar) Bounds(ctx context.Context) (start, end pcp.Timestamp, err error) {
	start, end, err = l.Archive.Bounds(ctx)
	if l.bounds != nil {
		start, end = l.bounds(start, end)
	}
	return start, end, err
}

func (l *liar) Host() (name, zone string) {
	if l.host != nil {
		return l.host(), ""
	}
	return l.Archive.Host()
}

func (l *liar) Close() error {
	err := l.Archive.Close()
	if l.close != nil {
		return l.close(err)
	}
	return err
}

// A live is a Source without a past: a recording that begins again at its end.
type live struct {
	pmapi.Source // the same, without the optional interfaces of an archive
	inner        recording
}

// A recording is the archive that a live source repeats.
type recording interface {
	pmapi.Source
	pmapi.Timeline
}

func (l *live) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	err := l.inner.Fetch(ctx, req, dst)
	if pmerr.Of(err) != pmerr.EOL {
		return err
	}
	start, _, _ := l.inner.Bounds(ctx)
	if err := l.inner.SetMode(pcp.Forward, &start, 0); err != nil {
		return err
	}
	return l.inner.Fetch(ctx, req, dst)
}
