package derive

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/peer/harness"
)

// placesExprs are over metrics that the hosts of archivetest describe differently.
var placesExprs = []string{"rate(net.bytes)", "100 * mem.used / mem.total", "delta(mem.total)"}

// A placed is what pmderive writes SQL with, and an engine that runs it.
type placed struct {
	t        *testing.T
	bin, dir string
	env      []string
	e        *engine
}

// newPlaced makes archives of hosts, and exports them into the directory tables.
func newPlaced(t *testing.T, ours harness.Side, dir string) *placed {
	p := &placed{t: t, bin: filepath.Join(ours.Bin, "pmderive"), dir: dir}
	for i := range archivetest.MixedHosts() {
		if err := archivetest.BuildMixedHost(dir, "host"+strconv.Itoa(i), i); err != nil {
			t.Fatal(err)
		}
	}
	p.export("tables")
	return p
}

func (p *placed) run(args ...string) (string, error) {
	cmd := exec.Command(p.bin, args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), p.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p *placed) must(args ...string) string {
	p.t.Helper()
	out, err := p.run(args...)
	if err != nil {
		p.t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return out
}

// export exports all hosts, and returns what it says.
func (p *placed) export(to string, args ...string) (said string) {
	p.t.Helper()
	for i := range archivetest.MixedHosts() {
		said += p.must(append([]string{"-a", "host" + strconv.Itoa(i), "export", "-o", to}, args...)...)
	}
	return said
}

// answers returns the sorted rows of the queries that pmderive writes with arguments, after other statements.
func (p *placed) answers(before []string, args ...string) (all []string) {
	p.t.Helper()
	queries := slices.Clone(before)
	for _, text := range placesExprs {
		q := p.must(append(append([]string{"sql", "--dialect", p.e.dialect, "-m", "tables"}, args...), text)...)
		queries = append(queries, fmt.Sprintf(strings.Replace(p.e.rows, "SELECT ", "SELECT host, ", 1), q))
	}
	out, err := p.e.run(queries)
	if err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	parts := strings.Split("\n"+string(out), "\n@query ")[1:]
	if len(parts) != len(queries) {
		p.t.Fatalf("%d answers, want %d\n%s", len(parts), len(queries), out)
	}
	for i, part := range parts {
		lines := strings.Split(strings.TrimSpace(part), "\n")[1:]
		if i < len(before) {
			if p.e.dialect == "clickhouse" && len(lines) > 0 {
				p.t.Errorf("%s: %s", before[i], lines)
			}
			continue
		}
		slices.Sort(lines)
		all = append(all, strings.Join(lines, "\n"))
	}
	return all
}

func (p *placed) equal(what string, got, want []string) {
	p.t.Helper()
	for i, text := range placesExprs {
		if got[i] != want[i] || !strings.Contains(want[i], "007") || strings.Count(want[i], "\n") < 20 {
			p.t.Errorf("%s, %s:\n%.600s\nwant\n%.600s", what, text, got[i], want[i])
		}
	}
}

// TestSQLTables: queries over tables that an engine has find what they find in files.
func TestSQLTables(t *testing.T) {
	ours, _, root := harness.Setup(t)
	dir := sqlDir(t, root)
	p := newPlaced(t, ours, dir)
	doc, err := os.ReadFile("../../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	made := regexp.MustCompile("(?s)```sql\n(CREATE DATABASE pcp;\n.*?)```").FindSubmatch(doc)
	if made == nil {
		t.Fatal("docs/scale.md does not make tables")
	}
	simple := func(schema, from string) (list []string) {
		list = append(list, "CREATE SCHEMA pcp")
		for _, table := range []string{"values", "metrics", "missing"} {
			list = append(list, fmt.Sprintf(schema, table)+" AS SELECT * FROM "+fmt.Sprintf(from, table))
		}
		return list
	}
	for _, x := range []struct {
		e      *engine
		before []string
	}{
		{duckEngine(root, dir), simple(`CREATE TABLE pcp."%s"`, "read_parquet('tables/%s/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)")},
		{clickEngine(root, dir), strings.Split(strings.TrimSuffix(strings.TrimSpace(string(made[1])), ";"), ";\n")},
		{sparkEngine(t, dir), simple("CREATE TABLE pcp.`%s` USING parquet", "parquet.`tables/%s`")},
	} {
		t.Run(x.e.name, func(t *testing.T) {
			if x.e.skip != "" {
				t.Skip(x.e.skip)
			}
			p.t, p.e = t, x.e
			p.equal("tables", p.answers(x.before, "--table", "pcp"), p.answers(nil))
		})
	}
}

// TestSQLMicros: queries over tables of microseconds find what they find in those of nanoseconds, also when these are compacted.
func TestSQLMicros(t *testing.T) {
	ours, _, root := harness.Setup(t)
	dir := sqlDir(t, root)
	p := newPlaced(t, ours, dir)
	p.export("micros", "--us")
	for _, e := range []*engine{duckEngine(root, dir), clickEngine(root, dir), sparkEngine(t, dir)} {
		t.Run(e.name, func(t *testing.T) {
			if e.skip != "" {
				t.Skip(e.skip)
			}
			p.t, p.e = t, e
			window := []string{"-S", "@2024-01-01", "-T", "@2100-01-01"}
			want := p.answers(nil, window...)
			if e.dialect == "spark" { // which has types for times of microseconds only
				e.rows = strings.Replace(e.rows, "SELECT time", "SELECT unix_micros(time) * 1000", 1)
			}
			p.equal("micros", p.answers(nil, append(window, "-m", "micros")...), want)
			p.equal("micros, said by an option", p.answers(nil, append(window, "--tables", "./micros", "--us")...), want)
		})
	}
}

// TestBucket exports to a server of S3's protocol, moto, as PMTOOLS_S3 has it: a Python with moto, and with
// duckdb and its extension httpfs. Engines read the bucket as they read a directory.
func TestBucket(t *testing.T) {
	ours, _, root := harness.Setup(t)
	python := os.Getenv("PMTOOLS_S3")
	if python == "" {
		t.Skip("PMTOOLS_S3 does not name a Python with moto and duckdb")
	}
	dir := sqlDir(t, root)
	p := newPlaced(t, ours, dir)
	endpoint := startMoto(t, python)
	p.env = []string{"AWS_ENDPOINT_URL=" + endpoint, "AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=secret", "TMPDIR=" + t.TempDir()}
	if said := p.export("s3://tables/of/all"); strings.Contains(said, "nothing new") {
		t.Error(said)
	}
	if said := p.export("s3://tables/of/all"); strings.Count(said, "nothing new") != len(archivetest.MixedHosts()) {
		t.Error(said)
	}
	p.must("-a", "host0", "export", "--check", "-o", "s3://tables/checked")
	if out, err := p.run("-a", "host0", "export", "-o", "s3://nobody/x"); err == nil || !strings.Contains(out, "there is no bucket nobody") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Run("killed", func(t *testing.T) { killedBucket(t, p) })
	for _, x := range []struct {
		e  *engine
		at string
	}{{clickEngine(root, dir), endpoint + "/tables/of/all"}, {httpfsEngine(python, dir, endpoint), "s3://tables/of/all"}} {
		t.Run(x.e.name, func(t *testing.T) {
			if x.e.skip != "" {
				t.Skip(x.e.skip)
			}
			p.t, p.e = t, x.e
			p.equal(x.at, p.answers(nil, "--tables", x.at), p.answers(nil))
			p.equal("metadata of the bucket", p.answers(nil, "-m", "s3://tables/of/all", "--tables", x.at), p.answers(nil))
			if x.e.dialect == "clickhouse" {
				p.clusters(x.at)
			}
		})
	}
}

// clusterConfig makes a cluster known to ClickHouse, of which no server answers: a library has none.
const clusterConfig = `<clickhouse><remote_servers><nightly>
  <shard><replica><host>127.0.0.1</host><port>1</port></replica></shard>
</nightly></remote_servers></clickhouse>`

// clusters runs queries for a cluster. ClickHouse takes all of them until it needs a server, and they are those of one
// server otherwise.
func (p *placed) clusters(at string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "config.xml"), []byte(clusterConfig), 0o666); err != nil {
		p.t.Fatal(err)
	}
	for i, answer := range p.answers(nil, "--tables", at, "--cluster", "nightly") {
		if want := "Cannot connect to any replica"; !strings.Contains(answer, want) {
			p.t.Errorf("%s: %.600s\nwant %s", placesExprs[i], answer, want)
		}
	}
	for _, text := range placesExprs {
		one := p.must("sql", "--dialect", "clickhouse", "-m", "tables", "--tables", at, text)
		all := p.must("sql", "--dialect", "clickhouse", "-m", "tables", "--tables", at, "--cluster", "nightly", text)
		if got := strings.ReplaceAll(all, "s3Cluster('nightly', ", "s3("); got != one || !strings.Contains(one, " s3(") {
			p.t.Errorf("%s:\n%s\nwant but for s3Cluster\n%s", text, all, one)
		}
	}
}

