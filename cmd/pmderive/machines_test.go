package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/archive/archivetest"
)

// TestEvalMachines: over the archives of several machines eval writes for each what it writes over that one alone,
// with the host, in the order of the archives.
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
	// rows returns the rows of hosts by themselves, each with its host in a place.
	rows := func(heads int, place func(host, line string) string, args ...string) string {
		var all strings.Builder
		for n := range hosts {
			out, _ := run(0, alone(n), args...)
			lines := strings.SplitAfter(out, "\n")
			for _, line := range lines[heads : len(lines)-1] {
				all.WriteString(place(archivetest.FleetHost(n), line))
			}
		}
		return all.String()
	}
	csv := func(host, line string) string { return strings.Replace(line, ",", ","+host+",", 1) }
	json := func(host, line string) string {
		line = strings.NewReplacer(`"instances":[`, `"hosts":[`, `{"id"`, `{"host":"`+host+`","id"`).Replace(line)
		const single = `{"metric":"kernel.all.intr",`
		before, value, ok := strings.Cut(line, single+`"value":`)
		if ok {
			end := strings.IndexByte(value, '}')
			line = before + single + `"hosts":[{"host":"` + host + `","value":` + value[:end] + "}]" + value[end:]
		}
		return line
	}
	for _, options := range [][]string{
		{"-t", "record", "-s", "40"}, {"-t", "3hour"}, {"-t", "1hour", "-S", "@06:00", "-T", "@11:00", "-i", "sda,sdb"}, {"-r", "-t", "6hour"}, {},
		{"-t", "2hour", "--sort", "value"}, {"-t", "2hour", "--top", "2"}, {"-t", "2hour", "--where", "disk.dev.read > 100"},
	} {
		args := append(append([]string{"-o", "csv", "--long"}, options...), exprs...)
		got, _ := run(0, dir, args...)
		if want := "time,host,metric,instance,value\n" + rows(1, csv, args...); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", args, got, want)
		}
		args[1] = "json"
		got, _ = run(0, dir, args...)
		_, got, _ = strings.Cut(got, "\n")
		if want := rows(1, json, args...); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", args, got, want)
		}
	}
	got, _ := run(0, dir, "-t", "12hour", "-i", "sda", "disk.dev.read")
	if want := "host0000  sda  "; strings.Count(got, "disk.dev.read") != 1 || strings.Count(got, "\nhost") != hosts || !strings.Contains(got, want) {
		t.Errorf("the table is\n%s", got)
	}
	if got, _ := run(0, dir, "-o", "csv", "-t", "1hour", "--limit", "3", "kernel.all.intr"); strings.Count(got, "\n") != 1+3 {
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
		{[]string{"--across", "sum", "kernel.all.intr"}, 2, "are for hosts"},
		{[]string{"--plot", "-t", "1hour", "kernel.all.intr"}, 1, "for one host"},
		{[]string{"-o", "openmetrics", "kernel.all.intr"}, 1, "for one host"},
		{[]string{"-t", "1hour", "-d", "kernel.all.intr"}, 1, "not delayed"},
		{[]string{"no.such"}, 1, alone(1) + ": unknown metric no.such"},
		{[]string{"-t", "record", "-S", "@2030-01-01", "kernel.all.intr"}, 1, alone(3) + ": there are no samples in that time"},
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
