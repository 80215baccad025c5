package main

import (
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/golden"
)

// TestFaults stores values to a daemon that fails.
func TestFaults(t *testing.T) {
	for _, line := range []string{"w.long 5", "-F w.long 5", "bin.long 5", "-F bin.string x", "-F -i one,two bin.double 1.5", "-f none.bin.long 5", "bad.value 5"} {
		t.Run(line, func(t *testing.T) {
			clitest.Faults(t, pmcdtest.Faulty, func(vars map[string]string) golden.Entry { return run(strings.Fields(line), vars) })
		})
	}
}
