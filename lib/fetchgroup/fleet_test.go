package fetchgroup

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
)

// fleetHost has the metrics of each host of a fleet: ten metrics and a domain of 100 instances.
type fleetHost struct {
	Time  time.Time `pcp:",time"`
	A0    float64   `pcp:"f.a0"`
	A1    float64   `pcp:"f.a1"`
	A2    float64   `pcp:"f.a2"`
	A3    float64   `pcp:"f.a3"`
	A4    float64   `pcp:"f.a4"`
	A5    float64   `pcp:"f.a5"`
	A6    float64   `pcp:"f.a6"`
	A7    float64   `pcp:"f.a7"`
	A8    float64   `pcp:"f.a8"`
	A9    float64   `pcp:"f.a9"`
	Disks []struct {
		Name string  `pcp:",instance"`
		Read float64 `pcp:"f.all"`
	}
}

// fleetWorld returns the metrics of fleetHost; n goes into their values.
func fleetWorld(n int) *pmcdtest.World {
	d := pcp.NewInDom(60, 1)
	w := &pmcdtest.World{InDoms: []pmcdtest.InDom{{ID: d}}}
	all := pmcdtest.Metric{Name: "f.all", Desc: pcp.Desc{ID: pcp.NewID(60, 1, 0), Type: pcp.Uint64, InDom: d, Sem: pcp.Instant}}
	for i := range 100 {
		w.InDoms[0].Instances = append(w.InDoms[0].Instances, pcp.Instance{ID: int32(i), Name: fmt.Sprintf("disk-%02d", i)})
		all.Values.Insts, all.Values.Words = append(all.Values.Insts, int32(i)), append(all.Values.Words, uint64(n+i))
	}
	for i := range 10 {
		w.Metrics = append(w.Metrics, pmcdtest.Metric{Name: fmt.Sprint("f.a", i), Values: one(uint64(n + i)),
			Desc: pcp.Desc{ID: pcp.NewID(60, 0, uint32(i)), Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Instant}})
	}
	w.Metrics = append(w.Metrics, all)
	return w
}

// A testHosts is scripted daemons for a fleet, by host name: a tenth each are dead, silent, slow or
// lie.
type testHosts struct {
	servers map[string]*pmcdtest.Server
	hosts   []string
}

// kindOfHost returns the defect of a host.
func kindOfHost(i int) string {
	return map[int]string{3: "dead", 5: "silent", 7: "lying", 9: "slow"}[i%10]
}

// newTestHosts starts n daemons; slow ones take that long for a fetch.
func newTestHosts(t *testing.T, n int, slow time.Duration) *testHosts {
	t.Helper()
	c := &testHosts{servers: make(map[string]*pmcdtest.Server)}
	for i := range n {
		name := fmt.Sprintf("host%d.%s", i, kindOfHost(i))
		c.hosts = append(c.hosts, name)
		s := pmcdtest.NewServer(fleetWorld(i))
		t.Cleanup(func() { s.Close() })
		c.servers[name] = s
		switch kindOfHost(i) {
		case "dead":
			s.SetDown(true)
		case "silent":
			s.SetEdit(pmcdtest.Drop())
		case "lying":
			s.SetEdit(onFetch(pmcdtest.Cut(20)))
		case "slow":
			s.SetEdit(onFetch(pmcdtest.Delay(slow)))
		}
	}
	return c
}

// onFetch applies an edit to the results of fetches.
func onFetch(e pmcdtest.Edit) pmcdtest.Edit {
	return func(r *pmcdtest.Reply) {
		if r.Request == pdu.TypeHighResFetch {
			e(r)
		}
	}
}

// open connects to one of the hosts.
func (c *testHosts) open(ctx context.Context, name string) (pmapi.Source, error) {
	return pmapi.OpenHost(ctx, "127.0.0.1", &pmcd.Dialer{DialContext: c.servers[name].Dial})
}

// TestFleet reads hosts of all kinds: each has a row in each round, and none waits for another. synctest waits for
// the end of all goroutines.
func TestFleet(t *testing.T) { synctest.Test(t, testFleet) }

func testFleet(t *testing.T) {
	const n, rounds, interval = 40, 7, 250 * time.Millisecond
	c := newTestHosts(t, n, 350*time.Millisecond)
	opt := &FleetOptions{Interval: interval, Rounds: rounds, Timeout: 6 * interval, Delays: []time.Duration{interval}, Connects: 8, Open: c.open}
	rows := make(map[string][]Row[*fleetHost])
	for row := range Fleet[fleetHost](t.Context(), c.hosts, opt) {
		rows[row.Host] = append(rows[row.Host], row)
	}
	for i, name := range c.hosts {
		if len(rows[name]) != rounds {
			t.Errorf("%s: %d rows", name, len(rows[name]))
			continue
		}
		good, late, bad := 0, 0, 0
		for round, r := range rows[name] {
			switch {
			case r.Round != round:
				t.Errorf("%s: row %d of round %d", name, round, r.Round)
			case r.Err == nil && (r.Value.A3 != float64(i+3) || len(r.Value.Disks) != 100 || r.Value.Disks[99].Name != "disk-99" || r.Value.Disks[99].Read != float64(i+99)):
				t.Errorf("%s: %+v", name, r.Value)
			case r.Err == nil && r.Late > interval:
				late++
			case r.Err == nil:
				good++
			default:
				bad++
			}
		}
		kind := kindOfHost(i)
		switch {
		case kind == "" && good+late < rounds-3: // the first may still be connecting
			t.Errorf("%s: %d good rows, %d late, %d bad; last %+v", name, good, late, bad, rows[name][rounds-1])
		case kind == "slow" && (late == 0 || bad == 0):
			t.Errorf("%s: %d good rows, %d late, %d bad", name, good, late, bad)
		case (kind == "dead" || kind == "silent" || kind == "lying") && bad != rounds:
			t.Errorf("%s: %d good rows, %d late", name, good, late)
		}
	}
	if r := rows["host5.silent"][0]; !errors.Is(r.Err, ErrLate) || !errors.Is(r.Err, errConnecting) {
		t.Errorf("a silent host: %v", r.Err)
	}
	if r := rows["host9.slow"][3]; r.Err != nil && !errors.Is(r.Err, ErrLate) {
		t.Errorf("a slow host: %v", r.Err)
	}
	for _, s := range c.servers {
		s.Close()
	}
}

