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
	"time"

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

// TestOwn: pmrep has the same values of the reports that are inside our program, from their file.
func TestOwn(t *testing.T) {
	p := begin(t)
	text := read(t, filepath.Join("..", "..", "..", "cmd", "internal", "report", "own.conf"))
	// the names of reports that are files' ones, too, are these in both programs
	text = regexp.MustCompile(`(?m)^\[(.+)\]`).ReplaceAllString(text, "[own-$1]")
	if err := os.WriteFile(filepath.Join(p.config, "own.conf"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range p.stock(t) {
		if strings.HasPrefix(name, "own-") {
			p.compare(t, name, "-a", "/var/lib/pcp/testsuite/archives/20180416", "-t", "10", "-s", "6")
		}
	}
	p.report(t, 500)
}

// TestLive: over the daemon, values of all reports that stay the same while both sides ask for them are equal.
// Rates are not among them, but for those of archives in TestReports.
func TestLive(t *testing.T) {
	p := begin(t)
	p.env = harness.Live(t)
	bad, columns := 0, make(map[string]bool)
	for _, reports := range p.together(t) {
		args := append([]string{"-s", "3", "-t", "0.2"}, reports[1:]...)
		before := last(p.reference(t, reports[0], args))
		ours := last(p.own(t, reports[0], args))
		after := last(p.reference(t, reports[0], args))
		for column, want := range before {
			got, found := ours[column]
			switch {
			case want == "" || after[column] != want || p.choices.MatchString(column):
			case found && same(got, want):
				p.equal++
				metric, _, _ := strings.Cut(column, "[")
				columns[metric] = true
			default:
				bad++
				t.Logf("%s: %q, want %q", column, got, want)
			}
		}
	}
	t.Logf("%d values of %d columns are equal, %d are not", p.equal, len(columns), bad)
	if len(columns) < 80 || bad > p.equal/20 { // what rests before and after may move in between
		t.Errorf("%d values of %d columns are equal, %d are not", p.equal, len(columns), bad)
	}
}

// together returns the stock reports in groups that may be asked for at once, because one by one they would
// take minutes: an option about types holds for all of a command line.
func (p *pair) together(t *testing.T) (groups [][]string) {
	t.Helper()
	raw, section := make(map[string]bool), ""
	files, _ := filepath.Glob(filepath.Join(p.config, "*.conf"))
	for _, file := range files {
		for line := range strings.Lines(read(t, file)) {
			if m := regexp.MustCompile(`^\[(.+)\]`).FindStringSubmatch(line); m != nil {
				section = m[1]
			}
			raw[section] = raw[section] || strings.HasPrefix(line, "type")
		}
	}
	groups = [][]string{nil}
	for _, name := range p.stock(t) {
		if raw[name] {
			groups = append(groups, []string{":" + name})
		} else {
			groups[0] = append(groups[0], ":"+name)
		}
	}
	return groups
}

// options are reports with options about ranks and instances.
const options = `[x-rank]
rank = 2
disk.dev.read = read
disk.dev.write = write
kernel.all.load = load
[x-predicates]
rank = 1
predicate = proc.psinfo.utime,proc.memory.rss
type = raw
proc.psinfo.utime = ut
proc.memory.rss = rss
proc.psinfo.vsize = vs
[x-live]
rank = -2
live_filter = yes
limit_filter = -5
disk.dev.read = read
disk.dev.write = write
[x-sort]
sort_metric = -proc.psinfo.vsize,proc.memory.rss
rank = 4
predicate = proc.memory.rss
colxrow = process
type = raw
proc.memory.rss = rss
proc.psinfo.vsize = vs
`

// TestOptions: ranks, predicates, filters and orders select the values that they select in pmrep.
func TestOptions(t *testing.T) {
	p := begin(t)
	if err := os.WriteFile(filepath.Join(p.config, "x.conf"), []byte(options), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-a", "/var/lib/pcp/testsuite/archives/20180416", "-t", "10", "-s", "6"}
	for _, report := range []string{"x-rank", "x-predicates", "x-live"} {
		theirs, ours := p.reference(t, report, args), p.own(t, report, args)
		p.values(t, report, args, theirs, ours)
		at := times(theirs)
		for k, got := range ours { // nothing is selected beside that
			if theirs[k] == "" && slices.Contains(at, k.time) {
				t.Errorf(":%s: %v: %q, want no value", report, k, got)
			}
		}
	}
	p.report(t, 50)
	p.order(t, args)
}

// order compares the order of values of x-sort with that of the lines that pmrep prints for people.
func (p *pair) order(t *testing.T, args []string) {
	t.Helper()
	var want, got []string
	line := regexp.MustCompile(`(?m)^ +\S+ +(\d+) +(\d+)$`)
	for _, m := range line.FindAllStringSubmatch(p.pmrep(t, "x-sort", append([]string{"-w", "12"}, args...)), -1) {
		want = append(want, m[1:]...)
	}
	for _, row := range records(t, p.pmderive(t, "x-sort", args))[1:] {
		got = append(got, row[3])
	}
	got = transposed(got, 4) // theirs has a line for each instance, ours one for each value: the metrics of a sample follow each other
	ok := len(got) == len(want) && len(got) > 0
	for i := 0; ok && i < len(got); i++ {
		ok = same(got[i], want[i])
	}
	if !ok {
		t.Errorf("%q, want %q", got, want)
	}
}

// transposed returns values of two metrics, n instances each, instance by instance.
func transposed(values []string, n int) (list []string) {
	for sample := range slices.Chunk(values, 2*n) {
		for i := range len(sample) / 2 {
			list = append(list, sample[i], sample[i+len(sample)/2])
		}
	}
	return list
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
	unsure       int // of the known ones: the reference has no answer
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
	if p.unsure > 0 && (os.Getenv("PMTOOLS_REPORTS") != "all" || p.unsure > p.known/2) {
		t.Errorf("%d of %d values that only we have are not those of the reference when it is asked again", p.unsure, p.known)
	}
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
			if m[1] != "options" && m[1] != "global" {
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

// A difference is values of both sides that are not the same.
type difference struct {
	key
	got, want string
}

func (d difference) String() string { return fmt.Sprintf("%v: %q, want %q", d.key, d.got, d.want) }

// values compares the values of both sides. Rates of the first sample are those of the reference alone.
func (p *pair) values(t *testing.T, report string, args []string, theirs, ours map[key]string) {
	t.Helper()
	begun, some := make(map[string]bool), false
	for k := range ours {
		begun[k.time] = true
	}
	var all []difference
	for k, want := range theirs {
		got, found := ours[k]
		some = some || want != ""
		switch {
		case !begun[k.time]:
		case !found && want == "":
		case found && same(got, want):
			p.equal++
		default:
			all = append(all, difference{k, got, want})
		}
	}
	if some && len(ours) == 0 {
		t.Errorf(":%s %s: no values, and %d of the reference", report, strings.Join(args, " "), len(theirs))
	}
	slices.SortFunc(all, func(a, b difference) int { return strings.Compare(a.String(), b.String()) })
	bad := slices.DeleteFunc(all, p.explained(t, report, args, times(theirs)))
	for _, d := range bad[:min(len(bad), 5)] {
		t.Errorf(":%s %s: %s (%d differ)", report, strings.Join(args, " "), d, len(bad))
	}
}

// explained returns what reports whether a row of known-differences.md says why values differ. It asks the
// reference in another way that avoids its fault, and the answer must be ours:
//
//   - about one instance by itself, for a choice by instance: then it cannot mix them up (D16);
//   - from the time of the sample on, and from the sample before, for a process that it did not know at the
//     start (PR1).
func (p *pair) explained(t *testing.T, report string, args []string, at []string) func(difference) bool {
	t.Helper()
	answers := make(map[string]map[key]string)
	ask := func(more ...string) map[key]string {
		id := strings.Join(more, " ")
		if answers[id] == nil {
			answers[id] = p.reference(t, report, append(slices.Clone(args), more...))
		}
		return answers[id]
	}
	return func(d difference) bool {
		var answer string
		switch {
		case p.choices.MatchString(d.column):
			_, instance, _ := strings.Cut(strings.TrimSuffix(d.column, "]"), "[")
			if process.MatchString(d.column) {
				instance += ".*"
			} else {
				instance = regexp.QuoteMeta(instance)
			}
			answer = ask("-i", instance)[d.key]
			if d.got == "" && strings.HasPrefix(d.column, "network.interface.util[") { // without a guard there is no choice, and the reference takes one
				guard := "network.interface.duplex"
				if ask("-i", instance, guard)[key{d.time, strings.Replace(d.column, "network.interface.util", guard, 1)}] == "" {
					answer = ""
				}
			}
		case d.want == "" && process.MatchString(d.column):
			i := slices.Index(at, d.time)
			for _, from := range []int{i, max(i-1, 0)} {
				if answer = ask("-S", strconv.Itoa(seconds(t, at[from], at[0])), "-s", "2")[d.key]; answer != "" {
					break
				}
			}
		}
		switch {
		case answer == "" && d.want == "" && process.MatchString(d.column):
			p.unsure++ // it came and went between two samples
		case answer == "" && d.got == "" && d.want != "":
		case answer == "" || !same(d.got, answer):
			return false
		}
		p.known++
		return true
	}
}

// times returns when there are samples.
func times(values map[key]string) (list []string) {
	for k := range values {
		list = append(list, k.time)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// seconds returns the time between two samples.
func seconds(t *testing.T, a, b string) int {
	t.Helper()
	x, err := time.Parse(time.DateTime, a)
	y, bad := time.Parse(time.DateTime, b)
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	return int(x.Sub(y).Seconds())
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
	rows := records(t, p.pmrep(t, report, append([]string{"-o", "csv", "-l", ","}, args...)))
	values := make(map[key]string)
	for _, row := range rows[min(1, len(rows)):] {
		for i := 1; i < len(row) && i < len(rows[0]); i++ {
			values[place(row[0], rows[0][i])] = row[i]
		}
	}
	return values
}

// pmrep returns the output of pmrep.
func (p *pair) pmrep(t *testing.T, report string, args []string) string {
	t.Helper()
	line := []string{p.root, "env", "-i", "PATH=/usr/bin", "TZ=UTC"}
	for _, v := range p.env {
		line = append(line, strings.ReplaceAll(v, "="+p.root+"/", "=/"))
	}
	line = append(line, "pmrep", "-c", strings.TrimPrefix(p.config, p.root), "-5", "-I")
	cmd := exec.Command("chroot", append(append(line, args...), named(report))...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !strings.Contains(errs.String(), "metrics are unknown") && !strings.Contains(errs.String(), "No matching") {
		t.Logf(":%s: pmrep: %v\n%s", report, err, errs.String())
	}
	return out.String()
}

// own returns our values.
func (p *pair) own(t *testing.T, report string, args []string) map[key]string {
	t.Helper()
	values := make(map[key]string)
	rows := records(t, p.pmderive(t, report, args))
	for _, row := range rows[min(1, len(rows)):] {
		column := row[1]
		if row[2] != "" {
			column += "[" + row[2] + "]"
		}
		values[place(row[0], column)] = row[3]
	}
	return values
}

// pmderive returns our values as CSV.
func (p *pair) pmderive(t *testing.T, report string, args []string) string {
	t.Helper()
	line := []string{"pmderive", "eval", "--config", p.config, "-o", "csv", "--long", "--timestamp", "%Y-%m-%d %H:%M:%S"}
	for _, a := range args {
		if strings.HasPrefix(a, "/var/") {
			a = filepath.Join(p.root, a)
		}
		line = append(line, a)
	}
	o, err := p.ours.Run(harness.Command{Args: append(line, named(report)), Env: append([]string{"PCP_DERIVED_CONFIG=" + p.root + "/etc/pcp/derived"}, p.env...)}, p.root)
	if err != nil {
		t.Fatal(err)
	}
	return string(o.Stdout)
}

// named returns the argument that a report is.
func named(report string) string { return ":" + strings.TrimPrefix(report, ":") }

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
