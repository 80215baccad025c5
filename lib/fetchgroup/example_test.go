package fetchgroup_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pmtools/derive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/fetchgroup"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
)

// openDemo returns a source over a small archive, with derived metrics.
func openDemo() pmapi.Source {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := archivetest.Build(dir, "demo"); err != nil {
		panic(err)
	}
	src, err := pmapi.OpenArchive(context.Background(), filepath.Join(dir, "demo"), nil)
	if err != nil {
		panic(err)
	}
	return derive.NewSource(src, nil, nil)
}

// The example of the Programmer's Guide: scalars, and a whole instance domain.
func Example() {
	ctx := context.Background()
	g := fetchgroup.New(openDemo(), nil)
	defer g.Close()
	if err := g.Context().SetMode(pcp.Interp, nil, time.Minute); err != nil {
		fmt.Println(err)
	}
	ncpu, err1 := fetchgroup.Add[int32](ctx, g, "hinv.ncpu", "", "")
	load, err2 := fetchgroup.Add[float64](ctx, g, "kernel.all.load", "5 minute", "")
	busy, err3 := fetchgroup.Add[string](ctx, g, "disk.dev.total", "sda", "count/min")
	reads, err4 := fetchgroup.AddInDom[int32](ctx, g, "disk.dev.read", "")
	fmt.Println(err1, err2, err3, err4)
	for range 2 {
		if _, err := g.Fetch(ctx); err != nil {
			fmt.Println(err)
		}
	}
	n, _ := ncpu.Value()
	l, _ := load.Value()
	b, _ := busy.Value()
	fmt.Printf("%s #cpus: %d, loadavg: %g, busy: %s\n", g.Time().Format(time.TimeOnly), n, l, b)
	for d := range reads.All() {
		fmt.Println("disk", d.Name, "reads", d.Value, d.Err)
	}
	// Output:
	// <nil> <nil> <nil> <nil>
	// 22:14:20 #cpus: 4, loadavg: 1.125, busy: 7.68000000000000000e+02
	// disk sda reads 8 <nil>
	// disk nvme0n1 reads 66 <nil>
}

// Registering a value in several ways, and a rate before there are two values.
func ExampleAdd() {
	ctx := context.Background()
	g := fetchgroup.New(openDemo(), nil)
	defer g.Close()
	free, err := fetchgroup.Add[float64](ctx, g, "mem.util.free", "", "Gbyte")
	fmt.Println(err)
	rate, err := fetchgroup.Add[float64](ctx, g, "disk.dev.total_bytes", "sda", "Kbyte/sec")
	fmt.Println(err)
	_, err = fetchgroup.Add[float64](ctx, g, "disk.dev.total", "sda", "Kbyte")
	fmt.Println(err)
	for range 2 {
		if _, err := g.Fetch(ctx); err != nil {
			fmt.Println(err)
		}
		gb, _ := free.Value()
		kb, err := rate.Value()
		fmt.Printf("%.3f GB free, %.1f KB/s, %v\n", gb, kb, err)
	}
	// Output:
	// <nil>
	// <nil>
	// disk.dev.total: Impossible value or scale conversion: "count" does not become "Kbyte"
	// 5.457 GB free, NaN KB/s, Try again. Information not currently available
	// 5.410 GB free, 104.0 KB/s, <nil>
}

func ExampleBind() {
	type Disk struct {
		Name string                  `pcp:",instance"`
		IOPS float64                 `pcp:"disk.dev.total,rate"`
		Wait fetchgroup.Opt[float64] `pcp:"disk.dev.await,optional"`
	}
	type Host struct {
		Time  time.Time          `pcp:",time"`
		Load  map[string]float64 `pcp:"kernel.all.load"`
		Used  float64            `pcp:"=100 * mem.util.used / mem.physmem"`
		Disks []Disk
	}
	ctx := context.Background()
	g := fetchgroup.New(openDemo(), nil)
	defer g.Close()
	b, err := fetchgroup.Bind[Host](ctx, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	for h, err := range b.Each(ctx, 5*time.Minute) {
		fmt.Printf("%s load %v, %.1f %% used, %s: %.1f, wait: %v, %v\n", h.Time.Format(time.TimeOnly), h.Load["1 minute"], h.Used, h.Disks[0].Name, h.Disks[0].IOPS, h.Disks[0].Wait.Status, err)
	}
	// Output:
	// 22:18:20 load 2, 48.4 % used, sda: 14.4, wait: Unknown metric name, <nil>
}

func ExampleFleet() {
	world := pmcdtest.Sample()
	servers := map[string]*pmcdtest.Server{"web1": pmcdtest.NewServer(world), "web2": pmcdtest.NewServer(world)}
	opt := &fetchgroup.FleetOptions{Rounds: 2, Interval: 100 * time.Millisecond, Open: func(ctx context.Context, host string) (pmapi.Source, error) {
		s := servers[host]
		if s == nil {
			return nil, fmt.Errorf("no such host: %s", host)
		}
		return pmapi.OpenHost(ctx, "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial})
	}}
	type Host struct {
		One  int            `pcp:"sample.long.one"`
		Bins map[string]int `pcp:"sample.bin"`
	}
	var lines []string
	for row := range fetchgroup.Fleet[Host](context.Background(), []string{"web1", "web2", "web3"}, opt) {
		if row.Err != nil {
			lines = append(lines, fmt.Sprintf("%d %s: %v", row.Round, row.Host, row.Err))
		} else {
			lines = append(lines, fmt.Sprintf("%d %s: %d %v", row.Round, row.Host, row.Value.One, row.Value.Bins))
		}
	}
	slices.Sort(lines) // answers come in any order
	for _, l := range lines {
		fmt.Println(l)
	}
	for _, s := range servers {
		s.Close()
	}
	// Output:
	// 0 web1: 1 map[bin-100:100 bin-200:200 bin-300:300]
	// 0 web2: 1 map[bin-100:100 bin-200:200 bin-300:300]
	// 0 web3: no such host: web3
	// 1 web1: 1 map[bin-100:100 bin-200:200 bin-300:300]
	// 1 web2: 1 map[bin-100:100 bin-200:200 bin-300:300]
	// 1 web3: no such host: web3
}
