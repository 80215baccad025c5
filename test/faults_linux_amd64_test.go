package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// faultCases are command lines, and how many more pages they may touch first than a Go program that
// does nothing. A page that is touched first costs as much as some thousand instructions, and most
// of the time of a start is spent on them. Unlike times their number hardly varies.
var faultCases = []struct {
	most int64
	args []string
}{
	{50, []string{"pmerr", "-12345"}},
	{162, []string{"pminfo", "-a", "demo", "kernel.all.load"}},
	{168, []string{"pminfo", "-a", "demo", "-r", "x = 1 + 2", "-df", "x"}},
	{168, []string{"pmval", "-a", "demo", "-s", "2", "kernel.all.load"}},
}

// TestFaults counts the pages that commands touch at start. The limits are a twentieth to a tenth
// above what Linux counts that maps 16 pages of a file at a time: where the linker puts functions
// changes the number by ten.
func TestFaults(t *testing.T) {
	t.Parallel()
	dir := demo(t)
	empty := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(empty, []byte("package main\n\nfunc main() { println() }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	floor := faults(t, dir, build(t, empty))
	if floor == 0 || floor > 200 {
		t.Skip("page faults are counted in another way here: ", floor)
	}
	for _, c := range faultCases {
		if n := faults(t, dir, command(t, c.args[0]), c.args[1:]...); n-floor > c.most {
			t.Errorf("%q: %d page faults, %d more than a program that does nothing; at most %d are wanted", c.args, n, n-floor, c.most)
		}
	}
}

// faults returns the smallest number of page faults of a few runs, on one processor: with more, it
// varies by the number of threads that happen to be started.
func faults(t *testing.T, dir, program string, args ...string) int64 {
	t.Helper()
	// A copy lies in the page cache as an installed program does. The file that the linker wrote lies there in
	// small pieces, at times, and each of them is a fault.
	copied := filepath.Join(t.TempDir(), filepath.Base(program))
	text, err := os.ReadFile(program)
	if err == nil {
		// A process that a parallel test starts meanwhile would inherit the open file, and a program that is open for writing cannot be run.
		syscall.ForkLock.RLock()
		err = os.WriteFile(copied, text, 0o777)
		syscall.ForkLock.RUnlock()
	}
	if err != nil {
		t.Fatal(err)
	}
	var least int64
	for i := range 7 {
		cmd := exec.Command(copied, args...)
		cmd.Dir = dir
		cmd.Env = []string{"GOMAXPROCS=1", "TZ=UTC", "PCP_DERIVED_CONFIG="}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", program, args, err, out)
		}
		if n := cmd.ProcessState.SysUsage().(*syscall.Rusage).Minflt; i == 0 || n < least {
			least = n
		}
	}
	t.Logf("%s %q: %d page faults", filepath.Base(program), args, least)
	return least
}
