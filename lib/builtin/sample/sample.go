// Package sample collects metrics of all kinds, for tests of programs that read metrics.
package sample

import (
	"cmp"
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/builtin/internal/catalog"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// How the sample collector is made (collector.md C11).
//
// The metrics are in a list, metrics.txt, in the order of the name space. Each theme has a file
// with the functions that fetch and store its metrics. Items and instance domains have the
// reference's numbers; all metrics are in cluster 0.
//
// Values depend only on the number and the times of fetches. Values that look random come from one
// shared generator (random.go), so that they depend on the order of fetches.

// Domain is the domain of the metrics, unless the options have another.
const Domain = 29

//go:embed metrics.txt
var metricsText string

// Options configure a sample collector. The zero value is the default.
type Options struct {
	Domain uint32 // 0 means Domain
	// Name is the first component of the names; "" means "sample".
	Name string
	// Dir is a directory whose file dynamic.indom has the instances of sample.dynamic.*, a line of
	// a number and a name for each. "" means none.
	Dir string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// New returns a collector with metrics of all kinds, for tests of programs that read metrics: it
// has all types, semantics and units, instances that come and go, errors, event records, values
// that can be stored.
func New(o *Options) (pmda.Provider, error) {
	s := &collector{items: map[uint32]*pmda.Metric{}, list: catalog.New(metricsText)}
	s.traffic.clients = map[*pmda.Client]*client{}
	if o != nil {
		s.opts = *o
	}
	s.opts.Domain, s.opts.Name = cmp.Or(s.opts.Domain, Domain), cmp.Or(s.opts.Name, "sample")
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	s.start = s.opts.Now()
	s.now = s.start
	s.traffic.sent = 1 // the message by which an agent introduces itself to a daemon
	for i := range s.list.Metrics {
		if m := &s.list.Metrics[i]; s.items[m.Item] == nil && m.Sem|pcp.Sem(m.Type) != 0 {
			s.items[m.Item] = m
		}
	}
	s.list.Metric("bad.unknown").Domain = s.opts.Domain     // a name of nothing
	s.list.Metric("secret.foo.bar.max.redirect").Domain = 2 // the metric's identifier is in the daemon's domain
	for _, add := range []func(){
		s.addControl, s.addClocks, s.addConstants, s.addBins, s.addFamilies, s.addMirage, s.addScramble, s.addProc,
		s.addGhosts, s.addRandom, s.addSteps, s.addCounters, s.addDynamic, s.addTraffic, s.addEvents, s.addPhysics,
	} {
		add()
	}
	var err error
	s.Agent, err = pmda.New(pmda.Table{
		Domain:        s.opts.Domain,
		Metrics:       s.rows(),
		Labels:        `{"agent":"` + s.opts.Name + `","role":"testing"}`,
		InDoms:        []*pmda.InDom{s.list.InDoms["11"]},
		ClusterLabels: clusterLabels,
	})
	return s, err
}

func clusterLabels(cluster uint32) string {
	if cluster == 0 {
		return `{"cluster":"zero"}`
	}
	return ""
}

type collector struct {
	*pmda.Agent
	opts       Options
	start, now time.Time // now is that of the current request
	list       *catalog.Catalog
	items      map[uint32]*pmda.Metric // metrics of the list, by item
	request    int                     // counts fetches

	control   control
	clocks    clocks
	constants constants
	bins      bins
	families  families
	mirage    mirage
	scrambled scrambled
	procs     procs
	ghosts    ghosts
	random    random
	steps     steps
	counters  counters
	dynamic   dynamic
	traffic   traffic
	events    events
	physics   physics
}

func (s *collector) define(item uint32, fetch func(*pmda.Column) error) *pmda.Metric {
	m := s.items[item]
	m.Fetch = fetch
	return m
}

func (s *collector) int32s(item uint32, value *int32) *pmda.Metric {
	return s.define(item, pmda.One(func() int32 { return *value }))
}

// indom sets the instances of a domain. Their label sets are empty, as in the reference.
func (s *collector) indom(serial string, list ...pcp.Instance) *pmda.InDom {
	d := s.list.InDoms[serial]
	d.Instances, d.InstLabels = list, pmda.NoLabels
	return d
}

func storable(value *int32) func(*pmda.Client, *pcp.Values) error {
	return setting(func(w uint64) { *value = int32(w) })
}

// setting makes a Metric.Store from a function that takes the word of the only value.
func setting(set func(w uint64)) func(*pmda.Client, *pcp.Values) error {
	return storing(func(w uint64) error {
		set(w)
		return nil
	})
}

// storing is like setting for a function that may refuse the value.
func storing(set func(w uint64) error) func(*pmda.Client, *pcp.Values) error {
	return func(_ *pmda.Client, v *pcp.Values) error {
		if v.Len() != 1 || len(v.Words) != 1 {
			return pmerr.BadStore
		}
		return set(v.Words[0])
	}
}

func storedText(v *pcp.Values) ([]byte, error) {
	if v.Len() != 1 || len(v.Blobs) != 1 {
		return nil, pmerr.BadStore
	}
	return v.Blobs[0], nil
}

// Fetch implements pmda.Provider. Values that change with time change before the first metric is
// fetched.
func (s *collector) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
	s.begin(req.Client)
	s.request++
	s.families.profile = req.Profile
	s.now = s.opts.Now()
	s.refreshMirage()
	if s.random.dodgey > 5 && s.random.dodgeyFetches < 0 {
		s.redrawDodgey()
	}
	for _, id := range req.IDs {
		if err := s.refuses(id); err != nil {
			return err
		}
	}
	err := s.Agent.Fetch(ctx, req, dst)
	s.shareBogus(dst)
	s.end(req.Client)
	return err
}

// Instances implements pmda.Provider.
func (s *collector) Instances(ctx context.Context, c *pmda.Client, d pcp.InDom) ([]pcp.Instance, error) {
	s.begin(c)
	defer s.end(c)
	s.now = s.opts.Now()
	if d == pcp.NewInDom(s.opts.Domain, 3) {
		s.refreshMirage()
	}
	return s.Agent.Instances(ctx, c, d)
}

// FindInstance implements pmda.InstanceFinder: only the text before the first blank counts, in the
// names and in the requested name.
func (s *collector) FindInstance(ctx context.Context, c *pmda.Client, d pcp.InDom, name string) (int32, error) {
	list, err := s.Instances(ctx, c, d)
	if err != nil {
		return 0, err
	}
	name, _, _ = strings.Cut(name, " ")
	for _, i := range list {
		if word, _, _ := strings.Cut(i.Name, " "); word == name {
			return i.ID, nil
		}
	}
	return 0, pmerr.Inst
}

// Desc implements pmda.Provider.
func (s *collector) Desc(ctx context.Context, c *pmda.Client, id pcp.ID) (pcp.Desc, error) {
	s.begin(c)
	defer s.end(c)
	if err := s.refuses(id); err != nil {
		return pcp.Desc{}, err
	}
	d, err := s.Agent.Desc(ctx, c, id)
	switch {
	case err != nil:
		return d, err
	case id.Item() == 55 && d.Type == pcp.NoSupport:
		d.Sem = 0
	case id.Item() == 86 && d.InDom == pcp.NullInDom:
		d.InDom = s.dynamic.metaInDom
	}
	return d, nil
}

// Text implements pmda.Texter.
func (s *collector) Text(ctx context.Context, c *pmda.Client, id pcp.ID, kind pcp.TextKind) (string, error) {
	s.begin(c)
	defer s.end(c)
	if err := s.refuses(id); err != nil {
		return "", err
	}
	return s.Agent.Text(ctx, c, id, kind)
}

// InDomText implements pmda.Texter.
func (s *collector) InDomText(ctx context.Context, c *pmda.Client, d pcp.InDom, kind pcp.TextKind) (string, error) {
	s.begin(c)
	defer s.end(c)
	return s.Agent.InDomText(ctx, c, d, kind)
}

// Labels implements pmda.Labeler. The label of a changed metric is optional: it is not part of the
// metric's identity.
func (s *collector) Labels(ctx context.Context, c *pmda.Client, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	s.begin(c)
	defer s.end(c)
	if kind == pcp.InstanceLabels {
		if _, err := s.Agent.Instances(ctx, c, pcp.InDom(ident)); err != nil {
			return nil, err
		}
	}
	sets, err := s.Agent.Labels(ctx, c, kind, ident)
	if changed, ok := s.control.changed[pcp.ID(ident).Item()]; ok && kind == pcp.ItemLabels && s.Metric(pcp.ID(ident)) != nil {
		label := pcp.Label{Name: "changed", Value: strconv.FormatBool(changed), Flags: pcp.LabelOptional}
		sets = []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{label}}}
	}
	return sets, err
}

