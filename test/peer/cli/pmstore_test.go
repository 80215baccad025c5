package cli

import (
	"regexp"
	"testing"

	"pmtools/test/peer/harness"
)

// storeFiles are the files that cases/pmstore.txt names.
var storeFiles = map[string]string{
	"defs": "d.single = sample.write_me + 1\nd.bin = sample.bin\nd.gone = no.such + 1\nd.string = sample.string.write_me\nd.five = mkconst(5)\n" +
		"d.delta = delta(sample.write_me)\nd.red = matchinst(/^red$/, sample.colour)\nd.sum = sum(sample.bin)\n",
	"hides": "sample.write_me = sample.bin\nsample.write_me.below = 1\n",
	"bad":   "d.good = sample.bin\nd.bad = 1 +\n",
	"names": "root {\n\tmine\n}\nmine {\n\tmetric\t29:0:0\n\twrite\t29:0:1\n\tunknown\t29:9:999\n\tagent\t199:0:0\n}\n",
}

// TestStore compares stores to live metrics: the command lines of cases/pmstore.txt.
func TestStore(t *testing.T) {
	s := harness.NewStand(t)
	s.Live(t)
	dir := harness.WriteFiles(t, storeFiles)
	for _, words := range harness.CaseLines(t, "pmstore.txt") {
		c := harness.Command{Dir: dir}
		for len(words) > 0 && variable.MatchString(words[0]) {
			c.Env, words = append(c.Env, words[0]), words[1:]
		}
		c.Args = append([]string{"pmstore"}, words...)
		s.Compare(c, shown(words)...)
	}
	s.Report(t)
}

// variable is an assignment to a variable of the environment, or one that is not set.
var variable = regexp.MustCompile(`^([A-Z_]+=|-(PMCD|PCP)_)`)

// shown returns the metric among the words of a command line, unless its values depend on the time.
func shown(words []string) []string {
	for _, w := range words {
		if steady.MatchString(w) {
			return []string{w}
		}
	}
	return nil
}

// steady are the metrics of the demonstration agents whose values do not depend on the time.
var steady = regexp.MustCompile(`^(sample|simple|pmcd\.control)\.([^e]|error_code)`)
