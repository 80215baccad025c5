package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
	"pmtools/test/simulation"
)

// A simulated is a fleet of hosts that come and go. Their daemons answer late, with errors and with nonsense, are started again with
// other identifiers, types, counters and instances, and set their clocks, over a network that fails. In the end everything heals.
type simulated struct {
	t     *testing.T
	f     *simulation.Faults
	fleet *Fleet
	hosts map[string]*simulatedHost
	names []string

	list   []string // the hosts of the round
	heard  map[string]sampling.HostState
	valued map[string]bool // the hosts that have values in the round
	rounds int             // that are left
	after  int             // rounds since the end of the faults
	stop   func()
	err    error
}

// A simulatedHost is a host with its daemon. Its values tell whose they are.
type simulatedHost struct {
	f      *simulation.Faults
	number int
	server *pmcdtest.Server
	open   atomic.Int32 // connections

	mu     sync.Mutex
	world  *pmcdtest.World
	first  int // the connection with which the daemon has been started
	base   float64
	types  map[pcp.ID]string
	shift  time.Duration  // of its clock
	serial uint64         // of the last result
	conn   map[uint64]int // the connection and query of each result
	dialed int
	query  int

	// What has been delivered.
	last  uint64
	rates int
}

const simulatedInDom pcp.InDom = 60<<22 | 1

func newSimulatedHost(f *simulation.Faults, number int) *simulatedHost {
	h := &simulatedHost{f: f.Part(fmt.Sprint("host", number)), number: number, conn: map[uint64]int{0: -1}}
	h.server = pmcdtest.NewServer(h)
	h.server.SetEdit(h.edit)
	h.restart()
	return h
}

// restart makes the daemon another one. Its metrics have each other's identifiers, and its counters begin anywhere.
func (h *simulatedHost) restart() {
	h.mu.Lock()
	_, h.first = h.server.Conns()
	h.base = float64(h.f.UpTo(1000))
	turn := h.f.UpTo(4)
	h.types = make(map[pcp.ID]string)
	h.world = &pmcdtest.World{}
	for i, name := range []string{"h.serial", "h.fast", "h.slow", "h.inst"} {
		d := pcp.Desc{ID: pcp.NewID(60, 0, uint32((i+turn)%4)), Type: pcp.Double, InDom: pcp.NullInDom, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}
		switch name {
		case "h.serial":
			d.Type, d.Sem = pcp.Uint64, pcp.Instant
		case "h.inst":
			d.Sem, d.InDom = pcp.Instant, simulatedInDom
		}
		if name == "h.slow" && h.f.Chance(8) {
			continue // this one does not have it
		}
		h.types[d.ID] = name
		h.world.Metrics = append(h.world.Metrics, pmcdtest.Metric{Name: name, Desc: d})
	}
	dom := pmcdtest.InDom{ID: simulatedInDom}
	for i := range int32(6) {
		id := (i + int32(turn)) % 6
		dom.Instances = append(dom.Instances, pcp.Instance{ID: id, Name: fmt.Sprintf("%d/%d", h.number, i)})
	}
	slices.SortFunc(dom.Instances, func(a, b pcp.Instance) int { return int(a.ID - b.ID) })
	h.world.InDoms = []pmcdtest.InDom{dom}
	h.mu.Unlock()
	h.server.Hangup()
}

