package main

import (
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
	"pmtools/test/golden"
)

// TestFaults runs each kind of report over a daemon that fails.
func TestFaults(t *testing.T) {
	for _, line := range []string{"sample", "-f sample.long.one sample.bin", "-f sample.bin", "-dmtTls sample.bin sample.longlong", "-fF sample.bin sample.broken",
		"-v sample.bin sample.long.one", "-x sample.bin sample.double", "-b 1 -f sample.long.one sample.bin", "-l 29.0.6 29.2", "-r a=sample.bin+1 -f a sample.double"} {
		t.Run(line, func(t *testing.T) {
			clitest.Faults(t, pmcdtest.Sample, func(vars map[string]string) golden.Entry { return run(strings.Fields(line), vars) })
		})
	}
}

// TestFailedFetch has what the reference says when the fetch of several metrics fails as a whole.
func TestFailedFetch(t *testing.T) {
	for i, why := range []string{"IPC protocol failure", "IPC protocol failure", pmerr.NoAgent.Error(),
		"Timeout waiting for a response from PMCD", "IPC protocol failure", "IPC protocol failure"} {
		s := pmcdtest.NewServer(pmcdtest.Sample())
		defer s.Close()
		socket, fault := clitest.Socket(t), pmcdtest.Faults()[i]
		if _, err := s.Listen("unix", socket); err != nil {
			t.Skip("no Unix sockets here: ", err)
		}
		s.SetEdit(pmcdtest.On(pdu.TypeHighResFetch, 0, fault.Edit))
		got := run([]string{"-f", "sample.long.one", "sample.bin"}, map[string]string{"PMCD_SOCKET": socket, "PMCD_PORT": "1", "PMCD_REQUEST_TIMEOUT": "0.2"})
		want := "sample.long.one: pmFetch: " + why + "\nsample.bin: pmFetch: " + why + "\n"
		if got.Stdout != want || got.Stderr != "" || got.Status != 0 {
			t.Errorf("%s: %q %q %d, want %q", fault.Name, got.Stdout, got.Stderr, got.Status, want)
		}
	}
}

// TestDamage runs reports over archives with damage.
func TestDamage(t *testing.T) {
	for _, line := range []string{"-fdlmtT", "-f -O +2 t.s t.a t.b", "-v", "-r a=t.d+t.b -f a"} {
		t.Run(line, func(t *testing.T) {
			clitest.Damage(t, "ta", func(base string) golden.Entry { return run(append([]string{"-a", base}, strings.Fields(line)...), nil) })
		})
	}
	clitest.Damage(t, "events", func(base string) golden.Entry { return run([]string{"-a", base, "-x"}, nil) })
}
