package prom

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// CollectorOptions choose the metrics of a Collector.
type CollectorOptions struct {
	Names   []string      // the metrics, or nodes of the name space above them; nil means all
	Timeout time.Duration // of each collection; 0 means 10 seconds
	Logger  *slog.Logger  // gets names and instances that are not there, each once; nil means slog.Default
}

// A Collector gives the metrics of a source to Prometheus: a daemon's, an archive's, those of the
// collectors inside the program, derived ones. A registry or goroutines may share it; the source is
// its own.
//
// Names, units and instances are those of OpenMetrics output (docs/output.md): kernel.all.load with
// the instance "1 minute" is kernel_all_load{instance="1 minute"}, mem.physmem in Kbyte is
// mem_physmem_bytes, and a string has the value 1 and the label value. Where names are equal, the
// first metric is collected, and of instances with the same labels the first. Values of an archive
// have the time of their record, and each collection reads the next.
//
// A name that the source does not know is logged, and looked for again in each collection. It is an error
// only if there is no other. A connection that was lost is made again once in a collection, by a source
// such as pmapi.Host.
type Collector struct {
	src  pmapi.Source
	opts CollectorOptions

	mu       sync.Mutex
	missing  []string // names without metrics so far
	families []family
	used     map[string]bool // their names
	logged   map[string]bool
	result   pcp.Result
}

type family struct {
	format.Family
	desc   pcp.Desc
	metric *prometheus.Desc
}

// NewCollector returns a Collector of a source.
func NewCollector(src pmapi.Source, opts *CollectorOptions) *Collector {
	c := &Collector{src: src, logged: map[string]bool{}}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Names == nil {
		c.opts.Names = []string{""}
	}
	c.opts.Timeout = cmp.Or(c.opts.Timeout, 10*time.Second)
	c.opts.Logger = cmp.Or(c.opts.Logger, slog.Default())
	c.forget()
	return c
}

// Describe implements prometheus.Collector. It describes nothing: metrics of a source may change.
func (c *Collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector. An error of the source is an invalid metric, which
// becomes an error of the Gatherer.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), c.opts.Timeout)
	defer cancel()
	metrics, err := c.collect(ctx)
	if errors.Is(err, pmerr.IPC) {
		c.forget()
		metrics, err = c.collect(ctx)
	}
	if err != nil {
		c.forget()
		out <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
		return
	}
	for _, m := range metrics {
		out <- m
	}
}

// forget makes the next collection look at the name space again.
func (c *Collector) forget() {
	c.missing, c.families, c.used = c.opts.Names, nil, map[string]bool{}
}

func (c *Collector) warn(ctx context.Context, what string, err error) {
	if !c.logged[what] {
		c.logged[what] = true
		c.opts.Logger.WarnContext(ctx, "not collected", "what", what, "error", err)
	}
}

func (c *Collector) collect(ctx context.Context) (metrics []prometheus.Metric, err error) {
	if err := c.survey(ctx); err != nil {
		return nil, err
	}
	req := &pmapi.Request{}
	for i := range c.families {
		req.IDs = append(req.IDs, c.families[i].desc.ID)
	}
	if err := c.src.Fetch(ctx, req, &c.result); err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	names, err := c.instances(ctx)
	if err != nil {
		return nil, err
	}
	for i := range c.families {
		f := &c.families[i]
		metrics = c.emit(f, &c.result.Sets[i], names[f.desc.InDom], metrics)
	}
	if c.result.Changes&pcp.NamesChanged != 0 {
		c.forget()
	}
	return metrics, nil
}