// killedBucket kills exports at all times: the next one that is not killed makes the tables whole.
func killedBucket(t *testing.T, p *placed) {
	for i := range harness.Number("PMTOOLS_RUNS", 12) % 100 {
		to := "s3://tables/killed" + strconv.Itoa(i)
		cmd := exec.Command(p.bin, "-a", "host3", "export", "-o", to)
		cmd.Dir, cmd.Env = p.dir, append(os.Environ(), p.env...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i*15) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		p.must("-a", "host3", "export", "-o", to)
		if said := p.must("-a", "host3", "export", "-o", to); !strings.HasSuffix(said, ": nothing new\n") {
			t.Errorf("killed after %d ms: %s", i*15, said)
		}
	}
}

func startMoto(t *testing.T, python string) (endpoint string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	endpoint = "http://" + l.Addr().String()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	cmd := exec.Command(filepath.Join(filepath.Dir(python), "moto_server"), "-H", "127.0.0.1", "-p", port)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		req, _ := http.NewRequest("PUT", endpoint+"/tables", nil)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
			return endpoint
		}
		if time.Since(begun) > 2*time.Minute {
			t.Fatalf("moto does not answer: %v\n%s", err, log.String())
		}
	}
}

// httpfsScript runs queries from standard input, behind lines as engine.run has them.
const httpfsScript = `
import csv, os, re, sys
import duckdb, duckdb_extension_httpfs
below = os.path.join(os.path.dirname(duckdb_extension_httpfs.__file__), "extensions")
version, = os.listdir(below)
db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
db.execute("INSTALL '" + os.path.join(below, version, "httpfs.duckdb_extension") + "'")
db.execute("LOAD httpfs")
db.execute("SET TimeZone = 'UTC'")
db.execute("CREATE SECRET (TYPE s3, KEY_ID 'id', SECRET 'secret', REGION 'us-east-1', URL_STYLE 'path', USE_SSL false, ENDPOINT '" + sys.argv[1] + "')")
parts = re.split(r"^@query (\d+)\n", sys.stdin.read(), flags=re.M)[1:]
out = csv.writer(sys.stdout, lineterminator="\n")
for number, query in zip(parts[::2], parts[1::2]):
    print("@query", number)
    out.writerows(db.execute(query).fetchall())
`

// httpfsEngine is DuckDB with its extension for S3, as PyPI has both.
func httpfsEngine(python, dir, endpoint string) *engine {
	e := *duckEngine("", dir)
	e.name, e.skip = "DuckDB with httpfs", ""
	e.run = func(queries []string) ([]byte, error) {
		var in, bad bytes.Buffer
		for i, q := range queries {
			fmt.Fprintf(&in, "@query %d\n%s\n", i, q)
		}
		cmd := exec.Command(python, "-c", httpfsScript, strings.TrimPrefix(endpoint, "http://"))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
		cmd.Stdin, cmd.Stderr = &in, &bad
		out, err := cmd.Output()
		return append(out, bad.Bytes()...), err
	}
	return &e
}
