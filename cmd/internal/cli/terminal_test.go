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
		if width, height := TerminalSize(stream); IsTerminal(stream) || width != 0 || height != 0 || env.ColorWanted(stream) {
			t.Errorf("%s is a terminal", name)
		}
	}
}
