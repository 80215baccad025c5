//go:build linux

package archive

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// A difference is what both sides made of a damaged archive, where that is not the same.
type difference struct {
	damaged
	ours, theirs harness.Outcome
	sides        [2]harness.Side
	root         string
}

// excuses are the rows of ../known-differences.md that explain differences over damaged archives.
// Each is recognised by the damage and by the output of both sides, as narrowly as possible.
var excuses = []struct {
	row  string
	fits func(d *difference) bool
}{
	{"A1", func(d *difference) bool { return d.Field == "block.type" && d.Value == 0 }},
	{"A3", (*difference).indexMisleads},
	{"A4", func(d *difference) bool { return d.File == "0" && d.Kind == "remove" && d.ours.Status == 0 }},
	{"A5", (*difference).impossibleTime},
	{"A6", (*difference).volumeSkipped},
	{"A7", (*difference).noMemory},
	{"A8", (*difference).namesBeyondRecord},
	{"A9", (*difference).impossibleID},
	{"A10", (*difference).otherDeltas},
	{"A11", (*difference).noFullInDom},
	{"A12", (*difference).labelsBeyondRecord},
	{"A13", (*difference).otherType},
	{"A14", (*difference).neighbourSwapped},
	{"A15", (*difference).searchAcross},
	{"V2", (*difference).cutUnits},
	{"V4", func(d *difference) bool {
		return strings.HasPrefix(d.Field, "event.") || strings.HasPrefix(d.Field, "param.")
	}},
	{"V8", (*difference).dumpedParam},
}

// checkExcuses checks that each excuse is explained.
func checkExcuses(t *testing.T) {
	t.Helper()
	doc, err := os.ReadFile("../../known-differences.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range excuses {
		if !bytes.Contains(doc, []byte("\n| "+x.row+" |")) {
			t.Errorf("%s is not a row of known-differences.md", x.row)
		}
	}
}

