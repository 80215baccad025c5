package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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

// Catalog returns the metadata of the metrics that Write has exported: path is a table of metrics,
// or the directory of all tables. Metrics of one name that differ between hosts are an error.
func Catalog(path string) (pmapi.Source, error) {
	files := []string{path}
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(globText(path), "metrics", "host=*", "*.parquet")); err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: no table of metrics; want %s, as pmderive export writes it", path, filepath.Join(path, "metrics", "host=*"))
		}
	}
	names := new(pmns.Tree)
	c := &catalog{Source: pmapi.WithNames(nil, names), descs: make(map[pcp.ID]pcp.Desc)}
	from := make(map[pcp.ID]string)
	for _, file := range files {
		rows, err := metricsOf(file)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			d, err := rows[i].desc()
			if err == nil {
				err = c.add(names, rows[i].Metric, d, file, from)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: row %d, %s: %w", file, i+1, rows[i].Metric, err)
			}
		}
	}
	return c, nil
}

// add adds a metric of a file. from holds the first file of each metric.
func (c *catalog) add(names *pmns.Tree, name string, d pcp.Desc, file string, from map[pcp.ID]string) error {
	id, err := names.Lookup(name)
	if err != nil {
		n := uint32(len(c.descs))
		d.ID = pcp.NewID(1+n>>22, n>>10&0xfff, n&0x3ff)
		names.Add(name, d.ID)
		c.descs[d.ID], from[d.ID] = d, file
		return nil
	}
	d.ID = id
	was := c.descs[id]
	if was.InDom != pcp.NullInDom && d.InDom != pcp.NullInDom {
		d.InDom = was.InDom // its number does not matter
	}
	if d != was {
		return fmt.Errorf("it is %s here and %s in %s; name one of the tables", describe(d), describe(was), from[id])
	}
	return nil
}

func describe(d pcp.Desc) string {
	domain := "with instances"
	if d.InDom == pcp.NullInDom {
		domain = "without"
	}
	return fmt.Sprintf("%s, %s, units '%s', %s", d.Type.Text(), d.Sem.Text(), d.Units, domain)
}

const (
	maxMetricRows = 1 << 20
	maxMetricText = 256 << 20 // bytes of all texts
)

func metricsOf(file string) (rows []metricRow, err error) {
	f, table, err := openTable(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readMetrics(file, table)
}

// readMetrics reads a few rows at a time: a text that the file holds once takes memory in each row.
func readMetrics(name string, table *parquet.File) (rows []metricRow, err error) {
	defer recoverTable(name, &err)
	schema := parquet.SchemaOf(metricRow{})
	for _, column := range schema.Columns() {
		want, _ := schema.Lookup(column...)
		got, ok := table.Schema().Lookup(column...)
		if !ok {
			return nil, fmt.Errorf("%s: there is no column %s: it is not a table of metrics", name, column[0])
		}
		if got, want := got.Node.Type().Kind(), want.Node.Type().Kind(); got != want {
			return nil, fmt.Errorf("%s: column %s has the type %v, want %v", name, column[0], got, want)
		}
	}
	r := parquet.NewGenericReader[metricRow](table)
	defer r.Close()
	text := 0
	for buf := make([]metricRow, 8); ; clear(buf) {
		n, err := r.Read(buf)
		for _, row := range buf[:n] {
			text += len(row.Metric) + len(row.PMID) + len(row.Type) + len(row.Semantics) + len(row.Units)
			if row.Help != nil {
				text += len(*row.Help)
			}
			if row.InDom != nil {
				text += len(*row.InDom)
			}
		}
		rows = append(rows, buf[:n]...)
		switch {
		case len(rows) > maxMetricRows || text > maxMetricText:
			return nil, fmt.Errorf("%s: %w: %d metrics with %d bytes of text", name, pmerr.TooBig, len(rows), text)
		case errors.Is(err, io.EOF):
			return rows, nil
		case n == 0:
			return nil, fmt.Errorf("%s: %w", name, cmp.Or(err, io.ErrNoProgress))
		}
	}
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

// globText returns a pattern that matches exactly one path.
func globText(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
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
