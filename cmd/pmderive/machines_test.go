package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/archive/archivetest"
)

// TestEvalMachines: over the archives of several machines eval writes for each what it writes over that one alone,
// with the host, and the values of one time together.
func TestEvalMachines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const hosts = 4
	for n := range hosts {
		if err := archivetest.BuildFleetHost(dir, n); err != nil {
			t.Fatal(err)
		}
	}
	run := func(status int, archive string, args ...string) (out, errs string) {
		t.Helper()
		got := clitest.Run("pmderive", newCommand, append([]string{"-a", archive, "eval"}, args...), nil)
		if got.Status != status {
			t.Fatalf("%q: status %d, want %d\n%s", args, got.Status, status, got.Stderr)
		}
		return strings.ReplaceAll(got.Stdout, "\r\n", "\n"), got.Stderr
	}
	alone := func(n int) string { return filepath.Join(dir, archivetest.FleetHost(n)) }
	exprs := []string{"kernel.all.intr", "rate(disk.dev.avactive)", "d=disk.dev.read + disk.dev.write"}
	for _, tt := range []struct{ options, alone []string }{
		{[]string{"-t", "record", "-s", "40"}, nil}, {[]string{"-t", "3hour"}, nil}, {[]string{"-t", "1hour", "-S", "@06:00", "-T", "@11:00", "-i", "sda,sdb"}, nil},
		{[]string{"-r", "-t", "6hour"}, nil}, {nil, []string{"-t", "10sec", "-s", "1"}}, {[]string{"-s", "2"}, []string{"-t", "10sec", "-s", "2"}},
		{[]string{"-t", "2hour", "--sort", "value"}, nil}, {[]string{"-t", "2hour", "--top", "2"}, []string{"-t", "2hour", "--sort", "value"}},
		{[]string{"-t", "2hour", "--where", "disk.dev.read > 100"}, nil},
	} {
		own := tt.alone
		if own == nil {
			own = tt.options
		}
		var list []machineRow
		for n := range hosts {
			out, _ := run(0, alone(n), slices.Concat([]string{"-o", "csv", "--long"}, own, exprs)...)
			for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
				list = append(list, rowOf(n, line))
			}
		}
		want := asOne(list, strings.Contains(strings.Join(tt.options, " "), "--top"), strings.Contains(strings.Join(own, " "), "value"))
		got, _ := run(0, dir, slices.Concat([]string{"-o", "csv", "--long"}, tt.options, exprs)...)
		if got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", tt.options, got, want)
		}
		got, _ = run(0, dir, slices.Concat([]string{"-o", "json"}, tt.options, exprs)...)
		if got := linesOf(t, got); got != want {
			t.Errorf("%q: got json of\n%s\nwant\n%s", tt.options, got, want)
		}
	}
	got, _ := run(0, dir, "-t", "12hour", "-i", "sda", "disk.dev.read")
	if want := "  disk.dev.read\n     host0000  host0001  host0002  host0003\n"; !strings.Contains(got, want) || strings.Count(got, "\nsda  ") != 1 {
		t.Errorf("the table is\n%s", got)
	}
	if got, _ := run(0, dir, "-o", "csv", "-t", "1hour", "--limit", "3", "kernel.all.intr"); strings.Count(got, "\n") != 1+3*hosts {
		t.Errorf("three samples are\n%s", got)
	}
	if _, errs := run(3, dir, "--fail-empty", "-o", "csv", "--where", "kernel.all.intr < 0", "kernel.all.intr"); errs != "" {
		t.Errorf("without values: %s", errs)
	}

	for _, tt := range []struct {
		args   []string
		status int
		errs   string
	}{
		{[]string{"-t", "1hour", "-d", "kernel.all.intr"}, 1, "not delayed"},
		{[]string{"no.such"}, 1, alone(1) + ": unknown metric no.such"},
		{[]string{"-t", "record", "-S", "@2030-01-01", "kernel.all.intr"}, 1, "pmderive: there are no samples in that time"},
	} {
		out, errs := run(tt.status, dir, tt.args...)
		if out != "" || !strings.Contains(errs, tt.errs) {
			t.Errorf("%q: %s%s, want %s", tt.args, out, errs, tt.errs)
		}
	}

	if err := os.Truncate(alone(1)+".0", 100); err != nil {
		t.Fatal(err)
	}
	out, errs := run(1, dir, "-o", "csv", "kernel.all.intr", "no.such")
	if strings.Count(out, ",kernel.all.intr,") != hosts-1 || strings.Contains(out, "host0001") {
		t.Errorf("beside a damaged archive there is\n%s", out)
	}
	if strings.Count(errs, "unknown metric no.such") != hosts-1 || !strings.Contains(errs, alone(1)+": ") {
		t.Errorf("beside a damaged archive\n%s", errs)
	}
}

