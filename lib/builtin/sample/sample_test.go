package sample

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// talkToSample starts a sample collector as an agent.
func talkToSample(t *testing.T, o *Options, s pmda.Server) *talker {
	t.Helper()
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	daemon, agent := net.Pipe()
	t.Cleanup(func() { daemon.Close() })
	s.Provider = p
	go func() { _ = s.Serve(context.Background(), agent) }()
	k, err := open(daemon, daemon)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestDialogues holds dialogues that were recorded with the agent of PCP 7.2.2
// (TestBuiltinSample): behind a first line that says so, each line is followed
// by its answer.
func TestDialogues(t *testing.T) {
	for _, d := range dialogues() {
		t.Run(d.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", strings.ReplaceAll(d.name, " ", "_")+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			k := talkToSample(t, &Options{Now: tickingClock()}, pmda.Server{})
			_, body, _ := strings.Cut(string(text), "\n")
			recorded := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
			n := 0
			for line := range d.requests() {
				if 2*n+1 >= len(recorded) || recorded[2*n] != line {
					t.Fatalf("request %d: %s is not recorded", n, line)
				}
				got, err := k.do(line)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				if want := recorded[2*n+1][1:]; got != want {
					t.Fatalf("request %d: %s\n got %s\nwant %s", n, line, got, want)
				}
				n++
			}
			if 2*n != len(recorded) {
				t.Errorf("%d requests, %d lines are recorded", n, len(recorded))
			}
		})
	}
}

// tickingClock returns a clock that goes on by a millisecond each time.
func tickingClock() func() time.Time {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
}

// A handClock is a clock that stands still.
type handClock struct{ time.Time }

func (c *handClock) now() time.Time { return c.Time }

// newTest returns a sample collector with a clock.
func newTest(t *testing.T, o Options) (*collector, *handClock) {
	t.Helper()
	clock := &handClock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	o.Now = clock.now
	p, err := New(&o)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*collector), clock
}

// fetchItems fetches metrics of a sample collector.
func fetchItems(t *testing.T, s *collector, c *pmda.Client, items ...uint32) []pcp.Values {
	t.Helper()
	req := &pmda.Request{Client: c}
	for _, item := range items {
		req.IDs = append(req.IDs, pcp.NewID(s.opts.Domain, 0, item))
	}
	var res pcp.Result
	if err := s.Fetch(context.Background(), req, &res); err != nil {
		t.Fatal(err)
	}
	return res.Sets
}

// storeItem stores a 32-bit number.
func storeItem(t *testing.T, s *collector, item uint32, v int32) {
	t.Helper()
	id := pcp.NewID(s.opts.Domain, 0, item)
	sets := []pcp.Values{{ID: id, Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(int64(v))}}}
	if err := s.Store(context.Background(), new(pmda.Client), sets); err != nil {
		t.Fatal(err)
	}
}

// TestClock checks the values that grow with time.
func TestClock(t *testing.T) {
	s, clock := newTest(t, Options{})
	c := new(pmda.Client)
	storeItem(t, s, 72, 100)
	storeItem(t, s, 73, 10)
	fetchItems(t, s, c, 158)
	for _, want := range []struct {
		after       time.Duration
		sec         uint64
		msec        float64
		step, rate  uint64
		bin, procMS uint64
	}{
		{0, 0, 0, 20, 100, 100, 0},
		{1500 * time.Millisecond, 1, 1500, 20, 115, 101, 1500},
		{28*time.Second + 499*time.Millisecond, 29, 29999, 20, 399, 129, 29999},
		{time.Millisecond, 30, 30000, 40, 399, 130, 30000},
		{30 * time.Second, 60, 60000, 60, 699, 160, 60000},
		{time.Hour, 3660, 3660000, 2460, 36699, 3760, 3660000},
	} {
		clock.Time = clock.Add(want.after)
		v := fetchItems(t, s, c, 2, 3, 8, 63, 72, 111, 158)
		got := []uint64{v[0].Words[0], v[2].Words[0], v[3].Words[0], v[4].Words[0], v[5].Words[0]}
		if w := []uint64{want.sec, want.step, want.step, want.rate, want.bin}; !slices.Equal(got, w) {
			t.Errorf("after %v: %d, want %d", clock.Sub(s.start), got, w)
		}
		if ms := v[1].Words[0]; ms != pcp.DoubleValue(want.msec).Word() {
			t.Errorf("after %v: milliseconds %#x", clock.Sub(s.start), ms)
		}
		if v[6].Words[v[6].Find(1)] != want.procMS {
			t.Errorf("after %v: the first process exists for %d ms, want %d", clock.Sub(s.start), v[6].Words[0], want.procMS)
		}
	}
}

