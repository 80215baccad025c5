package archive

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/env"
	"pmtools/test/peer/harness"
)

// fleetHosts is how many hosts the demonstration has here.
const fleetHosts = 20

// TestScale runs the demonstration of docs/sql.md with fewer hosts: its commands, and its queries,
// which give the hosts and figures that follow from what the reference shows.
func TestScale(t *testing.T) {
	d := newDuck(t)
	text, err := os.ReadFile("../../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## A thousand hosts\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var script []string
	for _, m := range regexp.MustCompile(`(?m)^\$ (.*)$`).FindAllStringSubmatch(section, -1) {
		script = append(script, strings.NewReplacer("fleet=1000", "fleet="+strconv.Itoa(fleetHosts), "bin/fleet", d.dir).Replace(m[1]))
	}
	queries := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(script) != 7 || len(queries) != 2 {
		t.Fatalf("docs/sql.md has %d commands and %d queries", len(script), len(queries))
	}
	bin := t.TempDir()
	duckdb := "#!/bin/sh\nexec " + strings.Join(append(harness.Loader(t, d.root), filepath.Join(d.root, "usr/bin/duckdb")), " ") + ` "$@"`
	if err := os.WriteFile(filepath.Join(bin, "duckdb"), []byte(duckdb), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-ec", strings.Join(script, "\n"))
	cmd.Dir, cmd.Env = "../../..", append(env.Started(), "PCP_DERIVED_CONFIG=", "PATH="+d.ours.Bin+":"+bin+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%s\n%v\n%s", strings.Join(script, "\n"), err, out)
	}
	want := d.busiest()
	answer, err := os.ReadFile(filepath.Join(d.dir, "p95.csv"))
	if got := "host,p95\n" + strings.ReplaceAll(strings.Join(want, "\n"), " ", ",") + "\n"; err != nil || string(answer) != got {
		t.Errorf("p95.csv: %v\n%swant\n%s", err, answer, got)
	}
	for _, q := range queries {
		var got []string
		for _, row := range d.ask(q[1]) {
			got = append(got, strings.Join(row, " "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\nhas\n%s\nwant\n%s", q[1], strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	summary, err := os.ReadFile(filepath.Join(d.dir, "summary.csv"))
	if n := strings.Count(string(summary), "rate(disk.dev.avactive)"); err != nil || n != fleetHosts {
		t.Errorf("summary.csv: %v, %d rows\n%s", err, n, summary)
	}
}

// busiest returns the ten hosts with the highest 95th percentile, as the queries print them, from
// the rates that the reference's pmval shows for each record of the archives.
func (d *duck) busiest() (rows []string) {
	_, theirs, _ := harness.Setup(d.t)
	type host struct {
		name string
		p95  float64
	}
	var hosts []host
	for i := range fleetHosts {
		name := fmt.Sprintf("host%04d", i)
		o, err := theirs.Run(harness.Command{Args: []string{"pmval", "-U", filepath.Join(d.dir, name), "-w", "20", "-f", "15", "disk.dev.avactive"}}, d.root)
		if err != nil || o.Status != 0 {
			d.t.Fatalf("%s: %v, %s", name, err, o.Stderr)
		}
		var rates []float64
		for line := range strings.Lines(string(o.Stdout)) {
			f := strings.Fields(line)
			for i := 1; i < len(f) && f[0][2] == ':'; i++ {
				if r, err := strconv.ParseFloat(f[i], 64); err == nil {
					rates = append(rates, r)
				}
			}
		}
		if len(rates) < 1438*20 {
			d.t.Fatalf("%s: %d rates", name, len(rates))
		}
		slices.Sort(rates)
		at := 0.95 * float64(len(rates)-1)
		low := rates[int(at)]
		hosts = append(hosts, host{name, low + (at-math.Floor(at))*(rates[int(at)+1]-low)})
	}
	slices.SortFunc(hosts, func(a, b host) int { return cmp.Compare(b.p95, a.p95) })
	for _, h := range hosts[:10] {
		rows = append(rows, fmt.Sprint(h.name, " ", math.Round(10000*h.p95)/100))
	}
	return rows
}
