package history

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	_ "pmtools/test/env"
)

// lookup returns a function for variables.
func lookup(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func TestHistoryPath(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	for _, tt := range []struct {
		vars map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{"HOME": "home"}, filepath.Join("home", ".local", "state", "pmderive", "history")},
		{map[string]string{"HOME": "home", "XDG_STATE_HOME": state}, filepath.Join(state, "pmderive", "history")},
		{map[string]string{"HOME": "home", "XDG_STATE_HOME": "relative"}, filepath.Join("home", ".local", "state", "pmderive", "history")},
		{map[string]string{"HOME": "home", "PMDERIVE_HISTORY": "file"}, "file"},
		{map[string]string{"HOME": "home", "PMDERIVE_HISTORY": ""}, ""},
	} {
		if got := pathOf(lookup(tt.vars)); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.vars, got, tt.want)
		}
	}
}

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "history")
	vars := lookup(map[string]string{"PMDERIVE_HISTORY": path})
	h := Open(vars)
	for _, tt := range []struct {
		item string
		want bool
	}{
		{"one", true}, {"one", false}, {"", false}, {"two\nlines ", true}, {"two lines", false}, {"one", true},
	} {
		if got := h.Add(tt.item); got != tt.want {
			t.Errorf("add(%q) is %v", tt.item, got)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "one\ntwo lines\none\n" {
		t.Errorf("%q, %v", text, err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	// The next session does not repeat the last item of this one.
	if Open(vars).Add("one") {
		t.Error("a duplicate of the session before is kept")
	}
}

func TestHistoryLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var b strings.Builder
	for i := range Limit + 5 {
		fmt.Fprintf(&b, "item %d\n", i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h := Open(lookup(map[string]string{"PMDERIVE_HISTORY": path}))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%d items from %q, %v", len(h.Items), h.Items[0], err)
	} else if len(h.Items) != Limit || h.Items[0] != "item 5" || strings.Count(string(text), "\n") != Limit {
		t.Errorf("%d items from %q, %v", len(h.Items), h.Items[0], err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestHistoryBroken has a file that cannot be read or written.
func TestHistoryBroken(t *testing.T) {
	h := Open(lookup(map[string]string{"PMDERIVE_HISTORY": t.TempDir()}))
	if !h.Add("one") || h.Add("one") {
		t.Error("a history without a file")
	}
}

// TestHistorySecret keeps no password.
func TestHistorySecret(t *testing.T) {
	h := &History{path: filepath.Join(t.TempDir(), "history")}
	h.Add(":source host pcps://h?user=ann&pass=SECRET")
	text, err := os.ReadFile(h.path)
	if want := ":source host pcps://h?user=ann&pass=xxxxx\n"; err != nil || string(text) != want {
		t.Errorf("the history is %q, %v", text, err)
	}
}
