package sql

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	_ "pmtools/test/env"
)

var update = flag.Bool("update", false, "rewrite testdata")

// metrics is an Env.
type metrics []struct {
	name string
	desc pcp.Desc
}

// Lookup implements check.Env.
func (l metrics) Lookup(name string) (pcp.ID, bool, error) {
	for i, m := range l {
		if m.name == name {
			return pcp.ID(i + 1), false, nil
		}
	}
	return 0, false, errors.New("unknown")
}

// Describe implements check.Env.
func (l metrics) Describe(id pcp.ID) (pcp.Desc, error) {
	d := l[id-1].desc
	d.ID = id
	return d, nil
}

// some are metrics of each kind.
var some = metrics{
	{"disk.total", pcp.Desc{Type: pcp.Uint64, InDom: 240, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}},
	{"disk.bytes", pcp.Desc{Type: pcp.Uint64, InDom: 240, Sem: pcp.Counter, Units: pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}}},
	{"disk.time", pcp.Desc{Type: pcp.Uint32, InDom: 240, Sem: pcp.Counter, Units: pcp.Units{DimTime: 1, ScaleTime: pcp.Msec}}},
	{"mem.free", pcp.Desc{Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Instant, Units: pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}}},
	{"mem.used", pcp.Desc{Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Instant, Units: pcp.Units{DimSpace: 1, ScaleSpace: pcp.Mbyte}}},
	{"load", pcp.Desc{Type: pcp.Float, InDom: 241, Sem: pcp.Instant}},
	{"it's", pcp.Desc{Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Instant}},
	{"cpus", pcp.Desc{Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Discrete}},
	{"events", pcp.Desc{Type: pcp.Event, InDom: pcp.NullInDom, Sem: pcp.Instant}},
}

// query returns the query for an expression.
func query(t *testing.T, text string, opt *Options) (string, error) {
	t.Helper()
	e, err := check.Extended.Syntax().Parse(text)
	if err != nil {
		t.Fatal(text, err)
	}
	info, err := check.Check(e, some, nil)
	if err != nil {
		t.Fatal(text, err)
	}
	return Query(e, info, opt)
}

// TestQuery compares queries with files.
func TestQuery(t *testing.T) {
	for _, c := range []struct{ file, dialect, expr string }{
		{"rate", "duckdb", "rate(disk.total)"},
		{"scaled", "duckdb", "mem.free + mem.used"},
		{"utilisation", "duckdb", "100 * rate(disk.time)"},
		{"ratio", "duckdb", "delta(disk.bytes) / delta(disk.total)"},
		{"choice", "duckdb", "cpus > 1 ? load / cpus : novalue()"},
		{"scalar", "duckdb", "cpus / scalar(load)"},
		{"order", "duckdb", "scalar(load > 1 ? load : -load)"},
		{"instance", "duckdb", `scalar(load[1 minute]) > 0.5 && !(cpus == 4)`},
		{"avg", "clickhouse", "avg(load)"},
		{"avg_over", "duckdb", "avg_over(rate(disk.total), 5min)"},
		{"quantile_over", "spark", "quantile_over(0.9, load, 1.5hours)"},
		{"shift", "clickhouse", "load - shift(load, 1day)"},
		{"matchinst", "clickhouse", `matchinst(!/^sd[a-c]\\.?$/, disk.total)`},
		{"sum", "spark", "sum(disk.total)"},
		{"avg_spark", "spark", "avg(disk.total)"},
		{"wrap", "spark", "mem.free * 3 - mem.free"},
		{"by", "duckdb", "sum(rate(disk.total)) by (kind)"},
		{"by_spark", "spark", "max(avg(disk.total) by (kind, rack)) by (rack)"},
	} {
		t.Run(c.file, func(t *testing.T) {
			got, err := query(t, c.expr, &Options{Dialect: c.dialect, Tables: "out/"})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", c.file+".sql")
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
		})
	}
}

