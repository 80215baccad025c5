// Package agent is the trace agent: it receives the reports of instrumented programs, which use
// package lib/trace, and makes metrics of them.
//
//	a, err := agent.New(nil)
//	if err != nil { ... }
//	defer a.Close()
//	l, err := net.Listen("tcp", "localhost:4323")
//	if err != nil { ... }
//	go a.Serve(l)
//
// An [Agent] is a pmda.Provider: pmda.Main makes it an agent of the daemon, as test/agents/trace
// does, and with builtin.New a program can have it inside.
package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/trace/internal/tracepdu"
)

// The defaults of Options.
const (
	Domain         = 10
	DefaultPort    = 4323
	defaultPeriod  = time.Minute
	defaultBuckets = 5
	defaultClients = 1000
	maxBuckets     = 100_000
)

// Options configure an Agent. The zero value is the default.
type Options struct {
	Domain uint32 // 0 means Domain
	// Period is the time span of rates, averages and extremes. It is rounded to seconds; 0 means a
	// minute.
	Period time.Duration
	// Buckets are the parts that the period has: as one of them ends, it becomes visible, and the
	// oldest is forgotten. 0 means 5.
	Buckets int
	// ObserveUnits and CounterUnits are the units of trace.observe.value and trace.counter.value.
	ObserveUnits, CounterUnits pcp.Units
	// Port is the value of trace.control.port; 0 means DefaultPort.
	Port int
	// Access are the rules for hosts that connect; nil admits all.
	Access []*Rule
	// MaxClients limits the simultaneous connections; 0 means 1000. A further connection is refused.
	MaxClients int
	// Debug are the debug options at the start. With "appl0" the agent logs connections and reports.
	Debug []string
	// Logf takes lines about errors of clients; nil drops them.
	Logf func(format string, args ...any)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// An Agent has the metrics of the trace agent. Serve may be called from other goroutines than those
// that ask for metrics, as often as there are listeners.
type Agent struct {
	*pmda.Agent
	opts   Options
	start  time.Time
	shown  [tracepdu.Counter + 1]view // views of the current request
	server server
	places chan struct{} // one for each connection

	stall, silence time.Duration // defaultStall and defaultSilence, except in tests

	verbose atomic.Bool // among the debug options is appl0

	mu    sync.Mutex
	kinds [tracepdu.Counter + 1]tags
	debug string // the debug options
}

type view struct {
	list []pcp.Instance // tags by number
	rows map[int32]row
}

// New returns an Agent, which no program can reach before Serve. Options that are out of bounds are
// pmerr.EINVAL.
func New(o *Options) (*Agent, error) {
	a := &Agent{stall: defaultStall, silence: defaultSilence}
	if o != nil {
		a.opts = *o
	}
	p := &a.opts
	p.Domain, p.Port, p.MaxClients = cmp.Or(p.Domain, Domain), cmp.Or(p.Port, DefaultPort), cmp.Or(p.MaxClients, defaultClients)
	p.Period, p.Buckets = cmp.Or(p.Period, defaultPeriod).Truncate(time.Second), cmp.Or(p.Buckets, defaultBuckets)
	switch {
	case p.Period < time.Second || p.Period > 1<<31*time.Second:
		return nil, fmt.Errorf("%w: a period of %v, not 1 second to 2^31", pmerr.EINVAL, o.Period)
	case p.Buckets < 1 || p.Buckets > maxBuckets:
		return nil, fmt.Errorf("%w: %d buckets, not 1 to %d", pmerr.EINVAL, p.Buckets, maxBuckets)
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Logf == nil {
		p.Logf = func(string, ...any) {}
	}
	a.start, a.places = p.Now(), make(chan struct{}, p.MaxClients)
	a.setDebug(p.Debug)
	var err error
	a.Agent, err = pmda.New(pmda.Table{Domain: p.Domain, Metrics: a.metrics()})
	return a, err
}

func (a *Agent) slot() int64 {
	return int64(a.opts.Now().Sub(a.start) / (a.opts.Period / time.Duration(a.opts.Buckets)))
}

func (a *Agent) report(d *tracepdu.Data) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.slot()
	return a.kinds[d.Kind].add(d, now, now-int64(a.opts.Buckets))
}

func (a *Agent) look(k tracepdu.Kind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, now := &a.shown[k], a.slot()
	v.list, v.rows = v.list[:0], map[int32]row{}
	for _, t := range a.kinds[k].sorted {
		v.list = append(v.list, pcp.Instance{ID: t.id, Name: t.name})
		v.rows[t.id] = t.row(now, now-int64(a.opts.Buckets))
	}
}

// reset forgets all tags, for a store to trace.control.reset. The tags keep their numbers.
func (a *Agent) reset(*pmda.Client, *pcp.Values) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for k := range a.kinds {
		a.kinds[k].reset()
	}
	a.opts.Logf("all tags were cleared")
	return nil
}

// storeDebug sets the debug options. An unknown name clears them all.
func (a *Agent) storeDebug(_ *pmda.Client, v *pcp.Values) error {
	if v.Type != pcp.String || len(v.Blobs) != 1 {
		return pmerr.BadStore
	}
	list := string(v.Blobs[0])
	names, ok := pmda.DebugOptions(list)
	a.setDebug(names)
	if !ok && list != "" {
		return pmerr.Conv
	}
	return nil
}

func (a *Agent) setDebug(names []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.debug = strings.Join(names, ",")
	if every, _ := pmda.DebugOptions("all"); slices.Equal(names, every) {
		a.debug = "all"
	}
	a.verbose.Store(slices.Contains(names, "appl0"))
}

// Close ends all connections and listeners, and waits for Serve. It may be called twice.
func (a *Agent) Close() error { return a.server.close() }
