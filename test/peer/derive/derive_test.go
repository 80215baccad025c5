package derive

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "pmtools/test/env"
	"pmtools/test/peer/harness"
)

// perBatch is how many definitions stand in one file.
const perBatch = 30

// TestDerived compares random derived metrics. The seed is in PMTOOLS_SEED, or 1; PMTOOLS_RUNS is
// how many, or 2000.
func TestDerived(t *testing.T) {
	d := newRun(t)
	seed, runs := harness.Number("PMTOOLS_SEED", 1), harness.Number("PMTOOLS_RUNS", 2000)
	worlds := append(derivedWorlds(t, d.ours, d.root), liveWorld(t, d.ours, d.root)...)
	for _, w := range worlds {
		w.names = harness.NameSpace(t, d.ours, d.root, d.dir, w.source...)
	}
	work := make(chan int)
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for n := range work {
				g := newGenerator(worlds[n%len(worlds)], uint64(seed), uint64(n))
				w := g.w
				if w.source[0] == "-a" {
					w = w.from(g.pick("", "", "", "+1", "+2.5", "+5"))
				}
				var texts []string
				for range min(perBatch, runs-n*perBatch) {
					texts = append(texts, g.expression())
				}
				d.batch(w, fmt.Sprint(n), texts)
			}
		})
	}
	for n := range (runs + perBatch - 1) / perBatch {
		work <- n
	}
	close(work)
	wg.Wait()
	d.report(t, runs)
}

// TestKnownParts checks that the rows by which differences are explained are in the list of known
// differences.
func TestKnownParts(t *testing.T) {
	doc, err := os.ReadFile("../../known-differences.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range knownParts {
		if !bytes.Contains(doc, []byte("| "+k.row+" |")) {
			t.Errorf("%s is not a row of known-differences.md", k.row)
		}
	}
}

// A derivedRun compares definitions and counts the outcomes.
type derivedRun struct {
	ours, theirs harness.Side
	root, dir    string

	sync.Mutex
	counts   map[string]int
	seen     map[string][]string // by row of known-differences.md
	failures []string
}

// count adds to a counter.
func (d *derivedRun) count(what string, n int) {
	d.Lock()
	d.counts[what] += n
	d.Unlock()
}

// fail records an unexplained difference.
func (d *derivedRun) fail(format string, args ...any) {
	d.Lock()
	d.counts["unexplained"]++
	d.failures = append(d.failures, fmt.Sprintf(format, args...))
	d.Unlock()
}

// both runs a batch on both sides. If the reference dies there are no parts of it.
func (d *derivedRun) both(w *world, id string, texts []string) (o, r []part, err error) {
	b, err := newBatch(w, filepath.Join(d.dir, id), texts)
	if err != nil {
		return nil, nil, err
	}
	c := harness.Command{Args: b.args(w)}
	mine, err := d.ours.Run(c, d.root)
	if err != nil {
		return nil, nil, err
	}
	if mine.Crashed() || bytes.Contains(mine.Stderr, []byte("goroutine ")) {
		return nil, nil, fmt.Errorf("ours died, status %d: %.300s", mine.Status, mine.Stderr)
	}
	other, err := d.theirs.Run(c, d.root)
	if err != nil {
		return nil, nil, err
	}
	if o, err = b.split(mine); err != nil || other.Crashed() || bytes.Contains(other.Stderr, []byte("__dmpostvalueset")) {
		return o, nil, err
	}
	if r, err = b.split(other); err != nil {
		r = nil // stray output is as bad as a crash
	}
	return o, r, nil
}

// batch compares definitions in one file. If the reference dies, those of each half are tried by
// themselves.
func (d *derivedRun) batch(w *world, id string, texts []string) {
	o, r, err := d.both(w, id, texts)
	switch {
	case err != nil:
		d.fail("%s: %v\n%s", w.archive, err, strings.Join(texts, "\n"))
		return
	case r == nil && len(texts) == 1:
		d.count("expressions", 1)
		d.known("crash", w, id, texts[0], o[0], part{})
		return
	case r == nil:
		d.batch(w, id+"a", texts[:len(texts)/2])
		d.batch(w, id+"b", texts[len(texts)/2:])
		return
	}
	for i, text := range texts {
		d.count("expressions", 1)
		if o[i].valid() {
			d.count("valid", 1)
		}
		if o[i] == r[i] {
			d.count("equal", 1)
		} else {
			d.alone(w, fmt.Sprintf("%s-%d", id, i), text, o[i], r[i])
		}
		if i%8 == 0 {
			d.registered(w, id, text, i/8)
		}
	}
}

// leak counts what differs only among other definitions.
const leak = "leaks of the reference"

