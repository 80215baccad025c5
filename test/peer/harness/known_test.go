package harness

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "pmtools/test/env"
)

// TestRows explains differences by rows.
func TestRows(t *testing.T) {
	rows := []row{
		{command: pattern(`-a x`), theirs: pattern(`^value 1$`), ours: pattern(`^value [23]$`)},
		{command: pattern(`-a x -t`), theirs: pattern(`-`), ours: pattern(`^more$`)},
	}
	out := func(text string, status int) Outcome { return Outcome{Stdout: []byte(text), Status: status} }
	for _, tt := range []struct {
		name, command string
		ours, theirs  Outcome
		want          int
	}{
		{"as expected", "-a x", out("a\nvalue 2\nb\n", 0), out("a\nvalue 1\nb\n", 0), 1},
		{"another command", "-a y", out("a\nvalue 2\nb\n", 0), out("a\nvalue 1\nb\n", 0), 0},
		{"another line of ours", "-a x", out("a\nvalue 4\nb\n", 0), out("a\nvalue 1\nb\n", 0), 0},
		{"another line of theirs", "-a x", out("a\nvalue 2\nb\n", 0), out("a\nvalue 0\nb\n", 0), 0},
		{"one more difference", "-a x", out("a\nvalue 2\nc\n", 0), out("a\nvalue 1\nb\n", 0), 0},
		{"status", "-a x", out("a\nvalue 2\n", 1), out("a\nvalue 1\n", 0), 0},
		{"another row's line", "-a x", out("a\nmore\n", 0), out("a\n", 0), 0},
		{"one row's line", "-a x -t", out("a\nmore\n", 0), out("a\n", 0), 1},
		{"two rows", "-a x -t", out("a\nvalue 2\nmore\n", 0), out("a\nvalue 1\n", 0), 2},
		{"no line", "-a x -t", out("a\n", 0), out("a\nmore\n", 0), 0},
		{"one more line", "-a x", out("a\nvalue 2\nvalue 3", 0), out("a\nvalue 1\n", 0), 1},
	} {
		if got := explain(rows, tt.command, lonely(tt.ours, tt.theirs)); len(got) != tt.want {
			t.Errorf("%s: %d rows, %+v", tt.name, len(got), lonely(tt.ours, tt.theirs))
		}
	}
}

// TestKnownFires fails for each row of known.txt that explained no difference in a full run, unless
// it depends on chance or on a daemon that is not running. The tests of the run note the rows in
// the file PMTOOLS_FIRED.
func TestKnownFires(t *testing.T) {
	_, _, root := Setup(t)
	name := os.Getenv("PMTOOLS_FIRED")
	if name == "" {
		t.Skip("PMTOOLS_FIRED does not name what a full run has noted (make peer sets it)")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fired := strings.Fields(string(text))
	c, err := net.Dial("unix", filepath.Join(root, "run/pcp/peer.socket"))
	if err == nil {
		c.Close()
	}
	for _, k := range loadKnown(t) {
		switch {
		case slices.Contains(fired, strconv.Itoa(k.line)):
		case k.when == "chance":
			t.Logf("known.txt:%d: row %s did not show", k.line, k.id)
		case k.when == "live" && err != nil:
		default:
			t.Errorf("known.txt:%d: row %s explains no difference any more", k.line, k.id)
		}
	}
}
