package main

import (
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/golden"
)

// TestFaults shows metrics in each form over a daemon that fails.
func TestFaults(t *testing.T) {
	for _, line := range []string{"sample.long.one", "sample.bin", "-i bin-200 sample.bin", "-r sample.longlong", "sample.longlong", "-x 3 sample.long.write_me",
		"--output csv sample.bin", "--output json sample.bin", "--plot sample.bin", "sample.string.hullo", "sample.novalues", "sample.broken"} {
		t.Run(line, func(t *testing.T) {
			args := append([]string{"-s", "2", "-t", "0.01"}, strings.Fields(line)...)
			clitest.Faults(t, pmcdtest.Sample, func(vars map[string]string) golden.Entry { return run(args, vars) })
		})
	}
}

// TestDamage shows metrics of archives with damage.
func TestDamage(t *testing.T) {
	for _, line := range []string{"t.b", "-t 500msec t.a", "-r -t 3 t.a", "--output csv t.b"} {
		t.Run(line, func(t *testing.T) {
			clitest.Damage(t, "ta", func(base string) golden.Entry { return run(append([]string{"-a", base}, strings.Fields(line)...), nil) })
		})
	}
	clitest.Damage(t, "ta", func(base string) golden.Entry { return run([]string{"-U", base, "t.b"}, nil) })
}
