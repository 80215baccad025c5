package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pmtools/test/env"
)

// BenchmarkOutput runs the command over the archive of 171 MB in docs/performance.md: 5,000 records of 2,001
// values, and over those of 20 hosts, which have 250,000 values each. It reports values per second of processor time.
func BenchmarkOutput(b *testing.B) {
	dir := b.TempDir()
	for _, args := range [][]string{{dir, "big=5000"}, {filepath.Join(dir, "fleet"), "fleet=20"}} {
		if out, err := env.Go(append([]string{"run", "pmtools/test/mkarchive"}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("mkarchive: %v\n%s", err, out)
		}
	}
	quotients := []string{"big.d01 / 3", "big.d05 / 3", "big.d09 / 3", "big.d13 / 3", "big.d17 / 3"}
	for _, bb := range []struct {
		name   string
		values float64
		args   []string
	}{
		{"summarize", 10e6, []string{"summarize", "big"}},
		{"csv", 10e6, []string{"eval", "-t", "record", "-o", "csv", "big"}},
		{"csv_digits", 2.5e6, append([]string{"eval", "-t", "record", "-o", "csv"}, quotients...)}, // 16 or 17 of them
		{"csv_wide", 10e6, []string{"eval", "-t", "record", "-o", "csv", "--wide", "big"}},
		{"json", 10e6, []string{"eval", "-t", "record", "-o", "json", "big"}},
		{"table", 10e6, []string{"eval", "-t", "record", "-o", "table", "big"}},
		{"parquet", 10e6, []string{"export", "big", "-o"}},
		{"fleet_summarize", 4.6e6, []string{"summarize", "-o", "csv", "disk"}},
		{"fleet_csv", 4.6e6, []string{"eval", "-t", "record", "-o", "csv", "disk"}},
		{"fleet_parquet", 4.6e6, []string{"export", "disk", "-o"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var spent time.Duration
			for b.Loop() {
				source, _, _ := strings.Cut(bb.name, "_")
				if source != "fleet" {
					source = "big"
				}
				c := exec.Command("pmderive", append([]string{"-a", filepath.Join(dir, source)}, bb.args...)...) // its output is dropped
				if strings.HasSuffix(bb.name, "parquet") {
					c.Args = append(c.Args, b.TempDir())
				}
				if err := c.Run(); err != nil {
					b.Fatal(err)
				}
				spent += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
			}
			b.ReportMetric(bb.values*float64(b.N)/spent.Seconds()/1e6, "Mvalues/cpu-s")
		})
	}
}
