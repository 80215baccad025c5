package peer

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
)

// setup returns the two sides and the reference's root, or skips: the root is
// named by PMTOOLS_PEER, our commands by PMTOOLS_BIN.
func setup(t *testing.T) (ours, theirs Side, root string) {
	t.Helper()
	root = os.Getenv("PMTOOLS_PEER")
	if root == "" {
		t.Skip("PMTOOLS_PEER does not name a root of the reference (make peer sets it): no differential run")
	}
	bin := os.Getenv("PMTOOLS_BIN")
	if bin == "" {
		t.Fatal("PMTOOLS_BIN does not name the directory of our commands")
	}
	return Side{bin}, Side{filepath.Join(root, "bin-host")}, root
}

// tally counts what a differential run found.
type tally struct {
	sync.Mutex
	equal, differ, known, crashed, unsteady int
	failures                                []string
	knownBy                                 map[string]int
}

// compare runs all commands on both sides and fails the test for each difference
// that known.txt does not explain.
func compare(t *testing.T, commands []Command) {
	t.Helper()
	ours, theirs, root := setup(t)
	known := loadKnown(t)
	tl := &tally{knownBy: map[string]int{}}
	work := make(chan Command)
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for c := range work {
				tl.one(c, ours, theirs, root, known)
			}
		})
	}
	for _, c := range commands {
		work <- c
	}
	close(work)
	wg.Wait()
	sort.Strings(tl.failures)
	for i, f := range tl.failures {
		if i == 40 {
			t.Errorf("and %d more", len(tl.failures)-i)
			break
		}
		t.Error(f)
	}
	var by []string
	for id, n := range tl.knownBy {
		by = append(by, fmt.Sprintf("%s:%d", id, n))
	}
	sort.Strings(by)
	t.Logf("%d command lines: %d equal, %d unexplained differences, %d known differences (%s), reference crashed %d, reference not steady %d",
		len(commands), tl.equal, tl.differ, tl.known, strings.Join(by, " "), tl.crashed, tl.unsteady)
}

// one compares one command line.
func (tl *tally) one(c Command, ours, theirs Side, root string, known []knownCase) {
	o, err := ours.Run(c, root)
	if err != nil {
		tl.fail(err.Error())
		return
	}
	r, err := theirs.Run(c, root)
	if err != nil {
		tl.fail(err.Error())
		return
	}
	switch {
	case o.Equal(r):
		tl.count(&tl.equal)
		return
	case o.Crashed():
		tl.fail(fmt.Sprintf("%s\nours died, status %d\n%s", c, o.Status, o.Stderr))
		return
	case r.Crashed():
		tl.count(&tl.crashed)
		return
	}
	text := c.String()
	for _, k := range known {
		if k.command.MatchString(text) {
			tl.Lock()
			tl.known++
			tl.knownBy[k.id]++
			tl.Unlock()
			return
		}
	}
	for range 4 { // what depends on memory that nobody set may come out the same a few times
		if again, err := theirs.Run(c, root); err == nil && !again.Equal(r) {
			tl.count(&tl.unsteady)
			return
		}
	}
	tl.fail(text + "\n" + Diff(o, r))
}

// count adds one to a counter of tl.
func (tl *tally) count(n *int) {
	tl.Lock()
	*n++
	tl.Unlock()
}

// fail records an unexplained difference.
func (tl *tally) fail(text string) {
	tl.Lock()
	tl.differ++
	tl.failures = append(tl.failures, text)
	tl.Unlock()
}

// A knownCase is a line of known.txt: the row of test/known-differences.md that
// explains a difference, and the command lines where it may be seen.
type knownCase struct {
	id      string
	command *regexp.Regexp
}

// loadKnown reads known.txt and checks that each of its rows is explained.
func loadKnown(t *testing.T) []knownCase {
	t.Helper()
	list, err := os.ReadFile("known.txt")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../known-differences.md")
	if err != nil {
		t.Fatal(err)
	}
	var known []knownCase
	for i, l := range strings.Split(string(list), "\n") {
		if l == "" || l[0] == '#' {
			continue
		}
		id, re, ok := strings.Cut(l, "\t")
		if !ok || !strings.Contains(string(doc), "| "+id+" |") {
			t.Fatalf("known.txt:%d: no tab, or %q is not a row of known-differences.md", i+1, id)
		}
		known = append(known, knownCase{id, regexp.MustCompile(re)})
	}
	return known
}
