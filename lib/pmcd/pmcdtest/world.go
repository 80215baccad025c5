package pmcdtest

import (
	"slices"
	"sync"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// A Metric is a metric of a World.
type Metric struct {
	Name          string
	Desc          pcp.Desc
	Values        pcp.Values // ID and Type are those of Desc
	OneLine, Help string     // "" for none

	LookupErr, DescErr, StoreErr pmerr.Code // in place of the answer; a StoreErr of pmerr.IPC closes the connection

	// Answers replace Values: one for the first fetch of a connection, one for the second and so
	// on; the last is repeated. Such a metric accepts every store and keeps values of its type, new
	// instances included, in the first answer unless Forgets is set.
	Answers []Answer
	Forgets bool
}

// An Answer is the result of one fetch. Its values may be of any type.
type Answer struct {
	Values  pcp.Values
	Refused pmerr.Code // the whole fetch fails; pmerr.IPC closes the connection
}

// An InDom is an instance domain of a World.
type InDom struct {
	ID            pcp.InDom
	Instances     []pcp.Instance
	OneLine, Help string
	WholeNames    bool // an instance is not found by the first word of its name alone
}

// A LabelKey is an object with labels.
type LabelKey struct {
	Kind  pcp.LabelKind
	Ident uint32
}

// A World is a Handler with metrics that can be fetched and stored. Set its fields before use;
// after that goroutines may share it.
type World struct {
	Metrics []Metric // in the order of the name space
	InDoms  []InDom
	Labels  map[LabelKey][]pcp.LabelSet
	Deny    bool // refuse everything, profiles too
	// Now returns the time of results. If it is nil, each result is a second later.
	Now func() time.Time

	mu      sync.Mutex
	stored  []string
	fetches int64
	notices []pmerr.Code
}

// Notify sends notices of changes before the next result.
func (w *World) Notify(changes ...pcp.Changes) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range changes {
		w.notices = append(w.notices, pmerr.Code(c))
	}
}

// Stores returns the number of store requests, successful or not.
func (w *World) Stores() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.stored)
}

// Stored returns the name of the first metric of each store request and the bytes after its time.
func (w *World) Stored() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.stored)
}

func refuse(code pmerr.Code) []pdu.Message { return []pdu.Message{&pdu.Error{Code: code}} }

// fail answers with an error, or ends the connection for pmerr.IPC.
func fail(code pmerr.Code) []pdu.Message {
	if code == pmerr.IPC {
		return []pdu.Message{nil}
	}
	return refuse(code)
}

// Handle implements Handler.
func (w *World) Handle(c *Session, f pdu.Frame) []pdu.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := pdu.New(f.Type)
	if r, ok := m.(*pdu.Result); ok {
		w.stored = append(w.stored, "")
		r.TypeOf = w.typeOf
	}
	switch {
	case m == nil || f.Type == pdu.TypeError || m.Decode(f.Body) != nil:
		return refuse(pmerr.IPC)
	case f.Type == pdu.TypeCreds || f.Type == pdu.TypeAttr:
		return nil
	case w.Deny:
		return refuse(pmerr.Permission)
	case f.Type == pdu.TypeProfile:
		c.Profile = m.(*pdu.Profile)
		return nil
	}
	if r, ok := m.(*pdu.Result); ok && len(r.Values.Sets) > 0 {
		if x := w.metric(r.Values.Sets[0].ID); x != nil {
			w.stored[len(w.stored)-1] = x.Name + " " + string(f.Body[8:])
		}
	}
	return w.answer(c, m)
}

func (w *World) answer(c *Session, m pdu.Message) []pdu.Message {
	switch m := m.(type) {
	case *pdu.Fetch:
		return w.fetch(c, m, false)
	case *pdu.HighResFetch:
		return w.fetch(c, (*pdu.Fetch)(m), true)
	case *pdu.Result:
		return fail(w.store(m.Values.Sets))
	case *pdu.DescReq:
		return w.desc(m.ID)
	case *pdu.DescIDs:
		return w.descs(m.IDs)
	case *pdu.InstanceReq:
		return w.instance(m)
	case *pdu.TextReq:
		return w.text(m)
	case *pdu.LabelReq:
		return w.label(m)
	case *pdu.Names:
		return w.lookup(m.Names)
	case *pdu.IDs:
		return w.names(m.IDs)
	case *pdu.Child:
		return w.children(m)
	case *pdu.Traverse:
		return w.traverse(m.Name)
	}
	return refuse(pmerr.IPC)
}