// Handle implements pmcdtest.Handler.
func (h *simulatedHost) Handle(c *pmcdtest.Session, f pdu.Frame) []pdu.Message {
	if h.f.Chance(150) {
		h.restart()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.ID < h.first {
		return []pdu.Message{nil} // of the daemon before
	}
	var req pdu.HighResFetch
	if f.Type != pdu.TypeHighResFetch || (*pdu.Fetch)(&req).Decode(f.Body) != nil {
		return h.world.Handle(c, f)
	}
	if h.f.Chance(40) {
		return []pdu.Message{&pdu.Error{Code: []pmerr.Code{pmerr.Again, pmerr.Permission, pmerr.NoAgent}[max(h.f.UpTo(3)-1, 0)]}}
	}
	if h.f.Chance(40) { // a minute at least: less may be the time that the requests took
		h.shift += time.Duration(60+h.f.UpTo(7200)) * time.Second * time.Duration(1-2*(h.f.UpTo(2)-1))
	}
	return []pdu.Message{&pdu.HighResResult{Result: pdu.Result{Values: h.result(c.ID, req.IDs)}}}
}

// result returns the values of now.
func (h *simulatedHost) result(conn int, ids []pcp.ID) *pcp.Result {
	now := time.Now()
	h.serial++
	h.conn[h.serial] = conn + h.query*1e6
	res := &pcp.Result{Time: pcp.TimestampOf(now.Add(h.shift))}
	since := float64(now.UnixNano()%1e15) / 1e9
	for _, id := range ids {
		v := pcp.Values{ID: id, Type: pcp.Double, Insts: []int32{pcp.NullInst}}
		switch name := h.types[id]; name {
		case "h.serial":
			v.Type, v.Words = pcp.Uint64, []uint64{uint64(h.number)<<32 | h.serial}
		case "h.fast", "h.slow":
			v.Words = []uint64{math.Float64bits(h.base + since*h.slope(name))}
		case "h.inst":
			v.Insts = nil
			for _, in := range h.world.InDoms[0].Instances {
				var i int
				fmt.Sscanf(in.Name[2:], "%d", &i)
				if !h.f.Chance(4) {
					v.Insts, v.Words = append(v.Insts, in.ID), append(v.Words, math.Float64bits(float64(h.number*10+i)))
				}
			}
		default:
			v.Insts, v.Err, v.Type = nil, pmerr.PMID, pcp.Unknown
		}
		res.Sets = append(res.Sets, v)
	}
	return res
}

// slope is the rate of a counter.
func (h *simulatedHost) slope(name string) float64 {
	if name == "h.slow" {
		return float64(h.number + 3)
	}
	return float64(100 * (h.number + 2))
}

// edit makes replies late, double, or nonsense.
func (h *simulatedHost) edit(r *pmcdtest.Reply) {
	switch h.f.UpTo(90) {
	case 1, 2, 3:
		r.Delay = time.Duration(h.f.UpTo(15000)) * time.Millisecond
	case 4:
		r.Bytes = append(r.Bytes, r.Bytes...)
	case 5:
		pmcdtest.Length(h.f.UpTo(9) - 5)(r)
	case 6:
		pmcdtest.Type(pdu.Type(0x7000 + h.f.UpTo(30)))(r)
	case 7:
		pmcdtest.Cut(h.f.UpTo(40) - 1)(r)
	}
}

// dial connects to the daemon.
func (h *simulatedHost) dial(ctx context.Context, network, address string) (net.Conn, error) {
	switch h.f.UpTo(12) {
	case 1:
		return nil, syscall.ECONNREFUSED
	case 2:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	nc, err := h.server.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	h.open.Add(1)
	h.mu.Lock()
	h.dialed++
	f := h.f.Part(fmt.Sprint("conn", h.number, h.dialed))
	h.mu.Unlock()
	return &simulatedConn{Conn: f.Conn(nc), h: h}, nil
}

type simulatedConn struct {
	*simulation.Conn
	h    *simulatedHost
	once sync.Once
}

// Close implements net.Conn.
func (c *simulatedConn) Close() error {
	c.once.Do(func() { c.h.open.Add(-1) })
	return c.Conn.Close()
}

func (h *simulatedHost) source(ctx context.Context) (pmapi.Source, error) {
	d := &pmcd.Dialer{DialContext: h.dial, HostName: func() (string, error) { return "here", nil },
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
		}}
	return pmapi.OpenHost(ctx, "host", d)
}

// delivered checks a result: the rates are those of this host and of no time in which it was set, started or another one, and each
// sample comes once and after those before it. Nothing is missing but what connections take with them.
func (h *simulatedHost) delivered(serial, step, fast, slow float64) error {
	got := uint64(serial)
	if got>>32 != uint64(h.number) {
		return fmt.Errorf("host %d: a value of host %d", h.number, got>>32)
	}
	got &= math.MaxUint32
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case got <= h.last:
		return fmt.Errorf("host %d: result %d comes after %d", h.number, got, h.last)
	case !math.IsNaN(step) && step != 1:
		return fmt.Errorf("host %d: result %d is %v after the one before", h.number, got, step)
	}
	for h.last++; h.last < got; h.last++ {
		if h.conn[h.last-1] == h.conn[h.last] && h.conn[h.last] == h.conn[h.last+1] {
			return fmt.Errorf("host %d: result %d is missing, with others of its connection around it", h.number, h.last)
		}
	}
	for name, rate := range map[string]float64{"h.fast": fast, "h.slow": slow} {
		if want := h.slope(name); !math.IsNaN(rate) && math.Abs(rate-want) > want*1e-4 {
			return fmt.Errorf("host %d: the rate of %s is %v, not %v", h.number, name, rate, want)
		} else if !math.IsNaN(rate) {
			h.rates++
		}
	}
	return nil
}

