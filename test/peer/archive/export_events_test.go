package archive

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pmtools/test/peer/harness"
)

// dumpedEvents returns how often pmlogdump shows each parameter of event records: times of day of the
// recording and of the event, metric, instance, number of the record, flags, missed records, parameter
// and value; and that for records without parameters.
func dumpedEvents(t *testing.T, theirs harness.Side, root, archive string) map[string]int {
	t.Helper()
	o, err := theirs.Run(harness.Command{Args: []string{"pmlogdump", "-Z", "UTC", archive}}, root)
	if err != nil {
		t.Fatal(err)
	}
	record := regexp.MustCompile(`^(\d\d:\d\d:\d\d\.\d+) `)
	metric := regexp.MustCompile(`^    \S+ \(([^[)]*)(?:\[(\d+) or .*\])?\): \d+ .*event records?$`)
	event := regexp.MustCompile(`^        --- event record \[(\d+)\] timestamp (\S+)(?: flags (0x[0-9a-f]+).*)? ---$`)
	missed := regexp.MustCompile(`^        ==> (\d+) missed event records?$`)
	param := regexp.MustCompile(`^        (\S+) \(.*\): value (.*)$`)
	rows := map[string]int{}
	at, of, head, gone := "", "", "", ""
	bare := false // the record has no parameters so far
	end := func() {
		if bare {
			rows[head+" "+gone+" - -"]++
		}
		bare = false
	}
	for line := range strings.Lines(string(o.Stdout)) {
		line = strings.TrimRight(line, "\n")
		if m := param.FindStringSubmatch(line); m != nil {
			rows[head+"  "+m[1]+" "+plain(m[2])]++
			bare = false
		} else if m := missed.FindStringSubmatch(line); m != nil {
			gone = m[1]
		} else if m := event.FindStringSubmatch(line); m != nil {
			end()
			flags, _ := strconv.ParseUint("0"+strings.TrimPrefix(m[3], "0"), 0, 32)
			head, gone, bare = strings.Join([]string{at, (m[2] + "000")[:18], of, m[1], fmt.Sprint(flags)}, " "), "", true
		} else if m := metric.FindStringSubmatch(line); m != nil {
			end()
			of = m[1] + " " + m[2]
		} else if m := record.FindStringSubmatch(line); m != nil {
			end()
			at = (m[1] + "000")[:18]
		}
	}
	end()
	return rows
}

// plain returns a value as pmlogdump shows it in the form of exportedEvents.
func plain(value string) string {
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	if _, hex, ok := strings.Cut(value, "["); ok {
		return strings.TrimSuffix(hex, "]")
	}
	if strings.ContainsAny(value, ".e") {
		f, _ := strconv.ParseFloat(value, 64)
		return fmt.Sprintf("%.6g", f)
	}
	return value
}

// exportedEvents returns the same from exported tables.
func exportedEvents(t *testing.T, d *duck, dir string) map[string]int {
	t.Helper()
	rows := map[string]int{}
	clock := func(text string) string {
		ns, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return time.Unix(0, ns).UTC().Format("15:04:05.000000000")
	}
	for _, row := range d.ask(`SELECT epoch_ns(recorded), epoch_ns(time), metric, coalesce(inst::VARCHAR, ''), record, flags, coalesce(missed::VARCHAR, ''),
			coalesce(pmid, '-'), coalesce(i64::VARCHAR, u64::VARCHAR, printf('%.6g', f64), text, lower(hex(bytes)), '-')
			FROM '` + dir + `/events/**/*.parquet'`) {
		row[0], row[1] = clock(row[0]), clock(row[1])
		rows[strings.Join(row, " ")]++
	}
	return rows
}

// differ reports rows that one side has more often.
func differ(t *testing.T, what string, got, want map[string]int) {
	t.Helper()
	wrong := 0
	for key := range want {
		if got[key] != want[key] && wrong < 5 {
			t.Errorf("%s: %q %d times, pmlogdump shows it %d times", what, key, got[key], want[key])
			wrong++
		}
	}
	for key, n := range got {
		if want[key] == 0 && wrong < 10 {
			t.Errorf("%s: %q %d times, pmlogdump does not show it", what, key, n)
			wrong++
		}
	}
}

// TestExportEvents: DuckDB finds in the table of events what the reference's pmlogdump shows.
func TestExportEvents(t *testing.T) {
	d := newDuck(t)
	_, theirs, root := harness.Setup(t)
	for _, name := range []string{"events", "events_v2"} {
		path := filepath.Join(harness.Own(t, name), name)
		d.export(path, name, "--check")
		want := dumpedEvents(t, theirs, root, path)
		if len(want) < 20 {
			t.Errorf("%s: pmlogdump shows %d rows", name, len(want))
		}
		differ(t, name, exportedEvents(t, d, name), want)
	}
}

