package agent

import (
	"context"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/trace/internal/tracepdu"
)

var (
	counts    = pcp.Units{DimCount: 1}
	seconds   = pcp.Units{DimTime: 1, ScaleTime: pcp.Sec}
	perSecond = pcp.Units{DimTime: -1, DimCount: 1, ScaleTime: pcp.Sec}
	perEvent  = pcp.Units{DimTime: 1, DimCount: -1, ScaleTime: pcp.Sec}
)

// metrics returns the table (collector.md C14.3).
func (a *Agent) metrics() []pmda.Metric {
	tx := a.family(tracepdu.Transaction, "transact", 0, "Transactions")
	point := a.family(tracepdu.Point, "point", 6, "Passages of points")
	observe := a.family(tracepdu.Observation, "observe", 8, "Observations")
	counter := a.family(tracepdu.Counter, "counter", 17, "Values of counters")
	list := append(tx.rows, a.times(tx)...)
	list = append(list, point.rows...)
	list = append(list, observe.rows...)
	list = append(list, observe.metric("value", 10, pcp.Double, pcp.Instant, a.opts.ObserveUnits,
		"The last observation", "The value that was observed last, of each tag.",
		func(r *row) (float64, error) { return r.value, nil }))
	list = append(list, counter.rows...)
	list = append(list, counter.metric("value", 19, pcp.Double, pcp.Counter, a.opts.CounterUnits,
		"The last value of a counter", "The value that was reported last, of each tag. Programs report what has grown so far.",
		func(r *row) (float64, error) { return r.value, nil }))
	list = append(list, a.controls()...)
	for i := range list {
		if list[i].Store == nil {
			list[i].Store = refuse
		}
	}
	return list
}

// refuse answers a store to a metric that takes none, with the reference's error.
func refuse(*pmda.Client, *pcp.Values) error { return pmerr.PMID }

// A family is the metrics of one kind of report.
type family struct {
	agent  *Agent
	kind   tracepdu.Kind
	name   string
	indom  *pmda.InDom
	needs  *pmda.Reading
	period float64 // period in seconds
	rows   []pmda.Metric
}

// family returns the metrics that all kinds have. Their items begin with item.
func (a *Agent) family(k tracepdu.Kind, name string, item uint32, what string) *family {
	needs := &pmda.Reading{Read: func(context.Context, *pmda.Request) error {
		a.look(k)
		return nil
	}}
	f := &family{agent: a, kind: k, name: "trace." + name + ".", needs: needs, period: a.opts.Period.Seconds(), indom: &pmda.InDom{
		Serial:     uint32(k) - 1,
		Needs:      needs,
		List:       func() ([]pcp.Instance, error) { return a.shown[k].list, nil },
		OneLine:    "The tags of trace." + name,
		Help:       "There is one instance for each tag that a program has reported since the start, or\nsince trace.control.reset was stored.",
		InstLabels: pmda.NoLabels,
	}}
	f.rows = []pmda.Metric{
		f.metric("count", item, pcp.Uint64, pcp.Counter, counts, what+" since the start",
			"How often each tag was reported since the start of the agent, or since\ntrace.control.reset was stored.",
			func(r *row) (float64, error) { return float64(r.count), nil }),
		f.metric("rate", item+1, pcp.Float, pcp.Instant, perSecond, what+" per second over the period",
			"How often each tag was reported in the last trace.control.period seconds, divided by\ntheir number. The part of the period that still lasts does not count.",
			f.past(func(b *bucket) float64 { return float64(b.count) / f.period })),
	}
	return f
}

func (a *Agent) times(f *family) []pmda.Metric {
	const past = " in the last\ntrace.control.period seconds. The part of the period that still lasts does not count."
	return []pmda.Metric{
		f.metric("ave_time", 2, pcp.Float, pcp.Instant, perEvent, "Mean time of a transaction over the period",
			"The mean time of the transactions that ended"+past, f.past(func(b *bucket) float64 { return b.sum / float64(b.count) })),
		f.metric("min_time", 3, pcp.Float, pcp.Instant, seconds, "Shortest transaction of the period",
			"The shortest time of the transactions that ended"+past, f.past(func(b *bucket) float64 { return b.min })),
		f.metric("max_time", 4, pcp.Float, pcp.Instant, seconds, "Longest transaction of the period",
			"The longest time of the transactions that ended"+past, f.past(func(b *bucket) float64 { return b.max })),
		f.metric("total_time", 5, pcp.Double, pcp.Counter, seconds, "Time of all transactions since the start",
			"The sum of the times of all transactions since the start of the agent, or since\ntrace.control.reset was stored.",
			func(r *row) (float64, error) { return r.total, nil }),
	}
}

func (f *family) metric(name string, item uint32, t pcp.Type, sem pcp.Sem, u pcp.Units, oneLine, help string, value func(r *row) (float64, error)) pmda.Metric {
	return pmda.Metric{
		Name: f.name + name, Item: item, Type: t, Sem: sem, Units: u, InDom: f.indom, Needs: f.needs, OneLine: oneLine, Help: help,
		Fetch: pmda.Each(func(inst int32) (float64, error) {
			r := f.agent.shown[f.kind].rows[inst]
			return value(&r)
		}),
	}
}

// past makes the value of a metric about the period. A tag without a report in it has no value.
func (f *family) past(value func(b *bucket) float64) func(*row) (float64, error) {
	return func(r *row) (float64, error) {
		if r.past.count == 0 {
			return 0, pmda.NoValue
		}
		return value(&r.past), nil
	}
}

func (a *Agent) controls() []pmda.Metric {
	period := uint32(a.opts.Period / time.Second)
	row := func(name string, item uint32, u pcp.Units, value uint32, oneLine, help string) pmda.Metric {
		return pmda.Metric{Name: "trace.control." + name, Item: item, Type: pcp.Uint32, Sem: pcp.Discrete, Units: u, OneLine: oneLine, Help: help,
			Fetch: pmda.Always(value)}
	}
	list := []pmda.Metric{
		row("period", 11, seconds, period, "How far averages reach back",
			"The time over which rates, means and extremes are taken: the option -T of the agent."),
		row("interval", 12, seconds, period/uint32(a.opts.Buckets), "How often averages change",
			"The period divided by the number of its parts, in whole seconds. When a part ends,\nits reports become visible and those of the oldest part are forgotten."),
		row("buckets", 13, pcp.Units{}, uint32(a.opts.Buckets), "Number of parts of the period",
			"Into how many parts the period is divided: the option -N of the agent."),
		row("port", 14, pcp.Units{}, uint32(a.opts.Port), "The port for programs",
			"The TCP port at which programs report: the option -I of the agent, or the variable\nPCP_TRACE_PORT, or 4323."),
		row("reset", 15, pcp.Units{}, 1, "Store to clear all tags",
			"When a value is stored with pmstore(1), whatever it is, all tags and what was reported\nabout them are forgotten."),
		{Name: "trace.control.debug", Item: 16, Type: pcp.String, Sem: pcp.Discrete, OneLine: "The debug options of the agent",
			Help: "A list of debug options, joined by commas, as pmdbg(1) lists them. It can be set with\npmstore(1); appl0 logs connections and reports."},
	}
	list[4].Store = a.reset
	list[5].Store = a.storeDebug
	list[5].Fetch = pmda.One(func() string {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.debug
	})
	return list
}
