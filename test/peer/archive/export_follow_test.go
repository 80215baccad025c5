package archive

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"pmtools/test/peer/harness"
)

// TestExportFollowsLogger follows a directory in which the reference's pmlogger records archives one after the
// other, its pmlogextract merges them and xz packs them; the export is killed in between. In the end the tables have
// each value that pmlogdump shows of what pmlogger wrote, once.
func TestExportFollowsLogger(t *testing.T) {
	live := harness.Live(t)
	d := newDuck(t)
	_, theirs, root := harness.Setup(t)
	config := filepath.Join(d.dir, "config")
	text := "log mandatory on 20 msec { sample.long.million sample.bin sample.dynamic.counter sample.string.hullo }\n"
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	top := filepath.Join(d.dir, "logs")
	host, keep := filepath.Join(top, "web1"), filepath.Join(d.dir, "keep")
	run := d.recorder(t, theirs, live)
	var errs bytes.Buffer
	follow := func(args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(d.ours.Bin, "pmderive"), append([]string{"-a", top, "export", "-o", filepath.Join(d.dir, "out"), "--follow", "-t", "0.1"}, args...)...)
		c.Env, c.Stderr = append(os.Environ(), "PCP_DERIVED_CONFIG="), &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	if err := os.Mkdir(top, 0o777); err != nil {
		t.Fatal(err)
	}
	wanted := make(map[string]int)
	c := follow()
	for _, dir := range []string{host, keep} { // the host appears later
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		base := filepath.Join(host, fmt.Sprintf("2024010%d.00.10", i+1))
		run("pmlogger", "-c", config, "-h", "127.0.0.1:45399", "-s", "40", "-v", "15", "-l", filepath.Join(d.dir, "log"), base)
		_, counts := dumped(t, theirs, root, base)
		for id, n := range counts {
			wanted[id] += n
		}
		switch i {
		case 1:
			c.Process.Kill()
			c.Wait()
			c = follow()
		case 2:
			old := []string{filepath.Join(host, "20240101.00.10"), filepath.Join(host, "20240102.00.10")}
			run("pmlogextract", append(old, filepath.Join(host, "20240101"))...)
			if xz, err := exec.LookPath("xz"); err == nil {
				run(xz, filepath.Join(host, "20240101.0"), filepath.Join(host, "20240101.meta"))
			}
			for _, a := range old {
				for _, file := range files(a) {
					os.Remove(file)
				}
			}
		}
	}
	c.Process.Signal(os.Interrupt)
	if err := c.Wait(); err != nil {
		t.Errorf("interrupted: %v", err)
	}
	if c = follow("--idle", "500ms"); c.Wait() != nil {
		t.Errorf("at the end: %v", c.ProcessState)
	}
	if errs.Len() > 0 {
		t.Errorf("it complains: %s", &errs)
	}
	got := make(map[string]int)
	for _, row := range d.ask("SELECT pmid, count(*) FROM 'out/values/**/*.parquet' JOIN 'out/metrics/*/*.parquet' USING (metric) GROUP BY pmid") {
		got[row[0]], _ = strconv.Atoi(row[1])
	}
	if !maps.Equal(got, wanted) {
		t.Errorf("values of each metric:\n%v, pmlogdump shows\n%v", got, wanted)
	}
	if twice := d.ask("SELECT time, metric, inst FROM 'out/values/**/*.parquet' GROUP BY ALL HAVING count(*) > 1 LIMIT 3"); len(twice) > 0 {
		t.Errorf("twice: %q", twice)
	}
}
