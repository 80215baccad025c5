package export

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// python returns a program that has modules: that of a variable, or python3.
func python(t *testing.T, variable, modules string) string {
	name := cmp.Or(os.Getenv(variable), "python3")
	if out, err := exec.Command(name, "-c", "import "+modules).CombinedOutput(); err != nil {
		t.Skipf("%s does not have all of %s (%s may name one that has): %v\n%s", name, modules, variable, err, out)
	}
	return name
}

// pythonOf returns lines for Python in docs/scale.md that have a text, and what they print.
func pythonOf(t *testing.T, part string) (lines, printed string) {
	t.Helper()
	doc, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)```python\n(.*?)```\n\n```text\n(.*?)```").FindAllStringSubmatch(string(doc), -1) {
		if strings.Contains(block[1], part) {
			return block[1], block[2]
		}
	}
	t.Fatalf("docs/scale.md has no lines for Python with %q", part)
	return "", ""
}

// runPython runs lines in a directory, and returns what they print.
func runPython(t *testing.T, name, dir, lines string) string {
	t.Helper()
	cmd := exec.Command(name, "-c", lines)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.ReplaceAll(string(out), "\r", "")
}

// writeWide exports a wide table.
func writeWide(t *testing.T, dir, path string, change ...func(*Config)) {
	t.Helper()
	job := &Job{Config: &Config{Dir: dir, Name: filepath.Base(path), Partition: Partition{NoDate: true}}, Wide: true}
	job.Open = func(context.Context) (pmapi.Source, *Records, error) { recs := open(t, path); return recs, recs, nil }
	for _, f := range change {
		f(job.Config)
	}
	if _, err := job.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// alternating writes an archive whose records have one of two metrics in turn.
func alternating(t *testing.T, values ...uint64) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), "alternating")
	w, err := archive.Create(base, &archive.WriterOptions{Host: "h"})
	l := &logger{t: t, w: w}
	l.must(err)
	for i, name := range []string{"a.one", "a.other"} {
		l.must(w.AddMetric(pcp.Desc{ID: pcp.NewID(60, 0, uint32(i)), Type: pcp.Uint64, InDom: pcp.NullInDom}, name))
	}
	for i := range 2 * len(values) {
		set := pcp.Values{ID: pcp.NewID(60, 0, uint32(i%2)), Type: pcp.Uint64, Insts: []int32{pcp.NullInst}, Words: []uint64{values[i/2]}}
		l.must(w.Put(&pcp.Result{Time: pcp.Timestamp{Sec: 1700000000 + int64(i)}, Sets: []pcp.Values{set}}))
	}
	l.must(w.Close())
	return base
}

// TestPandas runs the lines of docs/scale.md in pandas, which print what stands there, and then finds all integers as they were recorded.
func TestPandas(t *testing.T) {
	name := python(t, "PMTOOLS_PANDAS", "pandas, pyarrow")
	dir := t.TempDir()
	writeWide(t, filepath.Join(dir, "columns"), archivetest.Path(t, "demo"), func(c *Config) { c.Metrics = []string{"disk.dev.total", "mem"} })
	lines, want := pythonOf(t, "pandas.read_parquet")
	if got := runPython(t, name, dir, lines); got != want {
		t.Errorf("%swant\n%s", got, want)
	}
	writeWide(t, filepath.Join(dir, "large"), alternating(t, 1<<64-1, 1<<53+1))
	const script = `
import pandas
for backend in "numpy_nullable", "pyarrow":
    t = pandas.read_parquet("large/wide/host=h/alternating.parquet", dtype_backend=backend)
    print([int(n) for n in t["a.one"].dropna()], t["a.one"].isna().sum())
`
	if got, want := runPython(t, name, dir, script), strings.Repeat("[18446744073709551615, 9007199254740993] 2\n", 2); got != want {
		t.Errorf("%swant\n%s", got, want)
	}
}
