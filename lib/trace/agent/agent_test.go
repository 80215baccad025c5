package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmda/pmdatest"
	"pmtools/lib/pmerr"
	"pmtools/lib/trace/internal/tracepdu"
	_ "pmtools/test/env"
)

// A clock is a clock that is set by hand.
type clock struct{ time.Time }

// now returns the time.
func (c *clock) now() time.Time { return c.Time }

// newAgent returns an Agent and its clock.
func newAgent(t *testing.T, o Options) (*Agent, *clock) {
	t.Helper()
	c := &clock{time.Unix(1_000_000_000, 0)}
	o.Now = c.now
	a, err := New(&o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a, c
}

// add reports something.
func (a *Agent) add(t *testing.T, k tracepdu.Kind, tag string, v float64) {
	t.Helper()
	if err := a.report(&tracepdu.Data{Kind: k, Tag: tag, Value: v}); err != nil {
		t.Fatal(err)
	}
}

// show returns the values of metrics as text: for each "name instance=value ...".
func show(t *testing.T, a *Agent, prefix string) string {
	t.Helper()
	var lines []string
	for _, n := range a.Names() {
		if !strings.HasPrefix(n.Name, prefix) {
			continue
		}
		var r pcp.Result
		ctx, req := context.Background(), &pmda.Request{Client: new(pmda.Client), IDs: []pcp.ID{n.ID}}
		if err := a.Fetch(ctx, req, &r); err != nil {
			t.Fatal(err)
		}
		d, err := a.Desc(ctx, req.Client, n.ID)
		if err != nil {
			t.Fatal(err)
		}
		line := strings.TrimPrefix(n.Name, "trace.")
		v := &r.Sets[0]
		if v.Err != nil {
			line += " " + v.Err.Error()
		}
		for i, inst := range v.Insts {
			if line += " "; d.InDom != pcp.NullInDom {
				list, err := a.Instances(ctx, req.Client, d.InDom)
				if err != nil {
					t.Fatal(err)
				}
				name, err := pmda.InstanceName(list, inst)
				if err != nil {
					t.Fatal(err)
				}
				line += fmt.Sprint(inst, ":", name, "=")
			}
			if v.Type == pcp.String {
				line += fmt.Sprintf("%q", v.Blobs[i])
				continue
			}
			f, err := v.Value(i).Float64()
			if err != nil {
				t.Fatal(err)
			}
			line += fmt.Sprint(f)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestBuckets lets time go by. Values are those of the reference's agent with -T 10 -N 5.
func TestBuckets(t *testing.T) {
	a, c := newAgent(t, Options{Period: 10*time.Second + time.Second/2})
	past := func(rate, ave, low, high string) string {
		return "transact.count 1:tx=2 2:other=1\ntransact.rate" + rate + "\ntransact.ave_time" + ave + "\ntransact.min_time" + low +
			"\ntransact.max_time" + high + "\ntransact.total_time 1:tx=1 2:other=5"
	}
	a.add(t, tracepdu.Transaction, "tx", 0.25)
	c.Time = c.Add(3 * time.Second)
	a.add(t, tracepdu.Transaction, "tx", 0.75)
	a.add(t, tracepdu.Transaction, "other", 5)
	for _, tt := range []struct {
		at   int // seconds since the start
		want string
	}{
		{3, past(" 1:tx=0.10000000149011612", " 1:tx=0.25", " 1:tx=0.25", " 1:tx=0.25")},
		{4, past(" 1:tx=0.20000000298023224 2:other=0.10000000149011612", " 1:tx=0.5 2:other=5", " 1:tx=0.25 2:other=5", " 1:tx=0.75 2:other=5")},
		{11, past(" 1:tx=0.20000000298023224 2:other=0.10000000149011612", " 1:tx=0.5 2:other=5", " 1:tx=0.25 2:other=5", " 1:tx=0.75 2:other=5")},
		{12, past(" 1:tx=0.10000000149011612 2:other=0.10000000149011612", " 1:tx=0.75 2:other=5", " 1:tx=0.75 2:other=5", " 1:tx=0.75 2:other=5")},
		{14, past("", "", "", "")},
		{1000, past("", "", "", "")},
	} {
		c.Time = a.start.Add(time.Duration(tt.at) * time.Second)
		if got := show(t, a, "trace.transact"); got != tt.want {
			t.Errorf("after %d s\n got %s\nwant %s", tt.at, got, tt.want)
		}
	}
}

// TestKinds reports of each kind, with odd tags and values.
func TestKinds(t *testing.T) {
	a, c := newAgent(t, Options{})
	for range 3 {
		a.add(t, tracepdu.Point, "same", -1)
	}
	a.add(t, tracepdu.Point, "", -1)
	a.add(t, tracepdu.Observation, "two words", math.NaN())
	a.add(t, tracepdu.Observation, "two others", 4)
	a.add(t, tracepdu.Observation, "two others", -4.5)
	a.add(t, tracepdu.Counter, "same", 7)
	a.add(t, tracepdu.Counter, "same", 5)
	c.Time = c.Add(12 * time.Second)
	want := `point.count 1:same=3 2:=1
point.rate 1:same=0.05000000074505806 2:=0.01666666753590107
observe.count 1:two words=1 2:two others=2
observe.rate 1:two words=0.01666666753590107 2:two others=0.03333333507180214
observe.value 1:two words=NaN 2:two others=-4.5
counter.count 1:same=2
counter.rate 1:same=0.03333333507180214
counter.value 1:same=5
control.period 60
control.interval 12
control.buckets 5
control.port 4323
control.reset 1
control.debug ""`
	got := ""
	for _, p := range []string{"point", "observe", "counter", "control"} {
		got += show(t, a, "trace."+p) + "\n"
	}
	if strings.TrimSpace(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestStores stores into controls and other metrics.
func TestStores(t *testing.T) {
	var log bytes.Buffer
	a, _ := newAgent(t, Options{Debug: []string{"appl0"}, Logf: func(f string, args ...any) { fmt.Fprintf(&log, f+"\n", args...) }})
	store := func(item uint32, v pcp.Values) error {
		v.ID, v.Insts = pcp.NewID(Domain, 0, item), []int32{pcp.NullInst}
		return a.Store(context.Background(), new(pmda.Client), []pcp.Values{v})
	}
	number := pcp.Values{Type: pcp.Uint32, Words: []uint64{3}}
	text := func(s string) pcp.Values { return pcp.Values{Type: pcp.String, Blobs: [][]byte{[]byte(s)}} }
	a.add(t, tracepdu.Point, "a", -1)
	a.add(t, tracepdu.Point, "b", -1)
	for _, tt := range []struct {
		item uint32
		v    pcp.Values
		err  error
		want string // of trace.control.debug and trace.point.count then
	}{
		{16, text("APPL1,appl0"), nil, `control.debug "appl0,appl1" point.count 1:a=1 2:b=1`},
		{16, text("all"), nil, `control.debug "all" point.count 1:a=1 2:b=1`},
		{16, text("appl0,nosuch"), pmerr.Conv, `control.debug "" point.count 1:a=1 2:b=1`},
		{16, text("pdu,fetch,"), nil, `control.debug "pdu,fetch" point.count 1:a=1 2:b=1`},
		{16, text(""), nil, `control.debug "" point.count 1:a=1 2:b=1`},
		{16, number, pmerr.BadStore, `control.debug "" point.count 1:a=1 2:b=1`},
		{11, number, pmerr.PMID, `control.debug "" point.count 1:a=1 2:b=1`},
		{6, number, pmerr.PMID, `control.debug "" point.count 1:a=1 2:b=1`},
		{20, number, pmerr.PMID, `control.debug "" point.count 1:a=1 2:b=1`},
		{15, number, nil, `control.debug "" point.count`},
	} {
		if err := store(tt.item, tt.v); err != tt.err {
			t.Errorf("item %d: error %v, want %v", tt.item, err, tt.err)
		}
		if got := show(t, a, "trace.control.debug") + " " + show(t, a, "trace.point.count"); got != tt.want {
			t.Errorf("item %d: %s, want %s", tt.item, got, tt.want)
		}
	}
	for _, tag := range []string{"new", "b", "a"} {
		a.add(t, tracepdu.Point, tag, -1)
	}
	if got, want := show(t, a, "trace.point.count"), "point.count 1:a=1 2:b=1 3:new=1"; got != want {
		t.Errorf("after the reset %s, want %s", got, want)
	}
	if !strings.Contains(log.String(), "cleared") {
		t.Errorf("log %q", log.String())
	}
}

// TestMany reports too many tags.
func TestMany(t *testing.T) {
	a, _ := newAgent(t, Options{})
	for i := range maxTags {
		a.add(t, tracepdu.Point, fmt.Sprint(i), -1)
	}
	if err := a.report(&tracepdu.Data{Kind: tracepdu.Point, Tag: "one more"}); !errors.Is(err, pmerr.Code(-12)) {
		t.Error(err)
	}
	a.add(t, tracepdu.Point, "5", -1)
	if err := a.reset(nil, nil); err != nil {
		t.Fatal(err)
	}
	a.add(t, tracepdu.Point, "5", -1)
	if got, want := show(t, a, "trace.point.count"), fmt.Sprintf("point.count %d:5=1", maxTags+1); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestOptions makes agents with odd options.
func TestOptions(t *testing.T) {
	for _, o := range []Options{{Period: -1}, {Period: time.Millisecond}, {Period: math.MaxInt64}, {Buckets: -1}, {Buckets: maxBuckets + 1}, {Domain: 600}} {
		if _, err := New(&o); !errors.Is(err, pmerr.EINVAL) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	a, _ := newAgent(t, Options{Domain: 7, Period: 2 * time.Minute, Buckets: 7, Port: 99, ObserveUnits: pcp.Units{DimSpace: 1}})
	if got, want := show(t, a, "trace.control"), "control.period 120\ncontrol.interval 17\ncontrol.buckets 7\ncontrol.port 99\ncontrol.reset 1\ncontrol.debug \"\""; got != want {
		t.Errorf("got\n%s", got)
	}
	if d, err := a.Desc(context.Background(), nil, pcp.NewID(7, 0, 10)); err != nil || d.Units != (pcp.Units{DimSpace: 1}) {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestConformance asks the agent all that the daemon may ask.
func TestConformance(t *testing.T) {
	pmdatest.Run(t, pmdatest.Serve(func(o *pmda.Options) (pmda.Provider, error) {
		a, _ := newAgent(t, Options{Domain: o.Domain})
		a.add(t, tracepdu.Transaction, "tx", 1)
		a.add(t, tracepdu.Point, "p", -1)
		a.add(t, tracepdu.Observation, "one two", 1)
		a.add(t, tracepdu.Counter, "c", 1)
		return a, nil
	}))
}
