// Package storetest is a daemon for tests of pmstore: it serves a few metrics on a
// socket, keeps what is stored to them, and misbehaves where it is told to.
//
// [New] returns a [Daemon] with the metrics of [Metrics]; [Daemon.Serve] answers
// the connections of a listener.
package storetest

import (
	"bytes"
	"net"
	"slices"
	"sync"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// A Daemon answers clients. It may be used by several goroutines.
type Daemon struct {
	mu      sync.Mutex
	metrics []*Metric
	stores  []string
}

// New returns a daemon in its first state.
func New() *Daemon { return &Daemon{metrics: Metrics()} }

// Stores returns the metrics that stores were asked for so far, each with the
// bytes of the request.
func (d *Daemon) Stores() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.stores)
}

// Serve answers the clients that connect to l, until l is closed.
func (d *Daemon) Serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go d.client(c)
	}
}

// features are what the greeting offers: labels, times in nanoseconds, several
// descriptions in one request (wire.md W3.2).
const features = 0x02010e00

// A connection is what a daemon knows of one client.
type connection struct {
	*Daemon
	profile pcp.Profile
	fetches map[pcp.ID]int // how often each metric was fetched
}

// client answers one client until it leaves, or until a metric wants it dropped.
func (d *Daemon) client(nc net.Conn) {
	defer nc.Close()
	c := &connection{Daemon: d, fetches: map[pcp.ID]int{}}
	if !send(nc, &pdu.Error{Greeting: true, Info: features}) {
		return
	}
	for r := pdu.NewReader(nc); ; {
		f, err := r.Next()
		if err != nil {
			return
		}
		reply, ok := c.answer(f)
		if !ok || reply != nil && !send(nc, reply) {
			return
		}
	}
}

// send writes a message.
func send(nc net.Conn, m pdu.Message) bool {
	msg, err := m.Encode(nil)
	if err != nil {
		return false
	}
	_, err = nc.Write(msg)
	return err == nil
}

// answer returns the reply to a message, nil for none, and false if the client is
// to be dropped.
func (c *connection) answer(f pdu.Frame) (pdu.Message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := pdu.New(f.Type)
	if result, ok := m.(*pdu.Result); ok {
		result.TypeOf = c.typeOf
	}
	if m == nil || m.Decode(f.Body) != nil {
		return &pdu.Error{Code: pmerr.IPC}, true
	}
	switch m := m.(type) {
	case *pdu.Creds:
		return nil, true
	case *pdu.Profile:
		c.setProfile(m)
		return nil, true
	case *pdu.Names:
		return c.lookup(m.Names), true
	case *pdu.DescReq:
		return c.describe(m.ID), true
	case *pdu.DescIDs:
		return c.describeAll(m.IDs), true
	case *pdu.InstanceReq:
		return c.instances(m), true
	case *pdu.Fetch:
		v, code := c.fetch(m.IDs)
		return refuse(code, &pdu.Result{Values: v}), code != pmerr.IPC
	case *pdu.HighResFetch:
		v, code := c.fetch(m.IDs)
		return refuse(code, &pdu.HighResResult{Result: pdu.Result{Values: v}}), code != pmerr.IPC
	case *pdu.Result:
		code := c.store(m.Values, f.Body)
		return &pdu.Error{Code: code}, code != pmerr.IPC
	}
	return &pdu.Error{Code: pmerr.IPC}, true
}

// refuse returns the error message for a code, or m if there is none.
func refuse(code pmerr.Code, m pdu.Message) pdu.Message {
	if code != 0 {
		return &pdu.Error{Code: code}
	}
	return m
}

// byID returns a metric, nil if there is none.
func (d *Daemon) byID(id pcp.ID) *Metric {
	for _, m := range d.metrics {
		if m.Desc.ID == id {
			return m
		}
	}
	return nil
}

// typeOf returns the type of a metric.
func (d *Daemon) typeOf(id pcp.ID) pcp.Type {
	if m := d.byID(id); m != nil {
		return m.Desc.Type
	}
	return pcp.Unknown
}

