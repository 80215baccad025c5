package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHosts: the latest hosts come first, once; passwords and names that would be two lines are not kept.
func TestHosts(t *testing.T) {
	vars := map[string]string{"XDG_STATE_HOME": t.TempDir()}
	lookup := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	for _, host := range []string{"a", "b:44321", "a", "a", "", "x\ny", "c?user=u&pass=secret", "c?username=u&password=secret", "abc"} {
		NoteHost(lookup, host)
	}
	if got := Hosts(lookup, ""); !slices.Equal(got, []string{"abc", "a", "b:44321"}) {
		t.Errorf("%q", got)
	}
	if got := Hosts(lookup, "a"); !slices.Equal(got, []string{"abc", "a"}) {
		t.Errorf("%q", got)
	}
	for i := range 2 * keptHosts {
		NoteHost(lookup, fmt.Sprint("n", i))
	}
	if got := Hosts(lookup, ""); len(got) != keptHosts || got[0] != fmt.Sprint("n", 2*keptHosts-1) {
		t.Errorf("%d hosts, %q", len(got), got[0])
	}
	vars["PMDERIVE_HISTORY"] = ""
	if got := Hosts(lookup, ""); got != nil {
		t.Errorf("without a history: %q", got)
	}
}

// TestHostsUnread: hosts that cannot be read stay.
func TestHostsUnread(t *testing.T) {
	dir := t.TempDir()
	lookup := func(name string) (string, bool) { return dir, name == "XDG_STATE_HOME" }
	NoteHost(lookup, "old")
	file := filepath.Join(dir, "pmderive", "hosts")
	long := strings.Repeat("other\n", mostHosts/6+1)
	if err := os.WriteFile(file, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	NoteHost(lookup, "new")
	if text, err := os.ReadFile(file); string(text) != long {
		t.Errorf("%.100q, %v", text, err)
	}
}
