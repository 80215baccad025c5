package main

import (
	"path/filepath"
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/archive"
)

// TestRecordVersion: archives are of the version that PCP's configuration asks for.
func TestRecordVersion(t *testing.T) {
	for version, want := range map[string]int{"": 3, "3": 3, "2": 2} {
		dir := t.TempDir()
		got := clitest.Run("pmderive", newCommand, []string{"-L", ":record --background '" + filepath.Join(dir, "f") + "' sample.bin"},
			map[string]string{"PCP_ARCHIVE_VERSION": version})
		if got.Status != 0 || !strings.HasPrefix(got.Stdout, "recording sample.bin every 1s to ") {
			t.Fatalf("%+v", got)
		}
		set, err := archive.Open(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if label := set.Label(); label.Version != want || label.Host == "" || label.Zone == "" {
			t.Errorf("version %q: %+v", version, label)
		}
		set.Close()
	}
}
