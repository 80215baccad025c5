package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"pmtools/lib/safefile/safefiletest"
)

// TestCrash: a loss of power leaves the definitions of before or the new ones, and the new ones after Put has returned.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	texts := []string{"a.b = 1\n", "a.b = 2\na.c = 3\n"}
	tr, err := safefiletest.Record(dir, func(mark func(string)) {
		tools := &Tools{User: filepath.Join(dir, "new", "derived")}
		for _, text := range texts {
			if err := tools.Put(filepath.Join(tools.User, "x"), []byte(text)); err != nil {
				t.Fatal(err)
			}
			mark(text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 60, func(dir string, marks []string) error {
		text, err := os.ReadFile(filepath.Join(dir, "new", "derived", "x"))
		want := texts[max(len(marks)-1, 0):min(len(marks)+1, 2)]
		if errors.Is(err, fs.ErrNotExist) && len(marks) == 0 || err == nil && (string(text) == want[0] || string(text) == want[len(want)-1]) {
			return nil
		}
		return fmt.Errorf("there is %q, %v", text, err)
	})
}
