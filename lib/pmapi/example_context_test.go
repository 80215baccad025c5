package pmapi_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"pmtools/derive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// demoContext opens a Context over a small archive that it makes first; done removes it.
func demoContext() (c *pmapi.Context, done func()) {
	dir, err := os.MkdirTemp("", "example")
	if err == nil {
		err = archivetest.Build(dir, "demo")
	}
	if err == nil {
		c, err = pmapi.NewContext(context.Background(), func(context.Context) (pmapi.Source, error) {
			return pmapi.OpenArchive(context.Background(), filepath.Join(dir, "demo"), nil)
		})
	}
	if err != nil {
		log.Fatal(err)
	}
	return c, func() {
		c.Close()
		os.RemoveAll(dir)
	}
}

// Names become metrics with descriptions, and those values.
func ExampleNewContext() {
	ctx := context.Background()
	// pmapi.NewContext(ctx, func(context.Context) (pmapi.Source, error) { return
	// pmapi.OpenArchive(ctx, "demo", nil) })
	c, done := demoContext()
	defer done()

	metrics, err := c.Metrics(ctx, []string{"kernel.all.load", "hinv.ncpu", "no.such"})
	if err != nil {
		log.Fatal(err)
	}
	var ids []pcp.ID
	for _, m := range metrics {
		if m.Err != nil {
			fmt.Printf("%s: %v\n", m.Name, m.Err)
			continue
		}
		fmt.Printf("%s: %v %v %v\n", m.Name, m.Desc.ID, m.Desc.Type, m.Desc.Sem)
		ids = append(ids, m.Desc.ID)
	}
	result, err := c.Fetch(ctx, ids)
	if err != nil {
		log.Fatal(err)
	}
	var opt format.Options
	for i := range result.Sets {
		column := &result.Sets[i]
		for j, inst := range column.Insts {
			fmt.Printf("%s %d: %s\n", metrics[i].Name, inst, opt.AppendValue(nil, column, j, 1))
		}
	}
	// Output:
	// kernel.all.load: 60.2.0 FLOAT instant
	// hinv.ncpu: 60.0.32 U32 discrete
	// no.such: Unknown metric name
	// kernel.all.load 1: 0.5
	// kernel.all.load 5: 0.75
	// kernel.all.load 15: 0.875
	// hinv.ncpu -1: 4
}

// Descriptions, instances and texts of all metrics below a name.
func ExampleContext_Source() {
	ctx := context.Background()
	c, done := demoContext()
	defer done()
	src := c.Source()

	var names []string
	err := src.Walk(ctx, "kernel", true, func(name string, _ pcp.ID) bool {
		names = append(names, name)
		return true
	})
	if err != nil {
		log.Fatal(err)
	}
	metrics, err := c.Metrics(ctx, names)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range metrics {
		text, err := pmapi.LookupText(ctx, src, pcp.OneLine, uint32(m.Desc.ID))
		fmt.Println(m.Name, "-", text, err)
		os.Stdout.Write(format.AppendDesc(nil, &m.Desc, false))
		if m.Desc.InDom == pcp.NullInDom {
			continue
		}
		list, err := pmapi.InstancesOf(ctx, src, m.Desc.InDom, pmapi.Now())
		fmt.Println(list, err)
	}
	// Output:
	// kernel.uname.release - release of the kernel <nil>
	//     Data Type: string  InDom: PM_INDOM_NULL 0xffffffff
	//     Semantics: discrete  Units: none
	// kernel.all.load - average number of runnable tasks <nil>
	//     Data Type: float  InDom: 60.2 0xf000002
	//     Semantics: instant  Units: none
	// [{1 1 minute} {5 5 minute} {15 15 minute}] <nil>
}

// A recording is read forwards to its end, of one instance only.
func ExampleContext_Fetch() {
	ctx := context.Background()
	c, done := demoContext()
	defer done()
	metrics, err := c.Metrics(ctx, []string{"disk.dev.read"})
	if err != nil {
		log.Fatal(err)
	}
	disk := metrics[0].Desc
	sda, err := c.Source().LookupInst(ctx, disk.InDom, "sda")
	if err != nil {
		log.Fatal(err)
	}
	c.Profile().Add(disk.InDom, sda)

	n, last := 0, uint64(0)
	for {
		result, err := c.Fetch(ctx, []pcp.ID{disk.ID})
		if errors.Is(err, pmerr.EOL) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		n++
		last, _ = result.Sets[0].Value(0).Uint64()
	}
	fmt.Println(n, "records, the last with", last, "reads")
	// Output: 60 records, the last with 125825 reads
}

