package derive

import (
	"path/filepath"
	"testing"

	"pmtools/test/peer/harness"
)

// TestInstances selects instances that come and go of an archive that is read between its records:
// names of which time count, and when they are asked for again (derived.md D8.6).
func TestInstances(t *testing.T) {
	_, _, root := harness.Setup(t)
	archives := []string{
		filepath.Join(root, "var/lib/pcp/testsuite/archives/mirage-3"), filepath.Join(harness.Own(t, "indoms"), "indoms"),
	}
	var cs []harness.Command
	for i, m := range []string{"sample.mirage", "t.i"} {
		file := filepath.Join(harness.WriteFiles(t, map[string]string{"defs": "d.m = matchinst(/^[mot]/, " + m + ")\n" +
			"d.n = matchinst(!/1|two/, " + m + ")\nd.one = " + m + "[m-03]\nd.two = " + m + "[two]\n" +
			"d.k = mkconst(1, type=32, meta=" + m + ")\n"}), "defs")
		for _, name := range []string{"d.m", "d.n", "d.one", "d.two", "d.k"} {
			for _, window := range [][]string{
				{"-t", "20msec", "-S", "0.007"}, {"-t", "33msec", "-S", "0.3005"}, {"-t", "1"}, {"-t", "7msec", "-s", "1000"}, {"-t", "1.5", "-O", "-10sec"}, {"-U"},
			} {
				args := append([]string{"pmval", "-z", "-f", "0", "-a", archives[i], "--derived", file}, window...)
				cs = append(cs, harness.Command{Args: append(args, name)})
			}
		}
	}
	harness.Compare(t, cs)
}
