//go:build unix

package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPipe: a pipe and a device in a directory of reports are faults, and do not keep the reports of other files away.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "a"+Suffix), 0o666); err != nil {
		t.Skip("no pipes here: ", err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "b"+Suffix)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c"+Suffix), []byte("[whole]\nx = kernel.all.load\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	l := New()
	if err := l.Load(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Find("whole"); err != nil {
		t.Error(err)
	}
	var faults []string
	for _, f := range l.Faults() {
		faults = append(faults, f.Message)
	}
	if got := strings.Join(faults, "; "); strings.Count(got, "not a regular file") != 2 {
		t.Errorf("%q", got)
	}
}