// TestMirageClock sees mirages come after their time, and no earlier.
func TestMirageClock(t *testing.T) {
	s, clock := newTest(t, Options{})
	c, d := new(pmda.Client), pcp.NewInDom(Domain, 3)
	count := func() int {
		list, err := s.Instances(context.Background(), c, d)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	clock.Time = clock.Add(time.Hour)
	if n := count(); n != 1 {
		t.Errorf("%d mirages before the first fetch, want 1", n)
	}
	fetchItems(t, s, c, 37)
	fetchItems(t, s, c, 4)
	if n := count(); n != 3 {
		t.Errorf("%d mirages, want 3", n)
	}
	clock.Time = clock.Add(9999 * time.Millisecond)
	fetchItems(t, s, c, 4)
	if n := count(); n != 3 {
		t.Errorf("%d mirages within 10 seconds, want 3", n)
	}
	before := s.random.seed
	clock.Time = clock.Add(time.Millisecond)
	if count(); s.random.seed == before {
		t.Error("mirages do not change after 10 seconds")
	}
}

// TestNotReady lets the collector be not ready for some time.
func TestNotReady(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		item  uint32
		value int32
		wait  time.Duration
	}{{56, 3, 3 * time.Second}, {169, 40, 40 * time.Millisecond}, {56, 0, 0}, {56, -3, 0}, {169, -1, 0}} {
		s, clock := newTest(t, Options{})
		storeItem(t, s, c.item, c.value)
		if v := fetchItems(t, s, new(pmda.Client), c.item); int32(v[0].Words[0]) != c.value {
			t.Errorf("item %d is %d, want %d", c.item, v[0].Words[0], c.value)
		}
		for _, at := range []time.Duration{0, c.wait / 2, c.wait - 1} {
			clock.Time = s.start.Add(at)
			if err := s.Check(ctx, nil); at < c.wait && c.wait > 0 && !errors.Is(err, pmda.ErrNotReady) || c.wait == 0 && err != nil {
				t.Errorf("item %d of %d: after %v: %v", c.item, c.value, at, err)
			}
		}
		clock.Time = s.start.Add(c.wait)
		if err := s.Check(ctx, nil); err != nil {
			t.Errorf("item %d of %d: in the end: %v", c.item, c.value, err)
		}
		if v := fetchItems(t, s, new(pmda.Client), c.item); c.value > 0 && v[0].Words[0] != 0 {
			t.Errorf("item %d is %d after the waiting", c.item, v[0].Words[0])
		}
	}
}

