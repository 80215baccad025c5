package env

import (
	"os"
	"testing"
	"time"
)

// Dir returns a directory for programs that may still write into it after the test has stopped them:
// an editor, a shell. It is removed as soon as they have ended.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if err := os.RemoveAll(dir); err == nil {
				return
			} else if time.Now().After(end) {
				t.Errorf("a program still writes into its directory: %v", err)
				return
			}
		}
	})
	return dir
}