// without runs the command on a side with files of the archive removed.
func (d *difference) without(side harness.Side, suffixes ...string) (harness.Outcome, bool) {
	dir := d.Dir + "-without"
	if err := os.CopyFS(dir, os.DirFS(d.Dir)); err != nil {
		return harness.Outcome{}, false
	}
	defer os.RemoveAll(dir)
	for _, suffix := range suffixes {
		if err := os.Remove(filepath.Join(dir, d.archive+"."+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return harness.Outcome{}, false
		}
	}
	c := d.Command
	c.Dir = dir
	o, err := side.Run(c, d.root)
	return o, err == nil
}

// indexMisleads: entries of the index that point elsewhere than they should, be it that they were
// damaged or that the records were moved. Without the index both sides agree.
func (d *difference) indexMisleads() bool {
	if d.File != "index" && !slices.Contains([]string{"cut", "drop", "repeat", "exchange", "empty", "remove"}, d.Kind) {
		return false
	}
	theirs, ok := d.without(d.sides[1], "index")
	if !ok {
		return false
	}
	if theirs.Equal(d.ours) {
		return true
	}
	ours, ok := d.without(d.sides[0], "index")
	return ok && ours.Equal(theirs)
}

// impossibleTime: fractions of a second that are a second or more, and times that lie more than 68
// years from the others.
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

// volumeSkipped: a volume other than the first that has no proper label, or that of another. The
// reference leaves it out when it comes upon it, and reads it nevertheless when it comes upon it
// again.
func (d *difference) volumeSkipped() bool {
	bad := []string{d.File}
	if d.Kind == "swap" {
		bad = append(bad, d.Other)
	} else if !strings.HasPrefix(d.Field, "label.") {
		return false
	}
	for _, suffix := range bad {
		if suffix == "0" || strings.Trim(suffix, "0123456789") != "" {
			return false
		}
	}
	theirs, ok := d.without(d.sides[1], bad...)
	plain, plainOK := d.without(d.sides[1], append(bad, "index")...)
	return ok && theirs.Equal(d.ours) || plainOK && plain.Equal(d.ours)
}

// replaced returns an outcome with other texts in it.
func replaced(o harness.Outcome, re *regexp.Regexp, with string) harness.Outcome {
	o.Stdout, o.Stderr = re.ReplaceAll(o.Stdout, []byte(with)), re.ReplaceAll(o.Stderr, []byte(with))
	return o
}

// The texts that excuses look for.
var (
	memoryText = regexp.MustCompile(`__pmFindPDUBuf\(DEBUG\)\n|Cannot allocate memory`)
	codeText   = regexp.MustCompile(`Corrupted record in a PCP archive|Incorrect record type in an archive|Bad address`)
	scaleText  = regexp.MustCompile(`\(scale-(\d\))?| +Series: [0-9a-f]+\n`)
	labelText  = regexp.MustCompile(`labels \{.*`)
	valueText  = regexp.MustCompile(` value .*`)
	botchText  = regexp.MustCompile(`(\[[^]]*\] pminfo\(\d+\) )?__pmLogUndeltaInDom: Botch: .*\n(__pmLogInDom next chain:\n(0x[0-9a-f]+ isdelta=.*\n)*)?`)
)

// noMemory: lengths and counts for which the reference tries to get memory.
func (d *difference) noMemory() bool {
	code := regexp.MustCompile(`Corrupted record in a PCP archive`)
	return bytes.Contains(slices.Concat(d.theirs.Stdout, d.theirs.Stderr), []byte("Cannot allocate memory")) &&
		replaced(d.theirs, memoryText, "").Equal(replaced(d.ours, code, ""))
}

// namesBeyondRecord: the reference reads the names of a metric beyond the end of their record, and
// what it says depends on what stands there.
func (d *difference) namesBeyondRecord() bool {
	return strings.HasPrefix(d.Field, "desc.name") && replaced(d.theirs, codeText, "").Equal(replaced(d.ours, codeText, ""))
}

// impossibleID: a metric with an identifier that has the top bit set, or that of a derived metric.
func (d *difference) impossibleID() bool {
	return d.Field == "desc.id" && (d.Value>>31 != 0 || d.Value>>22 == 511)
}

// otherDeltas: the reference speaks of deltas that do not fit also if they are later than what it
// was asked for.
func (d *difference) otherDeltas() bool {
	for _, line := range bytes.SplitAfter(harness.Normal(d.ours.Stderr), []byte("\n")) {
		if !bytes.Contains(harness.Normal(d.theirs.Stderr), line) {
			return false
		}
	}
	return replaced(d.theirs, botchText, "").Equal(replaced(d.ours, botchText, ""))
}

// noFullInDom: a delta without anything before it. The reference shows addresses, and names that
// are no text.
func (d *difference) noFullInDom() bool {
	return bytes.Contains(d.theirs.Stderr, []byte("no full indom record")) &&
		replaced(d.theirs, botchText, "").Equal(replaced(d.ours, botchText, ""))
}

// labelsBeyondRecord: labels outside their text, or text beyond the end of the record. The
// reference shows what it finds in its memory.
func (d *difference) labelsBeyondRecord() bool {
	switch d.Field {
	case "label.nameoffset", "label.namelength", "label.valueoffset", "label.valuelength":
		return replaced(d.theirs, labelText, "").Equal(replaced(d.ours, labelText, ""))
	case "labels.jsonlength":
		return bytes.Contains(d.ours.Stderr, []byte("Corrupted record"))
	}
	return false
}

// otherType: a value block of another type than the metric has, where one of them is events. The
// reference shows bytes as its machine has them.
func (d *difference) otherType() bool {
	return (d.Field == "desc.type" || d.Field == "block.type") &&
		replaced(d.theirs, valueText, "").Equal(replaced(d.ours, valueText, ""))
}

// neighbourSwapped: a block of a type of 8 bytes that is shorter. The reference turns round 8 bytes
// all the same, and finds the block behind it damaged.
func (d *difference) neighbourSwapped() bool {
	return (d.Field == "block.type" || d.Field == "block.length") && bytes.Contains(d.theirs.Stdout, []byte("Corrupted record"))
}

// searchAcross: a record without the value sets that it says it has, on the way back from an entry
// of the index. The reference passes over some and not over others.
func (d *difference) searchAcross() bool {
	return d.Field == "data.sets" && slices.ContainsFunc(d.Args, func(a string) bool { return strings.HasSuffix(a, "O") }) &&
		bytes.Contains(d.theirs.Stdout, []byte("Corrupted record"))
}

// cutUnits: units with an extra unit that has a scale, and the series that are computed from them.
func (d *difference) cutUnits() bool {
	return d.Field == "desc.units" && d.Value&0xff != 0 &&
		replaced(d.theirs, scaleText, "").Equal(replaced(d.ours, scaleText, ""))
}

// dumpedParam: the reference lists parameters as it lists any, which it cannot take apart: one that
// is shorter than its type has bytes of what follows.
func (d *difference) dumpedParam() bool {
	return bytes.Contains(d.theirs.Stderr, []byte("Event Records Dump")) && bytes.Contains(d.ours.Stderr, []byte(" : bad length ")) &&
		bytes.Equal(d.ours.Stdout, d.theirs.Stdout)
}
