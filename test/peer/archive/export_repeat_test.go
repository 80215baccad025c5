package archive

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// TestExportRepeat lets the reference's pmlogger record archives one after the other, its pmlogextract merge
// them and xz pack them, and deletes some. After each step the directory is exported again. In the end the tables have each value
// that pmlogdump shows of what pmlogger wrote, once.
func TestExportRepeat(t *testing.T) {
	live := harness.Live(t)
	d := newDuck(t)
	_, theirs, root := harness.Setup(t)
	config := filepath.Join(d.dir, "config")
	text := "log mandatory on 20 msec { sample.long.million sample.bin sample.dynamic.counter sample.string.hullo }\nlog mandatory on 30 msec { sample.double.million }\n"
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	keep, rolling := filepath.Join(d.dir, "keep"), filepath.Join(d.dir, "rolling")
	for _, dir := range []string{keep, rolling} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	run := d.recorder(t, theirs, live)
	wanted := make(map[string]int)
	var archives []string
	rnd := rand.New(rand.NewPCG(27, 1))
	for i := range 12 {
		name := fmt.Sprintf("log%02d", i)
		run("pmlogger", "-c", config, "-h", "127.0.0.1:45399", "-s", "30", "-l", filepath.Join(d.dir, "log"), filepath.Join(keep, name))
		for _, file := range files(filepath.Join(keep, name)) {
			run("/bin/cp", file, rolling)
		}
		_, counts := dumped(t, theirs, root, filepath.Join(keep, name))
		for id, n := range counts {
			wanted[id] += n
		}
		archives = append(archives, name)
		d.export(rolling, "out")
		switch n := len(archives); {
		case n >= 3:
			merged := fmt.Sprintf("merged%02d", i)
			from := rnd.IntN(n - 1)
			var args []string
			for _, a := range archives[from : from+2] {
				args = append(args, filepath.Join(rolling, a))
			}
			run("pmlogextract", append(args, filepath.Join(rolling, merged))...)
			if i%2 == 0 {
				d.export(rolling, "out") // the merged one is beside the others
			}
			for _, a := range args {
				for _, file := range files(a) {
					os.Remove(file)
				}
			}
			archives = slices.Replace(archives, from, from+2, merged)
			if xz, err := exec.LookPath("xz"); err == nil && i%3 == 0 {
				run(xz, filepath.Join(rolling, merged+".0"), filepath.Join(rolling, merged+".meta"))
			}
			if i%4 == 3 {
				for _, file := range files(filepath.Join(rolling, archives[0])) {
					os.Remove(file)
				}
				archives = archives[1:]
			}
		}
		d.export(rolling, "out")
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
	if manifests, _ := filepath.Glob(filepath.Join(d.dir, "out/_pmtools/*/_pmtools.json")); len(manifests) != 1 {
		t.Errorf("%d manifests", len(manifests))
	} else if text, err := os.ReadFile(manifests[0]); err != nil || !strings.Contains(string(text), `"machineid": "`) {
		t.Errorf("the manifest does not say which machine it is: %v", err)
	}
}

// recorder returns what runs a program of the reference, or another one by its path, as pmlogger has to be run.
func (d *duck) recorder(t *testing.T, theirs harness.Side, live []string) func(program string, args ...string) {
	return func(program string, args ...string) {
		t.Helper()
		c := exec.Command(filepath.Join(theirs.Bin, program), args...)
		if filepath.IsAbs(program) {
			c = exec.Command(program, args...)
		}
		c.Env = append(append(os.Environ(), live...), "PCP_TMP_DIR="+d.dir, "PCP_RUN_DIR="+d.dir)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", program, args, err, out)
		}
	}
}

// files returns the files of an archive.
func files(base string) []string {
	list, _ := filepath.Glob(base + ".*")
	return list
}