func (w *World) metric(id pcp.ID) *Metric {
	for i := range w.Metrics {
		if w.Metrics[i].Desc.ID == id {
			return &w.Metrics[i]
		}
	}
	return nil
}

func (w *World) indom(id pcp.InDom) *InDom {
	for i := range w.InDoms {
		if w.InDoms[i].ID == id {
			return &w.InDoms[i]
		}
	}
	return nil
}

func (w *World) typeOf(id pcp.ID) pcp.Type {
	if m := w.metric(id); m != nil {
		return m.Desc.Type
	}
	return pcp.Unknown
}

// wanted reports whether a profile selects an instance (wire.md W7.4).
func wanted(p *pdu.Profile, d pcp.InDom, inst int32) bool {
	if d == pcp.NullInDom {
		return true
	}
	for i := range p.Entries {
		if e := &p.Entries[i]; e.InDom == d {
			return slices.Contains(e.Insts, inst) == e.Exclude
		}
	}
	return !p.Exclude
}

func (w *World) fetch(c *Session, m *pdu.Fetch, highRes bool) []pdu.Message {
	if c.Profile == nil || c.Profile.Slot != m.Slot {
		return refuse(pmerr.NoProfile)
	}
	res := &pcp.Result{Time: pcp.Timestamp{Sec: 1_700_000_000 + w.fetches, Nsec: 123_456_789}}
	w.fetches++
	if w.Now != nil {
		res.Time = pcp.TimestampOf(w.Now())
	}
	for _, id := range m.IDs {
		a := Answer{Values: pcp.Values{Type: pcp.Unknown, Err: pmerr.NoAgent}}
		d := pcp.NullInDom
		if x := w.metric(id); x != nil {
			a, d = x.answer(c.fetched[id]), x.Desc.InDom
		}
		if a.Refused != 0 {
			return fail(a.Refused)
		}
		if c.fetched == nil {
			c.fetched = make(map[pcp.ID]int)
		}
		c.fetched[id]++
		res.Sets = append(res.Sets, selected(id, &a.Values, func(inst int32) bool { return wanted(c.Profile, d, inst) }))
	}
	var out []pdu.Message
	for _, code := range w.notices {
		out = append(out, &pdu.Error{Code: code})
	}
	w.notices = nil
	if highRes {
		return append(out, &pdu.HighResResult{Result: pdu.Result{Values: res}})
	}
	return append(out, &pdu.Result{Values: res})
}

func (m *Metric) answer(n int) Answer {
	if len(m.Answers) > 0 {
		return m.Answers[min(n, len(m.Answers)-1)]
	}
	v := m.Values
	v.Type = m.Desc.Type
	return Answer{Values: v}
}

func selected(id pcp.ID, from *pcp.Values, want func(inst int32) bool) pcp.Values {
	v := pcp.Values{ID: id, Type: from.Type, Err: from.Err}
	for i, inst := range from.Insts {
		if want(inst) {
			add(&v, inst, from, i)
		}
	}
	return v
}

func add(v *pcp.Values, inst int32, from *pcp.Values, i int) {
	v.Insts = append(v.Insts, inst)
	if v.Type.Arithmetic() {
		v.Words = append(v.Words, from.Words[i])
	} else {
		v.Blobs = append(v.Blobs, from.Blobs[i])
	}
}

func (w *World) store(sets []pcp.Values) pmerr.Code {
	for i := range sets {
		v := &sets[i]
		m := w.metric(v.ID)
		if m == nil {
			return pmerr.NoAgent
		}
		if code := m.store(v); code != 0 {
			return code
		}
	}
	return 0
}

func (m *Metric) store(v *pcp.Values) pmerr.Code {
	old, any := &m.Values, len(m.Answers) > 0
	if any {
		old = &m.Answers[0].Values
	}
	switch {
	case m.StoreErr != 0:
		return m.StoreErr
	case any && (m.Forgets || v.Odd != nil || v.Type != old.Type):
		return 0
	case v.Odd != nil:
		return pmerr.BadStore
	}
	for k, inst := range v.Insts {
		switch at := old.Find(inst); {
		case at < 0 && any:
			add(old, inst, v, k)
		case at < 0:
			return pmerr.Inst
		case m.Desc.Type.Arithmetic():
			old.Words[at] = v.Words[k]
		default:
			old.Blobs[at] = v.Blobs[k]
		}
	}
	return 0
}
