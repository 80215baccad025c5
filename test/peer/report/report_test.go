// Package report compares reports with those of pmrep: each that the reference ships, over its own
// archives and its daemon.
package report

import (
	"bytes"
	"encoding/csv"
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

	_ "pmtools/test/env"
	"pmtools/test/peer/harness"
)

// archives are those of the reference's test suite that have most of the metrics of reports, with the
// time between samples.
var archives = [][2]string{
	{"20180416", "10"}, {"pcp-zeroconf", "10"}, {"20201109-b", "10"}, {"pcp-pidstat-process-states", "10"}, {"pcp-free-tera", "10"}, {"coverage", "5min"},
}

// sample are the reports that are compared unless PMTOOLS_REPORTS is "all".
var sample = []string{"vmstat", "vmstat-d", "sar-u-ALL", "sar-d-dev", "sar-r", "pmstat", "mpstat-P-ALL", "pidstat", "collectl-sm"}

// TestReports: values over archives are those of pmrep, to the digits that it prints.
func TestReports(t *testing.T) {
	p := begin(t)
	reports, few := sample, archives[:2]
	if os.Getenv("PMTOOLS_REPORTS") == "all" {
		reports, few = p.stock(t), archives
	}
	for _, a := range few {
		for _, report := range reports {
			p.compare(t, report, "-a", "/var/lib/pcp/testsuite/archives/"+a[0], "-t", a[1], "-s", "12")
		}
	}
	p.report(t, 1000)
}

// TestLive: over the daemon, values that stay the same while both sides ask for them are equal. Rates are not
// among them, but for those of archives in TestReports.
func TestLive(t *testing.T) {
	p := begin(t)
	p.env = harness.Live(t)
	reports := []string{"vmstat", "pidstat", "mpstat-P-ALL"}
	if os.Getenv("PMTOOLS_REPORTS") == "all" {
		reports = p.stock(t)
	}
	args := []string{"-s", "3", "-t", "0.2"}
	bad := 0
	for _, report := range reports {
		before := last(p.reference(t, report, args))
		ours := last(p.own(t, report, args))
		after := last(p.reference(t, report, args))
		for column, want := range before {
			got, found := ours[column]
			switch {
			case want == "" || after[column] != want || p.choices.MatchString(column):
			case found && same(got, want):
				p.equal++
			default:
				bad++
				t.Logf(":%s: %s: %q, want %q", report, column, got, want)
			}
		}
	}
	t.Logf("%d values are equal, %d are not", p.equal, bad)
	if p.equal < 100 || bad > p.equal/10 { // what rests before and after may move in between
		t.Errorf("%d values are equal, %d are not", p.equal, bad)
	}
}

// last returns the values of the last sample, by column.
func last(values map[key]string) map[string]string {
	latest := ""
	for k := range values {
		latest = max(latest, k.time)
	}
	columns := make(map[string]string)
	for k, v := range values {
		if k.time == latest {
			columns[k.column] = v
		}
	}
	return columns
}

// A pair is both sides with the reports that they read, and what has been found.
type pair struct {
	root, config string // outside the root
	ours         harness.Side
	env          []string       // that makes both sides talk to the daemon; nil for archives
	choices      *regexp.Regexp // the columns that choose by instance (D16)
	equal, known int
}

