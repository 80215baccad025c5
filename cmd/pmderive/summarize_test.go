package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
)

// TestSummarizeMachines: the archives of several machines in a directory give the rows that each gives by itself,
// with its host before them, in the order of the archives; one that is damaged does not keep the others from
// being summarized.
func TestSummarizeMachines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const hosts = 4
	for n := range hosts {
		if err := archivetest.BuildFleetHost(dir, n); err != nil {
			t.Fatal(err)
		}
	}
	run := func(status int, args ...string) (out, errs string) {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command("pmderive", args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if _, exit := errors.AsType[*exec.ExitError](err); err != nil && !exit || cmd.ProcessState.ExitCode() != status {
			t.Fatalf("%q: %v, want status %d\n%s", args, err, status, stderr.String())
		}
		return stdout.String(), stderr.String()
	}
	defs := filepath.Join(t.TempDir(), "defs")
	if err := os.WriteFile(defs, []byte("x.half = kernel.all.intr / 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	exprs := []string{"-c", defs, "kernel.all.intr", "rate(disk.dev.avactive)", "d=disk.dev.read + disk.dev.write", "x.half"}
	const rows = 4 // of each host
	for _, options := range [][]string{{"-o", "csv"}, {"-o", "csv", "--every", "6hour", "-S", "@06:00"}, {"-o", "json", "--top", "2"}} {
		args := append(append([]string{"summarize"}, options...), exprs...)
		var want strings.Builder
		for n := range hosts {
			host := archivetest.FleetHost(n)
			out, _ := run(0, append([]string{"-a", filepath.Join(dir, host)}, args...)...)
			for i, line := range strings.SplitAfter(out, "\n") {
				switch {
				case line == "" || i == 0 && n > 0 && options[1] == "csv":
				case i == 0 && options[1] == "csv":
					want.WriteString("host," + line)
				case options[1] == "csv":
					want.WriteString(host + "," + line)
				case i > 0:
					want.WriteString(`{"host":"` + host + `",` + line[1:])
				default:
					want.WriteString(line)
				}
			}
		}
		if out, errs := run(0, append([]string{"-a", dir}, args...)...); out != want.String() || errs != "" {
			t.Errorf("%q: got\n%swant\n%s%s", args, out, want.String(), errs)
		}
	}
	table, _ := run(0, append([]string{"-a", dir, "summarize"}, exprs...)...)
	if lines := strings.Split(table, "\n"); len(lines) != 1+hosts*rows+1 || !strings.HasPrefix(lines[0], "host ") || !strings.HasPrefix(lines[rows+1], "host0001 ") {
		t.Errorf("the table is\n%s", table)
	}

	if err := os.Truncate(filepath.Join(dir, "host0001.0"), 100); err != nil {
		t.Fatal(err)
	}
	if _, errs := run(1, "-a", filepath.Join(dir, "host0001"), "summarize"); strings.Count(errs, "\n") != 1 {
		t.Errorf("a damaged archive by itself: %s", errs)
	}
	out, errs := run(1, "-a", dir, "summarize", "-o", "csv", "kernel.all.intr", "no.such")
	if strings.Count(out, ",kernel.all.intr,") != hosts-1 || strings.Contains(out, "host0001") {
		t.Errorf("beside a damaged archive there is\n%s", out)
	}
	if !strings.Contains(errs, "host0001: Cannot open archive") || strings.Count(errs, "unknown metric no.such") != hosts-1 {
		t.Errorf("errors are\n%s", errs)
	}
}
