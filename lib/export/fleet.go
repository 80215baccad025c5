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
}

// A description is what a host says of a metric.
type description struct {
	says, most string // what the archives of the host say, the first and the last in order
	domain     string // "" for a single value; several of NAME if archives of the host differ in it
	desc       pcp.Desc
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
	// Domains is the instance domain of each metric, "" for none, if several of them have one.
	Domains []string
	Err     error // a description cannot be used
}

// Missing is what a host that does not have a metric says of it.
const Missing = "missing"

// readAhead is how many files are read at the same time: from a bucket, each takes a while.
const readAhead = 8

// Catalog returns the metadata of the metrics that Write has exported, of the hosts that count. Kinds are found for the
// metrics of the given names.
func (t *Tables) Catalog(ctx context.Context, names ...string) (*Fleet, error) {
	files, err := t.metricFiles(ctx)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		host, ok := hostOfDir(file)
		return ok && !t.counts(host)
	})
	c, tree := newCatalog()
	f := &Fleet{Source: c, names: names, hosts: make(map[string]map[string]description)}
	reads := ordered.Tasks(ctx, len(files), readAhead, 1, func(ctx context.Context, i int, yield func(*metricsRead) bool) {
		yield(metricsOf(ctx, t, files[i]))
	})
	for read := range reads {
		if read.err != nil {
			return nil, read.err
		}
		if !t.counts(read.host) {
			continue
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
				f.describe(read.host, row.Metric, description{says: row.says(), most: row.says(), domain: row.domain(), desc: d, err: err})
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(f.hosts) == 0 {
		return nil, fmt.Errorf("%s: there are no tables of host %s", t.Name(""), textwidth.Few(t.Hosts, 5))
	}
	slices.Sort(f.Unlabelled)
	return f, nil
}

// describe notes what one of a host's archives says of a metric.
func (f *Fleet) describe(host, name string, d description) {
	if was, again := f.hosts[host][name]; again {
		d.says, d.most = min(was.says, d.says), max(was.most, d.most)
		if d.says != d.most {
			d.err = errors.New("archives of the host describe it differently: " + d.text())
		}
		if d.domain != was.domain {
			d.domain = severalDomains + name
		}
	}
	f.hosts[host][name] = d
}

// severalDomains stands before the name of a metric of which archives of a host have different instance domains.
const severalDomains = "several of "

// says returns what a table says of a metric, as queries put it together.
func (r *metricRow) says() string {
	text := r.Type + ", " + r.Semantics + ", units " + cmp.Or(r.Units, "none")
	if r.InDom != nil {
		text += ", with instances"
	}
	return text
}

// domain returns the instance domain of a metric, "" for none.
func (r *metricRow) domain() string {
	if r.InDom == nil {
		return ""
	}
	return *r.InDom
}

// domains returns the instance domain of each of a host's metrics, none unless several of them have one.
func (f *Fleet) domains(host string) []string {
	list, n := make([]string, len(f.names)), 0
	for i, name := range f.names {
		if list[i] = f.hosts[host][name].domain; list[i] != "" {
			n++
		}
	}
	if n < 2 {
		return nil
	}
	return list
}

// Kinds returns the kinds of hosts, the one with most hosts first.
func (f *Fleet) Kinds(ctx context.Context) ([]*Kind, error) {
	kinds := make(map[string]*Kind)
	for _, host := range slices.Sorted(maps.Keys(f.hosts)) {
		says := make([]string, len(f.names))
		for i, name := range f.names {
			d := f.hosts[host][name]
			says[i] = cmp.Or(d.text(), Missing)
		}
		domains := f.domains(host)
		key := fmt.Sprintf("%q %q", says, domains)
		if kinds[key] == nil {
			kinds[key] = &Kind{Says: says, Domains: domains}
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
	for i, name := range f.names {
		d, ok := own[name]
		if k.Domains != nil && strings.HasPrefix(k.Domains[i], severalDomains) {
			k.Err = cmp.Or(k.Err, fmt.Errorf("%s: archives of the host have it in different instance domains", name))
		}
		switch {
		case ok && d.err != nil:
			k.Err = cmp.Or(k.Err, fmt.Errorf("%s: %w", name, d.err))
		case ok:
			c.add(tree, name, d.desc)
		}
	}
	all := f.Source.(*catalog)
	return all.Walk(ctx, "", true, func(name string, id pcp.ID) bool {
		below := func(known string) bool { // what some hosts have as a metric, and others as a node
			return strings.HasPrefix(name, known+".") && f.described(known)
		}
		if !slices.Contains(f.names, name) && !slices.ContainsFunc(f.names, below) {
			c.add(tree, name, all.descs[id])
		}
		return true
	})
}

// described reports whether some host has a metric.
func (f *Fleet) described(name string) bool {
	for _, metrics := range f.hosts {
		if _, ok := metrics[name]; ok {
			return true
		}
	}
	return false
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
	if host, ok := hostOfDir(file); ok { // which engines take
		return host, nil
	}
	if host, ok := table.Lookup("pmtools.host"); ok {
		return host, nil
	}
	return "", fmt.Errorf("%s: its host is not known: neither its metadata has pmtools.host nor is it in a directory host=HOST", file)
}

// hostOfDir returns the host of a file whose directory has its name.
func hostOfDir(file string) (string, bool) {
	dir, ok := strings.CutPrefix(filepath.Base(filepath.Dir(file)), "host=")
	host, err := partitioned(dir)
	return host, ok && err == nil
}
