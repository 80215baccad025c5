package history

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"pmtools/lib/safefile"
)

// TestFull: an item of which the disk takes only a part is not kept, and the next one is whole, whichever session it is of.
func TestFull(t *testing.T) {
	vars := lookup(map[string]string{"PMDERIVE_HISTORY": filepath.Join(t.TempDir(), "h")})
	h, other := Open(vars), Open(vars)
	h.Add("first")
	end := safefile.Observe(func(op *safefile.Op) error {
		if op.Kind != safefile.OpWrite {
			return nil
		}
		op.Data = op.Data[:len(op.Data)/2]
		return syscall.ENOSPC
	})
	h.Add("lost in part")
	end()
	other.Add("second")
	h.Add("third")
	if got, want := Open(vars).Items, []string{"first", "second", "third"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
