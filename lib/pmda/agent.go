package pmda

import (
	"cmp"
	"context"
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// An Agent is a Provider made from a Table. It is also an InstanceFinder, a Texter, a Labeler, a
// Storer and a Namer, all of them by the table.
//
// The table may be changed between requests, through Metric, SetMetrics and the InDoms, which are
// shared with it.
type Agent struct {
	table    Table
	names    []Name
	roots    []string // of dynamic subtrees
	rows     map[pcp.ID]*Metric
	indoms   map[uint32]*InDom // by serial
	request  uint64            // the number of the current request
	column   Column
	stores   bool // some metric has a Store
	singular [1]pcp.Instance
}

// New returns the Agent of a table. The error describes the fault in the table.
func New(t Table) (*Agent, error) {
	if t.Domain == 0 || t.Domain >= pcp.DynamicDomain {
		return nil, fmt.Errorf("%w: domain %d", pmerr.EINVAL, t.Domain)
	}
	a := &Agent{table: t, singular: [1]pcp.Instance{{ID: pcp.NullInst}}}
	if err := a.SetMetrics(t.Metrics); err != nil {
		return nil, err
	}
	return a, nil
}

// SetMetrics gives the agent other metrics. They belong to the agent from then on. With an error it
// keeps the ones it had.
func (a *Agent) SetMetrics(metrics []Metric) error {
	next := &Agent{rows: make(map[pcp.ID]*Metric, len(metrics)), indoms: map[uint32]*InDom{}}
	next.table.Domain = a.table.Domain
	for _, d := range a.table.InDoms {
		if err := next.addInDom(d); err != nil {
			return err
		}
	}
	for i := range metrics {
		if err := next.addMetric(&metrics[i]); err != nil {
			return err
		}
	}
	a.table.Metrics, a.stores = metrics, next.stores
	a.names, a.roots, a.rows, a.indoms = next.names, next.roots, next.rows, next.indoms
	return nil
}

// The largest parts of identifiers.
const (
	maxCluster = 1<<12 - 1
	maxItem    = 1<<10 - 1
	maxSerial  = 1<<22 - 1
)

func (a *Agent) addMetric(m *Metric) error {
	if m.Cluster > maxCluster || m.Item > maxItem {
		return fmt.Errorf("%w: %s: cluster %d, item %d", pmerr.EINVAL, m.Name, m.Cluster, m.Item)
	}
	id, isName := pcp.NewID(a.table.Domain, m.Cluster, m.Item), m.Dynamic || m.Domain != 0
	switch {
	case m.Dynamic:
		id = RootID(a.table.Domain)
		a.roots = append(a.roots, m.Name)
	case m.Domain != 0:
		id = pcp.NewID(m.Domain, m.Cluster, m.Item)
	}
	if m.Name != "" {
		a.names = append(a.names, Name{m.Name, id})
	}
	if isName || a.rows[id] != nil {
		return nil
	}
	a.rows[id] = m
	a.stores = a.stores || m.Store != nil
	if m.InDom == nil {
		return nil
	}
	return a.addInDom(m.InDom)
}

func (a *Agent) addInDom(d *InDom) error {
	if d.Serial > maxSerial {
		return fmt.Errorf("%w: instance domain %d", pmerr.EINVAL, d.Serial)
	}
	if other := a.indoms[d.Serial]; other != nil && other != d {
		return fmt.Errorf("%w: two instance domains %d", pmerr.EINVAL, d.Serial)
	}
	a.indoms[d.Serial] = d
	return nil
}

// Domain implements Provider.
func (a *Agent) Domain() uint32 { return a.table.Domain }

// Names implements Provider. Names below dynamic roots are not among them.
func (a *Agent) Names() []Name {
	var names []Name
	for _, n := range a.names {
		if n.ID == RootID(a.table.Domain) || !a.isDynamic(n.Name) {
			names = append(names, n)
		}
	}
	return names
}

// Metric returns the row of a metric, or nil.
func (a *Agent) Metric(id pcp.ID) *Metric { return a.rows[id] }

// InDomID returns the identifier of an instance domain, NullInDom for nil.
func (a *Agent) InDomID(d *InDom) pcp.InDom {
	if d == nil {
		return pcp.NullInDom
	}
	return pcp.NewInDom(a.table.Domain, d.Serial)
}

// Desc implements Provider.
func (a *Agent) Desc(_ context.Context, _ *Client, id pcp.ID) (pcp.Desc, error) {
	m := a.rows[id]
	if m == nil {
		return pcp.Desc{}, pmerr.PMID
	}
	return pcp.Desc{ID: id, Type: m.Type, InDom: a.InDomID(m.InDom), Sem: m.Sem, Units: m.Units}, nil
}

// Fetch implements Provider. Metrics are fetched in the order of the request, after the Readings
// that they need.
func (a *Agent) Fetch(ctx context.Context, req *Request, dst *pcp.Result) error {
	a.request++
	dst.Reset(len(req.IDs))
	for i, id := range req.IDs {
		v := &dst.Sets[i]
		m := a.rows[id]
		if m == nil {
			v.Reset(id, pcp.Unknown)
			v.Err = pmerr.PMID
			continue
		}
		v.Reset(id, m.Type)
		if err := a.fetch(ctx, req, m, v); err != nil && len(v.Insts) == 0 {
			v.Err = pmerr.Of(err).Err()
		}
	}
	return ctx.Err()
}

func (a *Agent) fetch(ctx context.Context, req *Request, m *Metric, v *pcp.Values) error {
	if m.Fetch == nil {
		if m.Type == pcp.NoSupport {
			return pmerr.AppVersion
		}
		return nil
	}
	if err := a.read(ctx, req, m.Needs); err != nil {
		return err
	}
	c := &a.column
	*c = Column{agent: a, ctx: ctx, req: req, metric: m, indom: a.InDomID(m.InDom), dst: v, chosen: c.chosen}
	c.all = m.InDom == nil || req.Profile.All()
	err := m.Fetch(c)
	return cmp.Or(err, c.err)
}

// read runs a Reading, once per request.
func (a *Agent) read(ctx context.Context, req *Request, r *Reading) error {
	if r == nil {
		return nil
	}
	if r.request == a.request {
		return r.err
	}
	r.request, r.err = a.request, nil
	for _, n := range r.Needs {
		if r.err = a.read(ctx, req, n); r.err != nil {
			return r.err
		}
	}
	if r.Read != nil {
		r.err = r.Read(ctx, req)
	}
	return r.err
}
