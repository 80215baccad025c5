package derive

import (
	"bytes"
	"encoding/csv"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"pmtools/test/peer/harness"
)

// TestFind asks find for words, and the reference's pminfo for the names and one-line texts in which they
// are: find has all of these. On a host with the stock definitions it finds the latency of disks.
func TestFind(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	env := append(harness.Live(t), "PCP_DERIVED_CONFIG="+filepath.Join(root, "etc/pcp/derived"))
	run := func(side harness.Side, args ...string) []byte {
		t.Helper()
		o, err := side.Run(harness.Command{Args: args, Env: env}, root)
		if err != nil || o.Status != 0 {
			t.Fatalf("%q: %v, status %d\n%s", args, err, o.Status, o.Stderr)
		}
		return o.Stdout
	}
	find := func(top string, words ...string) (names []string) {
		t.Helper()
		rows, err := csv.NewReader(bytes.NewReader(run(ours, append([]string{"pmderive", "find", "-o", "csv", "--top", top}, words...)...))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			names = append(names, row[0])
		}
		return names
	}
	if names := find("5", "disk", "latency"); !slices.Contains(names, "disk.dev.await") {
		t.Errorf("disk latency: %q", names)
	}
	list := run(theirs, "pminfo", "-t")
	for _, word := range []string{"disk", "memory", "load", "interrupts", "errors", "swap", "await"} {
		found, n := find("100000", word), 0
		for _, m := range regexp.MustCompile(`(?im)^(\S+) .*\b`+word+`\b.*$|^(\S*\b`+word+`\b\S*) .*$`).FindAllSubmatch(list, -1) {
			name := string(m[1]) + string(m[2])
			if n++; !slices.Contains(found, name) {
				t.Errorf("%s: %s is not found", word, name)
			}
		}
		if t.Logf("%s: %d of %d metrics", word, n, len(found)); n == 0 {
			t.Errorf("the reference has nothing about %s", word)
		}
	}
}
