package main

import (
	"encoding/csv"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
)

// TestWhen compares intervals with those that the values of eval give.
func TestWhen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := archivetest.Build(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	rows := func(args ...string) [][]string {
		cmd := exec.Command("pmderive", append([]string{"-a", "demo"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		list, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return list[1:]
	}
	number := func(text string) float64 {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	const step = 10 * time.Second // between the records of demo
	for _, tt := range []struct {
		of    string
		least float64
		rate  bool
	}{{"kernel.all.load", 1.5, false}, {"rate(disk.dev.total)", 14, true}} {
		type sample struct {
			at    time.Time
			value float64
		}
		runs, ended := make(map[string][]sample), []string{}
		end := func(instance string, to time.Time) {
			if run := runs[instance]; len(run) > 0 {
				from, most, sum := run[0].at, run[0].value, 0.0
				if tt.rate {
					from, to = from.Add(-step), run[len(run)-1].at
				}
				for _, s := range run {
					most, sum = max(most, s.value), sum+s.value
				}
				ended = append(ended, fmt.Sprintf("%s %s %s %.6g %.6g", from.Format(time.TimeOnly), to.Format(time.TimeOnly), instance, most, sum/float64(len(run))))
			}
			runs[instance] = nil
		}
		for _, row := range rows("eval", "-t", "record", "-o", "csv", "-f", "full", tt.of) {
			at, err := time.Parse(time.RFC3339Nano, row[0])
			if err != nil {
				t.Fatal(err)
			}
			if value := number(row[3]); value > tt.least {
				runs[row[2]] = append(runs[row[2]], sample{at, value})
			} else {
				end(row[2], at)
			}
		}
		var got []string
		for _, row := range rows("when", "-o", "csv", fmt.Sprintf("%s > %v", tt.of, tt.least)) {
			if row[3] == "" {
				got = append(got, fmt.Sprintf("%s %s %s %.6g %.6g", row[0][11:19], row[1][11:19], row[4], number(row[6]), number(row[7])))
			}
		}
		slices.Sort(ended)
		slices.Sort(got)
		ended = slices.DeleteFunc(ended, func(text string) bool { return strings.HasPrefix(text, "22:13:20") }) // open at its begin
		if !slices.Equal(got, ended) || len(got) < 3 {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.of, strings.Join(got, "\n"), strings.Join(ended, "\n"))
		}
	}
}
