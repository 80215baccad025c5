//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTestSignals ends tests of definitions by signals while their archives are written: nothing is left
// in the directory for temporary files.
func TestTestSignals(t *testing.T) {
	text := "metric m string instant\n  value \"a text\"x999999\ncase c\n  eval m\n    at 0s\n    value \"a text\"\n"
	for _, sig := range []os.Signal{os.Interrupt, unix.SIGTERM} {
		dir, temp := t.TempDir(), t.TempDir()
		file := filepath.Join(dir, "x.cases")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("pmderive", "test", file)
		c.Env = append(os.Environ(), "TMPDIR="+temp)
		var errs strings.Builder
		c.Stderr = &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			if list, _ := filepath.Glob(filepath.Join(temp, "*/*")); len(list) > 0 {
				break
			}
			if time.Now().After(end) {
				t.Error("nothing is written")
				break
			}
		}
		c.Process.Signal(sig)
		c.Wait()
		if got, want := c.ProcessState.ExitCode(), 1; got != want || !strings.Contains(errs.String(), "interrupted") {
			t.Errorf("%v: status %d, want %d: %s", sig, got, want, &errs)
		}
		if left, _ := os.ReadDir(temp); len(left) > 0 {
			t.Errorf("%v: %v is left behind", sig, left)
		}
	}
}
