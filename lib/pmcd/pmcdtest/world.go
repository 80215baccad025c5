package pmcdtest

import (
	"slices"
	"sync"

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
	DescErr       pmerr.Code // in place of the description
	ReadOnly      bool
}

// An InDom is an instance domain of a World.
type InDom struct {
	ID            pcp.InDom
	Instances     []pcp.Instance
	OneLine, Help string
}

// A LabelKey is an object with labels.
type LabelKey struct {
	Kind  pcp.LabelKind
	Ident uint32
}

// A World is a Handler with metrics that can be fetched and stored. Its fields may
// be set before it is used; it may be shared by goroutines then.
type World struct {
	Metrics []Metric // in the order of the name space
	InDoms  []InDom
	Labels  map[LabelKey][]pcp.LabelSet
	Deny    bool // refuse everything, profiles too

	mu      sync.Mutex
	stores  int
	fetches int64
	notices []pmerr.Code
}

// Notify makes the next result follow notices of changes.
func (w *World) Notify(changes ...pcp.Changes) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range changes {
		w.notices = append(w.notices, pmerr.Code(c))
	}
}

// Stores returns how many requests to store were seen, successful or not.
func (w *World) Stores() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stores
}

// ipcError is the answer to what cannot be understood.
const ipcError = pmerr.IPC

// refuse answers with an error.
func refuse(code pmerr.Code) []pdu.Message { return []pdu.Message{&pdu.Error{Code: code}} }

// Handle implements Handler.
func (w *World) Handle(c *Session, f pdu.Frame) []pdu.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := pdu.New(f.Type)
	if r, ok := m.(*pdu.Result); ok {
		w.stores++
		r.TypeOf = w.typeOf
	}
	switch {
	case m == nil || m.Decode(f.Body) != nil:
		return refuse(ipcError)
	case f.Type == pdu.TypeCreds || f.Type == pdu.TypeAttr:
		return nil
	case w.Deny:
		return refuse(pmerr.Permission)
	case f.Type == pdu.TypeProfile:
		c.Profile = m.(*pdu.Profile)
		return nil
	}
	return w.answer(c, m)
}

// answer answers a request that is allowed.
func (w *World) answer(c *Session, m pdu.Message) []pdu.Message {
	switch m := m.(type) {
	case *pdu.Fetch:
		return w.fetch(c, m, false)
	case *pdu.HighResFetch:
		return w.fetch(c, (*pdu.Fetch)(m), true)
	case *pdu.Result:
		return []pdu.Message{&pdu.Error{Code: w.store(m.Values.Sets)}}
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
	return refuse(ipcError)
}

// metric returns the metric with an identifier, or nil.
func (w *World) metric(id pcp.ID) *Metric {
	for i := range w.Metrics {
		if w.Metrics[i].Desc.ID == id {
			return &w.Metrics[i]
		}
	}
	return nil
}

// indom returns the instance domain with an identifier, or nil.
func (w *World) indom(id pcp.InDom) *InDom {
	for i := range w.InDoms {
		if w.InDoms[i].ID == id {
			return &w.InDoms[i]
		}
	}
	return nil
}

// typeOf returns the type of a metric.
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

// fetch answers with values, and with what has changed before them.
func (w *World) fetch(c *Session, m *pdu.Fetch, highRes bool) []pdu.Message {
	if c.Profile == nil || c.Profile.Slot != m.Slot {
		return refuse(pmerr.NoProfile)
	}
	res := &pcp.Result{Time: pcp.Timestamp{Sec: 1_700_000_000 + w.fetches, Nsec: 123_456_789}}
	w.fetches++
	for _, id := range m.IDs {
		v := pcp.Values{ID: id, Type: pcp.Unknown, Err: pmerr.NoAgent}
		if m := w.metric(id); m != nil {
			v = pcp.Values{ID: id, Type: m.Desc.Type, Err: m.Values.Err}
			for i, inst := range m.Values.Insts {
				if !wanted(c.Profile, m.Desc.InDom, inst) {
					continue
				}
				v.Insts = append(v.Insts, inst)
				if m.Desc.Type.Arithmetic() {
					v.Words = append(v.Words, m.Values.Words[i])
				} else {
					v.Blobs = append(v.Blobs, m.Values.Blobs[i])
				}
			}
		}
		res.Sets = append(res.Sets, v)
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

// store takes values over, and returns the status.
func (w *World) store(sets []pcp.Values) pmerr.Code {
	for i := range sets {
		v := &sets[i]
		m := w.metric(v.ID)
		switch {
		case m == nil:
			return pmerr.NoAgent
		case m.ReadOnly:
			return pmerr.Permission
		case v.Odd != nil:
			return pmerr.BadStore
		}
		for k, inst := range v.Insts {
			at := m.Values.Find(inst)
			if at < 0 {
				return pmerr.Inst
			}
			if m.Desc.Type.Arithmetic() {
				m.Values.Words[at] = v.Words[k]
			} else {
				m.Values.Blobs[at] = v.Blobs[k]
			}
		}
	}
	return 0
}
