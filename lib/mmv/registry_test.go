package mmv_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
)

// tempDir returns a directory. On Windows it cannot be removed while files in it are mapped.
func tempDir(t testing.TB) string {
	t.Helper()
	if runtime.GOOS != "windows" {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("", "mmv")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// create makes a registry in a directory of its own.
func create(t testing.TB, o mmv.Options) (r *mmv.Registry, path string) {
	t.Helper()
	o.Dir = tempDir(t)
	r, err := mmv.Create("acme", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, filepath.Join(o.Dir, "acme")
}

// read parses the file of a registry, and returns its values by "name" or "name[instance]".
func read(t testing.TB, path string) (*mmv.File, map[string]any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := mmv.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for i := range f.Values {
		v := &f.Values[i]
		m := &f.Metrics[v.Metric]
		name := m.Name
		for _, d := range f.InDoms {
			for _, in := range d.Instances {
				if d.Serial == m.Serial && in.ID == v.Inst {
					name += "[" + in.Name + "]"
				}
			}
		}
		x, err := f.Value(b, v, time.UnixMicro(5_000_000))
		if err != nil {
			t.Fatal(err)
		}
		switch x.Type() {
		case pcp.Float:
			values[name] = math.Float32frombits(uint32(x.Word()))
		case pcp.Double:
			values[name] = math.Float64frombits(x.Word())
		case pcp.String:
			values[name] = string(x.Bytes())
		default:
			values[name] = int64(x.Word())
			if !x.IsSet() {
				values[name] = nil
			}
		}
	}
	return f, values
}

// TestRegistry registers all there is, one after the other, and reads the file in between.
func TestRegistry(t *testing.T) {
	r, path := create(t, mmv.Options{Cluster: 321})
	if f, _ := read(t, path); f.Version != 1 || f.Cluster != 321 {
		t.Errorf("an empty registry: %+v", f.Header)
	} else if int(f.PID) != os.Getpid() || len(f.Metrics) != 0 {
		t.Errorf("an empty registry: %+v", f.Header)
	}
	products := r.Domain(mmv.ID(61), mmv.Help("Acme products", "Popular", "products")).Add("Anvils", "Rockets")
	served := mmv.Counter[uint64](r, "products.count", mmv.ID(7), mmv.Per(products), mmv.Help("throughput"))
	served.At("Anvils").Add(41)
	served.At("Anvils").Add(1)
	served.At("Giant Rubber Bands").Add(3) // adds an instance
	load := mmv.Gauge[float64](r, "load.now", mmv.Units("count/sec"))
	load.Set(0.5)
	load.Add(0.25)
	note := mmv.Text(r, "note")
	note.Set("first")
	note.Set("x")
	busy := mmv.Timer(r, "busy")
	busy.Add(1500 * time.Millisecond)
	mmv.Gauge[int32](r, "n.i32").Set(-7)
	mmv.Gauge[uint32](r, "n.u32", mmv.Discrete()).Set(math.MaxUint32)
	mmv.Gauge[int64](r, "n.i64").Set(math.MinInt64)
	mmv.Gauge[float32](r, "n.float").Add(-1.5)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	f, values := read(t, path)
	want := map[string]any{
		"products.count[Anvils]": int64(42), "products.count[Rockets]": int64(0), "products.count[Giant Rubber Bands]": int64(3),
		"load.now": 0.75, "note": "x", "busy": int64(1500000), "n.i32": int64(-7), "n.u32": int64(math.MaxUint32), "n.i64": int64(math.MinInt64), "n.float": float32(-1.5),
	}
	if fmt.Sprint(values) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", values, want)
	}
	if m := f.Metrics[1]; m.Item != 1 || m.Sem != pcp.Instant {
		t.Errorf("metrics %+v", f.Metrics)
	} else if m.Units.String() != "count / sec" || f.Metrics[5].Sem != pcp.Discrete {
		t.Errorf("metrics %+v", f.Metrics)
	}
	if d := f.InDoms[0]; d.Help != "Popular\nproducts" || d.OneLine != "Acme products" || d.Instances[2] != (pcp.Instance{ID: 2, Name: "Giant Rubber Bands"}) {
		t.Errorf("domain %+v", d)
	}
	if got, want := fmt.Sprintln(served.At("Anvils").Get(), load.Get(), note.Get(), busy.Get()), "42 0.75 x 1.5s\n"; got != want {
		t.Errorf("values are read back as %s, want %s", got, want)
	}
	if f.Version != 1 {
		t.Errorf("version %d", f.Version)
	}
	mmv.Gauge[int32](r, strings.Repeat("long.", 20)+"name")
	if f, _ = read(t, path); f.Version != 2 {
		t.Errorf("version %d with a long name", f.Version)
	}
	r.Label("rack", 7)
	r.OptionalLabel("note", "a <b> \"c\"")
	products.Instance(9, "Nine", mmv.Labeled("hue", []int{1, 2}))
	f, values = read(t, path)
	if f.Version != 3 || fmt.Sprint(f.Labels) != `[{8 false 321 -1 {"rack":7}} {8 true 321 -1 {"note":"a <b> \"c\""}} {32 false 61 9 {"hue":[1,2]}}]` {
		t.Errorf("version %d, labels %v", f.Version, f.Labels)
	}
	want["products.count[Nine]"], want[strings.Repeat("long.", 20)+"name"] = int64(0), int64(0)
	if fmt.Sprint(values) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", values, want)
	}
}

// TestIntervals has readers see one interval that lasts.
func TestIntervals(t *testing.T) {
	r, path := create(t, mmv.Options{})
	w := mmv.Timer(r, "busy", mmv.Help("while something lasts"))
	now := func() int64 {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := mmv.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Value(b, &f.Values[0], time.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		return int64(v.Word())
	}
	end := w.Start()
	mmv.Text(r, "other") // the interval goes on in another file
	second := w.Start()
	if got, hour := now(), time.Hour.Microseconds(); got < hour || got > hour*3/2 {
		t.Errorf("an hour later it is %d", got)
	}
	end()
	second()
	if got := now(); got > time.Hour.Microseconds()/2 || w.Get().Microseconds() != got {
		t.Errorf("nothing lasts, but there are %d and %v", got, w.Get())
	}
}

// writers is how many goroutines update a value.
const writers = 8

// TestWriters updates values from 8 goroutines while there are 100 registrations. Nothing is lost,
// and readers see complete files with numbers that only grow.
func TestWriters(t *testing.T) {
	const registrations = 100
	r, path := create(t, mmv.Options{})
	d := r.Domain().Add("a")
	total, sum, level := mmv.Counter[uint64](r, "total"), mmv.Gauge[float64](r, "sum", mmv.Per(d)), mmv.Gauge[int32](r, "level")
	var adds [writers]uint64
	var group sync.WaitGroup
	stop := make(chan struct{})
	for i := range writers {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				total.Add(1)
				sum.At("a").Add(2)
				level.Set(5)
				if adds[i]++; adds[i]%8 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	reader := make(chan error)
	go func() { reader <- watchFile(path, stop) }()
	for i := range registrations {
		if i%4 == 0 {
			d.Add(fmt.Sprint("i", i))
		} else {
			mmv.Counter[uint32](r, fmt.Sprint("more.m", i)).Add(uint32(i))
		}
	}
	close(stop)
	group.Wait()
	if err := <-reader; err != nil {
		t.Error(err)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	var want uint64
	for _, n := range adds {
		want += n
	}
	_, values := read(t, path)
	if values["total"] != int64(want) || values["sum[a]"] != float64(2*want) {
		t.Errorf("total %v, sum %v, level %v of %d updates", values["total"], values["sum[a]"], values["level"], want)
	} else if values["level"] != int64(5) || values["more.m99"] != int64(99) {
		t.Errorf("total %v, sum %v, level %v of %d updates", values["total"], values["sum[a]"], values["level"], want)
	}
}

// watchFile reads a file over and over. Its first value never goes down, and no file is damaged.
func watchFile(path string, stop chan struct{}) error {
	for last := uint64(0); ; {
		select {
		case <-stop:
			return nil
		default:
		}
		b, err := os.ReadFile(path)
		if err != nil && runtime.GOOS == "windows" {
			continue // it is being replaced
		}
		if err != nil {
			return err
		}
		f, err := mmv.Parse(b)
		if errors.Is(err, mmv.ErrChanging) {
			continue // it was replaced long ago
		}
		if err != nil {
			return err
		}
		if len(f.Values) == 0 {
			continue
		}
		v, err := f.Value(b, &f.Values[0], time.Now())
		if err != nil {
			return err
		}
		if v.Word()+writers < last { // those that are under way may be seen once and then not
			return fmt.Errorf("%d after %d", v.Word(), last)
		}
		last = v.Word()
	}
}

// TestBatch writes one file for many registrations.
func TestBatch(t *testing.T) {
	r, path := create(t, mmv.Options{})
	before, _ := read(t, path)
	var n *mmv.Number[int64]
	r.Batch(func() {
		for i := range 100 {
			n = mmv.Gauge[int64](r, fmt.Sprint("m", i))
			n.Set(int64(i))
		}
		if now, _ := read(t, path); now.Generation != before.Generation {
			t.Error("the file was written early")
		}
	})
	if f, values := read(t, path); len(f.Metrics) != 100 || values["m99"] != int64(99) {
		t.Errorf("%d metrics, the last is %v", len(f.Metrics), values["m99"])
	}
	n.Add(1)
	if _, values := read(t, path); values["m99"] != int64(100) {
		t.Errorf("m99 is %v", values["m99"])
	}
}

// TestSentinel has values that there are not.
func TestSentinel(t *testing.T) {
	r, path := create(t, mmv.Options{Flags: mmv.Sentinel})
	i32 := mmv.Gauge[int32](r, "i")
	i32.Clear()
	mmv.Gauge[uint64](r, "u").Clear()
	mmv.Gauge[float32](r, "f").Clear()
	r.Label("moved", true)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := mmv.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Values {
		if v, err := f.Value(b, &f.Values[i], time.Now()); err != nil || v.IsSet() {
			t.Errorf("%s is %v, error %v", f.Metrics[i].Name, v.Word(), err)
		}
	}
	i32.Set(-1) // which is a value
	if _, values := read(t, path); values["i"] != int64(-1) || values["u"] != nil {
		t.Errorf("after Set: %v", values)
	}
	plain, path := create(t, mmv.Options{})
	n := mmv.Gauge[float64](plain, "n")
	n.Set(3)
	n.Clear()
	if _, values := read(t, path); values["n"] != 0.0 {
		t.Errorf("cleared without the flag: %v", values["n"])
	}
}

// TestClose ends registries: the file stays, or goes with the flag Process. Updates after that do
// nothing.
func TestClose(t *testing.T) {
	for _, flags := range []mmv.Flags{0, mmv.Process} {
		r, path := create(t, mmv.Options{Flags: flags})
		n := mmv.Counter[uint64](r, "n")
		n.Add(5)
		for range 2 {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		n.Add(2)
		if n.Get() != 7 {
			t.Errorf("flags %d: the program sees %d", flags, n.Get())
		}
		mmv.Counter[uint64](r, "late").Add(1)
		if err := r.Err(); !errors.Is(err, mmv.ErrClosed) || !strings.Contains(err.Error(), "late") {
			t.Errorf("flags %d: error %v", flags, err)
		}
		if flags == mmv.Process {
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the file stays: %v", err)
			}
		} else if _, values := read(t, path); values["n"] != int64(5) {
			t.Errorf("the file has %v", values)
		}
	}
	// Another program has taken the name.
	r, path := create(t, mmv.Options{Flags: mmv.Process})
	other, err := mmv.Create("acme", mmv.Options{Dir: filepath.Dir(path)})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	read(t, path)
}

// TestAllocations: updates allocate nothing.
func TestAllocations(t *testing.T) {
	r, _ := create(t, mmv.Options{Flags: mmv.Sentinel})
	d := r.Domain().Add("a", "b")
	n, small, real := mmv.Counter[uint64](r, "n", mmv.Per(d)), mmv.Gauge[int32](r, "small"), mmv.Gauge[float64](r, "real")
	text, watch := mmv.Text(r, "text"), mmv.Timer(r, "watch", mmv.Per(d))
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"At":        func() { n.At("b").Add(1) },
		"Set":       func() { small.Set(5); real.Set(0.5) },
		"Add":       func() { small.Add(5); real.Add(0.5) },
		"Get":       func() { _ = small.Get() },
		"Clear":     func() { small.Clear() },
		"Text":      func() { text.Set("some text") },
		"Timer.Add": func() { watch.At("a").Add(time.Second) },
		"Start":     func() { defer watch.At("a").Start()() },
	} {
		if got := testing.AllocsPerRun(100, f); got != 0 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
}
