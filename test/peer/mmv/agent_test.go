package mmv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/test/peer/harness"
)

// agent returns what the reference's daemon serves, and the directory that its agent reads.
func agent(t *testing.T) (pmapi.Source, string) {
	t.Helper()
	harness.Live(t)
	root := os.Getenv("PMTOOLS_PEER")
	dir := filepath.Join(root, "var/lib/pcp/tmp/mmv")
	if before, err := os.ReadDir(dir); err != nil || len(before) > 0 {
		t.Skipf("%s is not an empty directory: %v", dir, err)
	}
	src, err := pmapi.OpenHost(context.Background(), "unix:"+filepath.Join(root, "run/pcp/peer.socket"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src, dir
}

// TestAgent reads the metrics of this program through the reference's daemon and its agent, while 8
// goroutines update them and others are registered.
func TestAgent(t *testing.T) {
	ctx := context.Background()
	src, dir := agent(t)
	r, err := mmv.Create("acme", mmv.Options{Dir: dir, Cluster: 321, Flags: mmv.Process})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	d := r.Domain(mmv.ID(61)).Add("a", "b")
	count, sum := mmv.Counter[uint64](r, "count", mmv.ID(7), mmv.Per(d)), mmv.Gauge[float64](r, "sum", mmv.ID(8))
	mmv.Text(r, "state", mmv.ID(9)).Set("running")
	var group sync.WaitGroup
	var adds [8]uint64
	stop := make(chan struct{})
	for i := range adds {
		group.Go(func() {
			at := count.At(string('a' + rune(i%2)))
			for n := uint64(0); ; n++ {
				select {
				case <-stop:
					adds[i] = n
					return
				default:
					at.Add(1)
					sum.Add(0.5)
					if n%16 == 0 {
						runtime.Gosched()
					}
				}
			}
		})
	}
	ids := []pcp.ID{pcp.NewID(70, 321, 7), pcp.NewID(70, 321, 8), pcp.NewID(70, 321, 9)}
	var last [2]uint64
	for i := range 100 {
		name := fmt.Sprint("more.m", i)
		mmv.Gauge[int32](r, name, mmv.ID(100+i)).Set(int32(i))
		checkLater(t, src, "mmv.acme."+name, pcp.NewID(70, 321, uint32(100+i)), uint64(i))
		var res pcp.Result
		if err := src.Fetch(ctx, &pmapi.Request{IDs: ids}, &res); err != nil {
			t.Fatal(err)
		}
		if res.Sets[0].Len() != 2 || res.Sets[1].Len() != 1 || string(res.Sets[2].Blobs[0]) != "running" {
			t.Fatalf("values %+v", res.Sets)
		}
		for k := range last {
			now := res.Sets[0].Words[k]
			if now+8 < last[k] { // one update of each goroutine may be under way
				t.Fatalf("instance %d goes from %d to %d", k, last[k], now)
			}
			last[k] = now
		}
	}
	close(stop)
	group.Wait()
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	var want [2]uint64
	for i, n := range adds {
		want[i%2] += n
	}
	var res pcp.Result
	if err := src.Fetch(ctx, &pmapi.Request{IDs: ids}, &res); err != nil {
		t.Fatal(err)
	}
	total, err := res.Sets[1].Value(0).Float64()
	if res.Sets[0].Words[0] != want[0] || res.Sets[0].Words[1] != want[1] {
		t.Errorf("the daemon says %v and %v, error %v; there were %d updates", res.Sets[0].Words, total, err, want)
	} else if err != nil || total != float64(want[0]+want[1])/2 {
		t.Errorf("the daemon says %v and %v, error %v; there were %d updates", res.Sets[0].Words, total, err, want)
	}
	t.Logf("%d updates", want[0]+want[1])
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "acme")); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
}

// checkLater asks for a metric that was registered just now.
func checkLater(t *testing.T, src pmapi.Source, name string, id pcp.ID, want uint64) {
	t.Helper()
	ctx := context.Background()
	var res pcp.Result
	found, err := src.Lookup(ctx, []string{name})
	if err == nil {
		err = src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{id}}, &res)
	}
	if err != nil {
		t.Fatalf("%s: error %v, found %+v, values %+v, want %v %d", name, err, found, res.Sets, id, want)
	} else if found[0].Err != nil || found[0].Value != id {
		t.Fatalf("%s: error %v, found %+v, values %+v, want %v %d", name, err, found, res.Sets, id, want)
	} else if res.Sets[0].Len() != 1 || res.Sets[0].Words[0] != want {
		t.Fatalf("%s: error %v, found %+v, values %+v, want %v %d", name, err, found, res.Sets, id, want)
	}
}

