package derive

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/test/peer/harness"
)

// A mixedExpr is an expression over hosts of many kinds.
type mixedExpr struct {
	text     string
	common   pcp.Type // of the values of all hosts
	units    string   // of the values
	problems string   // the hosts for which it does not hold
}

var mixedExprs = []mixedExpr{
	{"100 * mem.used / mem.total", pcp.Double, "none", "text unsupported without"},
	{"mem.used", pcp.Double, "Kbyte", "text unsupported without"},
	{"mem.used > rescale(mem.total, \"Mbyte\") / 4", pcp.Uint32, "none", "text unsupported without"},
	{"mem.total - mem.used", pcp.Double, "Kbyte", "text unsupported without"},
	{"mem.total", pcp.Uint64, "Kbyte", ""},
	{"defined(mem.used) ? mem.total : 2 * mem.total", pcp.Uint64, "Kbyte", ""},
	{"rate(net.bytes)", pcp.Double, "byte / sec", ""},
	{"net.bytes", pcp.Int64, "byte", "gauge"},
	{"instant(net.bytes)", pcp.Int64, "byte", ""},
	{"sum(net.bytes)", pcp.Int64, "byte", "gauge"},
	{"sum(rate(net.bytes)) by (hostname)", pcp.Double, "byte / sec", "float"},
	{"rate(net.bytes[eth0]) / mem.used", pcp.Double, "/ sec", "text unsupported without"},
}

func mixedPartitions() []string { return []string{"host,date", "host", "date", "none"} }

// TestSQLMixed: over the tables of hosts of many kinds, databases find for each host what the engine
// finds in its archive, in the units of most hosts, and name the hosts for which it finds nothing.
func TestSQLMixed(t *testing.T) {
	ours, _, root := harness.Setup(t)
	dir, err := os.MkdirTemp(filepath.Join(root, "tmp"), "sql")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for i := range archivetest.MixedHosts() {
		name := "host" + strconv.Itoa(i)
		if err := archivetest.BuildMixedHost(dir, name, i); err != nil {
			t.Fatal(err)
		}
		for _, partition := range mixedPartitions() {
			out, err := exec.Command(filepath.Join(ours.Bin, "pmderive"), "-a", filepath.Join(dir, name), "export", "--partition", partition, "-o", filepath.Join(dir, partition)).CombinedOutput()
			if err != nil {
				t.Fatalf("export: %v\n%s", err, out)
			}
		}
	}
	for _, partition := range mixedPartitions()[1:] { // queries find the same in merged files
		if out, err := exec.Command(filepath.Join(ours.Bin, "pmderive"), "compact", filepath.Join(dir, partition)).CombinedOutput(); err != nil || !strings.Contains(string(out), " merged into ") {
			t.Fatalf("compact %s: %v\n%s", partition, err, out)
		}
	}
	for _, e := range []*engine{duckEngine(root, dir), clickEngine(root, dir), sparkEngine(t, dir)} {
		for _, partition := range mixedPartitions() {
			t.Run(e.name+"/"+partition, func(t *testing.T) {
				if e.skip != "" {
					t.Skip(e.skip)
				}
				mixedRun(t, e, ours.Bin, dir, partition)
			})
		}
	}
}

