package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	env := &Env{LookupEnv: func(string) (string, bool) { return "", false }}
	for name, stream := range map[string]any{"a file": f, "a buffer": new(bytes.Buffer), "nothing": nil} {
		if width, height := TerminalSize(stream); width != 0 || height != 0 {
			t.Errorf("%s has %d columns and %d lines", name, width, height)
		}
		if IsTerminal(stream) {
			t.Errorf("%s is a terminal", name)
		}
		if env.ColorWanted(stream) {
			t.Errorf("%s has colours", name)
		}
	}
}
