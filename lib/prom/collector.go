package prom

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// CollectorOptions choose the metrics of a Collector.
type CollectorOptions struct {
	Names   []string      // the metrics, or nodes of the name space above them; nil means all
	Timeout time.Duration // of each collection; 0 means 10 seconds
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
type Collector struct {
	src  pmapi.Source
	opts CollectorOptions

	mu       sync.Mutex
	families []family
	result   pcp.Result
}

type family struct {
	format.Family
	desc   pcp.Desc
	metric *prometheus.Desc
}

// NewCollector returns a Collector of a source.
func NewCollector(src pmapi.Source, opts *CollectorOptions) *Collector {
	c := &Collector{src: src}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Names == nil {
		c.opts.Names = []string{""}
	}
	c.opts.Timeout = cmp.Or(c.opts.Timeout, 10*time.Second)
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
	if err := c.collect(ctx, out); err != nil {
		c.families = nil
		out <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
	}
}

func (c *Collector) collect(ctx context.Context, out chan<- prometheus.Metric) error {
	if c.families == nil {
		if err := c.survey(ctx); err != nil {
			return err
		}
	}
	req := &pmapi.Request{}
	for i := range c.families {
		req.IDs = append(req.IDs, c.families[i].desc.ID)
	}
	if err := c.src.Fetch(ctx, req, &c.result); err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	names := map[pcp.InDom]map[int32]string{}
	for i := range c.families {
		f := &c.families[i]
		if d := f.desc.InDom; d != pcp.NullInDom && names[d] == nil && c.result.Sets[i].Len() > 0 {
			insts, err := pmapi.InstancesOf(ctx, c.src, d, pmapi.Now())
			if err != nil {
				return fmt.Errorf("instances of %v: %w", d, err)
			}
			names[d] = map[int32]string{}
			for _, in := range insts {
				names[d][in.ID] = in.Name
			}
		}
		c.emit(f, &c.result.Sets[i], names[f.desc.InDom], out)
	}
	if c.result.Changes&pcp.NamesChanged != 0 {
		c.families = nil // the next collection looks at the name space again
	}
	return nil
}

func (c *Collector) survey(ctx context.Context) error {
	var names []string
	var ids []pcp.ID
	for _, root := range c.opts.Names {
		err := c.src.Walk(ctx, root, true, func(name string, id pcp.ID) bool {
			names, ids = append(names, name), append(ids, id)
			return true
		})
		if err != nil {
			return fmt.Errorf("%s: %w", root, err)
		}
	}
	descs, err := c.src.Describe(ctx, ids)
	if err != nil {
		return fmt.Errorf("descriptions: %w", err)
	}
	used := map[string]bool{}
	for i, d := range descs {
		f := family{Family: format.OpenMetricsFamily(names[i], &d.Value), desc: d.Value}
		if d.Err != nil || used[f.Name+f.Suffix] || !d.Value.Type.Arithmetic() && d.Value.Type != pcp.String {
			continue
		}
		used[f.Name+f.Suffix] = true
		help := names[i]
		if text, err := pmapi.LookupText(ctx, c.src, pcp.OneLine, uint32(ids[i])); err == nil && text != "" {
			help = text
		}
		var labels []string
		if d.Value.InDom != pcp.NullInDom {
			labels = append(labels, "instance")
		}
		if f.Kind == "info" {
			labels = append(labels, "value")
		}
		f.metric = prometheus.NewDesc(f.Name+f.Suffix, help, labels, nil)
		c.families = append(c.families, f)
	}
	return nil
}

func (c *Collector) emit(f *family, v *pcp.Values, names map[int32]string, out chan<- prometheus.Metric) {
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
		out <- m
	}
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