func mixedRun(t *testing.T, e *engine, bin, dir, tables string) {
	write := func(text string, more ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, "pmderive"), append(append([]string{"sql", "--extended", "--dialect", e.dialect, "-m", tables}, more...), text)...)
		cmd.Dir = dir
		var bad strings.Builder
		cmd.Stderr = &bad
		q, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", text, err, &bad)
		}
		return string(q)
	}
	var queries []string
	for _, x := range mixedExprs {
		q := write(x.text)
		if want := ", units " + x.units + "\n"; !strings.Contains(q, want) {
			t.Errorf("%s: want%s%.200s", x.text, want, q)
		}
		queries = append(queries, strings.Replace(fmt.Sprintf(e.rows, q), ", inst,", ", concat(host, ';', coalesce(inst, -1)),", 1), write(x.text, "--problems"))
	}
	// limits: the records of three hosts after midnight, and the last one before it
	limited := write("mem.total", "--only", "it's", "--only", "[db] %5B", "--only", "007", "-S", "@2024-01-01 23:59:00", "-T", "@2024-01-02 00:01:00")
	queries = append(queries, "SELECT count(*), min(host), max(host), count(DISTINCT host) FROM (\n"+limited+") AS q")
	out, err := e.run(queries)
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	parts := strings.Split("\n"+string(out), "\n@query ")[1:]
	if len(parts) != len(queries) {
		t.Fatalf("%d answers, want %d\n%s", len(parts), len(queries), out)
	}
	if _, rows, _ := strings.Cut(parts[len(parts)-1], "\n"); strings.NewReplacer("\n", "", `"`, "").Replace(rows) != "9,007,it's,3" {
		t.Errorf("within limits: %s\n%s", rows, limited)
	}
	for i, x := range mixedExprs {
		_, rows, _ := strings.Cut(parts[2*i], "\n")
		want, bad := x.want(t, dir)
		c := &sqlCase{text: x.text, typ: check.Type{Type: x.common}, want: want}
		if diff := c.differs(rows); diff != "" {
			t.Errorf("%s: %s", x.text, diff)
		}
		_, rows, _ = strings.Cut(parts[2*i+1], "\n")
		found, err := csv.NewReader(strings.NewReader(rows)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v\n%s", x.text, err, rows)
		}
		var hosts []string
		for _, row := range found {
			hosts = append(hosts, row[0])
			if row[1] == "" {
				t.Errorf("%s: %q is a problem without a reason", x.text, row)
			}
		}
		if got := strings.Join(hosts, " "); got != x.problems || bad != x.problems {
			t.Errorf("%s: the problems are of %q, want %q, as the engine has for each host: %q\n%s", x.text, got, x.problems, bad, rows)
		}
	}
}

// want returns what the engine finds in the archive of each host, and the hosts for which the expression
// does not hold.
func (x *mixedExpr) want(t *testing.T, dir string) (map[string]uint64, string) {
	all := make(map[string]uint64)
	problems := make(map[string]bool)
	for i, host := range archivetest.MixedHosts() {
		typ, values, err := x.of(t.Context(), filepath.Join(dir, "host"+strconv.Itoa(i)))
		if err != nil {
			problems[host] = true
			continue
		}
		for key, word := range values {
			time, inst, _ := strings.Cut(key, ",")
			if x.common == pcp.Double {
				word = math.Float64bits(float(typ, word))
			}
			all[time+","+host+";"+inst] = word
		}
	}
	return all, strings.Join(slices.Sorted(maps.Keys(problems)), " ")
}

func float(t pcp.Type, word uint64) float64 {
	switch t {
	case pcp.Double:
		return math.Float64frombits(word)
	case pcp.Float:
		return float64(math.Float32frombits(uint32(word)))
	case pcp.Uint64:
		return float64(word)
	}
	return float64(int64(word))
}

var errUnlike = errors.New("values of another meaning")

// of returns the values of a host in the units of all.
func (x *mixedExpr) of(ctx context.Context, path string) (pcp.Type, map[string]uint64, error) {
	a, err := pmapi.OpenArchive(ctx, path, nil)
	if err != nil {
		return 0, nil, err
	}
	defer a.Close()
	text := x.text
	for {
		p, err := derive.CompileIn(check.Extended, "", text)
		if err != nil {
			return 0, nil, err
		}
		src := derive.NewSource(a, nil, &derive.Options{})
		found, err := src.Check(ctx, src.Define(p)...)
		if err == nil {
			err = found[0].Err
		}
		if err != nil {
			return 0, nil, err
		}
		root := found[0].Info.Root
		switch {
		case !root.Type.Arithmetic() || root.Sem != pcp.Counter && (x.text == "net.bytes" || x.text == "sum(net.bytes)"):
			return 0, nil, errUnlike
		case x.units != "none" && root.Units.String() != x.units && text == x.text:
			text = "rescale(" + x.text + ", \"" + x.units + "\")"
			continue
		}
		values, err := byRecord(ctx, a, p)
		return root.Type, values, err
	}
}
