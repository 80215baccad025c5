package harness

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
)

// A Verdict is the result of a comparison.
type Verdict int

const (
	Equal    Verdict = iota
	Crashed          // the reference crashed
	Unsteady         // the reference does not print the same again
	differ
)

// A Tally counts what the comparisons of a test found. It may be used by several goroutines.
type Tally struct {
	rows []row // that explain differences

	mu       sync.Mutex
	counts   [differ]int
	known    map[string]int // by row of known-differences.md
	failures []string
}

// Count counts a comparison.
func (tl *Tally) Count(v Verdict) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	tl.counts[v]++
}

// Known counts a difference that a row of known-differences.md explains.
func (tl *Tally) Known(id string) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	if tl.known == nil {
		tl.known = make(map[string]int)
	}
	tl.known[id]++
}

// Fail records an unexplained difference.
func (tl *Tally) Fail(text string) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	tl.failures = append(tl.failures, text)
}

// Report fails the test for each unexplained difference, and logs the counts.
func (tl *Tally) Report(t *testing.T, what string) {
	t.Helper()
	sort.Strings(tl.failures)
	for i, f := range tl.failures {
		if i == 40 {
			t.Errorf("and %d more", len(tl.failures)-i)
			break
		}
		t.Error(f)
	}
	var by []string
	known := 0
	for id, n := range tl.known {
		by = append(by, fmt.Sprintf("%s:%d", id, n))
		known += n
	}
	sort.Strings(by)
	t.Logf("%s: %d equal, %d unexplained differences, %d known differences (%s), reference crashed %d, reference not steady %d",
		what, tl.counts[Equal], len(tl.failures), known, strings.Join(by, " "), tl.counts[Crashed], tl.counts[Unsteady])
}

// Compare runs all commands on both sides and fails the test for each difference that known.txt
// does not explain.
func Compare(t *testing.T, commands []Command) {
	t.Helper()
	ours, theirs, root := Setup(t)
	tl := &Tally{rows: loadKnown(t)}
	work := make(chan Command)
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for c := range work {
				tl.compare(c, ours, theirs, root)
			}
		})
	}
	for _, c := range commands {
		work <- c
	}
	close(work)
	wg.Wait()
	tl.Report(t, fmt.Sprint(len(commands), " command lines"))
}

// compare compares one command line.
func (tl *Tally) compare(c Command, ours, theirs Side, root string) {
	o, err := ours.Run(c, root)
	if err != nil {
		tl.Fail(err.Error())
		return
	}
	r, err := theirs.Run(c, root)
	switch {
	case err != nil:
		tl.Fail(err.Error())
		return
	case o.Equal(r):
		tl.Count(Equal)
		return
	case tl.explained(c, o, r):
		return
	}
	for range 4 { // uninitialised memory may print the same a few times
		if again, err := theirs.Run(c, root); err == nil && !again.Equal(r) {
			tl.excuse(c)
			tl.Count(Unsteady)
			return
		}
	}
	tl.Fail(c.String() + "\n" + Diff(o, r))
}

// excuse notes the rows that might have explained a command line on which the reference crashed, or
// is not steady: this time they could not show.
func (tl *Tally) excuse(c Command) {
	for i := range tl.rows {
		if tl.rows[i].command.MatchString(c.String()) {
			tl.rows[i].fired()
		}
	}
}

// explained counts a difference if a row of known.txt explains it, or a crash of the reference, and
// reports whether it did.
func (tl *Tally) explained(c Command, o, r Outcome) bool {
	if o.Crashed() {
		return false
	}
	if r.Crashed() {
		tl.excuse(c)
		tl.Count(Crashed)
		return true
	}
	used := explain(tl.rows, c.String(), lonely(o, r))
	for _, k := range used {
		k.fired()
		tl.Known(k.id)
	}
	return used != nil
}
