package export

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
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

	names []string                            // those of which the descriptions by each host are known
	hosts map[string]map[string][]description // by host and name, ascending by since
}

// A description is what a host says of a metric, from a time on.
type description struct {
	says   string
	domain string // "" for a single value
	since  int64  // nanoseconds since 1970; always for the first, if tables do not say it
	desc   pcp.Desc
	err    error // why the desc is not valid
}

// always is before all records.
const always = math.MinInt64

// A Kind is the hosts that describe some metrics alike. As a Source it has these metrics as its hosts
// describe them, and the other metrics of the Fleet.
type Kind struct {
	pmapi.Source
	Hosts []string // in order
	Says  []string // what the hosts say of each metric: type, semantics, units; Missing if they do not have it
	// Domains is the instance domain of each metric, "" for none, if several of them have one.
	Domains []string
	// From and Until bound the records that the hosts describe so, after and before others: From counts, Until does not.
	// Zero is no bound.
	From, Until pcp.Timestamp
	Err         error // a description cannot be used
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
	f := &Fleet{Source: c, names: names, hosts: make(map[string]map[string][]description)}
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
			f.hosts[read.host] = make(map[string][]description)
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
				f.describe(read.host, row.Metric, description{row.says(), row.domain(), row.since(), d, err})
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

// describe notes what a table of a host says of a metric.
func (f *Fleet) describe(host, name string, d description) {
	list := f.hosts[host][name]
	if !slices.ContainsFunc(list, func(was description) bool {
		return was.says == d.says && was.domain == d.domain && was.since == d.since
	}) {
		at, _ := slices.BinarySearchFunc(list, d.since, func(was description, since int64) int { return cmp.Compare(was.since, since) })
		f.hosts[host][name] = slices.Insert(list, at, d)
	}
}

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

// since returns from which time on a table says so.
func (r *metricRow) since() int64 {
	if r.Since == nil {
		return always
	}
	return *r.Since
}

// Kinds returns the kinds of hosts, the one with most hosts first, and of one host the newest.
func (f *Fleet) Kinds(ctx context.Context) ([]*Kind, error) {
	kinds := make(map[string]*Kind)
	for _, host := range slices.Sorted(maps.Keys(f.hosts)) {
		for _, k := range f.kindsOf(host) {
			key := fmt.Sprintf("%q %q %v %v", k.Says, k.Domains, k.From, k.Until)
			if kinds[key] == nil {
				if err := f.describeKind(ctx, k); err != nil {
					return nil, err
				}
				kinds[key] = &k.Kind
			}
			kinds[key].Hosts = append(kinds[key].Hosts, host)
		}
	}
	return slices.SortedFunc(maps.Values(kinds), func(a, b *Kind) int {
		return cmp.Or(cmp.Compare(len(b.Hosts), len(a.Hosts)), strings.Compare(a.Hosts[0], b.Hosts[0]), b.From.Compare(a.From))
	}), nil
}

// An era is a kind with the descriptions of its metrics, nil for one that the host does not have.
type era struct {
	Kind
	metrics []*description
}

// kindsOf returns how a host describes the metrics, one time after the other.
func (f *Fleet) kindsOf(host string) []*era {
	own := f.hosts[host]
	starts := []int64{always}
	for _, name := range f.names {
		for i, d := range own[name] {
			if i > 0 {
				starts = append(starts, d.since)
			}
		}
	}
	slices.Sort(starts)
	var list []*era
	for _, at := range slices.Compact(starts) {
		e := f.eraAt(own, at)
		if n := len(list); n > 0 && slices.Equal(list[n-1].Says, e.Says) && slices.Equal(list[n-1].Domains, e.Domains) {
			continue
		} else if n > 0 {
			e.From = timestamp(stamp(at))
			list[n-1].Until = e.From
		}
		list = append(list, e)
	}
	last := list[len(list)-1]
	for i, name := range f.names {
		if says := torn(own[name], last.Domains != nil); says != "" {
			err := fmt.Errorf("archives of the host describe it differently, and the tables do not say since when: %s; export them again, into another directory", says)
			last.metrics[i], last.Says[i], last.From, list = &description{err: err}, says, pcp.Timestamp{}, []*era{last}
		}
	}
	return list
}

// torn returns two descriptions of a metric if tables, those of 0.2, do not say which was first.
func torn(list []description, domains bool) string {
	for i := 1; i < len(list); i++ {
		a, b := &list[i-1], &list[i]
		switch same := a.since == b.since; {
		case same && a.says != b.says:
			return min(a.says, b.says) + " and " + max(a.says, b.says)
		case same && domains:
			return a.says + " of " + a.domain + " and of " + b.domain
		}
	}
	return ""
}

// eraAt returns how the metrics of a host are described at a time.
func (f *Fleet) eraAt(own map[string][]description, at int64) *era {
	e := &era{metrics: make([]*description, len(f.names))}
	e.Says, e.Domains = make([]string, len(f.names)), make([]string, len(f.names))
	domains := 0
	for i, name := range f.names {
		e.Says[i] = Missing
		for k := range own[name] {
			if d := &own[name][k]; k == 0 || d.since <= at {
				e.metrics[i], e.Says[i], e.Domains[i] = d, d.says, d.domain
			}
		}
		if e.Domains[i] != "" {
			domains++
		}
	}
	if domains < 2 {
		e.Domains = nil
	}
	return e
}

func (f *Fleet) describeKind(ctx context.Context, k *era) error {
	c, tree := newCatalog()
	k.Source = c
	for i, name := range f.names {
		switch d := k.metrics[i]; {
		case d == nil:
		case d.err != nil:
			k.Err = cmp.Or(k.Err, fmt.Errorf("%s: %w", name, d.err))
		default:
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
