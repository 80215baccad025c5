//go:build linux

package archive

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/peer/harness"
)

// damageArchives are the archives that TestDamage damages: small ones that together hold everything
// an archive can hold.
var damageArchives = []string{
	"ta", "ta_v2", "alltypes", "alltypes_v2", "events", "events_v2", "indoms", "indoms_v2", "labels", "labels_v2",
	"names", "volumes", "volumes_v2", "mini", "mini_v2", "units", "noindex", "noindex_v2", "marks", "marks_v2", "gaps", "extra",
}

// damageOptions are the options of pminfo over each damaged archive.
var damageOptions = [][]string{
	{"-dmf"}, {"-l"}, {"-T"}, {"-t"}, {"-fO", "+2"}, {"-fO", "+15"}, {"-dmMtTflsI"}, {"-fzO", "-1"}, {"-fO", "-12"}, {"-x"}, {"-v"}, {"-e"}, {"-ls"}, {"-dfO", "+0"}, {},
}

// The most that one of our commands may take for a damaged archive.
const (
	damageTime   = 2 * time.Second // of the processor
	damageMemory = 64 << 20        // and 20 times the size of the files
)

// A damaged is an archive that was damaged and the command line to read it.
type damaged struct {
	harness.Command
	archivetest.Damage
	archive string
	size    int64
}

// TestDamage compares what both sides make of damaged archives. The seed is in PMTOOLS_SEED, or 1;
// PMTOOLS_RUNS is how many archives are damaged, or 600. Those with unexplained differences are
// moved to the directory PMTOOLS_KEEP, if it is set.
func TestDamage(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	checkExcuses(t)
	src, dir := harness.Own(t, damageArchives...), t.TempDir()
	tl := new(harness.Tally)
	work := make(chan damaged)
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for d := range work {
				d.compare(tl, ours, theirs, root)
				os.RemoveAll(d.Dir)
			}
		})
	}
	rng := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), 1))
	runs := harness.Number("PMTOOLS_RUNS", 600)
	for i := range runs {
		d, err := damage(rng, src, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		work <- d
	}
	close(work)
	wg.Wait()
	tl.Report(t, fmt.Sprint(runs, " damaged archives"))
}

// damage makes a damaged archive in a new directory.
func damage(rng *rand.Rand, src, dir string) (damaged, error) {
	d := damaged{archive: damageArchives[rng.IntN(len(damageArchives))]}
	files, err := archivetest.ReadFiles(filepath.Join(src, d.archive))
	if err != nil {
		return d, err
	}
	d.Damage = files.Damage(rng)
	d.Command = harness.Command{
		Args: append([]string{"pminfo", "-a", d.archive}, damageOptions[rng.IntN(len(damageOptions))]...),
		Dir:  dir, Note: d.Damage.String(), Limit: 10 * time.Second,
	}
	for _, b := range files {
		d.size += int64(len(b))
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return d, err
	}
	return d, files.Write(filepath.Join(dir, d.archive))
}

// compare compares what both sides make of a damaged archive.
func (d damaged) compare(tl *harness.Tally, ours, theirs harness.Side, root string) {
	o, err := ours.Run(d.Command, root)
	if err != nil {
		tl.Fail(err.Error())
		return
	}
	used, most := o.State.UserTime()+o.State.SystemTime(), o.Memory()
	if used > damageTime || most > damageMemory+20*d.size {
		tl.Fail(fmt.Sprintf("%s\nours took %v and %d MiB", d, used, most>>20))
		return
	}
	r, err := theirs.Run(d.Command, root)
	if err != nil {
		tl.Fail(err.Error())
		return
	}
	switch {
	case o.Equal(r):
		tl.Count(harness.Equal)
		return
	case o.Crashed() || bytes.Contains(o.Stderr, []byte("goroutine ")):
		tl.Fail(fmt.Sprintf("%s\nours died, status %d\n%s", d, o.Status, o.Stderr))
		return
	case r.Crashed():
		tl.Count(harness.Crashed)
		return
	}
	diff := &difference{damaged: d, ours: o, theirs: r, sides: [2]harness.Side{ours, theirs}, root: root}
	for _, x := range excuses {
		if x.fits(diff) {
			tl.Known(x.row)
			return
		}
	}
	if again, err := theirs.Run(d.Command, root); err == nil && !again.Equal(r) {
		tl.Count(harness.Unsteady)
		return
	}
	if keep := os.Getenv("PMTOOLS_KEEP"); keep != "" {
		os.Rename(d.Dir, filepath.Join(keep, filepath.Base(d.Dir)))
	}
	tl.Fail(filepath.Base(d.Dir) + " " + d.String() + "\n" + harness.Diff(o, r))
}

// String returns the command line and the damage.
func (d damaged) String() string { return d.Command.String() }