// TestPlaces: queries read tables where the options say they are.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		want string // in the query, or in the error
		bad  bool
	}{
		{Options{Tables: "out"}, "FROM read_parquet('out/values/**/*.parquet', ", false},
		{Options{Tables: "s3://b/p/"}, "FROM read_parquet('s3://b/p/values/**/*.parquet', ", false},
		{Options{Table: "pcp"}, `FROM "pcp"."values"` + "\n", false},
		{Options{Dialect: "spark", Tables: "s3a://b/p/"}, "FROM parquet.`s3a://b/p/values`\n", false},
		{Options{Dialect: "spark", Table: "lake.pcp.all *"}, "FROM `lake`.`pcp`.`all values`\n", false},
		{Options{Dialect: "clickhouse", Tables: "out"}, " FROM file('out/values/**/*.parquet', 'Parquet')", false},
		{Options{Dialect: "clickhouse", Tables: "s3://b/p/"}, " FROM s3('s3://b/p/values/**/*.parquet', 'Parquet')", false},
		{Options{Dialect: "clickhouse", Tables: "http://127.0.0.1:9000/b"}, " FROM s3('http://127.0.0.1:9000/b/values/**/*.parquet', 'Parquet')", false},
		{Options{Dialect: "clickhouse", Tables: "s3://b", Cluster: "it's"}, ` FROM s3Cluster('it''s', 's3://b/values/**/*.parquet', 'Parquet')`, false},
		{Options{Dialect: "clickhouse", Table: "pcp"}, "FROM `pcp`.`values`\n", false},
		{Options{Dialect: "clickhouse", Table: "pcp.pmtools_*"}, "FROM `pcp`.`pmtools_values`\n", false},
		{Options{Dialect: "clickhouse", Tables: "abfss://b/p"}, "ClickHouse reads s3://", true},
		{Options{Dialect: "clickhouse", Tables: "out", Cluster: "c"}, "a cluster reads tables of a bucket", true},
		{Options{Tables: "s3://b", Cluster: "c"}, "a cluster reads tables of a bucket", true},
		{Options{Table: "pcp..x"}, "want a database", true},
		{Options{Table: `pcp"; DROP`}, "want a database", true},
	} {
		got, err := query(t, "load", &c.opt)
		if c.bad && err != nil {
			got = err.Error()
		}
		if c.bad != (err != nil) || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %v, want %q in\n%s", c.opt, err, c.want, got)
		}
	}
	bounded := Options{Table: "pcp", From: pcp.Timestamp{Sec: 1}}
	if got, err := query(t, "load", &bounded); err != nil || strings.Contains(got, "AND date") || !strings.Contains(got, "AND time >=") {
		t.Errorf("tables may have no date: %v\n%s", err, got)
	}
}

// TestRefuse: what cannot be said is refused with the place and the reason.
func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		expr, what string
		pos        int
		reason     string
	}{
		{"events", "events", 0, "bytes in the tables"},
		{"load[a\x00b]", "load[a\x00b]", 0, "null byte"},
		{"cpus + mkconst(1, indom=60.1)", "mkconst(1, indom=60.1)", 7, "the tables do not say"},
		{`matchinst(/a\\b/, load)`, `matchinst(/a\\b/, load)`, 0, "word boundary"},
	} {
		_, err := query(t, c.expr, &Options{})
		bad, ok := errors.AsType[*check.Error](err)
		if !ok || bad.What != c.what {
			t.Errorf("%s: %v", c.expr, err)
		} else if int(bad.Pos) != c.pos || !strings.Contains(bad.Text, c.reason) {
			t.Errorf("%s: %v", c.expr, err)
		}
	}
	if _, err := query(t, "cpus", &Options{Dialect: "sybase"}); err == nil || !strings.Contains(err.Error(), "duckdb, clickhouse, spark") {
		t.Errorf("dialect: %v", err)
	}
	sum := "cpus"
	for i := range maxTables {
		sum += " + cpus * " + strconv.Itoa(i)
	}
	for _, long := range []string{sum, "cpus" + strings.Repeat("+1", syntax.MaxHeight-2), strings.Repeat("!", syntax.MaxDepth-2) + "1"} {
		if _, err := query(t, long, &Options{}); err == nil || !strings.Contains(err.Error(), "too many for engines") {
			t.Errorf("%.20s: %v", long, err)
		}
	}
}

// TestText: text in an expression stays text.
func TestText(t *testing.T) {
	for _, dialect := range Dialects() {
		for _, name := range []string{"x'; DROP TABLE t; --", `\`, `\'`, "a\nSELECT 1", "\xff'", "\r", "\u2028x"} {
			e := &syntax.InstExpr{X: &syntax.MetricRef{Name: "load"}, Name: name}
			info, err := check.Check(e, some, nil)
			if err != nil {
				t.Fatal(err)
			}
			q, err := Query(e, info, &Options{Dialect: dialect, Tables: "it's\\"})
			if err != nil {
				t.Fatal(err)
			}
			if left := outside(q, dialect != "duckdb"); strings.ContainsAny(left, "'\\;") || !utf8.ValidString(q) || strings.Contains(left, "DROP") {
				t.Errorf("%s, %q:\n%s", dialect, name, q)
			}
		}
	}
}