// begin copies the reports of the reference, but for the option that keeps the instances out of the
// header of CSV.
func begin(t *testing.T) *pair {
	t.Helper()
	ours, _, root := harness.Setup(t)
	if _, err := os.Stat(filepath.Join(root, "usr/bin/pmrep")); err != nil {
		t.Skip("the root has no pmrep: reports are not compared")
	}
	dir, err := os.MkdirTemp(filepath.Join(root, "tmp"), "reports")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	choices := []string{`network\.interface\.util`, `mem\.vmstat\.numa`}
	files, _ := filepath.Glob(filepath.Join(root, "etc/pcp/pmrep/*.conf"))
	for _, file := range files {
		text := strings.ReplaceAll(read(t, file), "instinfo = no", "")
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, _ = filepath.Glob(filepath.Join(root, "etc/pcp/derived/*.conf"))
	for _, file := range files {
		text := strings.ReplaceAll(read(t, file), "\\\n", " ")
		for _, m := range regexp.MustCompile(`(?m)^([a-z_.]+) = .* \? .*$`).FindAllStringSubmatch(text, -1) {
			choices = append(choices, regexp.QuoteMeta(m[1]))
		}
	}
	return &pair{root: root, config: dir, ours: ours, choices: regexp.MustCompile(`^(?:` + strings.Join(choices, "|") + `)\[`)}
}

// report says what was found, of which there must be so many values.
func (p *pair) report(t *testing.T, least int) {
	t.Logf("%d values are equal, %d differ as rows D16 and PR1 of known-differences.md say", p.equal, p.known)
	if p.equal < least {
		t.Errorf("only %d values were compared", p.equal)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// stock returns the names of the reports that the reference ships.
func (p *pair) stock(t *testing.T) (names []string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(p.config, "*.conf"))
	for _, file := range files {
		for _, m := range regexp.MustCompile(`(?m)^\[(.+)\]`).FindAllStringSubmatch(read(t, file), -1) {
			if m[1] != "options" {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// A key is the place of a value.
type key struct{ time, column string }

// process is an instance that is a process. A process that has come under an old number has values on
// our side alone (PR1).
var process = regexp.MustCompile(`\[(\d{6,})(?: .*)?\]$`)

// place returns the key of a column. A process has its number alone: when another has the number later,
// the sides disagree on the name (F1, F2).
func place(time, column string) key {
	return key{time, process.ReplaceAllString(column, "[$1]")}
}

// compare runs a report on both sides.
func (p *pair) compare(t *testing.T, report string, args ...string) {
	t.Helper()
	p.values(t, report, args, p.reference(t, report, args), p.own(t, report, args))
}

// values compares the values of both sides. Rates of the first sample are those of the reference alone.
func (p *pair) values(t *testing.T, report string, args []string, theirs, ours map[key]string) {
	t.Helper()
	begun, some := make(map[string]bool), false
	for k := range ours {
		begun[k.time] = true
	}
	var bad []string
	for k, want := range theirs {
		got, found := ours[k]
		some = some || want != ""
		switch {
		case !begun[k.time]:
		case !found && want == "":
		case found && same(got, want):
			p.equal++
		case p.choices.MatchString(k.column), want == "" && process.MatchString(k.column):
			p.known++
		default:
			bad = append(bad, fmt.Sprintf("%v: %q, want %q", k, got, want))
		}
	}
	if some && len(ours) == 0 {
		bad = append(bad, fmt.Sprintf("no values, and %d of the reference", len(theirs)))
	}
	slices.Sort(bad)
	for _, text := range bad[:min(len(bad), 5)] {
		t.Errorf(":%s %s: %s (%d differ)", report, strings.Join(args, " "), text, len(bad))
	}
}

// same reports whether a value is what the reference prints, rounded to its digits.
func same(got, want string) bool {
	plain := strings.NewReplacer(",", "_", `"`, " ") // what strings have of these (PR5)
	if plain.Replace(got) == plain.Replace(want) {
		return true
	}
	g, err := strconv.ParseFloat(got, 64)
	w, bad := strconv.ParseFloat(want, 64)
	if err != nil || bad != nil {
		return false
	}
	_, fraction, _ := strings.Cut(want, ".")
	return math.Abs(g-w) <= 0.5001*math.Pow10(-len(fraction))+1e-12*math.Abs(w)
}

// reference returns the values of pmrep, with those that are missing.
func (p *pair) reference(t *testing.T, report string, args []string) map[key]string {
	t.Helper()
	line := []string{p.root, "env", "-i", "PATH=/usr/bin", "TZ=UTC"}
	for _, v := range p.env {
		line = append(line, strings.ReplaceAll(v, "="+p.root+"/", "=/"))
	}
	line = append(line, "pmrep", "-c", strings.TrimPrefix(p.config, p.root), "-5", "-I", "-o", "csv", "-l", ",")
	cmd := exec.Command("chroot", append(append(line, args...), ":"+report)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !strings.Contains(errs.String(), "metrics are unknown") && !strings.Contains(errs.String(), "No matching") {
		t.Logf(":%s: pmrep: %v\n%s", report, err, errs.String())
	}
	rows := records(t, out.String())
	values := make(map[key]string)
	for _, row := range rows[min(1, len(rows)):] {
		for i := 1; i < len(row) && i < len(rows[0]); i++ {
			values[place(row[0], rows[0][i])] = row[i]
		}
	}
	return values
}

// own returns our values.
func (p *pair) own(t *testing.T, report string, args []string) map[key]string {
	t.Helper()
	line := []string{"pmderive", "eval", "--config", p.config, "-o", "csv", "--long", "--timestamp", "%Y-%m-%d %H:%M:%S"}
	for _, a := range args {
		if strings.HasPrefix(a, "/var/") {
			a = filepath.Join(p.root, a)
		}
		line = append(line, a)
	}
	o, err := p.ours.Run(harness.Command{Args: append(line, ":"+report), Env: append([]string{"PCP_DERIVED_CONFIG=" + p.root + "/etc/pcp/derived"}, p.env...)}, p.root)
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[key]string)
	rows := records(t, string(o.Stdout))
	for _, row := range rows[min(1, len(rows)):] {
		column := row[1]
		if row[2] != "" {
			column += "[" + row[2] + "]"
		}
		values[place(row[0], column)] = row[3]
	}
	return values
}

func records(t *testing.T, text string) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	r.LazyQuotes = true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
