package env

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestDir: a directory is removed although something writes into it after the test has ended.
func TestDir(t *testing.T) {
	var dir string
	ended := make(chan struct{})
	t.Run("writer", func(t *testing.T) {
		dir = Dir(t)
		go func() {
			defer close(ended)
			for i, end := 0, time.Now().Add(200*time.Millisecond); time.Now().Before(end); i++ {
				_ = os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o666)
			}
		}()
		time.Sleep(20 * time.Millisecond)
	})
	<-ended
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", dir, err)
	}
}
