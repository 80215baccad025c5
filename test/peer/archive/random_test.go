package archive

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// randomOptions are the options that TestRandom puts together.
var randomOptions = [][]string{
	{"-d"}, {"-m"}, {"-M"}, {"-t"}, {"-T"}, {"-l"}, {"-s"}, {"-f"}, {"-F"}, {"-x"}, {"-I"}, {"-1"}, {"-v"}, {"-e"},
	{"-b", "1"}, {"-b", "7"}, {"-z"}, {"-Z", "EST5EDT"}, {"-Z", "Asia/Tokyo"}, {"-Z", "AEST-10AEDT,M10.1.0,M4.1.0/3"},
	{"-O", "+0"}, {"-O", "+1"}, {"-O", "+7.3"}, {"-O", "+30sec"}, {"-O", "+10min"}, {"-O", "-0s"}, {"-O", "-10"}, {"-O", "-1min"}, {"-O", "@12:00"}, {"-O", "1 hour ago"}, {"-O", "bogus"},
	{"-dm"}, {"-fl"}, {"-ls"}, {"-tT"}, {"-dfmM"}, {"--fetch"}, {"--fullpmid"}, {"--desc-one"}, {"--lab"}, {"--full"},
	{"-r", "x.y = 1 + 1"}, {"-r", "x.z=no.such"}, {"-r", "x"}, {"-Q"}, {"-V"},
}

// TestRandom compares command lines of random options and operands. The seed is in PMTOOLS_SEED, or
// 1; PMTOOLS_RUNS is how many, or 1500.
func TestRandom(t *testing.T) {
	ours, _, root := harness.Setup(t)
	rng := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), 0))
	dir := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	archives := harness.Suite(t, dir)
	names := map[string][]string{}
	var cs []harness.Command
	for range harness.Number("PMTOOLS_RUNS", 1500) {
		a := archives[rng.IntN(len(archives))]
		if names[a] == nil {
			names[a] = operandsOf(t, ours, root, dir, a)
		}
		args := []string{"pminfo", "-a", a}
		for range rng.IntN(4) {
			args = append(args, randomOptions[rng.IntN(len(randomOptions))]...)
		}
		for range 1 + rng.IntN(3) {
			args = append(args, names[a][rng.IntN(len(names[a]))])
		}
		cs = append(cs, harness.Command{Args: args, Dir: dir})
	}
	harness.Compare(t, cs)
}

// operandsOf returns operands for an archive: names of leaves and of inner nodes, identifiers of
// metrics and of instance domains, and some that do not exist.
func operandsOf(t *testing.T, ours harness.Side, root, dir, archive string) []string {
	t.Helper()
	o, err := ours.Run(harness.Command{Args: []string{"pminfo", "-a", archive, "-dm"}, Dir: dir}, root)
	if err != nil {
		t.Fatal(err)
	}
	ops := []string{"no.such", "1.2.3", "1.2", "", "event", "x.y", "x."}
	for _, l := range bytes.Split(o.Stdout, []byte("\n")) {
		w := strings.Fields(string(l))
		switch {
		case len(w) == 3 && w[1] == "PMID:":
			ops = append(ops, w[0], w[0], w[2])
			if i := strings.LastIndexByte(w[0], '.'); i > 0 && strings.Count(w[0], ".") > 1 {
				ops = append(ops, w[0][:i])
			}
		case len(w) > 2 && w[0] == "Data":
			for i := range w {
				if w[i] == "InDom:" && w[i+1] != "PM_INDOM_NULL" {
					ops = append(ops, w[i+1])
				}
			}
		}
	}
	if len(ops) < 10 {
		t.Logf("%s has hardly any names", archive)
	}
	return ops
}
