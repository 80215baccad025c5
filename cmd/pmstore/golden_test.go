package main

import (
	"path/filepath"
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/golden"
)

// run runs pmstore in this process and returns what a transcript holds of it.
func run(args []string, vars map[string]string) golden.Entry {
	return clitest.Run("pmstore", newCommand, args, vars)
}

// serve starts a daemon and returns what it serves and the path of its socket.
func serve(t testing.TB) (*pmcdtest.World, string) {
	t.Helper()
	w, socket := pmcdtest.Faulty(), clitest.Socket(t)
	s := pmcdtest.NewServer(w)
	if _, err := s.Listen("unix", socket); err != nil {
		t.Skip("no Unix sockets here: ", err)
	}
	t.Cleanup(func() { s.Close() })
	return w, socket
}

// TestScripted runs the command lines of the transcripts against a daemon in its first state, and
// compares with what the reference printed.
func TestScripted(t *testing.T) {
	for _, f := range clitest.Files(t, "testdata/scripted/*.txt") {
		t.Run(filepath.Base(f), func(t *testing.T) {
			_, socket := serve(t)
			clitest.Replay(t, f, func(words []string) golden.Entry {
				return run(words[1:], map[string]string{"PMCD_SOCKET": socket})
			})
		})
	}
}

// TestStoredOnce counts the requests: one for each store, whatever the answer, and none if a step
// before it fails.
func TestStoredOnce(t *testing.T) {
	for _, tt := range []struct {
		args string
		want int
	}{
		{"w.long 5", 1}, {"-F w.long 5", 1}, {"bin.long 5", 1}, {"-i one bin.long 5", 1}, {"bad.store 5", 1}, {"bad.gone 5", 1}, {"-F bad.gone 5", 1},
		{"-f none.long 5", 1}, {"none.long 5", 0}, {"w.long x", 0}, {"w.long", 0}, {"bad.fetch 5", 0}, {"bad.lost 5", 0}, {"bad.value 5", 0},
		{"t.event 5", 0}, {"-i x bin.long 5", 0}, {"-F late.lost 5", 1}, {"-V w.long 5", 0},
	} {
		d, socket := serve(t)
		run(strings.Fields(tt.args), map[string]string{"PMCD_SOCKET": socket})
		if got := d.Stores(); got != tt.want {
			t.Errorf("pmstore %s: %d stores, want %d", tt.args, got, tt.want)
		}
	}
}

// TestStrings has how white space in strings is shown.
func TestStrings(t *testing.T) {
	_, socket := serve(t)
	for _, tt := range []struct{ squash, value, want string }{
		{"", "a\nb\tc", "w.string old value=\"thirteen\" new value=\"a\nb\tc\"\n"},
		{"1", "d", "w.string old value=\"a b c\" new value=\"d\"\n"},
		{"1", "e\nf", "w.string old value=\"d\" new value=\"e f\"\n"},
	} {
		vars := map[string]string{"PMCD_SOCKET": socket}
		if tt.squash != "" {
			vars["PCP_SQUASH_NEWLINES"] = tt.squash
		}
		if got := run([]string{"w.string", tt.value}, vars); got.Stdout != tt.want || got.Status != 0 {
			t.Errorf("%q: %q, %s", tt.value, got.Stdout, got.Stderr)
		}
	}
}