// alone compares a definition by itself, after a difference among others.
func (d *derivedRun) alone(w *world, id, text string, ours, theirs part) {
	o, r, err := d.both(w, id, []string{text})
	switch {
	case err != nil:
		d.fail("%s: %v\n%s", w.archive, err, text)
	case r == nil:
		d.known("crash", w, id, text, o[0], part{})
	case o[0] == r[0] && o[0].nameless() == ours.nameless():
		kind := leak
		if strings.Contains(text, "/") && strings.Contains(theirs.err, "syntax error") {
			kind = leak + ": matchinst before"
		}
		d.Lock()
		d.counts[kind]++
		d.seen[kind] = append(d.seen[kind], fmt.Sprintf("%s %s\t%s\n%s", id, w.archive, text, diffParts(ours, theirs)))
		d.Unlock()
	case o[0] == r[0]:
		d.fail("%s (%s): ours differs when alone\n%s\n%s", w.archive, id, text, diffParts(ours, o[0]))
	default:
		d.known("", w, id, text, o[0], r[0])
	}
}

// metaCopied finds metadata copied from a metric, which the reference ignores in what is defined by
// -r.
var metaCopied = regexp.MustCompile(`(?:mkconst|novalue)\(.*meta[\s\v]*=`)

// registered compares a definition given by -r, for the source alone; now and then with a local name
// space or with debug output.
func (d *derivedRun) registered(w *world, id, text string, n int) {
	args := w.registration(text)
	switch n % 4 {
	case 1:
		args = append(args, "-n", w.names)
	case 2:
		args = append(args, "-Dderive")
	}
	c := harness.Command{Args: args}
	o, err := d.ours.Run(c, d.root)
	if err != nil {
		d.fail("%v", err)
		return
	}
	r, err := d.theirs.Run(c, d.root)
	switch {
	case err != nil:
		d.fail("%v", err)
	case o.Equal(r):
		d.count("equal by -r", 1)
	case metaCopied.MatchString(text):
		d.count("D6 by -r", 1)
	case r.Crashed():
		d.known("crash by -r", w, id, text, outcomePart(o), part{})
	default:
		d.known("", w, id, text, outcomePart(o), outcomePart(r))
	}
}

// registration returns a command line that defines x.y for the source alone and shows it.
func (w *world) registration(text string) []string {
	return append(append([]string{"pminfo"}, w.source...), "-r", "x.y="+text, "-dfm", "x.y")
}

// outcomePart is a whole outcome as a part.
func outcomePart(o harness.Outcome) part { return part{string(o.Stdout), string(o.Stderr)} }

// known counts a difference by its row in known-differences.md, or as one that is not explained.
func (d *derivedRun) known(crash string, w *world, id, text string, ours, theirs part) {
	row := d.classify(w, id, text, crash != "", ours, theirs)
	if row == "" {
		d.fail("%s %s\n%s", crash, harness.Command{Args: append(w.registration(text), "-O", cmp.Or(w.origin, "+0"))}, diffParts(ours, theirs))
		return
	}
	row = strings.TrimSpace(row + " " + crash)
	d.Lock()
	d.counts[row]++
	d.seen[row] = append(d.seen[row], fmt.Sprintf("%s\t%s\n%s", w.archive, text, diffParts(ours, theirs)))
	d.Unlock()
}

// diffParts shows the differences of two parts.
func diffParts(ours, theirs part) string {
	return harness.Diff(harness.Outcome{Stdout: []byte(ours.out), Stderr: []byte(ours.err)}, harness.Outcome{Stdout: []byte(theirs.out), Stderr: []byte(theirs.err)})
}

// newRun returns a run without counts.
func newRun(t *testing.T) *derivedRun {
	ours, theirs, root := harness.Setup(t)
	return &derivedRun{ours: ours, theirs: theirs, root: root, dir: t.TempDir(), counts: map[string]int{}, seen: map[string][]string{}}
}

// report fails the test for unexplained differences, and logs the counts.
func (d *derivedRun) report(t *testing.T, runs int) {
	t.Helper()
	slices.Sort(d.failures)
	for i, f := range d.failures {
		if i == 40 {
			t.Errorf("and %d more", len(d.failures)-i)
			break
		}
		t.Error(f)
	}
	for _, what := range slices.Sorted(maps.Keys(d.counts)) {
		t.Logf("%7d %s", d.counts[what], what)
	}
	if show := harness.Number("PMTOOLS_SHOW", 0); show > 0 { // known differences, to look at
		for _, row := range slices.Sorted(maps.Keys(d.seen)) {
			for _, s := range d.seen[row][:min(show, len(d.seen[row]))] {
				t.Logf("%s %s", row, s)
			}
		}
	}
	if d.counts["valid"]*10 < runs*3 {
		t.Errorf("only %d of %d expressions are well-formed", d.counts["valid"], runs)
	}
}