// lookup answers a question for identifiers.
func (d *Daemon) lookup(names []string) pdu.Message {
	reply := new(pdu.IDs)
	for _, name := range names {
		i := slices.IndexFunc(d.metrics, func(m *Metric) bool { return m.Name == name })
		switch {
		case i < 0 && len(names) == 1:
			return &pdu.Error{Code: pmerr.Name}
		case i < 0:
			reply.IDs = append(reply.IDs, pcp.NullID)
			continue
		case d.metrics[i].LookupErr != 0:
			return &pdu.Error{Code: d.metrics[i].LookupErr}
		}
		reply.Status++
		reply.IDs = append(reply.IDs, d.metrics[i].Desc.ID)
	}
	return reply
}

// describe answers a question for a description.
func (d *Daemon) describe(id pcp.ID) pdu.Message {
	m := d.byID(id)
	if m == nil {
		return &pdu.Error{Code: pmerr.PMID}
	}
	return refuse(m.DescErr, &pdu.Desc{Desc: m.Desc})
}

// describeAll answers a question for descriptions.
func (d *Daemon) describeAll(ids []pcp.ID) pdu.Message {
	reply := new(pdu.Descs)
	for _, id := range ids {
		switch m := d.byID(id); {
		case m == nil || m.DescErr != 0:
			reply.Descs = append(reply.Descs, pcp.Desc{ID: pcp.NullID})
		default:
			reply.Descs = append(reply.Descs, m.Desc)
		}
	}
	return reply
}

// instances answers a question for one instance or for all.
func (d *Daemon) instances(q *pdu.InstanceReq) pdu.Message {
	all, ok := indoms[q.InDom]
	if !ok {
		return &pdu.Error{Code: pmerr.InDom}
	}
	reply := &pdu.Instance{InDom: q.InDom}
	if q.Inst == pcp.NullInst && q.Name == "" {
		reply.Instances = all
		return reply
	}
	for _, in := range all {
		switch {
		case q.Name != "" && in.Name == q.Name:
			reply.Instances = []pcp.Instance{{ID: in.ID}}
			return reply
		case q.Name == "" && in.ID == q.Inst:
			reply.Instances = []pcp.Instance{{ID: pcp.NullInst, Name: in.Name}}
			return reply
		}
	}
	return &pdu.Error{Code: pmerr.Inst}
}

// setProfile keeps what a client wants of each instance domain.
func (c *connection) setProfile(m *pdu.Profile) {
	c.profile = pcp.Profile{}
	if m.Exclude {
		c.profile.DelAll()
	}
	for _, e := range m.Entries {
		if e.Exclude {
			c.profile.Del(e.InDom)
			if len(e.Insts) > 0 {
				c.profile.Add(e.InDom, e.Insts...)
			}
			continue
		}
		c.profile.Add(e.InDom)
		if len(e.Insts) > 0 {
			c.profile.Del(e.InDom, e.Insts...)
		}
	}
}

// fetch returns the values of metrics that the profile selects. pmerr.IPC stands
// for a lost connection.
func (c *connection) fetch(ids []pcp.ID) (*pcp.Result, pmerr.Code) {
	r := new(pcp.Result)
	r.Time = pcp.Timestamp{Sec: 1_000_000_000}
	r.Reset(len(ids))
	for i, id := range ids {
		m := c.byID(id)
		if m == nil {
			r.Sets[i].ID, r.Sets[i].Err = id, pmerr.PMID
			continue
		}
		a := m.Answer
		if n := c.fetches[id]; n > 0 && len(m.Later) > 0 {
			a = m.Later[min(n, len(m.Later))-1]
		}
		c.fetches[id]++
		if a.Refused != 0 {
			return nil, a.Refused
		}
		r.Sets[i] = a.selected(m.Desc.InDom, &c.profile)
		r.Sets[i].ID = id
	}
	return r, 0
}

// store changes the first metric of a request, unless it does not want to be
// changed, and returns the answer.
func (d *Daemon) store(r *pcp.Result, body []byte) pmerr.Code {
	if len(r.Sets) == 0 {
		return 0
	}
	v := &r.Sets[0]
	m := d.byID(v.ID)
	if m == nil {
		return pmerr.NoAgent
	}
	// The time of the request, in front, is that of the client's clock.
	d.stores = append(d.stores, m.Name+" "+string(bytes.Clone(body[8:])))
	if m.StoreErr != 0 {
		return m.StoreErr
	}
	if m.Forgets || v.Type != m.Answer.Values.Type || v.Odd != nil {
		return 0
	}
	for i, inst := range v.Insts {
		m.set(inst, v, i)
	}
	return 0
}