// outside returns a query without its strings, quoted names and comments.
func outside(q string, escapes bool) string {
	var b strings.Builder
	for i := 0; i < len(q); i++ {
		switch {
		case strings.HasPrefix(q[i:], "--"):
			for i < len(q) && q[i] != '\n' {
				i++
			}
		case q[i] == '\'' || q[i] == '`':
			end := q[i]
			for i++; i < len(q) && q[i] != end; i++ {
				if escapes && end == '\'' && q[i] == '\\' {
					i++
				}
			}
		default:
			b.WriteByte(q[i])
		}
	}
	return b.String()
}

// FuzzQuery: an expression that means something is a query, in which text stays text, or is refused
// with a place in it.
func FuzzQuery(f *testing.F) {
	for _, text := range []string{
		"rate(disk.total) / delta(disk.bytes)", "cpus > 1 ? load[x'] : novalue()", "matchinst(!/^a\\\\.'/, load) * 2.5", "!(-cpus) && mem.free",
		`rescale(mem.free + mem.used, "Gbyte")`, "count(load) + sum(load) - avg(load) * max(load)", "1 ? scalar(load[a\nb]) : cpus", "mkconst(3, type=u64) / 0",
		"load > 1 ? load : -load", "defined(events) ? cpus : events", "anon(PM_TYPE_U32) + 1", "delta(1 + 2)",
	} {
		f.Add(text, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		e, err := check.Syntax().Parse(text)
		if err != nil {
			return
		}
		info, err := check.Check(e, some, nil)
		if err != nil {
			return
		}
		dialect := Dialects()[int(n)%len(Dialects())]
		q, err := Query(e, info, &Options{Dialect: dialect, Tables: "out"})
		if bad, ok := errors.AsType[*check.Error](err); ok && (bad.Pos < 0 || int(bad.Pos) > len(text) || bad.Text == "") {
			t.Errorf("%q: %v at %d", text, bad, bad.Pos)
		} else if err != nil && !ok {
			t.Errorf("%q: %v", text, err)
		}
		if left := outside(q, dialect != "duckdb"); strings.ContainsAny(left, "'\\;") || strings.Contains(q, "\x00") {
			t.Errorf("%q:\n%s", text, q)
		} else if !utf8.ValidString(q) || strings.Count(left, "(") != strings.Count(left, ")") {
			t.Errorf("%q:\n%s", text, q)
		}
	})
}

// TestWindow: records before a window are read as far as an expression looks back, and no value before it is one of the query.
func TestWindow(t *testing.T) {
	for _, c := range []struct{ expr, reads, has string }{
		{"mem.free", "12:00:00", ""},
		{"avg_over(mem.free, 1hour)", "11:00:00", "12:00:00"},
		{"max_over(avg_over(mem.free, 1hour), 30min)", "10:30:00", "12:00:00"},
		{"rate(disk.total)", "", "12:00:00"},
		{"shift(mem.free, 1hour)", "", "12:00:00"},
	} {
		for _, open := range []bool{false, true} {
			from := pcp.Timestamp{Sec: 1714996800}
			q, err := query(t, c.expr, &Options{Tables: "out", From: from, Until: from.Add(time.Hour), Open: open})
			if err != nil {
				t.Fatal(err)
			}
			last, limit := "<=", ""
			if open {
				last = "<"
			}
			if c.reads != "" {
				limit = " AND time >= '2024-05-06 " + c.reads + ".000000000+00'"
			}
			if limit += " AND time " + last + " '2024-05-06 13:00:00.000000000+00' AND host IN"; !strings.Contains(q, limit) {
				t.Errorf("%s: want %s in\n%s", c.expr, limit, q)
			}
			if has := "\nWHERE time >= '2024-05-06 " + c.has + ".000000000+00'\nORDER"; strings.Contains(q, has) != (c.has != "") {
				t.Errorf("%s: want %s in\n%s", c.expr, has, q)
			}
		}
	}
}