// A Profile selects instances for later fetches.
func ExampleContext_Profile() {
	ctx := context.Background()
	c, done := demoContext()
	defer done()
	load, loads := pcp.NewID(60, 2, 0), pcp.NewInDom(60, 2)
	fetch := func() {
		result, err := c.Fetch(ctx, []pcp.ID{load})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Sets[0].Insts)
	}
	fetch()
	c.Profile().Add(loads, 5) // this one and no other
	fetch()
	c.Profile().Add(loads) // all of the domain
	c.Profile().Del(loads, 5)
	fetch()
	c.Profile().AddAll()
	fetch()
	// Output:
	// [1 5 15]
	// [5]
	// [1 15]
	// [1 5 15]
}

// A copy goes on where the original stands, and on its own.
func ExampleContext_Dup() {
	ctx := context.Background()
	c, done := demoContext()
	defer done()
	load := []pcp.ID{pcp.NewID(60, 2, 0)}
	show := func(who string, c *pmapi.Context) {
		result, err := c.Fetch(ctx, load)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(who, result.Time.Time().Format(time.TimeOnly), result.Sets[0].Insts)
	}
	c.Profile().Add(pcp.NewInDom(60, 2), 1)
	show("original", c)
	d, err := c.Dup(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	d.Profile().AddAll()
	show("copy", d)
	show("copy", d)
	show("original", c)
	// Output:
	// original 22:13:20 [1]
	// copy 22:13:30 [1 5 15]
	// copy 22:13:40 [1 5 15]
	// original 22:13:30 [1]
}

// Values between the records, in other units than recorded.
func ExampleContext_SetMode() {
	ctx := context.Background()
	c, done := demoContext()
	defer done()
	metrics, err := c.Metrics(ctx, []string{"mem.util.used"})
	if err != nil {
		log.Fatal(err)
	}
	used := metrics[0].Desc
	megabytes, _, err := pcp.ParseUnits("Mbyte")
	if err != nil {
		log.Fatal(err)
	}
	scale, err := pcp.NewScaler(used.Type, used.Units, megabytes)
	if err != nil {
		log.Fatal(err)
	}
	timeline, err := c.Timeline()
	if err != nil {
		log.Fatal(err) // there is a past in recordings only
	}
	start, _, err := timeline.Bounds(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := c.SetMode(pcp.Interp, &start, 3*time.Minute); err != nil {
		log.Fatal(err)
	}
	for range 3 {
		result, err := c.Fetch(ctx, []pcp.ID{used.ID})
		if err != nil {
			log.Fatal(err)
		}
		column := &result.Sets[0]
		recorded := column.Words[0]
		scale.Scale(column.Words)
		fmt.Println(result.Time.Time().Format(time.TimeOnly), recorded, used.Units, "is", column.Words[0], megabytes)
	}
	// Output:
	// 22:13:20 6860800 Kbyte is 6700 Mbyte
	// 22:16:20 7614464 Kbyte is 7436 Mbyte
	// 22:19:20 8343552 Kbyte is 8148 Mbyte
}

// Times are shown in the zone of the recording, or in another.
func ExampleContext_Zone() {
	ctx := context.Background()
	c, done := demoContext()
	defer done()
	result, err := c.Fetch(ctx, []pcp.ID{pcp.NewID(60, 2, 0)})
	if err != nil {
		log.Fatal(err)
	}
	host, err := c.HostName(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, tz := range []string{"", "EST5EDT"} {
		c.SetZone(tz)
		zone, err := c.Zone(ctx)
		if err != nil {
			log.Fatal(err)
		}
		loc := when.LoadZone(zone)
		fmt.Printf("%s, %s: %s, %s\n", host, zone, format.AppendCtime(nil, result.Time, loc), format.AppendTime(nil, result.Time, loc))
	}
	// Output:
	// demo, UTC: Tue Nov 14 22:13:20 2023, 22:13:20.000
	// demo, EST5EDT: Tue Nov 14 17:13:20 2023, 17:13:20.000
}

// Derived metrics are a Source over another, and a Context does not mind.
func ExampleNewContext_derived() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := archivetest.Build(dir, "demo"); err != nil {
		log.Fatal(err)
	}
	definitions := derive.NewRegistry(nil)
	if err := definitions.Register("mem.util.share", "100 * mem.util.used / mem.physmem"); err != nil {
		log.Fatal(err)
	}
	c, err := pmapi.NewContext(ctx, func(context.Context) (pmapi.Source, error) {
		src, err := pmapi.OpenArchive(ctx, filepath.Join(dir, "demo"), nil)
		if err != nil {
			return nil, err
		}
		return derive.NewSource(src, definitions.Set(), nil), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	metrics, err := c.Metrics(ctx, []string{"mem.util.share"})
	if err != nil {
		log.Fatal(err)
	}
	result, err := c.Fetch(ctx, []pcp.ID{metrics[0].Desc.ID})
	if err != nil {
		log.Fatal(err)
	}
	share, err := result.Sets[0].Value(0).Float64()
	fmt.Printf("%.2f %v\n", share, err)
	// Output: 40.89 <nil>
}
