package derive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// TestInstall installs definitions into a directory of a configuration of its own, and asks the
// reference's pminfo: it has them without being told, until they are uninstalled.
func TestInstall(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	own := harness.Own(t, "ta")
	dir := harness.WriteFiles(t, map[string]string{
		"mine.conf":      "my.sum = sum(t.b)\nmy.sum(oneline) = a sum\nmy.twice = 2 * t.c\nmy.twice(oneline) = twice\nmy.twice(helptext) = \"twice\n as much\"\n",
		"bad.conf":       "my.bad = sum(no.such)\n",
		"other/new.conf": "my.new = t.b + 1\n",
		"var/config/x":   "",
	})
	text, err := os.ReadFile(filepath.Join(root, "etc/pcp.conf"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "PCP_VAR_DIR=") {
			lines = append(lines, line)
		}
	}
	conf := filepath.Join(dir, "pcp.conf")
	if err := os.WriteFile(conf, []byte(strings.Join(lines, "")+"PCP_VAR_DIR="+dir+"/var\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(side harness.Side, status int, args ...string) string {
		t.Helper()
		c := harness.Command{Args: args, Env: []string{"-PCP_DERIVED_CONFIG", "-PCP_VAR_DIR", "PCP_CONF=" + conf}, Dir: dir}
		o, err := side.Run(c, root)
		if err != nil || o.Status != status {
			t.Fatalf("%q: %v, status %d, want %d\n%s", args, err, o.Status, status, o.Stderr)
		}
		return string(o.Stdout)
	}
	archive := filepath.Join(own, "ta")
	derive := func(status int, args ...string) string {
		t.Helper()
		return run(ours, status, append([]string{"pmderive", "-a", archive}, args...)...)
	}
	// shows compares what both print of the installed metrics.
	shows := func(status int, want string) {
		t.Helper()
		for _, options := range []string{"-t", "-dfT"} {
			o, r := run(ours, status, "pminfo", "-a", archive, options, "my"), run(theirs, status, "pminfo", "-a", archive, options, "my")
			if o != r {
				t.Errorf("%s: ours\n%stheirs\n%s", options, o, r)
			}
			if options == "-t" && o != want {
				t.Errorf("got\n%swant\n%s", o, want)
			}
		}
	}
	shows(1, "")
	derive(1, "install", "bad.conf")
	shows(1, "")
	derive(0, "install", "mine.conf")
	shows(0, "my.sum [a sum]\nmy.twice [twice]\n")
	derive(1, "install", "--dir", "var/config/derived", "--force", "bad.conf")
	derive(0, "install", "other/new.conf", "mine.conf")
	if got := derive(0, "list", "-o", "csv"); strings.Count(got, ",installed,") != 3 {
		t.Errorf("the list has\n%s", got)
	}
	derive(1, "uninstall", "my.sum")
	derive(0, "uninstall", "new")
	shows(0, "my.sum [a sum]\nmy.twice [twice]\n")
	derive(0, "uninstall", "mine.conf")
	shows(1, "")
}
