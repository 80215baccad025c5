package describe_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/describe"
	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd/pmcdtest"
	_ "pmtools/test/env"
)

// catalogue returns one over an archive, with definitions.
func catalogue(t *testing.T, archive string, defs ...string) *describe.Catalogue {
	t.Helper()
	dir := t.TempDir()
	if err := archivetest.Build(dir, archive); err != nil {
		t.Fatal(err)
	}
	plain, err := pmapi.OpenArchive(t.Context(), filepath.Join(dir, archive), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	d := derive.NewSet()
	for i := 0; i < len(defs); i += 2 {
		p, err := derive.Compile(defs[i], defs[i+1])
		if err != nil {
			t.Fatal(err)
		}
		d = d.With(p)
	}
	src := query.NewSource(plain)
	return &describe.Catalogue{
		Source: src, Derived: src.Bind(d, true).Derived, Defs: d,
		Zone: time.UTC, Form: format.NumberForm{Precision: format.Readable, Scale: true}, Interval: time.Second,
	}
}

// page returns the page of a metric as text, with two blanks between the columns.
func page(t *testing.T, c *describe.Catalogue, name string) string {
	t.Helper()
	table, err := c.Table(t.Context(), "", []string{name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, row := range table.Rows {
		b.WriteString(strings.Join(row, "  ") + "\n")
	}
	return b.String()
}

func TestPage(t *testing.T) {
	c := catalogue(t, "demo", "my.iops", "rate(disk.dev.total)", "my.per_cpu", "my.iops / hinv.ncpu", "my.twice", "2 * disk.dev.total")
	for name, want := range map[string]string{
		"disk.dev.total": `metric  disk.dev.total
about  reads and writes that each disk has completed
help  The sum of disk.dev.read and disk.dev.write.
type  64-bit unsigned int, counter, count, indom 60.1
instances  2: sda, nvme0n1
labels  {"agent":"linux", "device_type":"block", "hostname":"demo", "part":"disk"}
used by  my.iops, my.per_cpu, my.twice
value  at 2023-11-14 22:13:20, rates at 2023-11-14 22:13:30 UTC
  sda: 200.6 kcount, rate 4.8 count/s
  nvme0n1: 1400 kcount, rate 122 count/s
recorded  60 samples, every 10s, 2023-11-14 22:13:20 to 2023-11-14 22:23:10 UTC
try  size = rescale(rate(disk.dev.total_bytes) / rate(disk.dev.total), "Kbyte / count"): mean size of a request, in Kbyte/count
  rate(disk.dev.total): per second, in count/s
  delta(disk.dev.total): between two samples, in count
  rate(sum(disk.dev.total)): all instances together, in count/s
`,
		"my.per_cpu": `metric  my.per_cpu
type  double, instant, count / sec, indom 60.1
instances  2: sda, nvme0n1
labels  {"device_type":"block", "hostname":"demo"}
is  my.iops / hinv.ncpu
made of  disk.dev.total, hinv.ncpu
value  at 2023-11-14 22:13:30 UTC
  sda: 1.2 count/s
  nvme0n1: 30.5 count/s
recorded  60 samples, every 10s, 2023-11-14 22:13:20 to 2023-11-14 22:23:10 UTC (disk.dev.total)
`,
		"mem": `mem.physmem  size of the memory
mem.util  2 metrics
`,
	} {
		t.Run(name, func(t *testing.T) {
			if got := page(t, c, name); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestTrials shows no expression that does not hold.
func TestTrials(t *testing.T) {
	c := catalogue(t, "demo")
	names, err := pmapi.Leaves(t.Context(), c.Derived, "")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range names {
		d, err := c.New(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range d.Try {
			n++
			st, err := query.Run(t.Context(), c.Source, c.Defs, &query.Query{Exprs: []string{trial.Expr}, Once: true})
			if err != nil {
				t.Errorf("%s: %v", trial.Expr, err)
				continue
			}
			if got := st.Header.Metrics[0].Desc; got.Units.String() != trial.Units && st.Header.Metrics[0].Counter == nil {
				t.Errorf("%s has the units %v, not %s", trial.Expr, got.Units, trial.Units)
			}
		}
	}
	if n < len(names) {
		t.Errorf("%d expressions for %d metrics", n, len(names))
	}
}

func TestUnknown(t *testing.T) {
	c := catalogue(t, "demo", "my.iops", "rate(disk.dev.total)", "my.bad", "rate(no.such)")
	for name, want := range map[string]string{
		"disk.dev.totl": "unknown metric disk.dev.totl; did you mean disk.dev.total?",
		"my.iopss":      "unknown metric my.iopss; did you mean my.iops?",
		"my.bad":        "the definition of my.bad does not fit the source: unknown metric no.such",
		"\x1b[m":        "unknown metric \x1b[m",
	} {
		_, err := c.New(t.Context(), name)
		p, ok := errors.AsType[*diagnose.Problem](err)
		if !ok {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := strings.Join(append([]string{p.Msg}, p.Notes...), "; "); !strings.EqualFold(got, want) {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.New(ctx, "disk.dev.total"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestPart has one part of several metrics in all forms.
func TestPart(t *testing.T) {
	c := catalogue(t, "demo")
	for part, want := range map[string]string{
		"desc": "metric,pmid,type,semantics,units,indom\r\ndisk.dev.total,60.0.28,U64,counter,count,60.1\r\nhinv.ncpu,60.0.32,U32,discrete,,\r\n" +
			`{"indom":"60.1","metric":"disk.dev.total","pmid":"60.0.28","semantics":"counter","type":"U64","units":"count"}` + "\n" +
			`{"indom":"","metric":"hinv.ncpu","pmid":"60.0.32","semantics":"discrete","type":"U32","units":""}` + "\n",
		"inst": "metric,id,instance\r\ndisk.dev.total,0,sda\r\ndisk.dev.total,1,nvme0n1\r\n" +
			`{"metric":"disk.dev.total","instance":{"id":0,"name":"sda"}}` + "\n" + `{"metric":"disk.dev.total","instance":{"id":1,"name":"nvme0n1"}}` + "\n",
		"labels": "metric,instance,labels\r\n" + `disk.dev.total,,"{""agent"":""linux"",""device_type"":""block"",""hostname"":""demo"",""part"":""disk""}"` + "\r\n" +
			`disk.dev.total,sda,"{""medium"":""rotating""}"` + "\r\n" + `disk.dev.total,nvme0n1,"{""medium"":""flash""}"` + "\r\n" + `hinv.ncpu,,"{""agent"":""linux"",""hostname"":""demo"",""part"":""hardware""}"` + "\r\n" +
			`{"metric":"disk.dev.total","labels":{"agent":"linux","device_type":"block","hostname":"demo","part":"disk"}}` + "\n" +
			`{"metric":"disk.dev.total","instance":{"id":0,"name":"sda"},"labels":{"medium":"rotating"}}` + "\n" +
			`{"metric":"disk.dev.total","instance":{"id":1,"name":"nvme0n1"},"labels":{"medium":"flash"}}` + "\n" + `{"metric":"hinv.ncpu","labels":{"agent":"linux","hostname":"demo","part":"hardware"}}` + "\n",
		"text": "metric,oneline,help\r\n" + "disk.dev.total,reads and writes that each disk has completed,The sum of disk.dev.read and disk.dev.write.\r\n" + "hinv.ncpu,number of processors,The number of processors that the system uses.\r\n" +
			`{"help":"The sum of disk.dev.read and disk.dev.write.","metric":"disk.dev.total","oneline":"reads and writes that each disk has completed"}` + "\n" +
			`{"help":"The number of processors that the system uses.","metric":"hinv.ncpu","oneline":"number of processors"}` + "\n",
	} {
		p, err := c.Table(t.Context(), part, []string{"disk.dev.total", "hinv.ncpu"}, func(line string) { t.Error(line) })
		if (err != nil) != (part == "inst") {
			t.Errorf("%s: %v", part, err)
		}
		var b strings.Builder
		if err := errors.Join(p.WriteCSV(&b), p.WriteJSON(&b)); err != nil || b.String() != want {
			t.Errorf("%s: %v\n%swant\n%s", part, err, b.String(), want)
		}
	}
}

// TestDamaged describes a metric of an archive whose end is missing, and of one with odd values.
func TestDamaged(t *testing.T) {
	for _, archive := range []string{"truncated", "ta", "labels"} {
		c := catalogue(t, archive)
		names, err := pmapi.Leaves(t.Context(), c.Derived, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			table, err := c.Table(t.Context(), "", []string{name}, nil)
			if err != nil {
				t.Fatalf("%s of %s: %v", name, archive, err)
			}
			var b strings.Builder
			if err := table.WriteJSON(&b); err != nil || !json.Valid([]byte(b.String())) {
				t.Errorf("%s of %s: %v\n%s", name, archive, err, b.String())
			}
		}
	}
}

// TestGrowing describes a metric of an archive while it is being written: what has been written counts
// the next time, also a record that was not whole before.
func TestGrowing(t *testing.T) {
	whole, err := archivetest.ReadFiles(archivetest.Path(t, "demo"))
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(t.TempDir(), "demo")
	volume := whole["0"]
	ends := []int{0} // of records, the first of which is the label
	for end := 0; end < len(volume); {
		end += int(binary.BigEndian.Uint32(volume[end:]))
		ends = append(ends, end)
	}
	now := maps.Clone(whole)
	now["0"] = volume[:ends[11]]
	if err := now.Write(base); err != nil {
		t.Fatal(err)
	}
	plain, err := pmapi.OpenArchive(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	defs := derive.NewSet()
	src := query.NewSource(plain)
	c := &describe.Catalogue{Source: src, Derived: src.Bind(defs, true).Derived, Defs: defs, Zone: time.UTC}
	samples := func() (n int, failed string) {
		d, err := c.New(t.Context(), "hinv.ncpu")
		if err != nil {
			t.Fatal(err)
		}
		return d.Recorded.Samples, d.Recorded.Error
	}
	before, failed := samples()
	if before == 0 || failed != "" {
		t.Fatalf("%d samples at first: %s", before, failed)
	}
	for at := 11; at < len(ends)-1; at += 7 {
		next := min(at+7, len(ends)-1)
		half := (ends[next-1] + ends[next]) / 2
		appendTo(t, base+".0", volume[ends[at]:half])
		if n, _ := samples(); n < before {
			t.Errorf("%d samples with half of a record at the end, and %d before", n, before)
		}
		appendTo(t, base+".0", volume[half:ends[next]])
		n, failed := samples()
		if n <= before || failed != "" {
			t.Errorf("%d samples of %d records, and %d before: %s", n, next, before, failed)
		}
		before = n
	}
}

// appendTo adds bytes to a file.
func appendTo(t *testing.T, name string, b []byte) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// counted counts the fetches of a source.
type counted struct {
	pmapi.Source
	n *int
}

func (c counted) Fetch(ctx context.Context, req *pmapi.Request, res *pcp.Result) error {
	*c.n++
	return c.Source.Fetch(ctx, req, res)
}

// numbers returns values as numbers.
func numbers(v *describe.Values) (list []float64) {
	for i := range v.List {
		f, _ := v.List[i].Sample.Value.Float64()
		list = append(list, f)
	}
	return list
}

// TestUsual: each usual question about some metrics of Linux is answered from two samples, which the rates need anyway, unless
// there is no value.
func TestUsual(t *testing.T) {
	metric := func(name string, item uint32, sem pcp.Sem, units pcp.Units, values ...uint64) pmcdtest.Metric {
		m := pmcdtest.Metric{Name: name, Desc: pcp.Desc{ID: pcp.NewID(60, 0, item), Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: sem, Units: units}}
		if len(values) > 0 {
			m.Values = pcp.Values{Insts: []int32{pcp.NullInst}, Words: values}
		}
		return m
	}
	msec, count := pcp.Units{DimTime: 1, ScaleTime: pcp.Msec}, pcp.Units{DimCount: 1}
	kbyte := pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	c, fetches := live(t,
		metric("disk.all.total_rawactive", 1, pcp.Counter, msec, 500), metric("disk.all.total", 2, pcp.Counter, count, 50),
		metric("disk.all.read", 3, pcp.Counter, count, 20), metric("disk.all.read_bytes", 4, pcp.Counter, count, 20), // in wrong units
		metric("mem.util.used", 5, pcp.Instant, kbyte, 300), metric("mem.physmem", 6, pcp.Discrete, kbyte, 600),
		metric("swap.used", 7, pcp.Instant, kbyte, 0), metric("swap.length", 8, pcp.Instant, kbyte),
	)
	for _, test := range []struct {
		name, want string
		fetches    int
	}{
		{"disk.all.total_rawactive", "await queue", 2},
		{"disk.all.total", "await", 2},
		{"disk.all.read", "", 2},
		{"mem.util.used", "used", 1},
		{"swap.used", "", 1},
	} {
		*fetches = 0
		table, err := c.Table(t.Context(), "", []string{test.name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var answers []string
		for _, trial := range table.Objects[0].(*describe.Description).Try {
			if trial.Name != "" {
				answers = append(answers, trial.Name)
			}
		}
		if got := strings.Join(answers, " "); got != test.want || *fetches != test.fetches {
			t.Errorf("%s: %q by %d fetches, want %q by %d", test.name, got, *fetches, test.want, test.fetches)
		}
	}
}

// live returns one over a daemon, and what counts its fetches.
func live(t *testing.T, metrics ...pmcdtest.Metric) (*describe.Catalogue, *int) {
	t.Helper()
	s := pmcdtest.NewServer(&pmcdtest.World{Metrics: metrics, Now: time.Now})
	t.Cleanup(func() { s.Close() })
	addr, err := s.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := pmapi.OpenHost(t.Context(), addr.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	fetches, defs := new(int), derive.NewSet()
	src := query.NewSource(counted{plain, fetches})
	return &describe.Catalogue{Source: src, Derived: src.Bind(defs, true).Derived, Defs: defs, Zone: time.UTC, Interval: 10 * time.Millisecond}, fetches
}

// TestTake: the rates of several live counters are those between the same two samples.
func TestTake(t *testing.T) {
	metric := func(name string, item uint32, sem pcp.Sem) pmcdtest.Metric {
		return pmcdtest.Metric{
			Name: name, Desc: pcp.Desc{ID: pcp.NewID(60, 0, item), Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: sem},
			Values: pcp.Values{Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(7 * item)}},
		}
	}
	c, fetches := live(t, metric("h.a", 1, pcp.Counter), metric("h.b", 2, pcp.Counter), metric("h.c", 3, pcp.Instant))
	if _, err := c.Table(t.Context(), "", []string{"h.a", "no.such"}, nil); err == nil || *fetches != 2 {
		t.Errorf("%d fetches for one metric, want 2: %v", *fetches, err)
	}
	*fetches = 0
	names := []string{"h.a", "no.such", "h.b", "h.c"}
	if err := c.Take(t.Context(), names, c.Interval, false); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		d, err := c.New(t.Context(), name)
		if name == "no.such" {
			if err == nil {
				t.Errorf("%s is known", name)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, want := numbers(d.Values), []float64{float64(7 * []int{1, 0, 2, 3}[i])}; !slices.Equal(got, want) {
			t.Errorf("%s: values %v, want %v", name, got, want)
		}
		if name == "h.c" {
			continue
		}
		if got := numbers(d.Rates); !slices.Equal(got, []float64{0}) {
			t.Errorf("%s: rates %v, want 0", name, got)
		}
	}
	if *fetches != 2 {
		t.Errorf("%d fetches, want 2", *fetches)
	}
}
