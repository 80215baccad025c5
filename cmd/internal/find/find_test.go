package find

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A fake is a source of metrics with the given names and texts.
type fake struct {
	pmapi.Source
	list  []about
	insts map[pcp.InDom][]pcp.Instance
	fail  error // of requests for texts
	asked int   // requests for texts
}

// about is what there is about a metric.
type about struct {
	name, line, help string
	indom            pcp.InDom
}

func (f *fake) Walk(_ context.Context, _ string, _ bool, each func(string, pcp.ID) bool) error {
	for i, m := range f.list {
		if !each(m.name, pcp.ID(i)) {
			break
		}
	}
	return nil
}

func (f *fake) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	out := make([]pcp.Answer[pcp.ID], len(names))
	for i := range out {
		out[i].Err = pmerr.Name
	}
	return out, nil
}

func (f *fake) Describe(_ context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	out := make([]pcp.Answer[pcp.Desc], len(ids))
	for i, id := range ids {
		out[i].Value = pcp.Desc{ID: id, Type: pcp.Uint32, InDom: f.list[id].indom}
	}
	return out, nil
}

func (f *fake) Text(_ context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error) {
	f.asked++
	out := make([]pcp.Answer[string], len(idents))
	for i, id := range idents {
		if out[i].Value = f.list[id].line; kind == pcp.Help {
			out[i].Value = f.list[id].help
		}
	}
	return out, f.fail
}

func (f *fake) Instances(_ context.Context, ds []pcp.InDom, _ pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	out := make([]pcp.Answer[[]pcp.Instance], len(ds))
	for i, d := range ds {
		out[i].Value = f.insts[d]
	}
	return out, nil
}

// disks and cards are the domains of the metrics of host; empty has no instances.
var (
	disks = pcp.NewInDom(60, 1)
	cards = pcp.NewInDom(60, 3)
	empty = pcp.NewInDom(60, 9)
)

// host returns a source with a few of the metrics of Linux.
func host() *fake {
	n := pcp.NullInDom
	return &fake{
		list: []about{
			{"sample.load", "load of an example", "", n},
			{"kernel.all.load", "1, 5 and 15 minute load average", "extracted from /proc/loadavg", n},
			{"kernel.all.cpu.user", "total user CPU time", "", n},
			{"kernel.all.runnable", "total number of processes in the run queue", "", n},
			{"disk.dev.await", "average time read and write requests queued and serviced", "", disks},
			{"disk.dm.await", "average time read and write requests queued and serviced", "", empty},
			{"disk.dev.read", "per-disk read operations", "Cumulative number of disk read operations since boot.", disks},
			{"mem.physmem", "total system memory", "", n},
			{"mem.util.free", "free memory", "", n},
			{"network.interface.in.bytes", "network recv read bytes", "", cards},
			{"network.interface.in.errors", "network recv read errors", "", cards},
			{"swap.free", "swap free", "", n},
			{"proc.psinfo.pid", "process identifier", "", n},
			{"filesys.full", "percentage of filesystem in use", "", n},
			{"my.ratio", "", "", n},
		},
		insts: map[pcp.InDom][]pcp.Instance{disks: {{ID: 0, Name: "sda"}}, cards: {{ID: 0, Name: "lo"}, {ID: 1, Name: "eth0"}}},
	}
}

