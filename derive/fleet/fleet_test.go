package fleet_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/derive"
	"pmtools/derive/fleet"
	"pmtools/derive/sql"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/export"
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
		got, err := fleet.Query(t.Context(), c.expr, out, &fleet.Definitions{Registry: reg}, &c.opt)
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
		_, err := fleet.Query(t.Context(), c.expr, out, &fleet.Definitions{}, &sql.Options{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.expr, err, c.want)
		}
	}
	if _, err := fleet.Query(t.Context(), "mem.used", &export.Tables{Store: export.Dir("none")}, &fleet.Definitions{}, &sql.Options{}); err == nil {
		t.Error("there are no tables")
	}
}

// TestLarge: a query over many hosts is as long as one over a host of each kind.
func TestLarge(t *testing.T) {
	mixed(t, 1)
	short, err := fleet.Query(t.Context(), "rate(net.bytes)", out, &fleet.Definitions{}, &sql.Options{})
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
	long, err := fleet.Query(t.Context(), "rate(net.bytes)", out, &fleet.Definitions{}, &sql.Options{})
	if err != nil || long != short {
		t.Errorf("%v\n%s", err, long)
	}
}
