package export

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// A catalog is a Source of the metadata of exported metrics, without values. It assigns its own
// identifiers, because those of hosts may differ.
type catalog struct {
	pmapi.Source // of the names
	descs        map[pcp.ID]pcp.Desc
}

func newCatalog() (*catalog, *pmns.Tree) {
	names := new(pmns.Tree)
	return &catalog{Source: pmapi.WithNames(nil, names), descs: make(map[pcp.ID]pcp.Desc)}, names
}

// add adds a metric unless there is one of that name.
func (c *catalog) add(names *pmns.Tree, name string, d pcp.Desc) {
	if _, err := names.Lookup(name); err == nil {
		return
	}
	n := uint32(len(c.descs))
	d.ID = pcp.NewID(1+n>>22, n>>10&0xfff, n&0x3ff)
	names.Add(name, d.ID)
	c.descs[d.ID] = d
}

// metricsOf reads a table of metrics.
func metricsOf(ctx context.Context, from Store, path string) (m *metricsRead) {
	file := from.Name(path)
	m = new(metricsRead)
	f, table, err := openTable(ctx, from, path)
	if m.err = err; err != nil {
		return m
	}
	defer f.Close()
	version, _ := table.Lookup("pmtools.schema")
	m.micros = version == strconv.Itoa(versionMicros)
	labels, _ := table.Lookup(labelsKey)
	m.labels = labels == labelsOfRecords
	if m.host, m.err = hostOf(file, table); m.err == nil {
		m.rows, m.err = readMetrics(file, table)
	}
	for i := range m.rows {
		if since := m.rows[i].Since; m.micros && since != nil {
			*since = max(min(*since, math.MaxInt64/1000), math.MinInt64/1000) * 1000
		}
	}
	return m
}

func readMetrics(name string, table *parquet.File) (rows []metricRow, err error) {
	err = eachRows(name, "metrics", table, chunk, func(list []metricRow) error {
		rows = append(rows, list...)
		return nil
	})
	return rows, err
}

func (r *metricRow) desc() (pcp.Desc, error) {
	d := pcp.Desc{Type: pcp.Unknown, InDom: pcp.NullInDom, Sem: -1}
	for t := pcp.NoSupport; t <= pcp.HighResEvent; t++ {
		if t.Text() == r.Type {
			d.Type = t
		}
	}
	for _, s := range []pcp.Sem{pcp.Counter, pcp.Instant, pcp.Discrete} {
		if s.Text() == r.Semantics {
			d.Sem = s
		}
	}
	if d.Type == pcp.Unknown || d.Sem < 0 {
		return d, fmt.Errorf("type '%s' and semantics '%s' are not known", r.Type, r.Semantics)
	}
	if r.InDom != nil {
		var domain, serial uint32
		if _, err := fmt.Sscanf(*r.InDom, "%d.%d", &domain, &serial); err != nil {
			return d, fmt.Errorf("indom '%s' is not of the form 60.1", *r.InDom)
		}
		d.InDom = pcp.NewInDom(domain, serial)
	}
	var err error
	if r.Units != "" {
		d.Units, _, err = pcp.ParseUnits(r.Units)
	}
	return d, err
}

func (c *catalog) Describe(_ context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	out := make([]pcp.Answer[pcp.Desc], len(ids))
	for i, id := range ids {
		d, ok := c.descs[id]
		if out[i].Value = d; !ok {
			out[i].Err = pmerr.PMID
		}
	}
	return out, nil
}
