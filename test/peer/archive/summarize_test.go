package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// A summaryRow is what pmderive summarize -o json writes about an instance.
type summaryRow struct {
	Metric   string
	Instance *struct {
		ID   int
		Name string
	}
	Units, InDom            string
	Samples, Gaps           int
	Min, Max, Mean, Seconds float64
	twice                   bool // there are several instances of this name
}

// summaryLine is a line of pmlogsummary -bmMy.
var summaryLine = regexp.MustCompile(`^\*?([^\s\[]+)(?: \["(.*)"\])? +([-+.\deinfa]+) ([-+.\deinfa]+) ([-+.\deinfa]+) ([-+.\deinfa]+) (\d+) ?(.*)$`)

// unlike are the beginnings of names of metrics that are not compared: values that the reference
// reads in the wrong order of bytes (A1), names that begin with a digit, a counter that is negative
// (S4), discrete metrics around many marks, and an instance that goes (S6).
var unlike = map[string]string{
	"960624.08.17_v2": "disk.all.", "babylon.pmview_v2": "disk.all.", "bozo.client_v2": "disk.all.", "bigace_v2": "40.", "ace_v2": "40.",
	"20180102": "", "pcp-pidstat-process-args-b": "proc.psinfo.ppid",
	"wrap": "sample.wrap.long", "chartqa1": "sample.wrap.long", "kenj-pc-2": "sample.wrap.long",
}

// TestSummarize compares the summaries of all metrics of PCP's test archives with those of
// pmlogsummary: number of samples, extremes and the mean over time, of each instance. Rows S1 to S6
// of known-differences.md are not compared. It takes a third of the archives, or all with PMTOOLS_RUNS.
func TestSummarize(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	dir := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	compared, extra := 0, 0
	for i, name := range harness.Suite(t, dir) {
		if i%3 != 0 && harness.Number("PMTOOLS_RUNS", 0) == 0 {
			continue
		}
		their, err1 := theirs.Run(harness.Command{Args: []string{"pmlogsummary", "-bmMy", "-p", "9", name}, Dir: dir}, root)
		our, err2 := ours.Run(harness.Command{Args: []string{"pmderive", "-a", name, "summarize", "--instances", "-o", "json"}, Dir: dir}, root)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		rows, done := summaryRows(t, our.Stdout), make(map[[2]string]bool)
		for line := range bytes.Lines(their.Stdout) {
			m := summaryLine.FindStringSubmatch(strings.TrimRight(string(line), "\n"))
			if m == nil {
				continue // "insufficient archive data"
			}
			key := [2]string{m[1], m[2]}
			row := rows[key]
			done[key] = true
			if old, some := unlike[name]; some && strings.HasPrefix(m[1], old) || row != nil && row.twice {
				continue
			}
			if what := row.differs(m[3:]); what != "" {
				t.Errorf("%s: %s %q: %s\nours   %+v\ntheirs %s", name, m[1], m[2], what, row, line)
			}
			compared++
		}
		for key, row := range rows {
			if !done[key] && row.Samples > 0 {
				extra++ // S3
			}
		}
	}
	if t.Logf("%d summaries, and %d that only ours has", compared, extra); compared < 30000 || extra > compared/200 {
		t.Error("that is not what it was")
	}
}

// TestSummarizeEvery compares the mean of each interval of an archive, whose records are at the bounds of
// the intervals too, with that of pmlogsummary from one bound to the other.
func TestSummarizeEvery(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	dir := harness.Own(t, "demo")
	our, err := ours.Run(harness.Command{Args: []string{"pmderive", "-Z", "UTC", "-a", "demo", "summarize", "--instances", "--every", "1min", "-o", "json"}, Dir: dir}, root)
	if err != nil {
		t.Fatal(err)
	}
	intervals := make(map[[2]string][][]byte) // the lines of rows by their bounds
	for line := range bytes.Lines(our.Stdout) {
		var row struct{ From, To string }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		if row.From != "" {
			intervals[[2]string{row.From, row.To}] = append(intervals[[2]string{row.From, row.To}], line)
		}
	}
	compared := 0
	for bounds, lines := range intervals {
		if bounds[0] < "2023-11-14T22:14:00Z" || bounds[1] > "2023-11-14T22:23:00Z" {
			continue // the recording begins or ends there
		}
		at := func(i int) string { return "@" + strings.TrimSuffix(strings.Replace(bounds[i], "T", " ", 1), "Z") }
		their, err := theirs.Run(harness.Command{Args: []string{"pmlogsummary", "-Z", "UTC", "-bmMy", "-p", "9", "-S", at(0), "-T", at(1), "demo"}, Dir: dir}, root)
		if err != nil {
			t.Fatal(err)
		}
		rows := summaryRows(t, append([]byte("{}\n"), bytes.Join(lines, nil)...))
		for line := range bytes.Lines(their.Stdout) {
			m := summaryLine.FindStringSubmatch(strings.TrimRight(string(line), "\n"))
			if m == nil {
				continue
			}
			mean, _ := strconv.ParseFloat(m[4], 64) // the pattern sees to that
			row := rows[[2]string{m[1], m[2]}]
			if row == nil || math.Abs(row.Mean-mean) > 1e-6*math.Abs(mean)+2e-9 {
				t.Errorf("%v: ours %+v\ntheirs %s", bounds, row, line)
			}
			compared++
		}
	}
	if compared < 100 {
		t.Errorf("%d means were compared", compared)
	}
}

// summaryRows reads what pmderive wrote, but for the lines of metrics with instances.
func summaryRows(t *testing.T, out []byte) map[[2]string]*summaryRow {
	rows := make(map[[2]string]*summaryRow)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	lines.Scan()
	for lines.Scan() {
		row := new(summaryRow)
		if err := json.Unmarshal(lines.Bytes(), row); err != nil {
			t.Fatal(err)
		}
		switch {
		case row.Instance != nil:
			key := [2]string{row.Metric, row.Instance.Name}
			row.twice = rows[key] != nil
			rows[key] = row
		case row.InDom == "":
			rows[[2]string{row.Metric, ""}] = row
		}
	}
	return rows
}

// differs returns in what a row differs from the fields of a line, "" if in nothing.
func (r *summaryRow) differs(fields []string) string {
	if slices.ContainsFunc(fields[:4], func(f string) bool { return strings.ContainsAny(f, "nf") }) {
		return "" // S2: not all samples are numbers
	}
	if r == nil {
		return "ours has none"
	}
	count, _ := strconv.Atoi(fields[4])
	same := func(ours float64, text string) bool {
		theirs, _ := strconv.ParseFloat(text, 64) // the pattern sees to that
		return math.Abs(ours-theirs) <= 1e-6*math.Abs(theirs)+2e-9
	}
	switch {
	case r.Gaps > 0: // S5: rates and means over gaps
		return ""
	case r.Samples != count:
		return "samples"
	case !same(r.Min, fields[2]):
		return "minimum"
	case !same(r.Max, fields[3]):
		return "maximum"
	case count > 1 && r.Seconds > 0 && !same(r.Mean, fields[1]): // S1: the mean of a single sample
		return "mean"
	case r.Units != fields[5] && r.Units+"none" != fields[5]:
		return "units"
	}
	return ""
}