// Store implements pmda.Storer.
func (s *collector) Store(ctx context.Context, c *pmda.Client, sets []pcp.Values) error {
	s.begin(c)
	defer s.end(c)
	s.now = s.opts.Now()
	for i := range sets {
		if sets[i].ID == pcp.NewID(s.opts.Domain, 0, 54) {
			return pmerr.Permission // the name exists, but the metric does not
		}
		if err := s.oddStore(&sets[i]); err != nil {
			return err
		}
		if err := s.Agent.Store(ctx, c, sets[i:i+1]); err != nil {
			return err
		}
		if _, ok := s.control.changed[sets[i].ID.Item()]; ok {
			s.control.changed[sets[i].ID.Item()] = true
		}
	}
	return nil
}

// oddStore returns the error of values that have another type than their metric, if it is not the
// usual one: for metrics whose values do not have 32 bits, the type is invalid.
func (s *collector) oddStore(v *pcp.Values) error {
	m := s.Metric(v.ID)
	if m == nil || m.Store == nil || len(v.Odd) == 0 || v.Len() != 1 && v.ID.Item() != 6 {
		return nil
	}
	long := m.Type != pcp.Int32 && m.Type != pcp.Uint32 || v.ID.Item() == 6
	if long != v.Odd[0].InSitu || v.ID.Item() == 40 {
		return pmerr.Conv
	}
	return nil
}

// rows returns the table. While there are no ghosts, only sample.ghosts.visible of them is in it.
func (s *collector) rows() []pmda.Metric {
	var rows []pmda.Metric
	for _, m := range s.list.Metrics {
		if strings.HasPrefix(m.Name, "ghosts.") && m.Item != 1008 && s.ghosts.visible < 0 {
			continue
		}
		m.Name = s.opts.Name + "." + m.Name
		rows = append(rows, m)
	}
	return rows
}

// readFile returns the text of a file in a directory, "" if there is none.
func readFile(dir, name string) (string, time.Time) {
	if dir == "" {
		return "", time.Time{}
	}
	path := filepath.Join(dir, name)
	fi, err := os.Stat(path)
	text, err2 := os.ReadFile(path)
	if err != nil || err2 != nil {
		return "", time.Time{}
	}
	return string(text), fi.ModTime()
}
