//go:build linux

package peer

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A difference is what both sides made of a damaged archive, where that is not
// the same.
type difference struct {
	damaged
	ours, theirs Outcome
	sides        [2]Side
	root         string
}

// excuses are the rows of ../known-differences.md that explain differences over
// damaged archives. Each is told by what was damaged and by what the two sides
// say, as narrowly as can be.
var excuses = []struct {
	row  string
	fits func(d *difference) bool
}{
	{"A1", func(d *difference) bool { return d.Field == "block.type" && d.Value == 0 }},
	{"A3", (*difference).indexMisleads},
	{"A5", (*difference).impossibleTime},
	{"A6", (*difference).volumeSkipped},
	{"A7", (*difference).noMemory},
	{"A8", (*difference).namesBeyondRecord},
	{"A9", (*difference).impossibleID},
	{"A10", (*difference).otherDeltas},
	{"A11", func(d *difference) bool { return bytes.Contains(d.theirs.Stderr, []byte("Botch: InDom")) && noFullInDom(d) }},
	{"V2", (*difference).cutUnits},
	{"V4", (*difference).looseEvents},
}

// without runs the command on a side with a file of the archive removed.
func (d *difference) without(side int, suffix string) (Outcome, bool) {
	dir := d.Dir + "-without"
	if err := os.CopyFS(dir, os.DirFS(d.Dir)); err != nil {
		return Outcome{}, false
	}
	defer os.RemoveAll(dir)
	if err := os.Remove(filepath.Join(dir, d.archive+"."+suffix)); err != nil {
		return Outcome{}, false
	}
	c := d.Command
	c.Dir = dir
	o, err := d.sides[side].Run(c, d.root)
	return o, err == nil
}

// indexMisleads: entries of the index that point elsewhere than they should, be it
// that they were damaged or that the records were moved. Without the index both
// sides agree.
func (d *difference) indexMisleads() bool {
	if d.File != "index" && !slices.Contains([]string{"cut", "drop", "repeat", "exchange", "empty"}, d.Kind) {
		return false
	}
	theirs, ok := d.without(1, "index")
	if !ok {
		return false
	}
	if theirs.Equal(d.ours) {
		return true
	}
	ours, ok := d.without(0, "index")
	return ok && ours.Equal(theirs)
}

// impossibleTime: fractions of a second that are a second or more, and times that
// lie more than 68 years from the others.
func (d *difference) impossibleTime() bool {
	if !strings.Contains(d.Field, ".stamp") && !strings.Contains(d.Field, "label.start") {
		return false
	}
	v2 := strings.HasSuffix(d.archive, "_v2")
	switch filepath.Ext(d.Field) {
	case ".frac":
		return d.Value >= 1e9 || v2 && d.Value >= 1e6
	case ".high":
		return d.Value != 0
	case ".sec":
		return v2 && d.Value >= 1<<31 || d.Value >= 1e9+1<<31
	}
	return false
}

// volumeSkipped: a volume other than the first that has no proper label. The
// reference leaves it out when it comes upon it, and reads it nevertheless when it
// comes upon it again.
func (d *difference) volumeSkipped() bool {
	if d.File == "0" || strings.Trim(d.File, "0123456789") != "" || !strings.HasPrefix(d.Field, "label.") {
		return false
	}
	theirs, ok := d.without(1, d.File)
	return ok && theirs.Equal(d.ours)
}

// replaced returns an outcome with other texts in it.
func replaced(o Outcome, re *regexp.Regexp, with string) Outcome {
	o.Stdout, o.Stderr = re.ReplaceAll(o.Stdout, []byte(with)), re.ReplaceAll(o.Stderr, []byte(with))
	return o
}

// The texts that excuses look for.
var (
	memoryText = regexp.MustCompile(`__pmFindPDUBuf\(DEBUG\)\n|Cannot allocate memory`)
	codeText   = regexp.MustCompile(`Corrupted record in a PCP archive|Incorrect record type in an archive|Bad address`)
	scaleText  = regexp.MustCompile(`\(scale-(\d\))?| +Series: [0-9a-f]+\n`)
	botchText  = regexp.MustCompile(`(\[[^]]*\] pminfo\(\d+\) )?__pmLogUndeltaInDom: Botch: .*\n(__pmLogInDom next chain:\n(0x[0-9a-f]+ isdelta=.*\n)*)?`)
)

// noMemory: lengths and counts for which the reference tries to get memory.
func (d *difference) noMemory() bool {
	code := regexp.MustCompile(`Corrupted record in a PCP archive`)
	return bytes.Contains(slices.Concat(d.theirs.Stdout, d.theirs.Stderr), []byte("Cannot allocate memory")) &&
		replaced(d.theirs, memoryText, "").Equal(replaced(d.ours, code, ""))
}

// namesBeyondRecord: the reference reads the names of a metric beyond the end of
// their record, and what it says depends on what stands there.
func (d *difference) namesBeyondRecord() bool {
	return strings.HasPrefix(d.Field, "desc.name") && replaced(d.theirs, codeText, "").Equal(replaced(d.ours, codeText, ""))
}

// impossibleID: a metric with an identifier that has the top bit set, or that of a
// derived metric.
func (d *difference) impossibleID() bool {
	return d.Field == "desc.id" && (d.Value>>31 != 0 || d.Value>>22 == 511)
}

// otherDeltas: the reference speaks of deltas that do not fit also if they are later
// than what it was asked for.
func (d *difference) otherDeltas() bool {
	for _, line := range bytes.SplitAfter(normal(d.ours.Stderr), []byte("\n")) {
		if !bytes.Contains(normal(d.theirs.Stderr), line) {
			return false
		}
	}
	return replaced(d.theirs, botchText, "").Equal(replaced(d.ours, botchText, ""))
}

// noFullInDom: a delta without anything before it. The reference shows addresses,
// and names that are no text.
func noFullInDom(d *difference) bool {
	return bytes.Contains(d.theirs.Stderr, []byte("no full indom record")) &&
		replaced(d.theirs, botchText, "").Equal(replaced(d.ours, botchText, ""))
}

// cutUnits: units with an extra unit that has a scale, and the series that are
// computed from them.
func (d *difference) cutUnits() bool {
	return d.Field == "desc.units" && d.Value&0xff != 0 &&
		replaced(d.theirs, scaleText, "").Equal(replaced(d.ours, scaleText, ""))
}

// looseEvents: the reference does not see that parameters other than the first of a
// record lie behind the end of the value.
func (d *difference) looseEvents() bool {
	return (strings.HasPrefix(d.Field, "event.") || strings.HasPrefix(d.Field, "param.")) &&
		bytes.Contains(d.ours.Stdout, []byte("Corrupted record"))
}
