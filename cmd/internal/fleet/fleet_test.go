package fleet_test

import (
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/cmd/internal/fleet"
	"pmtools/derive"
	"pmtools/derive/sql"
	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/export"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	_ "pmtools/test/env"
)

var out = &export.Tables{Store: export.Dir("out")}

var update = flag.Bool("update", false, "rewrite testdata")

// mixed exports archives of hosts of many kinds, and changes into the directory of the tables.
func mixed(t *testing.T, hosts int) {
	t.Helper()
	dir := t.TempDir()
	for i := range hosts {
		name := "host" + strconv.Itoa(i)
		if err := archivetest.BuildMixedHost(dir, name, i); err != nil {
			t.Fatal(err)
		}
		src, err := pmapi.OpenArchive(t.Context(), filepath.Join(dir, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		recs, err := export.NewRecords(src)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := export.Write(t.Context(), recs, recs, &export.Config{Dir: filepath.Join(dir, "out"), Name: name}); err != nil {
			t.Fatal(err)
		}
		recs.Close()
	}
	t.Chdir(dir)
}

// TestQuery: each kind of host has its own part, and hosts for which the expression does not hold are named.
// test/peer/derive runs such queries.
func TestQuery(t *testing.T) {
	golden, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	mixed(t, len(archivetest.MixedHosts()))
	reg := derive.NewRegistry(func(string) {})
	if err := reg.Register("share", "mem.used / mem.total"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, expr string
		opt        sql.Options
	}{
		{"percent", "100 * share", sql.Options{}},
		{"units", "mem.used", sql.Options{Dialect: "clickhouse"}},
		{"problems", "mem.used", sql.Options{Problems: true}},
		{"limits", "rate(net.bytes)", sql.Options{Dialect: "spark", Hosts: []string{"it's", "007"}}},
	} {
		c.opt.Tables = "out"
		got, err := fleet.Query(t.Context(), c.expr, out, reg.Set(), nil, &c.opt)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(golden, c.file+".sql")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
			t.Errorf("%s: -want +got\n%s", c.expr, d)
		}
	}
}

// TestErrors: an expression that does not hold for any host is an error, that of most hosts.
func TestErrors(t *testing.T) {
	mixed(t, 4)
	for _, c := range []struct{ expr, want string }{
		{"mem.usd", "unknown metric mem.usd"},
		{"mem.used + ", "found the end"},
		{"mem.used + net.bytes[eth0]", "counter"},
		{"net.bytes * mkconst(1, indom=60.1)", "not in SQL"},
		{"mem.used", ""},
		{"y = mem.used", ""},
	} {
		_, err := fleet.Query(t.Context(), c.expr, out, derive.NewSet(), nil, &sql.Options{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.expr, err, c.want)
		}
	}
	if _, err := fleet.Query(t.Context(), "mem.used", &export.Tables{Store: export.Dir("none")}, derive.NewSet(), nil, &sql.Options{}); err == nil {
		t.Error("there are no tables")
	}
}

// A hosted is an archive of a host, with its metrics.
type hosted struct {
	host    string
	metrics map[string]pcp.Desc
}

// differing exports archives of hosts that describe metrics so, and changes into the directory of the tables.
func differing(t *testing.T, hosts ...hosted) {
	t.Helper()
	dir := t.TempDir()
	for i, h := range hosts {
		base := filepath.Join(dir, "a"+strconv.Itoa(i))
		w, err := archive.Create(base, &archive.WriterOptions{Host: h.host, PID: int32(i)})
		if err != nil {
			t.Fatal(err)
		}
		rec := &pcp.Result{Time: pcp.Timestamp{Sec: 1700000000 + int64(i)}}
		for n, name := range slices.Sorted(maps.Keys(h.metrics)) {
			d := h.metrics[name]
			d.ID = pcp.NewID(60, 0, uint32(n))
			if err := w.AddMetric(d, name); err != nil {
				t.Fatal(err)
			}
			v := pcp.Values{ID: d.ID, Type: d.Type, Insts: []int32{pcp.NullInst}, Words: []uint64{7}}
			if d.InDom != pcp.NullInDom {
				v.Insts[0] = 1
			}
			if d.Type == pcp.String {
				v.Words, v.Blobs = nil, [][]byte{[]byte("text")}
			}
			rec.Sets = append(rec.Sets, v)
		}
		if err := errors.Join(w.Put(rec), w.Close()); err != nil {
			t.Fatal(err)
		}
		src, err := pmapi.OpenArchive(t.Context(), base, nil)
		if err != nil {
			t.Fatal(err)
		}
		recs, err := export.NewRecords(src)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := export.Write(t.Context(), recs, recs, &export.Config{Dir: filepath.Join(dir, "out"), Name: filepath.Base(base)}); err != nil {
			t.Fatal(err)
		}
		recs.Close()
	}
	t.Chdir(dir)
}

// TestDiffering: no host decides about the metadata of another, and hosts that are left out decide nothing. test/peer/derive runs such queries.
func TestDiffering(t *testing.T) {
	count := pcp.Desc{Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Counter}
	bytes, text, one, two := count, count, count, count
	bytes.Units, text.Type, text.Sem = pcp.Units{DimSpace: 1}, pcp.String, pcp.Discrete
	one.InDom, two.InDom = pcp.NewInDom(60, 1), pcp.NewInDom(60, 2)
	kbytes := bytes
	kbytes.Units.ScaleSpace = 1
	leaf, node := map[string]pcp.Desc{"k.intr": count, "k.n": count}, map[string]pcp.Desc{"k.intr.a": count, "k.n": count}
	same, other := map[string]pcp.Desc{"x": one, "y": one}, map[string]pcp.Desc{"x": one, "y": two}
	far := map[string]pcp.Desc{"x": two, "y": two}
	for _, tt := range []struct {
		what, expr string
		hosts      []hosted
		only       []string
		fails      string // the error, "" for none
		want       string // in the query
	}{
		{"a metric and a node", "defined(k.intr) ? rate(k.intr) : rate(k.n)", []hosted{{"a", leaf}, {"b", node}}, nil, "", "hosts2 AS (SELECT host FROM hosts WHERE m1 = 'missing' AND"},
		{"a node that does not count", "rate(k.intr)", []hosted{{"a", leaf}, {"b", node}}, []string{"a"}, "", "units / sec\nWITH"},
		{"a metric and a node that comes first", "rate(k.intr)", []hosted{{"a", node}, {"b", leaf}}, nil, "", "--   a: unknown metric k.intr\n"},
		{"below a metric", "k.intr.a", []hosted{{"a", leaf}, {"b", node}}, nil, "", "--   a: unknown metric k.intr.a\n"},
		{"other metrics of these hosts", "rate(k.n)", []hosted{{"a", leaf}, {"b", node}}, nil, "", "units / sec\nWITH"},
		{"one host with both", "rate(k.intr)", []hosted{{"a", leaf}, {"a", node}}, nil, "", "units / sec\nWITH"},
		{"other domains", "x + y", []hosted{{"a", same}, {"b", other}}, nil, "", "with instances' AND d2 = d1)"},
		{"other domains that count first", "x + y", []hosted{{"a", other}, {"b", same}}, nil, "", "--   a: operands should have the same instance domain\n"},
		{"other domains that do not count", "x + y", []hosted{{"a", same}, {"b", other}}, []string{"a"}, "", "units none\nWITH"},
		{"other domains that mean the same", "x + y", []hosted{{"a", same}, {"b", far}}, nil, "", "units none\nWITH"},
		{"other domains that are not put together", "count(x) + count(y)", []hosted{{"a", same}, {"b", other}}, nil, "", "AND d1 = '60.1' AND d2 = '60.2'"},
		{"other domains of one metric", "y", []hosted{{"a", same}, {"b", other}}, nil, "", "units none\nWITH"},
		{"one host with other domains", "x + y", []hosted{{"a", same}, {"a", other}}, nil, "", "--   a: operands should have the same instance domain, from 2023-11-14T22:13:21Z on\n"},
		{"one host with other units later", "rate(m)", []hosted{{"a", map[string]pcp.Desc{"m": bytes}}, {"a", map[string]pcp.Desc{"m": kbytes}}}, nil, "", "units Kbyte / sec\nWITH"},
		{"one host with other domains of one metric", "rate(y)", []hosted{{"a", same}, {"a", other}}, nil, "", "units / sec\nWITH"},
		{"units of hosts that do not count", "m", []hosted{{"a", map[string]pcp.Desc{"m": bytes}}, {"b", map[string]pcp.Desc{"m": bytes}}, {"c", map[string]pcp.Desc{"m": kbytes}}}, []string{"c"}, "", "units Kbyte\nWITH"},
		{"the type of hosts that do not count", "m", []hosted{{"a", map[string]pcp.Desc{"m": text}}, {"b", map[string]pcp.Desc{"m": count}}, {"c", map[string]pcp.Desc{"m": text}}}, []string{"b"}, "", "-- type 64-bit unsigned int, semantics counter, units none\nWITH"},
		{"a metric of a host that does not count", "k.intr", []hosted{{"a", leaf}, {"b", node}}, []string{"b"}, "k.intr is not a metric, but has metrics below it", ""},
		{"a host without tables", "x", []hosted{{"a", same}}, []string{"c"}, "out: there are no tables of host c", ""},
		{"a host without tables beside one", "x", []hosted{{"a", same}}, []string{"a", "c"}, "", "host IN ('a', 'c')"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			differing(t, tt.hosts...)
			got, err := fleet.Query(t.Context(), tt.expr, out, derive.NewSet(), nil, &sql.Options{Tables: "out", Hosts: tt.only})
			switch {
			case tt.fails == "" && (err != nil || !strings.Contains(got, tt.want)):
				t.Errorf("%v, want %q, got\n%s", err, tt.want, got)
			case tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)):
				t.Errorf("%v, want %q", err, tt.fails)
			}
		})
	}
}

// TestLarge: a query over many hosts is as long as one over a host of each kind.
func TestLarge(t *testing.T) {
	mixed(t, 1)
	short, err := fleet.Query(t.Context(), "rate(net.bytes)", out, derive.NewSet(), nil, &sql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("out/metrics/host=web1/host0.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		name := "out/metrics/host=h" + strconv.Itoa(i) + "/x.parquet"
		if err := os.Mkdir(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, table, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	long, err := fleet.Query(t.Context(), "rate(net.bytes)", out, derive.NewSet(), nil, &sql.Options{})
	if err != nil || long != short {
		t.Errorf("%v\n%s", err, long)
	}
}