// Hosts implements Watcher.
func (s *simulated) Hosts() []string {
	if s.rounds--; s.rounds < 0 {
		s.stop()
	}
	s.list = slices.DeleteFunc(slices.Clone(s.names), func(name string) bool {
		return slices.Contains(s.list, name) == s.f.Chance(8)
	})
	if s.f.Healed() {
		s.list = s.names
	}
	s.heard, s.valued = make(map[string]sampling.HostState), make(map[string]bool)
	return s.list
}

// Heard implements Watcher.
func (s *simulated) Heard(host string, state sampling.HostState) {
	if _, twice := s.heard[host]; twice || !slices.Contains(s.list, host) {
		s.fail(fmt.Errorf("%s is heard of %t twice in a round of %q", host, twice, s.list))
	}
	s.heard[host] = state
}

// Round implements Watcher.
func (s *simulated) Round(context.Context) error {
	for _, name := range s.list {
		if _, ok := s.heard[name]; !ok {
			s.fail(fmt.Errorf("%s is not heard of", name))
		}
	}
	for name, h := range s.hosts {
		if n := h.open.Load(); n > 2 { // one of which is being closed
			s.fail(fmt.Errorf("%s has %d connections", name, n))
		}
	}
	if s.f.Healed() {
		s.after++
	}
	for _, name := range s.names { // the longest pause is a minute, and a request may have begun before
		if s.after > 6 && !s.valued[name] {
			s.fail(fmt.Errorf("%s has no values, %d rounds after the faults: %v", name, s.after, s.heard[name]))
		}
	}
	s.fleet.mu.Lock()
	defer s.fleet.mu.Unlock()
	if n := len(s.fleet.open); n > len(s.list) {
		s.fail(fmt.Errorf("%d connections are kept for %d hosts", n, len(s.list)))
	}
	return s.err
}

func (s *simulated) fail(err error) { s.err = errors.Join(s.err, err) }

// sample checks a sample of the fleet.
func (s *simulated) sample(smp *sampling.Sample) error {
	values := make(map[string][]float64) // of h.serial, delta(h.serial), h.fast and rate(h.slow)
	for i := range 4 {
		set := &smp.Sets[i]
		for j := range set.Len() {
			v := set.At(j)
			if values[v.Host] == nil {
				values[v.Host] = []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
			}
			values[v.Host][i] = v.Number()
		}
	}
	for host, list := range values {
		if s.valued[host] = true; s.heard[host] != sampling.Answered {
			return fmt.Errorf("%s has values, and the state %v", host, s.heard[host])
		}
		if math.IsNaN(list[0]) {
			return fmt.Errorf("%s has values without a number", host)
		}
		if err := s.hosts[host].delivered(list[0], list[1], list[2], list[3]); err != nil {
			return err
		}
	}
	for j := range smp.Sets[4].Len() {
		v := smp.Sets[4].At(j)
		if want := fmt.Sprintf("%d/%d", int(v.Number())/10, int(v.Number())%10); v.Instance != want || v.Host != s.names[want[0]-'0'] {
			return fmt.Errorf("%s: instance %s has the value of %s", v.Host, v.Instance, want)
		}
	}
	return nil
}

