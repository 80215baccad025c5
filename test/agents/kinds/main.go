// Command kinds is an agent that has a metric of each kind, for trying lib/pmda under the daemon:
// each type, dynamic names, values that depend on the client, events, errors, and times at which it
// is not ready.
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

func main() { os.Exit(pmda.Main(newKinds)) }

// kinds is the agent.
type kinds struct {
	*pmda.Agent
	delay time.Duration // for which the agent will not be ready
	late  bool          // there is a new name below kinds.dyn
	ended int32         // clients that are gone
	told  bool          // that names have changed
}

// newKinds returns the agent, which begins with not being ready.
func newKinds(o *pmda.Options) (pmda.Provider, error) {
	o.Attrs, o.NotReady = true, true
	k := &kinds{delay: 1500 * time.Millisecond}
	var err error
	k.Agent, err = pmda.New(pmda.Table{Domain: o.DomainOr(451), Labels: `{"agent":"kinds"}`, Metrics: k.metrics(), ClusterLabels: func(c uint32) string {
		return fmt.Sprintf(`{"cluster":%d}`, c)
	}})
	return k, err
}

// metrics returns the table.
func (k *kinds) metrics() []pmda.Metric {
	one := func(name string, item uint32, t pcp.Type, fetch func(*pmda.Column) error) pmda.Metric {
		return pmda.Metric{Name: "kinds." + name, Item: item, Type: t, Sem: pcp.Instant, OneLine: "the one of " + name, Labels: `{"item":"` + name + `"}`, Fetch: fetch}
	}
	fail := func(err error) func(*pmda.Column) error { return func(*pmda.Column) error { return err } }
	metrics := []pmda.Metric{
		one("type.i32", 0, pcp.Int32, pmda.One(func() int { return math.MinInt32 })),
		one("type.u32", 1, pcp.Uint32, pmda.One(func() uint32 { return math.MaxUint32 })),
		one("type.i64", 2, pcp.Int64, pmda.One(func() int64 { return math.MinInt64 })),
		one("type.u64", 3, pcp.Uint64, pmda.One(func() uint64 { return math.MaxUint64 })),
		one("type.float", 4, pcp.Float, pmda.One(func() float32 { return 1.5 })),
		one("type.double", 5, pcp.Double, pmda.One(func() float64 { return math.Pi })),
		one("type.string", 6, pcp.String, pmda.One(func() string { return "hullo" })),
		one("type.aggregate", 7, pcp.Aggregate, func(c *pmda.Column) error { c.Bytes(pcp.NullInst, []byte{1, 2, 3}); return nil }),
		one("error.profile", 10, pcp.Int32, fail(pmerr.Profile)),
		one("error.none", 11, pcp.Int32, fail(pmda.NoValue)),
		one("error.version", 12, pcp.NoSupport, nil),
		one("who", 13, pcp.String, who),
		one("ended", 14, pcp.Int32, pmda.One(func() int32 { return k.ended })),
		one("event.point", 15, pcp.Event, k.events(pcp.Event)),
		one("event.highres", 16, pcp.HighResEvent, k.events(pcp.HighResEvent)),
		{Name: "kinds.dyn", Dynamic: true},
		one("dyn.a", 20, pcp.Int32, pmda.One(func() int { return 20 })),
		one("dyn.sub.b", 21, pcp.Int32, pmda.One(func() int { return 21 })),
		one("dyn.sub.same", 21, pcp.Int32, nil),
		{Name: "kinds.elsewhere", Domain: 2, Cluster: 0, Item: 9},
	}
	if k.late {
		metrics = append(metrics, one("dyn.late", 22, pcp.Int32, pmda.One(func() int { return 22 })))
	}
	control := one("control.not_ready", 30, pcp.Int32, pmda.One(func() int64 { return k.delay.Milliseconds() }))
	control.Store = func(_ *pmda.Client, v *pcp.Values) error {
		k.delay = time.Duration(int32(v.Words[0])) * time.Millisecond
		return nil
	}
	late := one("control.late", 31, pcp.Int32, pmda.One(func() int { return 0 }))
	late.Store = func(*pmda.Client, *pcp.Values) error {
		k.late, k.told = true, false
		return k.SetMetrics(k.metrics())
	}
	return append(metrics, control, late)
}

// who shows what is known about the client.
func who(c *pmda.Column) error {
	a := c.Client().Attrs
	c.Text(pcp.NullInst, fmt.Sprintf("user %s group %s process %v", a[pmda.UserID], a[pmda.GroupID], a[pmda.ProcessID] != ""))
	return nil
}

// events returns what fetches a metric with two records.
func (k *kinds) events(t pcp.Type) func(*pmda.Column) error {
	ev := pmda.NewEvents(t)
	return func(c *pmda.Column) error {
		ev.Reset()
		if err := ev.Record(pcp.Timestamp{Sec: 1_000_000_000, Nsec: 123_456_789}, pcp.EventStart|pcp.EventHasID); err != nil {
			return err
		}
		if err := ev.Param(k.id(0), pcp.WordValue(pcp.Int32, 7)); err != nil {
			return err
		}
		if err := ev.Param(k.id(6), pcp.BlobValue(pcp.String, []byte("text"))); err != nil {
			return err
		}
		ev.Missed(pcp.Timestamp{Sec: 1_000_000_001}, 3)
		c.Bytes(pcp.NullInst, ev.Bytes())
		return nil
	}
}

// id returns the identifier of an item.
func (k *kinds) id(item uint32) pcp.ID { return pcp.NewID(k.Domain(), 0, item) }

// Fetch announces once that names have changed.
func (k *kinds) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
	if err := k.Agent.Fetch(ctx, req, dst); err != nil {
		return err
	}
	if k.late && !k.told {
		k.told = true
		dst.Changes |= pcp.NamesChanged
	}
	return nil
}

// Check implements pmda.Checker.
func (k *kinds) Check(context.Context, *pmda.Client) error {
	if k.delay > 0 {
		return pmda.ErrNotReady
	}
	return nil
}

// WaitReady implements pmda.Waiter.
func (k *kinds) WaitReady(ctx context.Context) error {
	select {
	case <-time.After(k.delay):
	case <-ctx.Done():
	}
	k.delay = 0
	return ctx.Err()
}

// SetAttr implements pmda.ClientWatcher.
func (k *kinds) SetAttr(*pmda.Client, pdu.AttrCode) {}

// EndClient implements pmda.ClientWatcher.
func (k *kinds) EndClient(*pmda.Client) { k.ended++ }
