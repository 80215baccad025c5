//go:build unix

package content

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestMappings opens files when there are nearly as many mappings as there may be.
func TestMappings(t *testing.T) {
	before := mappings.Load()
	mappings.Store(1<<40 - 1)
	if mappingsLeft() {
		t.Error("endless mappings")
	}
	mappings.Store(maxMappings - 2)
	defer mappings.Store(before)
	var warnings []string
	opt := Options{Warn: func(msg string) { warnings = append(warnings, msg) }}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, noise(100), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c, err := Open(bg, path, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if got, err := c.View(bg, Everything); err != nil || len(got) != 100 || len(warnings) > 0 {
			t.Errorf("%d bytes, %v, %q", len(got), err, warnings)
		}
	}
	if n := mappings.Load(); n != maxMappings {
		t.Errorf("%d mappings", n)
	}
	if mappingsLeft() {
		t.Skip("the system lets a process have more")
	}
	c, err := Open(bg, path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	want := "Error: Cannot allocate memory: 60000 mappings of files are all that a process may have"
	if _, err := c.View(bg, Everything); !errors.Is(err, enomem) || len(warnings) != 1 || warnings[0] != want {
		t.Errorf("got %v, %q", err, warnings)
	}
}
