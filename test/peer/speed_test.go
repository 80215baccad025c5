package peer

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A speedCase is a work that is timed.
type speedCase struct {
	name string
	runs int
	want float64
	args []string
}

// speedCases are the works that are timed, and the ratio of medians (ours to
// theirs) that design.md section 6 wants. A miss is reported, not failed: the
// machines that run this are noisy.
var speedCases = []speedCase{
	{"start-up", 41, 0.8, []string{"pminfo", "-a", "demo", "-f", "kernel.all.load"}},
	{"names of a wide archive", 21, 0.7, []string{"pminfo", "-a", "wide"}},
	{"descriptions of a wide archive", 21, 0.7, []string{"pminfo", "-a", "wide", "-dm"}},
	{"values of a wide archive", 11, 0.7, []string{"pminfo", "-a", "wide", "-f"}},
	{"values of a long archive", 21, 0.7, []string{"pminfo", "-a", "big", "-f"}},
	{"a derived metric over a long archive", 21, 0.7, []string{"pminfo", "-a", "big", "-r", "x = 1 + 2", "-df", "x"}},
}

// liveSpeedCases are works over the reference's daemon.
var liveSpeedCases = []speedCase{
	{"live: one metric", 41, 0.8, []string{"pminfo", "-f", "sample.bin"}},
	{"live: names of everything", 21, 0.7, []string{"pminfo"}},
	{"live: descriptions and values of everything", 21, 0.7, []string{"pminfo", "-df"}},
	{"live: help texts of everything", 11, 0.7, []string{"pminfo", "-T"}},
	{"live: labels of everything", 11, 0.7, []string{"pminfo", "-l"}},
}

// TestSpeed times command lines on both sides in turn and prints the ratios.
func TestSpeed(t *testing.T) {
	ours, theirs, root := setup(t)
	dir := ownArchives(t, "demo", "wide=3000", "big=5000")
	for _, c := range speedCases {
		c.time(t, ours, theirs, root, Command{Args: c.args, Dir: dir})
	}
}

// TestSpeedLive does the same over the reference's daemon.
func TestSpeedLive(t *testing.T) {
	env := liveEnv(t)
	ours, theirs, root := setup(t)
	for _, c := range liveSpeedCases {
		c.time(t, ours, theirs, root, Command{Args: c.args, Env: env})
	}
}

// time times a command line on both sides in turn. The wrapper of the reference
// starts a shell; to be fair, so does ours.
func (c *speedCase) time(t *testing.T, ours, theirs Side, root string, cmd Command) {
	wrapped := wrap(t, ours, cmd.Args[0])
	var mine, other []time.Duration
	for i := range c.runs + 1 {
		a, b := timed(t, wrapped, cmd, root), timed(t, theirs, cmd, root)
		if i > 0 { // the first run warms up
			mine, other = append(mine, a), append(other, b)
		}
	}
	ratio := float64(median(mine)) / float64(median(other))
	note := ""
	if ratio > c.want {
		note = "  MISSED"
	}
	t.Logf("%-44s ours %8.2f ms  theirs %8.2f ms  ratio %.2f (wanted %.2f)%s", c.name, ms(median(mine)), ms(median(other)), ratio, c.want, note)
}

// wrap returns a side whose command is started as those of the reference are: by a
// shell script of two lines.
func wrap(t *testing.T, s Side, command string) Side {
	t.Helper()
	dir := t.TempDir()
	text := "#!/bin/sh\nexec " + filepath.Join(s.Bin, command) + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, command), []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	return Side{dir}
}

// timed runs a command line and returns how long it took.
func timed(t *testing.T, s Side, c Command, root string) time.Duration {
	t.Helper()
	start := time.Now()
	o, err := s.Run(c, root)
	if err != nil || o.Status != 0 {
		t.Fatalf("%s: %v, status %d\n%s", c, err, o.Status, o.Stderr)
	}
	return time.Since(start)
}

// median returns the middle of ds.
func median(ds []time.Duration) time.Duration {
	ds = slices.Sorted(slices.Values(ds))
	return ds[len(ds)/2]
}

// ms returns d in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
