//go:build unix

package cli

import (
	"path/filepath"
	"testing"
	"time"

	"pmtools/test/peer/harness"
)

// maxSummarize is the processor time of a summary, of pmlogsummary's, over the archives of
// TestSpeedSummarize together. 2 is wanted and reached but for noise; more than maxSummarize is a cost that
// grows faster than the archive.
const maxSummarize = 3

// TestSpeedSummarize compares the processor time of summaries of PCP's test archives with that of
// pmlogsummary, in turn: the least of five runs each. It takes each tenth archive.
func TestSpeedSummarize(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	dir := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	wrapped := wrap(t, ours, "pmderive")
	spent := func(s harness.Side, args ...string) time.Duration {
		o, err := s.Run(harness.Command{Args: args, Dir: dir}, root)
		if err != nil {
			t.Fatal(err)
		}
		return o.State.UserTime() + o.State.SystemTime()
	}
	var mine, other time.Duration
	for i, name := range harness.Suite(t, dir) {
		if i%10 != 0 {
			continue
		}
		a, b := time.Hour, time.Hour
		for range 5 {
			a = min(a, spent(wrapped, "pmderive", "-a", name, "summarize", "--instances", "-o", "csv"))
			b = min(b, spent(theirs, "pmlogsummary", "-bmMy", name))
		}
		t.Logf("%-32s ours %6.1f ms  theirs %6.1f ms  ratio %.2f", name, ms(a), ms(b), float64(a)/float64(b))
		mine, other = mine+a, other+b
	}
	ratio := float64(mine) / float64(other)
	t.Logf("%-32s ours %6.1f ms  theirs %6.1f ms  ratio %.2f (wanted 2)", "all of them", ms(mine), ms(other), ratio)
	if ratio > maxSummarize {
		t.Errorf("a summary takes %.2f times the reference's processor time, want at most %d", ratio, maxSummarize)
	}
}
