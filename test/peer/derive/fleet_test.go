package derive

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/peer/harness"
)

// TestFleet asks DuckDB and a cluster of Spark for the hosts with the busiest disks, as docs/sql.md does, and prints how long each takes.
// PMTOOLS_FLEET is the number of hosts, or 5; or a directory below the root, in which test/peer/measure has left their tables.
func TestFleet(t *testing.T) {
	ours, _, root := harness.Setup(t)
	f := &fleet{t: t, dir: filepath.Join(root, os.Getenv("PMTOOLS_FLEET")), bin: filepath.Join(ours.Bin, "pmderive"), hosts: 1000}
	if _, err := os.Stat(filepath.Join(f.dir, "tables")); err != nil {
		f.dir, f.hosts = sqlDir(t, root), harness.Number("PMTOOLS_FLEET", 5)
	}
	duck, spark := duckEngine(root, f.dir), sparkEngine(t, f.dir)
	for _, e := range []*engine{duck, spark} {
		if e.skip != "" {
			t.Skip(e.skip)
		}
	}
	f.build()
	one := f.ask(duck, "quantile_cont(value, 0.95)")
	t.Setenv("SPARK_PARTITIONS", "48")
	master, _ := startCluster(t, f.dir)
	spark.run = func(queries []string) ([]byte, error) {
		return runSpark(t, f.dir, master, queries, func(sofar string) {
			if !strings.Contains(sofar, "@query 1\n") {
				f.begun = time.Now() // it has answered the first query
			}
		})
	}
	if other := f.ask(spark, "percentile(value, 0.95)"); one != other || strings.Count(one, "\n") != min(f.hosts, 10) {
		t.Errorf("DuckDB:\n%s\nSpark:\n%s", one, other)
	}
}

// A fleet is hosts whose tables are in a directory.
type fleet struct {
	t     *testing.T
	dir   string
	bin   string // pmderive
	hosts int
	begun time.Time // the query
}

// build makes the tables unless they are there.
func (f *fleet) build() {
	f.t.Helper()
	if _, err := os.Stat(filepath.Join(f.dir, "tables")); err == nil {
		return
	}
	archives := filepath.Join(f.dir, "fleet")
	if err := os.Mkdir(archives, 0o777); err != nil {
		f.t.Fatal(err)
	}
	for i := range f.hosts {
		if err := archivetest.BuildFleetHost(archives, i); err != nil {
			f.t.Fatal(err)
		}
	}
	f.run("-a", "fleet", "export", "-o", "tables")
}

func (f *fleet) run(args ...string) string {
	f.t.Helper()
	cmd := exec.Command(f.bin, args...)
	cmd.Dir = f.dir
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("pmderive %q: %v", args, err)
	}
	return string(out)
}

// ask returns the ten hosts with the highest of some number, of the utilisation of all disks, in percent.
func (f *fleet) ask(e *engine, number string) string {
	f.t.Helper()
	query := f.run("sql", "--dialect", e.dialect, "-m", "tables", "rate(disk.dev.avactive)")
	top := fmt.Sprintf("SELECT host, round(100 * %s, 2) AS p95 FROM (\n%s) AS q GROUP BY host ORDER BY p95 DESC, host LIMIT 10", number, query)
	f.begun = time.Now()
	out, err := e.run([]string{"SELECT 1", top}) // Spark has started when the first one is answered
	if err != nil {
		f.t.Fatalf("%s: %v\n%.2000s", e.name, err, out)
	}
	f.t.Logf("%d hosts, %s: %.1f s", f.hosts, e.name, time.Since(f.begun).Seconds())
	_, rows, _ := strings.Cut(string(out), "@query 1\n")
	return strings.ReplaceAll(rows, `"`, "")
}