// indexed returns the index of a source.
func indexed(t testing.TB, f *fake) *index {
	ix, err := read(t.Context(), f, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func TestFind(t *testing.T) {
	ix := indexed(t, host())
	for _, test := range []struct{ question, first, why string }{
		{"disk latency", "disk.dev.await", "disk, latency=await"},
		{"Disks' latencies?", "disk.dev.await", "disks, latencies=await"},
		{"response time of disks", "disk.dev.await", "response time=await, disks"},
		{"which process is in the run queue", "kernel.all.runnable", "process in text, run, queue=runnable"},
		{"load", "kernel.all.load", "load"},
		{"kernel.all.load", "kernel.all.load", "kernel, all, load"},
		{"processor", "kernel.all.cpu.user", "processor=cpu"},
		{"memory", "mem.physmem", "memory=mem"},
		{"free memory", "mem.util.free", "free, memory=mem"},
		{"phys", "mem.physmem", "phys"},
		{"network traffic in", "network.interface.in.bytes", "network, traffic=bytes, in"},
		{"network drops", "network.interface.in.errors", "network, drops=error"},
		{"eth0 traffic", "network.interface.in.bytes", "eth0 in instance eth0, traffic=bytes"},
		{"loopback", "network.interface.in.bytes", "loopback=lo in instance lo"},
		{"boot", "disk.dev.read", "boot in help"},
		{"full filesystems", "filesys.full", "full, filesystems=filesys"},
		{"tasks", "proc.psinfo.pid", "tasks=proc"},
	} {
		t.Run(test.question, func(t *testing.T) {
			a, err := ix.find(t.Context(), test.question, 3)
			if err != nil || len(a.Matches) == 0 {
				t.Fatal(a, err)
			}
			if m := a.Matches[0]; m.Name != test.first || m.Reasons() != test.why || m.Score != "1.000" {
				t.Errorf("got %s (%s) of score %s, want %s (%s)", m.Name, m.Reasons(), m.Score, test.first, test.why)
			}
			if len(a.Matches) > 3 || a.Total < len(a.Matches) || a.Unknown != nil {
				t.Errorf("%d matches of %d, unknown %q", len(a.Matches), a.Total, a.Unknown)
			}
		})
	}
}

// TestUnknown has questions about which there is less, or nothing.
func TestUnknown(t *testing.T) {
	ix := indexed(t, host())
	for _, test := range []struct {
		question string
		total    int
		notes    string
	}{
		{"", 0, "no metric is about ; try"},
		{"the value of my metric", 0, "no metric is about the value of my metric; try"},
		{"frobnicate\x1b[m", 0, "try"},
		{"netwrok", 0, "no metric is about netwrok; did you mean network?; try"},
		{"swap frobnicate", 3, `nothing is about "frobnicate"`},
		{"swap trafic", 3, `nothing is about "trafic"; did you mean traffic?`},
		{strings.Repeat("swap ", 100), 3, ""},
	} {
		a, err := ix.find(t.Context(), test.question, 0)
		if err != nil {
			t.Fatal(err)
		}
		if a.Total != test.total {
			t.Errorf("%q: %d matches, want %d", test.question, a.Total, test.total)
		}
		var got []string
		if a.Total > 0 {
			ix.note(a)
			got = a.Notes
		} else {
			p := ix.problem(test.question, a)
			got = append([]string{p.Msg}, p.Notes...)
		}
		if text := strings.Join(got, "; "); !strings.Contains(text, test.notes) || strings.Contains(text, "\x1b") {
			t.Errorf("%q: %q, want %q", test.question, text, test.notes)
		}
	}
}

// TestDefinition finds a derived metric by what it is made of.
func TestDefinition(t *testing.T) {
	f := host()
	derived := pcp.NewID(pcp.DynamicDomain, 0, 1)
	src := &overlay{f, derived}
	ix, err := read(t.Context(), src, func(name string) string {
		if name != "my.own" {
			t.Errorf("asked for the definition of %s", name)
		}
		return "rate(tape.written) / hinv.ncpu"
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := ix.find(t.Context(), "tapes", 0)
	if err != nil || a.Total != 1 {
		t.Fatalf("%+v %v", a, err)
	}
	if m := a.Matches[0]; m.Name != "my.own" || m.Reasons() != "tapes in definition" {
		t.Errorf("%+v", m)
	}
}

// An overlay has one derived metric more.
type overlay struct {
	*fake
	id pcp.ID
}

func (o *overlay) Walk(ctx context.Context, _ string, _ bool, each func(string, pcp.ID) bool) error {
	each("my.own", o.id)
	return nil
}

func (o *overlay) Describe(context.Context, []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	return nil, pmerr.BadDerive
}

func (o *overlay) Text(context.Context, pcp.TextKind, []uint32) ([]pcp.Answer[string], error) {
	return nil, pmerr.Text
}

// TestErrors ends with the errors that a source does not survive, and only with them.
func TestErrors(t *testing.T) {
	f := host()
	f.fail = pmerr.Text
	if _, err := read(t.Context(), f, func(string) string { return "" }); err != nil {
		t.Errorf("without texts: %v", err)
	}
	f.fail = fmt.Errorf("read: %w", pmerr.IPC)
	if _, err := read(t.Context(), f, func(string) string { return "" }); !errors.Is(err, pmerr.IPC) {
		t.Errorf("lost: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := read(ctx, host(), func(string) string { return "" }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := indexed(t, host()).find(ctx, "disk", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled question: %v", err)
	}
}

// many returns a source of n metrics with texts of some length.
func many(n int) *fake {
	f := &fake{insts: map[pcp.InDom][]pcp.Instance{disks: {{ID: 0, Name: "sda"}}}}
	topics := strings.Fields("disk network memory cpu swap process filesystem kernel nfs tcp")
	kinds := strings.Fields("read write errors latency bytes total queue wait free used")
	for i := range n {
		topic, kind := topics[i%10], kinds[i/10%10]
		f.list = append(f.list, about{
			fmt.Sprintf("%s.group%d.%s.item%d", topic, i%97, kind, i),
			fmt.Sprintf("%s of the %s number %d", kind, topic, i%1000),
			strings.Repeat(fmt.Sprintf("The number of %s operations of each %s since it was started, item %d. ", kind, topics[i%7], i%5000), 4),
			disks,
		})
	}
	return f
}

// TestBatches asks for the texts of many metrics in few requests.
func TestBatches(t *testing.T) {
	f := many(10 * batch)
	indexed(t, f)
	if f.asked != 20 {
		t.Errorf("%d requests for texts, want 20", f.asked)
	}
}

func BenchmarkRead(b *testing.B) {
	f := many(50000)
	b.ReportAllocs()
	for b.Loop() {
		indexed(b, f)
	}
}

func BenchmarkFind(b *testing.B) {
	ix := indexed(b, many(50000))
	for _, question := range []string{"disk latency", "network errors", "how much free memory is used by processes"} {
		b.Run(question, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ix.find(b.Context(), question, 15); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