// TestSameTime replaces a file within a tick of the clock, so that the directory does not show it.
// The reference's agent, which keeps the old file in memory, finds the new one all the same.
func TestSameTime(t *testing.T) {
	src, dir := agent(t)
	r, err := mmv.Create("acme", mmv.Options{Dir: dir, Cluster: 321})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		os.Remove(filepath.Join(dir, "acme"))
	})
	mmv.Gauge[int32](r, "first", mmv.ID(1)).Set(1)
	checkLater(t, src, "mmv.acme.first", pcp.NewID(70, 321, 1), 1)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	mmv.Gauge[int32](r, "second", mmv.ID(2)).Set(2)
	if err := os.Chtimes(dir, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	id := pcp.NewID(70, 321, 2)
	for i := range 3000 {
		found, err := src.Lookup(context.Background(), []string{"mmv.acme.second"})
		if err != nil {
			t.Fatal(err)
		}
		if found[0].Err == nil {
			t.Logf("found with request %d", i+1)
			checkLater(t, src, "mmv.acme.second", id, 2)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("never found")
}

// TestFull fills a file: the reference's agent reads all of it.
func TestFull(t *testing.T) {
	src, dir := agent(t)
	r, err := mmv.Create("acme", mmv.Options{Dir: dir, Cluster: 2047, Flags: mmv.Process})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const metrics, instances = 1023, 2000
	r.Batch(func() {
		d := r.Domain(mmv.ID(2047))
		for i := range instances {
			d.Add(fmt.Sprint("instance", i))
		}
		mmv.Counter[uint64](r, "each", mmv.ID(0), mmv.Per(d)).At("instance1999").Set(7)
		for i := range metrics - 1 {
			mmv.Gauge[int32](r, fmt.Sprint("m", i+1), mmv.ID(i+1)).Set(int32(i + 1))
		}
		for i := range 255 {
			r.Label(fmt.Sprint("l", i), i)
		}
	})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := src.Walk(context.Background(), "mmv.acme", true, func(string, pcp.ID) bool { n++; return true }); err != nil || n != metrics {
		t.Errorf("%d metrics, error %v", n, err)
	}
	checkLater(t, src, "mmv.acme.m1022", pcp.NewID(70, 2047, 1022), 1022)
	var res pcp.Result
	if err := src.Fetch(context.Background(), &pmapi.Request{IDs: []pcp.ID{pcp.NewID(70, 2047, 0)}}, &res); err != nil {
		t.Fatal(err)
	}
	if v := &res.Sets[0]; v.Len() != instances || v.Words[v.Find(1999)] != 7 {
		t.Errorf("%d instances, %v", v.Len(), v.Err)
	}
}

// TestSpecial has an interval that lasts, and values that there are not.
func TestSpecial(t *testing.T) {
	src, dir := agent(t)
	r, err := mmv.Create("acme", mmv.Options{Dir: dir, Cluster: 321, Flags: mmv.Process | mmv.Sentinel | mmv.NoPrefix})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	mmv.Gauge[int32](r, "special.i32", mmv.ID(1)).Clear()
	mmv.Gauge[uint32](r, "special.u32", mmv.ID(2)).Clear()
	mmv.Gauge[int64](r, "special.i64", mmv.ID(3)).Clear()
	mmv.Gauge[uint64](r, "special.u64", mmv.ID(4)).Clear()
	mmv.Gauge[float32](r, "special.float", mmv.ID(5)).Clear()
	mmv.Gauge[float64](r, "special.double", mmv.ID(6)).Clear()
	mmv.Text(r, "special.text", mmv.ID(7))
	started := time.Now()
	watch := mmv.Timer(r, "special.busy", mmv.ID(8))
	end := watch.Start()
	after := time.Now()
	time.Sleep(20 * time.Millisecond)
	before := time.Since(after)
	req := &pmapi.Request{}
	if err := src.Walk(context.Background(), "mmv.special", true, func(_ string, id pcp.ID) bool {
		req.IDs = append(req.IDs, id)
		return true
	}); err != nil || len(req.IDs) != 8 {
		t.Fatal(req.IDs, err)
	}
	fetch := func() (busy time.Duration) {
		t.Helper()
		var res pcp.Result
		if err := src.Fetch(context.Background(), req, &res); err != nil {
			t.Fatal(err)
		}
		for i := range res.Sets {
			switch v := &res.Sets[i]; {
			case v.ID.Item() == 8:
				busy = time.Duration(v.Words[0]) * time.Microsecond
			case v.Len() != 0:
				t.Errorf("%v has a value: %+v", v.ID, v)
			}
		}
		return busy
	}
	if busy := fetch(); busy < before-time.Millisecond || busy > time.Since(started)+time.Millisecond {
		t.Errorf("busy for %v, want %v to %v", busy, before, time.Since(started))
	}
	end()
	if busy := fetch(); busy != watch.Get() {
		t.Errorf("was busy for %v, want %v", busy, watch.Get())
	}
}
