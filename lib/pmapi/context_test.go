package pmapi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// newContext opens a Context for the length of a test.
func newContext(t *testing.T, open func(context.Context) (pmapi.Source, error)) *pmapi.Context {
	t.Helper()
	c, err := pmapi.NewContext(context.Background(), open)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// archiveContext returns a Context over an archive that archivetest makes.
func archiveContext(t *testing.T, name string) *pmapi.Context {
	t.Helper()
	base := archivetest.Path(t, name)
	return newContext(t, func(context.Context) (pmapi.Source, error) { return pmapi.OpenArchive(t.Context(), base, nil) })
}

// hostContext returns a Context over a daemon, and the daemon.
func hostContext(t *testing.T) (*pmapi.Context, *pmcdtest.Server) {
	t.Helper()
	s := pmcdtest.NewServer(pmcdtest.Sample())
	t.Cleanup(func() { s.Close() })
	return newContext(t, func(ctx context.Context) (pmapi.Source, error) {
		return pmapi.OpenHost(ctx, "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial})
	}), s
}

// values shows columns as instance=word, "err" for an error.
func values(r *pcp.Result) string {
	var out []string
	for i := range r.Sets {
		s := &r.Sets[i]
		if s.Err != nil {
			out = append(out, pmerr.Of(s.Err).Name())
		}
		for j, inst := range s.Insts {
			out = append(out, fmt.Sprintf("%d=%d", inst, s.Words[j]))
		}
	}
	return fmt.Sprint(out)
}

// A call is one row of the table of V16.2: its result with each kind of Context.
type call struct {
	name                 string
	do                   func(*pmapi.Context) error
	host, archive, after error
}

var background = context.Background()

// failed returns the error of a call with a result.
func failed[T any](_ T, err error) error { return err }

// dupAndClose makes a copy and closes it.
func dupAndClose(c *pmapi.Context) error {
	d, err := c.Dup(background)
	if err != nil {
		return err
	}
	return d.Close()
}

// calls returns the table of V16.2. Where the reference looks at arguments before the context, so
// do we.
func calls() []call {
	type ctx = *pmapi.Context
	id := []pcp.ID{pcp.NewID(29, 0, 6)}
	one := []pcp.Values{{ID: pcp.NewID(29, 0, 0), Type: pcp.Int32, Insts: []int32{pcp.NullInst}, Words: []uint64{7}}}
	none := []pcp.Values{{ID: pcp.NewID(29, 0, 0), Type: pcp.Int32}}
	stop := func(string, pcp.ID) bool { return false }
	return []call{
		{"Metrics", func(c ctx) error { return failed(c.Metrics(background, []string{"sample.bin"})) }, nil, nil, pmerr.NoContext},
		{"Metrics of nothing", func(c ctx) error { return failed(c.Metrics(background, nil)) }, pmerr.TooSmall, pmerr.TooSmall, pmerr.TooSmall},
		{"Lookup", func(c ctx) error { return failed(c.Source().Lookup(background, []string{"a"})) }, nil, nil, pmerr.NoContext},
		{"Children", func(c ctx) error { return failed(c.Source().Children(background, "")) }, nil, nil, pmerr.NoContext},
		{"Walk", func(c ctx) error { return c.Source().Walk(background, "", true, stop) }, nil, nil, pmerr.NoContext},
		{"Names", func(c ctx) error { return failed(c.Source().Names(background, 0)) }, pmerr.PMID, pmerr.PMID, pmerr.NoContext},
		{"Describe", func(c ctx) error { return failed(c.Source().Describe(background, id)) }, nil, nil, pmerr.NoContext},
		{"Instances", func(c ctx) error { return failed(pmapi.InstancesOf(background, c.Source(), 1, pmapi.Now())) }, pmerr.InDom, pmerr.InDomLog, pmerr.NoContext},
		{"Fetch", func(c ctx) error { return failed(c.Fetch(background, id)) }, nil, nil, pmerr.NoContext},
		{"Fetch of nothing", func(c ctx) error { return failed(c.Fetch(background, nil)) }, pmerr.TooSmall, pmerr.TooSmall, pmerr.TooSmall},
		{"Store", func(c ctx) error { return c.Store(background, one) }, nil, pmerr.NotHost, pmerr.NoContext},
		{"Store of nothing", func(c ctx) error { return c.Store(background, nil) }, pmerr.TooSmall, pmerr.TooSmall, pmerr.TooSmall},
		{"Store without values", func(c ctx) error { return c.Store(background, none) }, pmerr.Value, pmerr.Value, pmerr.Value},
		{"SetMode Live", func(c ctx) error { return c.SetMode(pcp.Live, nil, 0) }, nil, pmerr.Mode, pmerr.NoContext},
		{"SetMode Interp", func(c ctx) error { return c.SetMode(pcp.Interp, nil, 0) }, pmerr.Mode, nil, pmerr.NoContext},
		{"SetMode Back", func(c ctx) error { return c.SetMode(pcp.Back, nil, 0) }, pmerr.Mode, nil, pmerr.NoContext},
		{"SetMode Forward", func(c ctx) error { return c.SetMode(pcp.Forward, nil, 0) }, pmerr.Mode, nil, pmerr.NoContext},
		{"SetMode 4", func(c ctx) error { return c.SetMode(4, nil, 0) }, pmerr.Mode, pmerr.Mode, pmerr.NoContext},
		{"Timeline", func(c ctx) error { return failed(c.Timeline()) }, pmerr.NotArchive, nil, pmerr.NoContext},
		{"Dup", dupAndClose, nil, nil, pmerr.NoContext},
		{"Reconnect", func(c ctx) error { return c.Reconnect(background) }, nil, nil, pmerr.NoContext},
		{"HostName", func(c ctx) error { return failed(c.HostName(background)) }, pmerr.Name, nil, pmerr.NoContext},
		{"Zone", func(c ctx) error { return failed(c.Zone(background)) }, pmerr.Name, nil, pmerr.NoContext},
		{"Close", ctx.Close, nil, nil, nil},
	}
}

// TestCalls checks each call with a host, with an archive, and after Close.
func TestCalls(t *testing.T) {
	host, _ := hostContext(t)
	archive := archiveContext(t, "agent")
	closed := []*pmapi.Context{archiveContext(t, "agent")}
	c, _ := hostContext(t)
	closed = append(closed, c)
	for _, c := range closed {
		for range 2 {
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range calls() {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.do(host); !errors.Is(err, tt.host) {
				t.Errorf("host: %v, want %v", err, tt.host)
			}
			if err := tt.do(archive); !errors.Is(err, tt.archive) {
				t.Errorf("archive: %v, want %v", err, tt.archive)
			}
			for i, c := range closed {
				if err := tt.do(c); !errors.Is(err, tt.after) {
					t.Errorf("closed %d: %v, want %v", i, err, tt.after)
				}
			}
		})
	}
}

// TestClosedServices checks the errors of a closed Context and its Source, and which calls still
// succeed.
func TestClosedServices(t *testing.T) {
	c := archiveContext(t, "labels")
	timeline, err := c.Timeline()
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := timeline.SetMode(pcp.Forward, nil, 0); !errors.Is(err, pmerr.NoContext) {
		t.Errorf("SetMode of an old Timeline: %v", err)
	}
	c.Profile().DelAll()
	c.SetZone("UTC")
	if _, err := pmapi.LabelsOf(background, c.Source(), pcp.ContextLabels, 0); !errors.Is(err, pmerr.NoContext) {
		t.Errorf("Labels of a closed Context: %v", err)
	}
}

func TestNewContextError(t *testing.T) {
	c, err := pmapi.NewContext(background, func(context.Context) (pmapi.Source, error) {
		return pmapi.OpenArchive(t.Context(), "no/such", nil)
	})
	if c != nil || !errors.Is(err, pmerr.ENOENT) {
		t.Errorf("got %v, %v", c, err)
	}
}

func TestMetrics(t *testing.T) {
	names := []string{"sample.bin", "no.such", "sample", "sample.colour"}
	c := archiveContext(t, "agent")
	ms, err := c.Metrics(background, names)
	if err != nil || len(ms) != len(names) {
		t.Fatalf("%+v, %v", ms, err)
	}
	for i, want := range []error{nil, pmerr.Name, pmerr.NonLeaf, nil} {
		m := ms[i]
		if m.Name != names[i] || !errors.Is(m.Err, want) {
			t.Errorf("%s: %+v, want error %v", names[i], m, want)
		}
		if (m.Desc.ID == pcp.NullID) != (want != nil) {
			t.Errorf("%s: identifier %v beside error %v", names[i], m.Desc.ID, m.Err)
		}
	}
	if d := ms[0].Desc; d.ID.Domain() != 29 || d.InDom == pcp.NullInDom {
		t.Errorf("description %+v", d)
	}
	if ms, err := c.Metrics(background, []string{"no.such"}); err != nil || ms[0].Err == nil {
		t.Errorf("%+v, %v", ms, err)
	}
}

// TestMetricsDescError has a metric with a name and without a description.
func TestMetricsDescError(t *testing.T) {
	c, _ := hostContext(t)
	ms, err := c.Metrics(background, []string{"sample.nodesc", "sample.bin"})
	if err != nil {
		t.Errorf("%+v, %v", ms, err)
	} else if !errors.Is(ms[0].Err, pmerr.Again) || ms[0].Desc.ID != pcp.NewID(29, 0, 55) || ms[1].Err != nil {
		t.Errorf("%+v, %v", ms, err)
	}
}

// TestResultReused makes sure that one result serves all fetches.
func TestResultReused(t *testing.T) {
	c := archiveContext(t, "agent")
	ms, err := c.Metrics(background, []string{"sample.bin"})
	if err != nil {
		t.Fatal(err)
	}
	ids := []pcp.ID{ms[0].Desc.ID}
	first, err := c.Fetch(background, ids)
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Fetch(background, ids)
	if err != nil || first != second {
		t.Errorf("results at %p and %p, %v", first, second, err)
	}
}

// TestContextAllocs fetches numbers over and over, which takes no memory.
func TestContextAllocs(t *testing.T) {
	c := archiveContext(t, "demo")
	ids := []pcp.ID{pcp.NewID(60, 2, 0), pcp.NewID(60, 1, 1)}
	c.Profile().Add(pcp.NewInDom(60, 2), 1, 5)
	n := testing.AllocsPerRun(20, func() {
		if _, err := c.Fetch(background, ids); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations a fetch", n)
	}
}

func TestContextZone(t *testing.T) {
	c := archiveContext(t, "ta")
	c.SetZone("Europe/Berlin")
	d, err := c.Dup(background)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c.SetZone("")
	for want, c := range map[string]*pmapi.Context{"UTC": c, "Europe/Berlin": d} {
		if got, err := c.Zone(background); got != want || err != nil {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}

// TestHost covers hosts only: stores, lost connections, another connection for each Context, and
// the name.
func TestHost(t *testing.T) {
	c, daemon := hostContext(t)
	control := pcp.NewID(29, 0, 0)
	set := pcp.Values{ID: control, Type: pcp.Int32, Insts: []int32{pcp.NullInst}, Words: []uint64{7}}
	if err := c.Store(background, []pcp.Values{set}); err != nil {
		t.Fatal(err)
	}
	fetch := func(c *pmapi.Context, want string) {
		t.Helper()
		r, err := c.Fetch(background, []pcp.ID{control, pcp.NewID(29, 0, 6)})
		if err != nil {
			t.Fatal(err)
		}
		if got := values(r); got != want {
			t.Errorf("fetched %s, want %s", got, want)
		}
	}
	c.Profile().Add(pmcdtest.BinInDom, 200)
	fetch(c, "[-1=7 200=200]")
	d, err := c.Dup(background)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if now, _ := daemon.Conns(); now != 2 {
		t.Errorf("%d connections, want 2", now)
	}
	d.Profile().Add(pmcdtest.BinInDom, 300)
	fetch(d, "[-1=7 200=200 300=300]")
	fetch(c, "[-1=7 200=200]")

	daemon.Hangup()
	if _, err := c.Fetch(background, []pcp.ID{control}); err == nil {
		t.Error("fetched through a connection that is gone")
	}
	for _, c := range []*pmapi.Context{c, d} {
		if err := c.Reconnect(background); err != nil {
			t.Fatal(err)
		}
	}
	fetch(c, "[-1=7 200=200]")
	fetch(d, "[-1=7 200=200 300=300]")
	if name, err := c.HostName(background); name != "127.0.0.1" || !errors.Is(err, pmerr.Name) {
		t.Errorf("HostName: %q, %v", name, err)
	}
}
