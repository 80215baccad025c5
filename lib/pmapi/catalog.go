package pmapi

import (
	"context"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// A Catalog knows metrics and their instances. Embed one in a Source of your own: it has every method
// but Fetch, and [Catalog.Columns] is most of that.
//
//	type clock struct{ *pmapi.Catalog }
//
//	func (c clock) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
//		dst.Time = pcp.TimestampOf(time.Now())
//		return c.Columns(req, dst, func(id pcp.ID, inst int32) (pcp.Value, error) {
//			return pcp.WordValue(pcp.Uint64, uint64(dst.Time.Sec)), nil
//		})
//	}
//
// The zero Catalog has no metrics. Add and SetInstances may be called between requests.
type Catalog struct {
	Hostname string // what Host returns
	Zone     string
	names    pmns.Tree
	metrics  map[pcp.ID]CatalogMetric
	domains  map[pcp.InDom][]pcp.Instance
	closed   bool
}

// A CatalogMetric is a metric as a Catalog knows it.
type CatalogMetric struct {
	Name    string
	Desc    pcp.Desc
	OneLine string // help text of one line; empty if there is none
	Text    string // the full one
}

// Add adds a metric. The error is pmerr.Name for an invalid or duplicate name, and pmerr.PMID for a
// duplicate identifier.
func (c *Catalog) Add(m CatalogMetric) error {
	if _, taken := c.metrics[m.Desc.ID]; taken {
		return pmerr.PMID
	}
	if !c.names.Add(m.Name, m.Desc.ID) {
		return pmerr.Name
	}
	if c.metrics == nil {
		c.metrics = make(map[pcp.ID]CatalogMetric)
	}
	c.metrics[m.Desc.ID] = m
	return nil
}

// SetInstances gives a domain its instances, in place of those that it had.
func (c *Catalog) SetInstances(d pcp.InDom, list []pcp.Instance) {
	if c.domains == nil {
		c.domains = make(map[pcp.InDom][]pcp.Instance)
	}
	c.domains[d] = list
}

// Columns fills dst with a column for each metric of a request: the values of the instances that the
// request selects. If value fails with pmerr.Value, the instance is left out; any other error
// becomes the metric's. The caller sets the time of dst.
func (c *Catalog) Columns(req *Request, dst *pcp.Result, value func(id pcp.ID, inst int32) (pcp.Value, error)) error {
	if c.closed {
		return pmerr.NoContext
	}
	dst.Reset(len(req.IDs))
	for i, id := range req.IDs {
		c.column(id, req.Profile, &dst.Sets[i], value)
	}
	return nil
}

func (c *Catalog) column(id pcp.ID, p *pcp.Profile, col *pcp.Values, value func(pcp.ID, int32) (pcp.Value, error)) {
	m, ok := c.metrics[id]
	col.Reset(id, m.Desc.Type)
	if !ok {
		col.Err = pmerr.PMID
		return
	}
	list := []pcp.Instance{{ID: pcp.NullInst}}
	if m.Desc.InDom != pcp.NullInDom {
		list = c.domains[m.Desc.InDom]
	}
	for _, x := range list {
		if x.ID != pcp.NullInst && !p.Selects(m.Desc.InDom, x.ID) {
			continue
		}
		switch v, err := value(id, x.ID); {
		case err == nil:
			col.Append(x.ID, v)
		case pmerr.Of(err) != pmerr.Value:
			col.Reset(id, m.Desc.Type)
			col.Err = pmerr.Of(err).Err()
			return
		}
	}
}

// Lookup implements Source.
func (c *Catalog) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	return lookupEach(names, c.names.Lookup), c.err()
}

// Names implements Source.
func (c *Catalog) Names(_ context.Context, id pcp.ID) ([]string, error) {
	if c.closed {
		return nil, pmerr.NoContext
	}
	return c.names.Names(id)
}

// Children implements Source.
func (c *Catalog) Children(_ context.Context, name string) ([]pcp.Child, error) {
	if c.closed {
		return nil, pmerr.NoContext
	}
	return c.names.Children(name)
}

// Walk implements Source.
func (c *Catalog) Walk(_ context.Context, name string, _ bool, f func(name string, id pcp.ID) bool) error {
	if c.closed {
		return pmerr.NoContext
	}
	return c.names.Walk(name, f)
}

// Describe implements Source.
func (c *Catalog) Describe(_ context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	return answerEach(ids, func(id pcp.ID) (pcp.Desc, error) {
		m, ok := c.metrics[id]
		if !ok {
			return pcp.Desc{}, pmerr.PMID
		}
		return m.Desc, nil
	}), c.err()
}

// Text implements Source. Instance domains have no texts.
func (c *Catalog) Text(_ context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error) {
	return answerEach(idents, func(ident uint32) (string, error) {
		m := c.metrics[pcp.ID(ident)]
		text := m.Text
		switch kind {
		case pcp.OneLine:
			text = m.OneLine
		case pcp.Help:
		case pcp.OneLine | pcp.InDomText, pcp.Help | pcp.InDomText:
			text = ""
		default:
			return "", pmerr.Arg
		}
		if text == "" {
			return "", pmerr.Text
		}
		return text, nil
	}), c.err()
}

// Labels implements Source: there are none.
func (c *Catalog) Labels(_ context.Context, _ pcp.LabelKind, idents []uint32, _ When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	return make([]pcp.Answer[pcp.ObjectLabels], len(idents)), c.err()
}

// Instances implements Source.
func (c *Catalog) Instances(_ context.Context, ds []pcp.InDom, _ When) ([]pcp.Answer[[]pcp.Instance], error) {
	return answerEach(ds, c.instances), c.err()
}

// LookupInst implements Source.
func (c *Catalog) LookupInst(_ context.Context, d pcp.InDom, name string) (int32, error) {
	list, err := c.instances(d)
	if err != nil {
		return pcp.NullInst, err
	}
	inst, ok := pcp.FindInstance(list, name)
	if !ok {
		return pcp.NullInst, pmerr.Inst
	}
	return inst, nil
}

// InstName implements Source.
func (c *Catalog) InstName(_ context.Context, d pcp.InDom, inst int32) (string, error) {
	list, err := c.instances(d)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(list, func(x pcp.Instance) bool { return x.ID == inst })
	if i < 0 {
		return "", pmerr.Inst
	}
	return list[i].Name, nil
}

func (c *Catalog) instances(d pcp.InDom) ([]pcp.Instance, error) {
	if err := c.err(); err != nil {
		return nil, err
	}
	list, ok := c.domains[d]
	if !ok {
		return nil, pmerr.InDom
	}
	return list, nil
}

// Host implements Source.
func (c *Catalog) Host() (name, zone string) { return c.Hostname, c.Zone }

// Close implements Source.
func (c *Catalog) Close() error {
	c.closed = true
	return nil
}

func (c *Catalog) err() error {
	if c.closed {
		return pmerr.NoContext
	}
	return nil
}

// Closed reports whether Close was called: then every method of a Source fails with pmerr.NoContext.
func (c *Catalog) Closed() bool { return c.closed }