// query runs a query over the fleet for some rounds.
func (s *simulated) query(rounds int, interval time.Duration) error {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	s.rounds, s.stop = rounds, cancel
	for _, h := range s.hosts {
		h.mu.Lock()
		h.query++
		h.mu.Unlock()
	}
	q := &Query{Exprs: []string{"h.serial", "delta(h.serial)", "h.fast", "rate(h.slow)", "h.inst"}, Watcher: s, Interval: interval}
	st, err := s.fleet.Run(ctx, derive.NewSet(), q)
	if err != nil {
		return err
	}
	for smp, err := range st.Samples {
		if err == nil {
			err = s.sample(smp)
		}
		if err != nil && !errors.Is(err, ErrHosts) && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return s.err
}

// alone samples one host as pmval --reconnect does, and checks what comes.
func alone(ctx context.Context, h *simulatedHost, f *simulation.Faults) error {
	src, err := h.source(ctx)
	for err != nil {
		if time.Sleep(time.Second); ctx.Err() != nil {
			return nil
		}
		src, err = h.source(ctx)
	}
	reg := derive.NewRegistry(nil)
	all := derive.NewSource(src, reg.Set(), &derive.Options{Clock: true, Warn: func(string, string) {}})
	defer all.Close()
	for _, x := range []string{"x.serial = instant(h.serial)", "x.step = delta(h.serial)", "x.fast = rate(h.fast)", "x.slow = rate(h.slow)"} {
		name, expr, _ := CutDefinition(x)
		p, err := derive.Compile(name, expr)
		if err != nil {
			return err
		}
		all.Define(p)
	}
	var res pcp.Result
	for ctx.Err() == nil {
		time.Sleep(time.Duration(500+f.UpTo(4000)) * time.Millisecond)
		found, err := all.Lookup(ctx, []string{"x.serial", "x.step", "x.fast", "x.slow"})
		if err == nil {
			var ids []pcp.ID
			for _, a := range found {
				ids = append(ids, a.Value)
			}
			err = all.Fetch(ctx, &pmapi.Request{IDs: ids}, &res)
		}
		for IsLost(err) {
			if time.Sleep(time.Second); ctx.Err() != nil {
				return nil
			}
			if err = all.Reconnect(ctx); errors.Is(err, syscall.ETIMEDOUT) || errors.Is(err, pmerr.Of(syscall.ETIMEDOUT)) {
				err = pmerr.IPC
			}
		}
		if err != nil || len(res.Sets) < 4 || res.Sets[0].Len() == 0 {
			continue
		}
		x := []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		for i := range x {
			if res.Sets[i].Len() > 0 {
				x[i], _ = res.Sets[i].Value(0).Float64()
			}
		}
		if err := h.delivered(x[0], x[1], x[2], x[3]); err != nil {
			return fmt.Errorf("alone: %w", err)
		}
		res.Reset(0)
	}
	return nil
}

// heal ends the faults. Each daemon has all metrics then.
func (s *simulated) heal() {
	s.f.Heal()
	for _, h := range s.hosts {
		h.restart()
	}
}

func (s *simulated) run() error {
	s.hosts = make(map[string]*simulatedHost)
	for i := range 3 {
		name := fmt.Sprint("host", i)
		s.names, s.hosts[name] = append(s.names, name), newSimulatedHost(s.f, i)
	}
	s.fleet = NewFleet(s.names)
	s.fleet.Open = func(ctx context.Context, host string) (pmapi.Source, error) { return s.hosts[host].source(ctx) }
	single := newSimulatedHost(s.f, 3)
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan error)
	go func() { ended <- alone(ctx, single, s.f.Part("alone")) }()
	second := time.Duration(1+s.f.UpTo(5)) * time.Second
	err := s.query(s.f.UpTo(20), second)
	time.Sleep(time.Duration(s.f.UpTo(20)) * time.Second)
	if err == nil {
		err = s.query(10, second)
	}
	if err == nil {
		time.AfterFunc(20*time.Second, s.heal)
		err = s.query(13, 15*time.Second)
	}
	cancel()
	s.f.Heal()
	err = errors.Join(err, <-ended, s.fleet.Close())
	for name, h := range s.hosts {
		if n := h.open.Load(); n != 0 {
			err = errors.Join(err, fmt.Errorf("%s has %d connections after the end", name, n))
		}
		h.server.Close()
	}
	single.server.Close()
	if n := single.open.Load(); n != 0 {
		err = errors.Join(err, fmt.Errorf("the single host has %d connections after the end", n))
	}
	return err
}

// TestSimulation is repeated with many seeds by make soak.
func TestSimulation(t *testing.T) {
	rates := 0
	simulation.Run(t, "derive/query", func(t *testing.T, _ string, f *simulation.Faults) error {
		s := &simulated{t: t, f: f}
		err := s.run()
		for _, h := range s.hosts {
			rates += h.rates
		}
		return err
	})
	if rates == 0 {
		t.Error("there were no rates")
	}
}
