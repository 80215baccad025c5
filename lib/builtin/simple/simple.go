// Package simple is an example of a collector: constants, instances, stores, labels.
package simple

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"pmtools/lib/builtin/internal/host"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// Domain is the domain of the metrics, unless the options have another.
const Domain = 253

// Options configure a simple collector. The zero value is the default.
type Options struct {
	Domain uint32 // 0 means Domain
	// Config is a file whose first line lists the instances of simple.now: "sec", "min" and "hour",
	// joined by commas. It is read again when it has changed; without the file there are no
	// instances. "" means all three.
	Config string
	// Logf takes lines about mistakes in the files; nil drops them.
	Logf func(format string, args ...any)
}

// New returns a collector that demonstrates collectors: it has a counter, fixed and configured
// instances, labels, and metrics that can be stored.
func New(o *Options) (pmda.Provider, error) {
	s := &collector{colors: [3]int32{0, 100, 200}, indom: nowInDom()}
	if o != nil {
		s.opts = *o
	}
	s.opts.Domain = cmp.Or(s.opts.Domain, Domain)
	if s.opts.Logf == nil {
		s.opts.Logf = func(string, ...any) {}
	}
	s.indom.Needs = &pmda.Reading{Read: s.readConfig}
	if s.opts.Config == "" {
		s.configure("sec,min,hour")
	}
	var err error
	s.Agent, err = pmda.New(pmda.Table{Domain: s.opts.Domain, Metrics: s.metrics(), Labels: `{"role":"testing"}`})
	return s, err
}

type collector struct {
	*pmda.Agent
	opts      Options
	fetches   uint32
	colors    [3]int32
	user, sys float64   // seconds that the process has used
	now       time.Time // value for the current fetch
	indom     *pmda.InDom
	modified  time.Time // time of the configuration file, zero if it does not exist
}

// Fetch implements pmda.Provider: it counts each request.
func (s *collector) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
	s.fetches++
	s.now = time.Now()
	return s.Agent.Fetch(ctx, req, dst)
}

func (s *collector) metrics() []pmda.Metric {
	seconds := pcp.Units{DimTime: 1, ScaleTime: pcp.Sec}
	times := &pmda.Reading{Read: func(context.Context, *pmda.Request) error {
		s.user, s.sys = host.Times()
		return nil
	}}
	return []pmda.Metric{{
		Name: "simple.numfetch", Cluster: 0, Item: 0, Type: pcp.Uint32, Sem: pcp.Instant,
		OneLine: "How often values were fetched",
		Help:    "The number of fetches that this agent has seen, the current one included,\nwhichever metrics they were for. It can be set with pmstore(1).",
		Fetch:   pmda.One(func() uint32 { return s.fetches }),
		Store:   s.storeFetches,
	}, {
		Name: "simple.color", Cluster: 0, Item: 1, Type: pcp.Int32, Sem: pcp.Instant, InDom: colorInDom(),
		OneLine: "Numbers that grow by one with each fetch",
		Help:    "Each of the three instances grows by one whenever it is fetched, from 0 (red),\n100 (green) and 200 (blue); 0 follows after 255. They can be set with pmstore(1).",
		Fetch: pmda.Each(func(inst int32) (int32, error) {
			s.colors[inst] = (s.colors[inst] + 1) % 256
			return s.colors[inst], nil
		}),
		Store: s.storeColors,
	}, {
		Name: "simple.now", Cluster: 2, Item: 4, Type: pcp.Uint32, Sem: pcp.Instant, InDom: s.indom,
		OneLine: "Parts of the time of day",
		Help:    "The time of day in the local zone: its seconds, minutes and hours. Which of these\nthere are is said by the first line of the file simple.conf, which is read again\nwhen it has changed; \"sec,min,hour\" stands for all three.",
		Fetch:   pmda.Each(s.timeOfDay),
	}, {
		Name: "simple.time.user", Cluster: 1, Item: 2, Type: pcp.Double, Sem: pcp.Counter, Units: seconds,
		OneLine: "Time that the agent has computed",
		Help:    "The processor time that the agent has used outside the system.",
		Needs:   times, Fetch: pmda.One(func() float64 { return s.user }),
	}, {
		Name: "simple.time.sys", Cluster: 1, Item: 3, Type: pcp.Double, Sem: pcp.Counter, Units: seconds,
		OneLine: "Time that the system has worked for the agent",
		Help:    "The processor time that the system has used on behalf of the agent.",
		Needs:   times, Fetch: pmda.One(func() float64 { return s.sys }),
	}}
}

