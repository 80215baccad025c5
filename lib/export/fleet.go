package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"pmtools/internal/ordered"
	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A Fleet is the metadata of the metrics that hosts have exported, without values. As a Source it has
// the metrics of all hosts, each as the first host describes it.
type Fleet struct {
	pmapi.Source
	Micros bool // the tables have times in microseconds, see Config
	// Unlabelled is the hosts whose tables do not say from which record on labels hold, in order: those of
	// earlier versions and of live sources.
	Unlabelled []string

	names []string                          // those of which the descriptions by each host are known
	hosts map[string]map[string]description // by host and name
	nodes map[string]map[string]string      // by one of the names and host: a metric of it below that name, or above it
}

// A description is what a host says of a metric.
type description struct {
	says, most string // what the archives of the host say, the first and the last in order
	desc       pcp.Desc
	moved      bool  // archives of the host have it in different instance domains
	err        error // why the desc is not valid
}

func (d *description) text() string {
	if d.says == d.most {
		return d.says
	}
	return d.says + " and " + d.most
}

// A Kind is the hosts that describe some metrics alike. As a Source it has these metrics as its hosts
// describe them, and the other metrics of the Fleet.
type Kind struct {
	pmapi.Source
	Hosts []string // in order
	Says  []string // what the hosts say of each metric: type, semantics, units; Missing if they do not have it
	Err   error    // a description cannot be used
}

// Missing is what a host that does not have a metric says of it.
const Missing = "missing"

// readAhead is how many files are read at the same time: from a bucket, each takes a while.
const readAhead = 8

