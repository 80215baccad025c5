package derive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/golden"
	"pmtools/test/peer/harness"
)

// Where the random expressions are kept that the tests of pminfo replay, and how many there are for
// each archive.
const (
	keptFiles  = "../../../cmd/pminfo/testdata"
	keptEach   = 70
	keptInFile = 5 // archives in a transcript
	keptSeed   = 20261
)

// TestRecordRandom makes new transcripts of random expressions over the project's own archives, if
// PMTOOLS_RECORD is "random"; only such as have no known difference. Their outcomes are renewed by
// TestRecord.
func TestRecordRandom(t *testing.T) {
	d := newRun(t)
	if os.Getenv("PMTOOLS_RECORD") != "random" {
		t.Skip("PMTOOLS_RECORD is not random: the expressions stay as they are")
	}
	own := harness.Own(t, "all")
	total := 0
	var entries []golden.Entry
	for i, a := range derivedOwn {
		w := readWorld(t, d.ours, d.root, filepath.Join(own, a))
		texts := d.keep(t, w, i)
		total += len(texts)
		file := "random-" + a + ".conf"
		b, err := newBatch(w, filepath.Join(keptFiles, file), texts)
		if err != nil {
			t.Fatal(err)
		}
		args := b.args(w)
		args[2], args[4] = a, file
		entries = append(entries, golden.Entry{Line: strings.Join(args, " "), Args: args})
		if len(entries) == keptInFile || i == len(derivedOwn)-1 {
			d.write(t, fmt.Sprintf("random-%d.txt", i/keptInFile+1), own, entries)
			entries = nil
		}
	}
	t.Logf("%d expressions", total)
}

// keep returns random expressions on which both sides agree, in one file.
func (d *derivedRun) keep(t *testing.T, w *world, n int) []string {
	t.Helper()
	const each = 20 // expressions over the same metrics
	var g *generator
	seen := map[string]bool{}
	var texts []string
	for tries := 0; len(texts) < keptEach && tries < 10*keptEach; tries++ {
		if tries%each == 0 {
			g = newGenerator(w, keptSeed, uint64(100*n+tries/each))
		}
		if text := g.expression(); !seen[text] && text == strings.ToValidUTF8(text, "") {
			seen[text] = true
			_, r, err := d.both(w, "one", []string{text})
			if err == nil && r != nil {
				texts = append(texts, text)
			}
		}
	}
	for range 10 {
		o, r, err := d.both(w, "all", texts)
		if err != nil || r == nil {
			t.Fatalf("%s: %v, or the reference died", w.archive, err)
		}
		var same []string
		for i, text := range texts {
			if o[i] == r[i] {
				same = append(same, text)
			}
		}
		if len(same) == len(texts) {
			return texts
		}
		texts = same
	}
	t.Fatalf("%s: the reference is not steady", w.archive)
	return nil
}

// write writes a transcript of what the reference prints.
func (d *derivedRun) write(t *testing.T, file, own string, entries []golden.Entry) {
	t.Helper()
	for i := range entries {
		o, err := d.theirs.Run(harness.Command{Args: harness.Beside(entries[i].Args, own, keptFiles), Dir: own}, d.root)
		if err != nil {
			t.Fatal(err)
		}
		entries[i].Stdout, entries[i].Stderr, entries[i].Status = string(o.Stdout), string(o.Stderr), o.Status
	}
	const head = "# PCP 7.2.2 (pminfo of Debian's package pcp), TZ=UTC: random expressions made by TestRecordRandom; renewed by make record.\n"
	if err := os.WriteFile(filepath.Join(keptFiles, "golden", file), []byte(golden.Format(head, entries)), 0o666); err != nil {
		t.Fatal(err)
	}
}
