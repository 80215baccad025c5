//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
)

// TestInstallFull installs where there is no room: the directory is as it was.
func TestInstallFull(t *testing.T) {
	dir := t.TempDir()
	installed := filepath.Join(dir, "derived")
	for name, text := range map[string]string{"derived/old.conf": "a.b = 1\n", "old.conf": "a.b = 1 + 2 + 3 + 4 + 5 + 6 + 7\n", "new.conf": "a.c = 1 + 2 + 3 + 4 + 5 + 6 + 7\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !cramp(t, 20) {
		return
	}
	args := []string{"install", "--syntax", "--force", "--dir", installed, filepath.Join(dir, "old.conf"), filepath.Join(dir, "new.conf")}
	got := clitest.RunWith("pmderive", newCommand, "", args, nil)
	if n := strings.Count(got.Stderr, "file too large"); n != 2 || got.Status != 1 || got.Stdout != "" {
		t.Errorf("status %d, %q, %q", got.Status, got.Stdout, got.Stderr)
	}
	for path, want := range map[string]int{dir: 3, installed: 1} {
		if list, err := os.ReadDir(path); err != nil || len(list) != want {
			t.Errorf("%v, %v", list, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(installed, "old.conf")); err != nil || string(text) != "a.b = 1\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestTerminalInstall answers the question whether a file is replaced.
func TestTerminalInstall(t *testing.T) {
	dir := t.TempDir()
	old, file := filepath.Join(dir, "derived", "a"), filepath.Join(dir, "a")
	if err := os.Mkdir(filepath.Dir(old), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ key, holds, says string }{{"n", "x.old = 1\n", "is not replaced"}, {"y", "x.new = 2\n", "a is installed in"}} {
		for name, text := range map[string]string{old: "x.old = 1\n", file: "x.new = 2\n"} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s := newProgram(t, nil, "sh", "-c", "pmderive install --syntax --dir "+filepath.Dir(old)+" "+file+"; read end")
		s.wait("replace it? [y/N]", 1)
		s.keys(tt.key, "Enter")
		s.wait(tt.says, 1)
		if text, err := os.ReadFile(old); err != nil || string(text) != tt.holds {
			t.Errorf("%s: %q, %v, want %q", tt.key, text, err, tt.holds)
		}
		s.keys("Enter")
		s.gone()
	}
}