// Catalog returns the metadata of the metrics that Write has exported. Kinds are found for the metrics of the
// given names.
func (t *Tables) Catalog(ctx context.Context, names ...string) (*Fleet, error) {
	files, err := t.metricFiles(ctx)
	if err != nil {
		return nil, err
	}
	c, tree := newCatalog()
	f := &Fleet{Source: c, names: names, hosts: make(map[string]map[string]description), nodes: make(map[string]map[string]string)}
	reads := ordered.Tasks(ctx, len(files), readAhead, 1, func(ctx context.Context, i int, yield func(*metricsRead) bool) {
		yield(metricsOf(ctx, t, files[i]))
	})
	for read := range reads {
		if read.err != nil {
			return nil, read.err
		}
		if f.Micros != read.micros && len(f.hosts) > 0 {
			return nil, fmt.Errorf("%s: the tables of host %s have other times than those before: export with --us, and without, into directories of their own", t.Name(""), read.host)
		}
		if f.Micros = read.micros; f.hosts[read.host] == nil {
			f.hosts[read.host] = make(map[string]description)
		}
		if !read.labels && !slices.Contains(f.Unlabelled, read.host) {
			f.Unlabelled = append(f.Unlabelled, read.host)
		}
		for i := range read.rows {
			row := &read.rows[i]
			d, err := row.desc()
			if err == nil {
				c.add(tree, row.Metric, d)
			}
			if slices.Contains(names, row.Metric) {
				f.describe(read.host, row.Metric, description{says: row.says(), most: row.says(), desc: d, err: err})
			}
			f.note(read.host, row.Metric)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.Sort(f.Unlabelled)
	return f, nil
}

// describe notes what one of a host's archives says of a metric.
func (f *Fleet) describe(host, name string, d description) {
	if was, again := f.hosts[host][name]; again {
		d.says, d.most, d.moved = min(was.says, d.says), max(was.most, d.most), was.moved || was.desc.InDom != d.desc.InDom
		if d.says != d.most {
			d.err = errors.New("archives of the host describe it differently: " + d.text())
		}
	}
	f.hosts[host][name] = d
}

// note notes a metric of a host that stands below one of the names, or above it.
func (f *Fleet) note(host, metric string) {
	for _, name := range f.names {
		if strings.HasPrefix(metric, name+".") || strings.HasPrefix(name, metric+".") {
			if f.nodes[name] == nil {
				f.nodes[name] = make(map[string]string)
			}
			f.nodes[name][host] = metric
		}
	}
}

// oneTree returns an error if one of the names is a metric on a host, and on another one a node above metrics, or below one: there is
// one name space for all hosts, which cannot have both.
func (f *Fleet) oneTree() error {
	for _, name := range f.names {
		var hosts []string
		for host, list := range f.hosts {
			if _, ok := list[name]; ok {
				hosts = append(hosts, host)
			}
		}
		if others := slices.Sorted(maps.Keys(f.nodes[name])); len(others) > 0 && len(hosts) > 0 {
			slices.Sort(hosts)
			return fmt.Errorf("%s is a metric of host %s, and %s one of host %s: their name spaces contradict each other; export these hosts into directories of their own",
				name, textwidth.Few(hosts, 5), f.nodes[name][others[0]], textwidth.Few(others, 5))
		}
	}
	return nil
}

// says returns what a table says of a metric, as queries put it together.
func (r *metricRow) says() string {
	text := r.Type + ", " + r.Semantics + ", units " + cmp.Or(r.Units, "none")
	if r.InDom != nil {
		text += ", with instances"
	}
	return text
}

// domains returns the instance domains of a host's metrics if they are several, for which those of another host may be one; moved is a
// metric of which archives of the host say different ones.
func (f *Fleet) domains(host string) (text, moved string) {
	var list []pcp.InDom
	for _, name := range f.names {
		d, ok := f.hosts[host][name]
		if !ok || d.desc.InDom == pcp.NullInDom {
			continue
		}
		if list = append(list, d.desc.InDom); d.moved {
			moved = name
		}
	}
	switch {
	case len(list) <= 1 || moved == "" && len(slices.Compact(slices.Clone(list))) == 1:
		return "", ""
	case moved != "":
		return moved, moved
	}
	return fmt.Sprint(list), ""
}

// Kinds returns the kinds of hosts, the one with most hosts first; of the given ones, or of all if none of these has tables. Hosts that say the
// same are of two kinds where the metrics are of several instance domains, and these are others.
func (f *Fleet) Kinds(ctx context.Context, hosts ...string) ([]*Kind, error) {
	if err := f.oneTree(); err != nil {
		return nil, err
	}
	known := slices.Sorted(maps.Keys(f.hosts))
	if given := slices.DeleteFunc(slices.Clone(known), func(host string) bool { return !slices.Contains(hosts, host) }); len(given) > 0 {
		known = given
	}
	kinds := make(map[string]*Kind)
	for _, host := range known {
		says := make([]string, len(f.names))
		for i, name := range f.names {
			d := f.hosts[host][name]
			says[i] = cmp.Or(d.text(), Missing)
		}
		domains, _ := f.domains(host)
		key := fmt.Sprintf("%q %s", says, domains)
		if kinds[key] == nil {
			kinds[key] = &Kind{Says: says}
		}
		kinds[key].Hosts = append(kinds[key].Hosts, host)
	}
	list := slices.SortedFunc(maps.Values(kinds), func(a, b *Kind) int {
		return cmp.Or(cmp.Compare(len(b.Hosts), len(a.Hosts)), strings.Compare(a.Hosts[0], b.Hosts[0]))
	})
	for _, k := range list {
		if err := f.describeKind(ctx, k); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (f *Fleet) describeKind(ctx context.Context, k *Kind) error {
	c, tree := newCatalog()
	k.Source = c
	own := f.hosts[k.Hosts[0]]
	if _, moved := f.domains(k.Hosts[0]); moved != "" {
		k.Err = fmt.Errorf("%s: archives of the host have it in different instance domains", moved)
	}
	for _, name := range f.names {
		d, ok := own[name]
		switch {
		case ok && d.err != nil:
			k.Err = cmp.Or(k.Err, fmt.Errorf("%s: %w", name, d.err))
		case ok:
			c.add(tree, name, d.desc)
		}
	}
	all := f.Source.(*catalog)
	return all.Walk(ctx, "", true, func(name string, id pcp.ID) bool {
		if !slices.Contains(f.names, name) {
			c.add(tree, name, all.descs[id])
		}
		return true
	})
}

// hostOf returns the host of a table. Tables of another version than those of this package are an error.
func hostOf(file string, table *parquet.File) (string, error) {
	if text, ok := table.Lookup("pmtools.schema"); ok {
		switch n, err := strconv.Atoi(text); {
		case err != nil || n > versionMicros:
			return "", fmt.Errorf("%s: its tables have version %q, this program knows versions up to %d; use a later pmderive", file, text, versionMicros)
		case n < versionNanos:
			return "", fmt.Errorf("%s: its tables have version %d, without the columns that queries need (record, position): export the archives again, into another directory", file, n)
		}
	}
	if dir, ok := strings.CutPrefix(filepath.Base(filepath.Dir(file)), "host="); ok { // which engines take
		if host, err := partitioned(dir); err == nil {
			return host, nil
		}
	}
	if host, ok := table.Lookup("pmtools.host"); ok {
		return host, nil
	}
	return "", fmt.Errorf("%s: its host is not known: neither its metadata has pmtools.host nor is it in a directory host=HOST", file)
}
