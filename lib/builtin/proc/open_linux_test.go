package proc

import (
	"os"
	"testing"

	"pmtools/lib/builtin/internal/procfs/procfstest"
)

// TestNothingOpen fetches everything of this system: no file stays open.
func TestNothingOpen(t *testing.T) {
	open := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(names)
	}
	a := New(&Options{Root: "/"})
	procfstest.FetchAll(t, a)
	before := open()
	procfstest.FetchAll(t, a)
	if after := open(); after != before {
		t.Errorf("%d files are open after a fetch, %d before", after, before)
	}
}
