package history

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"pmtools/lib/safefile/safefiletest"
)

// TestCrash: a loss of power may take the last items, but leaves no part of one; the next session goes on.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	vars := func(dir string) func(string) (string, bool) {
		return lookup(map[string]string{"PMDERIVE_HISTORY": filepath.Join(dir, "h")})
	}
	items := []string{"kernel.all.load + 1", "x = rate(disk.dev.total)", "metrics", ":save file", "last"}
	tr, err := safefiletest.Record(dir, func(func(string)) {
		for _, item := range items {
			Open(vars(dir)).Add(item)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 60, func(dir string, _ []string) error {
		h := Open(vars(dir))
		for _, item := range h.Items {
			if !slices.Contains(items, item) {
				return fmt.Errorf("an item is %q", item)
			}
		}
		h.Add("next")
		if got := Open(vars(dir)).Items; len(got) != len(h.Items) || got[len(got)-1] != "next" {
			return fmt.Errorf("the next session has %q after %q", got, h.Items)
		}
		return nil
	})
}