// instances returns the names of instances in the domains of the result.
func (c *Collector) instances(ctx context.Context) (map[pcp.InDom]map[int32]string, error) {
	var domains []pcp.InDom
	names := map[pcp.InDom]map[int32]string{pcp.NullInDom: nil}
	for i := range c.families {
		d := c.families[i].desc.InDom
		if _, known := names[d]; !known && c.result.Sets[i].Len() > 0 {
			domains, names[d] = append(domains, d), map[int32]string{}
		}
	}
	lists, err := c.src.Instances(ctx, domains, pmapi.Now())
	if err != nil {
		return nil, fmt.Errorf("instances: %w", err)
	}
	for i, list := range lists {
		if list.Err != nil {
			c.warn(ctx, "instances of "+domains[i].String(), list.Err)
		}
		for _, in := range list.Value {
			names[domains[i]][in.ID] = in.Name
		}
	}
	return names, nil
}

// survey looks for the metrics of the names that are missing.
func (c *Collector) survey(ctx context.Context) error {
	var names []string
	var ids []pcp.ID
	var missing []string
	var unknown error
	for _, root := range c.missing {
		err := c.src.Walk(ctx, root, true, func(name string, id pcp.ID) bool {
			names, ids = append(names, name), append(ids, id)
			return true
		})
		if errors.Is(err, pmerr.Name) {
			c.warn(ctx, root, err)
			missing, unknown = append(missing, root), fmt.Errorf("%s: %w", root, err)
		} else if err != nil {
			return fmt.Errorf("%s: %w", root, err)
		}
	}
	if len(missing) == len(c.opts.Names) && unknown != nil {
		return unknown
	}
	if len(ids) == 0 {
		return nil
	}
	descs, err := c.src.Describe(ctx, ids)
	if err != nil {
		return fmt.Errorf("descriptions: %w", err)
	}
	texts, err := c.src.Text(ctx, pcp.OneLine, identsOf(ids))
	if err != nil {
		return fmt.Errorf("help texts: %w", err)
	}
	for i, d := range descs {
		f := family{Family: format.OpenMetricsFamily(names[i], &d.Value), desc: d.Value}
		if d.Err != nil || c.used[f.Name+f.Suffix] || !d.Value.Type.Arithmetic() && d.Value.Type != pcp.String {
			continue
		}
		c.used[f.Name+f.Suffix] = true
		var labels []string
		if d.Value.InDom != pcp.NullInDom {
			labels = append(labels, "instance")
		}
		if f.Kind == "info" {
			labels = append(labels, "value")
		}
		f.metric = prometheus.NewDesc(f.Name+f.Suffix, cmp.Or(texts[i].Value, names[i]), labels, nil)
		c.families = append(c.families, f)
	}
	c.missing = missing
	return nil
}

func identsOf(ids []pcp.ID) []uint32 {
	idents := make([]uint32, len(ids))
	for i, id := range ids {
		idents[i] = uint32(id)
	}
	return idents
}

func (c *Collector) emit(f *family, v *pcp.Values, names map[int32]string, out []prometheus.Metric) []prometheus.Metric {
	kind := prometheus.GaugeValue
	if f.Kind == "counter" {
		kind = prometheus.CounterValue
	}
	_, recorded := pmapi.As[pmapi.Timeline](c.src)
	seen := make(map[string]bool)
	for i := range v.Len() {
		var labels []string
		if f.desc.InDom != pcp.NullInDom {
			name, ok := names[v.Insts[i]]
			if !ok {
				continue // it has come since
			}
			labels = append(labels, valid(name))
		}
		x, err := 1.0, error(nil)
		if f.Kind == "info" {
			labels = append(labels, valid(string(v.Value(i).Bytes())))
		} else if x, err = v.Value(i).Float64(); err != nil {
			continue
		}
		key := strings.Join(labels, "\xff") // which valid labels do not have
		if seen[key] {
			continue
		}
		seen[key] = true
		m, err := prometheus.NewConstMetric(f.metric, kind, f.Scale(x), labels...)
		switch {
		case err != nil:
			m = prometheus.NewInvalidMetric(f.metric, err)
		case recorded:
			m = prometheus.NewMetricWithTimestamp(c.result.Time.Time(), m)
		}
		out = append(out, m)
	}
	return out
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