// TestWaitReady waits really, but not long.
func TestWaitReady(t *testing.T) {
	ctx := context.Background()
	s, _ := newTest(t, Options{})
	if err := s.WaitReady(ctx); err != nil {
		t.Errorf("when ready: %v", err)
	}
	storeItem(t, s, 169, 1)
	if err := s.Check(ctx, nil); !errors.Is(err, pmda.ErrNotReady) {
		t.Errorf("error %v", err)
	}
	if err := s.WaitReady(ctx); err != nil || s.Check(ctx, nil) != nil {
		t.Errorf("not ready after the waiting: %v", err)
	}
	storeItem(t, s, 56, 3600)
	_ = s.Check(ctx, nil)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.WaitReady(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestTraffic counts the requests of two clients.
func TestTraffic(t *testing.T) {
	ctx := context.Background()
	s, _ := newTest(t, Options{})
	a, b := new(pmda.Client), &pmda.Client{Number: 7}
	s.SetAttr(a, pmda.UserID)
	words := func(c *pmda.Client) (list []uint64) {
		for _, v := range fetchItems(t, s, c, 40, 41, 42, 43, 44, 45, 122, 123, 124, 125) {
			list = append(list, v.Words[0])
		}
		return list
	}
	if got, want := words(a), []uint64{2, 1, 1, 2, 1, 1, 1, 1, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("first request: %d, want %d", got, want)
	}
	if got, want := words(b), []uint64{4, 2, 2, 2, 1, 1, 8, 2, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("another client: %d, want %d", got, want)
	}
	_, _ = s.Desc(ctx, a, pcp.NewID(Domain, 0, 4))
	_, _ = s.Text(ctx, a, pcp.NewID(Domain, 0, 4), pcp.Help)
	_, _ = s.InDomText(ctx, a, pcp.NewInDom(Domain, 1), pcp.Help)
	_, _ = s.Instances(ctx, a, pcp.NewInDom(Domain, 1))
	if got, want := words(a), []uint64{14, 7, 7, 12, 6, 6, 8, 2, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("after more requests: %d, want %d", got, want)
	}
	s.EndClient(b)
	s.EndClient(new(pmda.Client))
	if got, want := words(a), []uint64{16, 8, 8, 14, 7, 7, 8, 1, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("without the other client: %d, want %d", got, want)
	}
	s.SetProfile(a, nil)
	if got := words(a); got[1] != 9 {
		t.Errorf("the same profile again counts: %d", got)
	}
	s.SetProfile(a, new(pcp.Profile))
	if got, want := words(a), []uint64{21, 11, 10, 19, 10, 9, 8, 1, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("with another profile: %d, want %d", got, want)
	}
	for item, want := range map[uint32][]uint64{41: {0, 1}, 42: {1, 0}, 40: {0, 0}} {
		s.traffic.received, s.traffic.sent = 100, 100
		id := pcp.NewID(Domain, 0, item)
		if err := s.Store(ctx, a, []pcp.Values{{ID: id, Insts: []int32{-1}, Words: []uint64{0}}}); err != nil {
			t.Fatal(err)
		}
		if got := []uint64{uint64(s.traffic.received) / 100, uint64(s.traffic.sent) / 100}; !slices.Equal(got, want) {
			t.Errorf("after a store of %d: %d received, %d sent", item, s.traffic.received, s.traffic.sent)
		}
	}
}

// TestDynamicFile reads instances from a file.
func TestDynamicFile(t *testing.T) {
	dir := t.TempDir()
	s, _ := newTest(t, Options{Dir: dir})
	c := new(pmda.Client)
	d := pcp.NewInDom(Domain, 7)
	file := filepath.Join(dir, "dynamic.indom")
	stamp := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(text string) {
		t.Helper()
		stamp = stamp.Add(time.Minute)
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o666), os.Chtimes(file, stamp, stamp)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, want []pcp.Instance, values ...uint64) {
		t.Helper()
		list, err := s.Instances(context.Background(), c, d)
		if err != nil || !slices.Equal(list, want) {
			t.Errorf("%s: instances %v, error %v; want %v", what, list, err, want)
		}
		if v := fetchItems(t, s, c, 76)[0]; !slices.Equal(v.Words, values) {
			t.Errorf("%s: values %d, want %d", what, v.Words, values)
		}
	}
	check("no file", nil)
	write("1 one\n\n 20\ttwenty\n1 again\n")
	two := []pcp.Instance{{ID: 1, Name: "one"}, {ID: 20, Name: "twenty"}}
	check("two", two, 1, 1)
	check("again", two, 2, 2)
	write("1 one\n")
	check("one", two[:1], 1)
	// As with the reference, all of the file has to be right.
	for _, text := range []string{"1 one\n20 twenty more\n", "1 one\nbad\n", "x one\n2 two\n", "1 one\n# comment\n", "1 one\n99999999999 much\n"} {
		write(text)
		check(text, nil)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check("file removed", nil)
}

// TestHelp wants a text for each metric and each instance domain.
func TestHelp(t *testing.T) {
	ctx := context.Background()
	s, _ := newTest(t, Options{})
	storeItem(t, s, 1008, 8)
	for item, m := range s.items {
		id := pcp.NewID(Domain, 0, item)
		if text, err := s.Text(ctx, nil, id, pcp.OneLine); err != nil {
			t.Errorf("%v: %q, error %v", id, text, err)
		} else if text == "" || strings.HasSuffix(text, ".") || len(text) > 80 {
			t.Errorf("%v: %q, error %v", id, text, err)
		}
		if m.InDom == nil {
			continue
		}
		if text, err := s.InDomText(ctx, nil, s.InDomID(m.InDom), pcp.OneLine); err != nil || text == "" {
			t.Errorf("domain %d: %q, error %v", m.InDom.Serial, text, err)
		}
	}
}

// TestOther is another collector of the kind, in its own domain.
func TestOther(t *testing.T) {
	s, _ := newTest(t, Options{Domain: 30, Name: "sampledso"})
	names := s.Names()
	if len(names) < 190 || names[0] != (pmda.Name{Name: "sampledso.control", ID: pcp.NewID(30, 0, 0)}) {
		t.Errorf("%d names, the first is %v", len(names), names[0])
	}
	if v := fetchItems(t, s, new(pmda.Client), 5)[0]; !slices.Equal(v.Words, []uint64{101, 202, 303}) {
		t.Errorf("colours %d", v.Words)
	}
	var res pcp.Result
	if err := s.Fetch(context.Background(), &pmda.Request{Client: new(pmda.Client), IDs: []pcp.ID{pcp.NewID(29, 0, 5)}}, &res); err != nil || res.Sets[0].Err != pmerr.PMID {
		t.Errorf("a metric of another domain: %v, error %v", res.Sets[0], err)
	}
}

// TestSysinfo has the answer of the kernel on Linux, an error elsewhere.
func TestSysinfo(t *testing.T) {
	s, _ := newTest(t, Options{})
	v := fetchItems(t, s, new(pmda.Client), 39)[0]
	if v.Err != nil && v.Err != pmerr.AppVersion || v.Err == nil && len(v.Blobs[0]) < 60 {
		t.Errorf("error %v, values %d", v.Err, v.Blobs)
	}
}

// TestStoreShapes stores values of wrong shapes to all metrics: none may be taken for another, or
// panic.
func TestStoreShapes(t *testing.T) {
	ctx := context.Background()
	s, _ := newTest(t, Options{})
	for item, m := range s.items {
		for _, v := range []pcp.Values{
			{}, {Insts: []int32{-1}}, {Insts: []int32{-1}, Blobs: [][]byte{nil}}, {Insts: []int32{-1, -1}, Words: []uint64{1, 2}}, {Insts: []int32{77}, Words: []uint64{1}},
			{Insts: []int32{-1}, Odd: []pcp.Odd{{Bad: true}}}, {Insts: []int32{-1}, Words: []uint64{1 << 63}},
		} {
			v.ID, v.Type = pcp.NewID(Domain, 0, item), m.Type
			err := s.Store(ctx, new(pmda.Client), []pcp.Values{v})
			if m.Store == nil && err == nil {
				t.Errorf("item %d, which cannot be stored, takes %+v", item, v)
			}
		}
	}
}

func BenchmarkFetch(b *testing.B) {
	p, err := New(nil)
	if err != nil {
		b.Fatal(err)
	}
	req := &pmda.Request{Client: new(pmda.Client)}
	for _, n := range p.Names() {
		if n.ID.Domain() == Domain {
			req.IDs = append(req.IDs, n.ID)
		}
	}
	var res pcp.Result
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Fetch(context.Background(), req, &res); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(nil); err != nil {
			b.Fatal(err)
		}
	}
}
