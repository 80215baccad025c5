package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/archive/archivetest"
)

// TestBomb reads names, descriptions, labels and first values of an archive whose volume unpacks to
// 16 GiB. None of it goes to the disk.
func TestBomb(t *testing.T) {
	base := archivetest.Path(t, "labels")
	text, err := os.ReadFile(base + ".0")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-a", base, "-d", "-f", "-l", "-m", "-t"}
	want := clitest.Run("pminfo", newCommand, args, nil)
	if err := archivetest.Bomb(base+".0", text); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	got := clitest.Run("pminfo", newCommand, args, map[string]string{"PMTOOLS_UNPACK_LIMIT": "1"})
	if got.Stdout != want.Stdout || got.Stderr != want.Stderr {
		t.Errorf("got %+v\nwant %+v", got, want)
	} else if got.Status != 0 || !strings.Contains(got.Stdout, "value") {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}
