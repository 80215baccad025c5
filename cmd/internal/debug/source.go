package debug

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Opened prints what became of opening a source: kind is 1 for a host, 2 for an archive, 3 for the
// collectors inside.
func (p *Printer) Opened(kind int, name string, err error) {
	p.printf("pmapi", "pmNewContext(%d, %s) <::> returns %s", kind, name, status(0, err))
	if err != nil {
		p.printf("context", "pmNewContext(%d, %s) -> %d, curr_handle=-1", kind, name, int32(pmerr.Of(err)))
		return
	}
	p.printf("context", "pmNewContext(%d, %s) -> 0", kind, name)
}

// Calls reports whether an option wants to know of calls and answers.
func Calls(on func(option string) bool) bool {
	return slices.ContainsFunc([]string{"pmapi", "context", "fetch", "profile", "pmns", "indom", "labels"}, on)
}

// Source returns src, wrapped so that calls and answers are printed.
func (p *Printer) Source(src pmapi.Source) pmapi.Source {
	o := &observed{Source: src, p: p, names: make(map[pcp.ID]string), insts: make(map[instance]string)}
	if timeline, recorded := pmapi.As[pmapi.Timeline](src); recorded {
		o.recorded = true
		return &recordedSource{o, timeline}
	}
	return o
}

// An observed source prints calls and answers.
type observed struct {
	pmapi.Source
	p        *Printer
	names    map[pcp.ID]string
	insts    map[instance]string // in quotation marks
	sent     string              // the last profile, as it was printed
	closed   bool
	recorded bool // src has a past
}

type instance struct {
	indom pcp.InDom
	id    int32
}

func (o *observed) call(text string, n int, err error) {
	o.p.printf("pmapi", "%s <::> returns %s", text, status(n, err))
}

func status(n int, err error) string {
	if err != nil {
		return pmerr.Message(err)
	}
	return fmt.Sprint(n)
}

func ends[T any](what string, list []T) string {
	switch n := len(list); n {
	case 0:
		return what + " none"
	case 1:
		return fmt.Sprintf("%s[0] %v", what, list[0])
	default:
		return fmt.Sprintf("%s[0] %v ... %s[%d] %v", what, list[0], what, n-1, list[n-1])
	}
}

func (o *observed) Unwrap() pmapi.Source { return o.Source }

func (o *observed) Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	for i, name := range names {
		o.p.printf("pmns", "pmLookupName: request_names -> [%d] %s", i, name)
	}
	found, err := o.Source.Lookup(ctx, names)
	ids, good, failed := make([]pcp.ID, len(found)), 0, err
	for i, a := range found {
		ids[i] = a.Value
		o.p.printf("pmns", "pmLookupName: receive_names <- [%d] %s", i, a.Value)
		if a.Err != nil {
			failed = a.Err
			continue
		}
		good++
		o.names[a.Value] = names[i]
	}
	if good > 0 {
		failed = nil
	}
	o.p.printf("pmns", "pmLookupName(%d, ...) -> %s", len(names), status(good, failed))
	text := fmt.Sprintf("pmLookupName(%d, %s, ...)", len(names), ends("name", names))
	if failed != nil {
		o.call(text, 0, failed)
	} else {
		o.p.printf("pmapi", "%s <::> returns %d (%s)", text, good, ends("pmid", ids))
	}
	return found, err
}

func (o *observed) Names(ctx context.Context, id pcp.ID) ([]string, error) {
	names, err := o.Source.Names(ctx, id)
	o.call(fmt.Sprintf("pmNameAll(%s, ...)", id), len(names), err)
	return names, err
}

func (o *observed) Children(ctx context.Context, name string) ([]pcp.Child, error) {
	children, err := o.Source.Children(ctx, name)
	o.call(fmt.Sprintf("pmGetChildrenStatus(%s, ...)", name), len(children), err)
	return children, err
}

func (o *observed) Walk(ctx context.Context, name string, ids bool, f func(name string, id pcp.ID) bool) error {
	n := 0
	err := o.Source.Walk(ctx, name, ids, func(name string, id pcp.ID) bool {
		if n++; ids {
			o.names[id] = name
		}
		return f(name, id)
	})
	o.call(fmt.Sprintf("pmTraversePMNS(%s, ...)", name), n, err)
	return err
}

func (o *observed) Describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	found, err := o.Source.Describe(ctx, ids)
	if len(ids) == 0 {
		return found, err
	}
	if len(ids) != 1 {
		o.call(fmt.Sprintf("pmLookupDescs(%d, %s, ...)", len(ids), ends("desc", ids)), len(found), err)
		return found, err
	}
	failed := err
	if len(found) == 1 && failed == nil {
		failed = found[0].Err
	}
	o.call(fmt.Sprintf("pmLookupDesc(%s, ...)", ids[0]), 0, failed)
	return found, err
}

