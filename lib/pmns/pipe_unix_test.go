//go:build unix

package pmns

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestIncludePipe: a file that includes a pipe, to which nobody writes, or a device without an end is
// refused; an empty device is an empty file.
func TestIncludePipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o666); err != nil {
		t.Skip("no pipes here: ", err)
	}
	for name, ok := range map[string]bool{pipe: false, "pipe": false, "/dev/zero": false, "/dev/null": true} {
		file := filepath.Join(dir, "pmns")
		if err := os.WriteFile(file, []byte("root {\n\tx\t1:1:1\n}\n#include \""+name+"\"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Load(file, &Options{Preprocess: true})
		bad, _ := err.(*Error)
		if (err == nil) != ok || bad != nil && !strings.Contains(bad.Preprocessor, "Cannot open file for #include") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