// TestFleetRetries connects again to a host that comes back.
func TestFleetRetries(t *testing.T) { synctest.Test(t, testFleetRetries) }

func testFleetRetries(t *testing.T) {
	c := newTestHosts(t, 1, 0)
	s := c.servers[c.hosts[0]]
	opt := &FleetOptions{Interval: 20 * time.Millisecond, Delays: []time.Duration{time.Millisecond}, Open: c.open}
	var phases []string
	for row := range Fleet[fleetHost](t.Context(), c.hosts, opt) {
		phase := "good"
		if row.Err != nil {
			phase = "bad"
		}
		if len(phases) == 0 || phases[len(phases)-1] != phase {
			phases = append(phases, phase)
		}
		switch {
		case len(phases) == 1 && phase == "good":
			s.SetDown(true)
		case len(phases) == 2:
			s.SetDown(false)
		case len(phases) == 3:
			if _, ever := s.Conns(); ever != 2 {
				t.Errorf("%d connections", ever)
			}
			return
		}
		if row.Round > 500 {
			t.Fatalf("never came back: %v", row.Err)
		}
	}
}

// TestFleetEnds ends within a second, whatever the hosts do, by the context and by leaving the loop.
func TestFleetEnds(t *testing.T) { synctest.Test(t, testFleetEnds) }

func testFleetEnds(t *testing.T) {
	for _, byContext := range []bool{true, false} {
		c := newTestHosts(t, 20, time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		var ended time.Time
		for row := range Fleet[fleetHost](ctx, c.hosts, &FleetOptions{Interval: 50 * time.Millisecond, Open: c.open, Timeout: time.Hour}) {
			if row.Round < 3 {
				continue
			}
			if ended = time.Now(); !byContext {
				break
			}
			cancel()
		}
		cancel()
		if took := time.Since(ended); took > time.Second {
			t.Errorf("ended after %v", took)
		}
		for i, name := range c.hosts {
			s := c.servers[name]
			if kindOfHost(i) == "slow" {
				continue // it sleeps
			}
			for range 100 {
				if now, _ := s.Conns(); now == 0 {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			if now, _ := s.Conns(); now != 0 {
				t.Errorf("%s: %d connections are left", name, now)
			}
		}
	}
}

// TestFleetOnce reads all hosts once, without a schedule.
func TestFleetOnce(t *testing.T) { synctest.Test(t, testFleetOnce) }

func testFleetOnce(t *testing.T) {
	c := newTestHosts(t, 10, 50*time.Millisecond)
	good := 0
	for row := range Fleet[fleetHost](t.Context(), c.hosts, &FleetOptions{Interval: -1, Rounds: 1, Timeout: 200 * time.Millisecond, Open: c.open}) {
		if row.Err == nil {
			good++
		}
	}
	if good != 7 {
		t.Errorf("%d of 10 hosts answered", good)
	}
}

// TestFleetMistakes has the mistakes of a struct in each row.
func TestFleetMistakes(t *testing.T) {
	c := newTestHosts(t, 1, 0)
	for row := range Fleet[struct {
		X int `pcp:"no.such"`
	}](t.Context(), c.hosts, &FleetOptions{Rounds: 1, Open: c.open}) {
		if _, ok := errors.AsType[Mistakes](row.Err); !ok {
			t.Errorf("%v", row.Err)
		}
	}
}

// TestFleetChanges takes hosts up and lets them go between rounds. Each round has a row of each of its hosts, and no other.
func TestFleetChanges(t *testing.T) { synctest.Test(t, testFleetChanges) }

func testFleetChanges(t *testing.T) {
	c := newTestHosts(t, 3, time.Second)
	lists := [][]string{{c.hosts[0]}, {c.hosts[0], c.hosts[1]}, {c.hosts[1], c.hosts[2]}, {}, {c.hosts[0]}}
	round := -1
	opt := &FleetOptions{Interval: time.Second, Rounds: len(lists), Open: c.open, Hosts: func() []string { round++; return lists[round] }}
	rows := make([]map[string]error, len(lists))
	for row := range Fleet[fleetHost](t.Context(), nil, opt) {
		if rows[row.Round] == nil {
			rows[row.Round] = make(map[string]error)
		}
		rows[row.Round][row.Host] = row.Err
	}
	for i, list := range lists {
		if len(rows[i]) != len(list) {
			t.Errorf("round %d: %v, want %v", i, rows[i], list)
		}
		for _, h := range list {
			if err, ok := rows[i][h]; !ok || err != nil {
				t.Errorf("round %d: %s: %v", i, h, err)
			}
		}
	}
}