// TestExportFollow follows an archive that the reference's pmlogger writes. The export ends and begins
// again while it writes; in the end the tables have each value and each event that pmlogdump shows, once.
func TestExportFollow(t *testing.T) {
	live := harness.Live(t)
	d := newDuck(t)
	ours, theirs, root := harness.Setup(t)
	base := filepath.Join(d.dir, "grows")
	config := filepath.Join(d.dir, "config")
	text := "log mandatory on 50 msec { sample.event.records sample.event.highres_records sample.long.million sample.bin sample.dynamic.counter sample.string.hullo }\n"
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	logger := exec.Command(filepath.Join(theirs.Bin, "pmlogger"), "-c", config, "-h", "127.0.0.1:45399", "-v", "20", "-l", filepath.Join(d.dir, "log"), base)
	logger.Env = append(append(os.Environ(), live...), "PCP_TMP_DIR="+d.dir, "PCP_RUN_DIR="+d.dir)
	if err := logger.Start(); err != nil {
		t.Fatal(err)
	}
	defer logger.Process.Kill()
	await := func(what string, there func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !there(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				log, _ := os.ReadFile(filepath.Join(d.dir, "log"))
				t.Fatalf("%s: not within a minute\n%s", what, log)
			}
		}
	}
	volumes := func(n int) func() bool {
		return func() bool { list, _ := filepath.Glob(base + ".[0-9]*"); return len(list) >= n }
	}
	// follow begins to follow, waits until something is exported, and returns what ends it.
	follow := func() (end func()) {
		t.Helper()
		metrics := filepath.Join(d.dir, "out/metrics")
		c := exec.Command(filepath.Join(ours.Bin, "pmderive"), "-a", base, "export", "--follow", "-o", filepath.Join(d.dir, "out"))
		out := new(strings.Builder)
		c.Stdout, c.Stderr = out, out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if t.Failed() {
				t.Log(out)
			}
		})
		time.Sleep(time.Second)
		await("the export", func() bool { list, _ := filepath.Glob(metrics + "/*/*.parquet"); return len(list) > 0 })
		return func() {
			c.Process.Signal(os.Interrupt)
			if err := c.Wait(); err != nil {
				t.Errorf("export: %v\n%s", err, out)
			}
		}
	}
	await("pmlogger", volumes(2)) // an archive without any record cannot be opened
	end := follow()
	await("pmlogger", volumes(4))
	end()
	end = follow()
	await("pmlogger", volumes(6))
	logger.Process.Signal(syscall.SIGTERM)
	logger.Wait()
	end()
	if twice := d.ask("SELECT time, metric, inst FROM 'out/values/**/*.parquet' GROUP BY ALL HAVING count(*) > 1 LIMIT 3"); len(twice) > 0 {
		t.Errorf("twice: %q", twice)
	}
	d.export(base, "out") // the rest, and few files instead of many

	_, counts := dumped(t, theirs, root, base)
	for _, row := range d.ask("SELECT pmid, count(*) FROM 'out/values/**/*.parquet' JOIN 'out/metrics/*/*.parquet' USING (metric) GROUP BY pmid") {
		if n := strconv.Itoa(counts[row[0]]); n != row[1] {
			t.Errorf("%s values of %s, pmlogdump shows %s", row[1], row[0], n)
		}
	}
	differ(t, "followed", exportedEvents(t, d, "out"), dumpedEvents(t, theirs, root, base))
}

// TestExportWide: a wide table has the values of the long one.
func TestExportWide(t *testing.T) {
	d := newDuck(t)
	demo := filepath.Join(harness.Own(t, "demo"), "demo")
	d.export(demo, "long")
	d.export(demo, "wide", "--wide")
	named := "CASE WHEN m.indom IS NULL THEN metric ELSE metric || '[' || instance || ']' END"
	rows := d.ask(`SELECT DISTINCT ` + named + ` FROM 'long/values/**/*.parquet' JOIN 'long/metrics/*/*.parquet' m USING (metric)`)
	if len(rows) < 10 {
		t.Errorf("%d columns", len(rows))
	}
	for _, row := range rows {
		one := `SELECT epoch_ns(time) AS t, coalesce(i64::VARCHAR, u64::VARCHAR, f64::VARCHAR, text) AS v FROM 'long/values/**/*.parquet'
			JOIN 'long/metrics/*/*.parquet' m USING (metric) WHERE ` + named + ` = '` + row[0] + `'`
		other := `SELECT epoch_ns(time) AS t, "` + row[0] + `"::VARCHAR AS v FROM 'wide/wide/*/*.parquet' WHERE v IS NOT NULL`
		if n := d.ask(`SELECT (SELECT count(*) FROM (` + one + ` EXCEPT ALL ` + other + `)), (SELECT count(*) FROM (` + other + ` EXCEPT ALL ` + one + `)), (SELECT count(*) FROM (` + one + `)) > 0`)[0]; strings.Join(n, " ") != "0 0 true" {
			t.Errorf("%s: %s values are not in the wide table, %s not in the long one, there are some: %s", row[0], n[0], n[1], n[2])
		}
	}
}