// Instances prints a call for each domain, but none for those of a live source that are asked for together, nor
// for those at a time of a recording.
func (o *observed) Instances(ctx context.Context, ds []pcp.InDom, at pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	found, err := o.Source.Instances(ctx, ds, at)
	if _, past := at.Time(); past && o.recorded || !o.recorded && len(ds) > 1 {
		return found, err
	}
	call := "pmGetInDom"
	if o.recorded && at == pmapi.Ever() {
		call = "pmGetInDomArchive"
	}
	for i, d := range ds {
		a := pcp.Answer[[]pcp.Instance]{Err: err}
		if err == nil {
			a = found[i]
		}
		o.instances(d, a.Value)
		o.call(fmt.Sprintf("%s(%s, ...)", call, d), len(a.Value), a.Err)
	}
	return found, err
}

func (o *observed) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	call := "pmFetchArchive"
	if !req.Records {
		call = "pmFetch"
		o.profile(req.Profile)
	}
	err := o.Source.Fetch(ctx, req, dst)
	o.call(fmt.Sprintf("%s(%d, %s, ...)", call, len(req.IDs), ends("pmid", req.IDs)), 0, err)
	if err == nil && o.p.On("fetch") {
		fmt.Fprintf(o.p.Out, "%s returns ...\n", call)
		o.result(ctx, dst)
	}
	return err
}

func (o *observed) Close() error {
	err := o.Source.Close()
	if !o.closed {
		o.closed = true
		o.call("pmDestroyContext(0)", 0, err)
		o.p.printf("context", "pmDestroyContext(0) -> 0, curr_handle=-1")
	}
	return err
}

// Labels asks for one object after the other, so that what a request prints on a connection stands before the line about its object.
func (o *observed) Labels(ctx context.Context, kind pcp.LabelKind, idents []uint32, at pmapi.When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	all := make([]pcp.Answer[pcp.ObjectLabels], 0, len(idents))
	for i, ident := range idents {
		found, err := o.Source.Labels(ctx, kind, idents[i:i+1], at)
		all = append(all, found...)
		var sets []pcp.LabelSet
		failed := err
		for _, a := range found {
			sets, failed = a.Value.Sets, a.Err
		}
		o.p.printf("labels", "labels(ident=%d,type=%#x, %s sets)", int32(ident), int(kind), status(len(sets), failed))
		for i, set := range sets {
			o.p.printf("labels", "[%d] pmLabelSet inst=%d nlabels=%d\n    %s", i, set.Inst, len(set.Labels), pcp.AppendLabels(nil, set.Labels))
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (o *observed) Store(ctx context.Context, sets []pcp.Values) error {
	err := pmapi.Store(ctx, o.Source, sets)
	ids := make([]pcp.ID, len(sets))
	for i := range sets {
		ids[i] = sets[i].ID
	}
	o.call("pmStore(...) "+ends("pmid", ids), 0, err)
	return err
}

func (o *observed) Reconnect(ctx context.Context) error { return pmapi.Reconnect(ctx, o.Source) }

func (o *observed) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	inst, err := o.Source.LookupInst(ctx, d, name)
	if err == nil {
		o.insts[instance{d, inst}] = `"` + name + `"`
	}
	o.call(fmt.Sprintf("pmLookupInDom(%s, %s)", d, name), int(inst), err)
	return inst, err
}

func (o *observed) InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error) {
	name, err := o.Source.InstName(ctx, d, inst)
	o.call(fmt.Sprintf("pmNameInDom(%s, %d, ...)", d, inst), 0, err)
	return name, err
}

// A recordedSource is an observed source of recorded metrics. Single instances of a recording are
// found in lists: no call is printed for them.
type recordedSource struct {
	*observed
	pmapi.Timeline
}

func (s *recordedSource) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	return s.Source.LookupInst(ctx, d, name)
}

func (s *recordedSource) InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error) {
	return s.Source.InstName(ctx, d, inst)
}

func (s *recordedSource) SetMode(m pcp.Mode, when *pcp.Timestamp, delta time.Duration) error {
	err := s.Timeline.SetMode(m, when, delta)
	at, by := "NULL", "NULL"
	if when != nil {
		at = string(s.p.clock(*when))
	}
	if delta != 0 {
		by = delta.String()
	}
	s.call(fmt.Sprintf("pmSetMode(mode=%s, when=%s, delta=%s) direction=%d", mode(m), at, by, cmp.Compare(delta, 0)), 0, err)
	return err
}