// A machineRow is a line of csv over the archive of one host.
type machineRow struct {
	time, metric, rest string
	host               int
	value              float64
}

func rowOf(host int, line string) machineRow {
	f := strings.SplitN(line, ",", 3)
	v, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ',')+1:], 64)
	if err != nil {
		v = math.Inf(-1)
	}
	return machineRow{f[0], f[1], f[2], host, v}
}

// asOne returns what csv has of all hosts: those of a time together, metric by metric, the largest two if only these are wanted.
func asOne(list []machineRow, two, byValue bool) string {
	var metrics []string
	for _, x := range list {
		if !slices.Contains(metrics, x.metric) {
			metrics = append(metrics, x.metric)
		}
	}
	slices.SortStableFunc(list, func(a, b machineRow) int {
		order := cmp.Compare(a.host, b.host)
		if byValue {
			order = cmp.Or(cmp.Compare(b.value, a.value), order)
		}
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(slices.Index(metrics, a.metric), slices.Index(metrics, b.metric)), order)
	})
	var all strings.Builder
	all.WriteString("time,host,metric,instance,value\n")
	seen := make(map[string]int)
	for _, x := range list {
		if seen[x.time+x.metric]++; !two || seen[x.time+x.metric] <= 2 {
			fmt.Fprintf(&all, "%s,%s,%s,%s\n", x.time, archivetest.FleetHost(x.host), x.metric, x.rest)
		}
	}
	return all.String()
}

// linesOf returns the lines of csv that have the values of json.
func linesOf(t *testing.T, text string) string {
	t.Helper()
	var all strings.Builder
	all.WriteString("time,host,metric,instance,value\n")
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		var smp struct {
			Time   string
			Values []struct {
				Metric string
				Hosts  []struct {
					Host, Name string
					Value      *json.Number
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &smp); err != nil {
			t.Fatal(err)
		}
		for _, m := range smp.Values {
			for _, v := range m.Hosts {
				value := ""
				if v.Value != nil {
					value = v.Value.String()
				}
				fmt.Fprintf(&all, "%s,%s,%s,%s,%s\n", smp.Time, v.Host, m.Metric, v.Name, value)
			}
		}
	}
	return all.String()
}

// TestMachinesTogether: the archives of several hosts are combined, drawn, and shown as reports.
func TestMachinesTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n := range 2 {
		if err := archivetest.BuildFleetHost(dir, n); err != nil {
			t.Fatal(err)
		}
	}
	one, two := filepath.Join(dir, "host0000"), filepath.Join(dir, "host0001")
	for _, tt := range []struct {
		args string
		want []string
	}{
		{"eval --across sum -t 12hour -o csv kernel.all.intr", []string{"time,kernel.all.intr\n2024-01-01T12:00:00Z,3289."}},
		{"eval --across top@1 -t 12hour -o csv kernel.all.intr", []string{"\n2024-01-01T12:00:00Z,host0000,kernel.all.intr,,17"}},
		{"eval -t 6hour kernel.all.intr", []string{"time UTC             kernel.all.intr --\n                     host0001  host0000\n                      count/s   count/s\n2024-01-01 06:00:00 "}},
		{"plot kernel.all.intr", []string{"kernel.all.intr\n2024-01-01 00:00:10 to 23:"}},
		{"plot -t 1hour kernel.all.intr", []string{"kernel.all.intr\n2024-01-01 01:00:00 to 23:00:00", "\n   host0001  601.6 count/s\n", "\n   host0000  655.8 count/s\n"}},
		{"eval -o openmetrics kernel.all.intr", []string{"\nkernel_all_intr_total{host=\"host0001\"} ", "\nkernel_all_intr_total{host=\"host0000\"} "}},
		{"eval -t 12hour :vmstat", []string{"\n2024-01-01 12:00:00", "\nhost0001 ", "\nhost0000 "}},
	} {
		args := append([]string{"-a", two, "-a", one}, strings.Fields(tt.args)...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "@", " ")
		}
		got := clitest.Run("pmderive", newCommand, args, nil)
		out := strings.ReplaceAll(got.Stdout, "\r\n", "\n")
		for _, want := range tt.want {
			if got.Status != 0 || !strings.Contains(out, want) {
				t.Errorf("%s: status %d, %q is not in\n%s%s", tt.args, got.Status, want, out, got.Stderr)
			}
		}
	}
}