func colorInDom() *pmda.InDom {
	return &pmda.InDom{
		Serial:     0,
		Instances:  []pcp.Instance{{ID: 0, Name: "red"}, {ID: 1, Name: "green"}, {ID: 2, Name: "blue"}},
		OneLine:    "The three colours of the simple agent",
		Help:       "There are always three: red (0), green (1) and blue (2).",
		Labels:     `{"indom_name":"color","model":"RGB"}`,
		InstLabels: pmda.NoLabels, // the reference has no labels for these instances
	}
}

func nowInDom() *pmda.InDom {
	d := &pmda.InDom{
		Serial:  1,
		Cache:   new(pmda.Cache),
		OneLine: "The configured parts of the time of day",
		Help:    "The instances are those that simple.conf names. See simple.now.",
		Labels:  `{"indom_name":"time","unitsystem":"SI"}`,
	}
	d.InstLabels = func(inst int32) string {
		name, _, _ := d.Cache.Name(inst)
		return fmt.Sprintf(`{"units":%q}`, name)
	}
	return d
}

func (s *collector) timeOfDay(inst int32) (int, error) {
	name, _, err := s.indom.Cache.Name(inst)
	switch name {
	case "sec":
		return s.now.Second(), nil
	case "min":
		return s.now.Minute(), nil
	case "hour":
		return s.now.Hour(), nil
	}
	return 0, err
}

func (s *collector) storeFetches(_ *pmda.Client, v *pcp.Values) error {
	n := int32(uint32(v.Words[0]))
	if s.fetches = uint32(max(n, 0)); n < 0 {
		return pmerr.BadStore
	}
	return nil
}

// storeColors sets colours. A value out of range becomes the nearest, and the rest is refused.
func (s *collector) storeColors(_ *pmda.Client, v *pcp.Values) error {
	for i, inst := range v.Insts {
		if inst < 0 || int(inst) >= len(s.colors) {
			return pmerr.Inst
		}
		n := int32(uint32(v.Words[i]))
		s.colors[inst] = min(max(n, 0), 255)
		if n != s.colors[inst] {
			return pmerr.BadStore
		}
	}
	return nil
}

func (s *collector) readConfig(context.Context, *pmda.Request) error {
	if s.opts.Config == "" {
		return nil
	}
	fi, err := os.Stat(s.opts.Config)
	if err != nil {
		if !s.modified.IsZero() {
			s.opts.Logf("%v", err)
		}
		s.modified = time.Time{}
		s.configure("")
		return nil
	}
	if fi.ModTime().Equal(s.modified) {
		return nil
	}
	text, err := os.ReadFile(s.opts.Config)
	if err != nil {
		s.opts.Logf("%v", err)
	}
	s.modified = fi.ModTime()
	line, _, _ := strings.Cut(string(text), "\n")
	s.configure(line)
	return nil
}

func (s *collector) configure(line string) {
	s.indom.Cache.DeactivateAll()
	for word := range strings.SplitSeq(line, ",") {
		switch word = strings.TrimSpace(word); word {
		case "sec", "min", "hour":
			if _, err := s.indom.Cache.Add(word); err != nil {
				s.opts.Logf("%s: %v", word, err)
			}
		case "":
		default:
			s.opts.Logf("%s: unknown part of the time of day: %s", s.opts.Config, word)
		}
	}
}
