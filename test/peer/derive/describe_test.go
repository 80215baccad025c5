package derive

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// A described is what our describe writes of a metric, as far as the reference's pminfo shows it.
type described struct {
	Metric, PMID, Type, Semantics, Units, InDom, OneLine, Help string
	Labels                                                     json.RawMessage
	Values                                                     struct {
		List []struct {
			Instance *struct {
				ID   int32
				Name string
			}
			Value json.RawMessage
		}
	}
}

// typeTexts are the types as pminfo shows them.
var typeTexts = map[string]string{
	"32": "32-bit int", "U32": "32-bit unsigned int", "64": "64-bit int", "U64": "64-bit unsigned int", "FLOAT": "float", "DOUBLE": "double",
	"STRING": "string", "AGGREGATE": "aggregate", "EVENT": "event record array", "HIGHRES_EVENT": "highres event record array",
	"AGGREGATE_STATIC": "static aggregate", "NO_SUPPORT": "Not Supported",
}

// TestDescribe compares the texts, descriptions, labels and values of describe with those of the
// reference's pminfo, metric by metric. In an archive the reference finds the labels of a cluster for its
// item 0 only, so no archive here has labels of clusters.
func TestDescribe(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	own := harness.Own(t, "demo", "ta", "alltypes", "indoms", "units")
	suite := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	n := 0
	for _, base := range []string{
		filepath.Join(own, "demo"), filepath.Join(own, "ta"), filepath.Join(own, "alltypes"),
		filepath.Join(own, "indoms"), filepath.Join(own, "units"),
		filepath.Join(suite, "sample-secs"), filepath.Join(suite, "ok-foo"), filepath.Join(suite, "procpid-encode"), filepath.Join(suite, "viewqa1"),
	} {
		t.Run(filepath.Base(base), func(t *testing.T) {
			n += compareDescribed(t, ours, theirs, root, []string{"-a", base}, nil, 40)
		})
	}
	t.Run("live", func(t *testing.T) {
		n += compareDescribed(t, ours, theirs, root, nil, harness.Live(t), 30)
	})
	if t.Logf("%d metrics", n); n < 100 && !t.Failed() {
		t.Errorf("only %d metrics were compared", n)
	}
}

// compareDescribed compares at most so many metrics of a source, and returns how many.
func compareDescribed(t *testing.T, ours, theirs harness.Side, root string, source, env []string, most int) int {
	run := func(side harness.Side, args ...string) harness.Outcome {
		o, err := side.Run(harness.Command{Args: args, Env: env}, root)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	names := strings.Fields(string(run(theirs, append([]string{"pminfo"}, source...)...).Stdout))
	if len(names) == 0 {
		t.Skip("the reference has no metrics of this source")
	}
	live, n := env != nil, 0
	for i := 0; i < len(names); i += max(1, len(names)/most) {
		name := names[i]
		if strings.HasPrefix(name, "event.") {
			continue
		}
		o := run(ours, append(append([]string{"pmderive"}, source...), "describe", "-o", "json", name)...)
		var d described
		if err := json.Unmarshal(o.Stdout, &d); err != nil {
			t.Errorf("describe %s: %v\n%s%s", name, err, o.Stdout, o.Stderr)
			continue
		}
		r := run(theirs, append(append([]string{"pminfo"}, source...), "-mdftTl", name)...)
		want := theirPage(string(r.Stdout), live)
		if got := d.text(live); got != want {
			t.Errorf("describe %s\n%s\npminfo\n%s", name, got, want)
		}
		n++
	}
	return n
}

var (
	noLine    = regexp.MustCompile(`(?m) One-line Help: Error: .*$|( PMID: \S+) \[\]$`)
	noHelp    = regexp.MustCompile(`(?m)^(Full Help: Error: .*|Help: <empty entry>)\n`)
	ofInst    = regexp.MustCompile(`(?m)^    inst \[.*\] labels .*\n`)
	liveValue = regexp.MustCompile(`(?m)^    (inst \[.*\] )?value .*\n`)
	noNumber  = regexp.MustCompile(` value (?:-?inf|-?nan)\n`) // which JSON has no form for
	noValues  = regexp.MustCompile(`(?m)^(No value\(s\) available!|Error: .*|pmNameIndom: .*)\n`)
	values    = regexp.MustCompile(`(?:    inst \[-?\d+ or .*\n)+`)
	inDomHex  = regexp.MustCompile(` (0x[0-9a-f]+)\n`)
)

// theirPage returns what pminfo shows without the labels of instances, and of a live source without
// values.
func theirPage(text string, live bool) string {
	text = noLine.ReplaceAllString(text, "$1")
	text = noHelp.ReplaceAllString(text, "")
	text = ofInst.ReplaceAllString(text, "")
	text = inDomHex.ReplaceAllString(text, "\n")
	text = noNumber.ReplaceAllString(text, " value null\n")
	text = noValues.ReplaceAllString(text, "")
	text = values.ReplaceAllStringFunc(text, byInstance)
	if live {
		text = liveValue.ReplaceAllString(text, "")
	}
	return strings.TrimLeft(text, "\n")
}

// byInstance sorts lines by the identifiers of their instances.
func byInstance(text string) string {
	id := func(line string) int {
		n, _ := strconv.Atoi(strings.Fields(line)[1][1:])
		return n
	}
	lines := slices.Collect(strings.Lines(text))
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(id(a), id(b)) })
	return strings.Join(lines, "")
}

// text returns a page in the form of pminfo.
func (d *described) text(live bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s PMID: %s", d.Metric, d.PMID)
	if d.OneLine != "" {
		fmt.Fprintf(&b, " [%s]", d.OneLine)
	}
	indom, units := d.InDom, d.Units
	if indom == "" {
		indom = "PM_INDOM_NULL"
	}
	if units == "" {
		units = "none"
	}
	fmt.Fprintf(&b, "\n    Data Type: %s  InDom: %s\n    Semantics: %s  Units: %s\n", typeTexts[d.Type], indom, d.Semantics, units)
	fmt.Fprintf(&b, "    labels %s\n", d.Labels)
	if d.Help != "" {
		fmt.Fprintf(&b, "Help:\n%s\n", d.Help)
	}
	for _, v := range d.Values.List {
		if live {
			break
		}
		b.WriteString("    ")
		if in := v.Instance; in != nil {
			fmt.Fprintf(&b, "inst [%d or %q] ", in.ID, in.Name)
		}
		fmt.Fprintf(&b, "value %s\n", d.value(v.Value))
	}
	return b.String()
}

// value returns a value with the digits that pminfo shows.
func (d *described) value(raw json.RawMessage) string {
	digits := map[string]int{"FLOAT": 8, "DOUBLE": 16}[d.Type]
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && digits > 0 {
		return string(bytes.Replace(strconv.AppendFloat(nil, f, 'g', digits, 64), []byte("e+0"), []byte("e+0"), 1))
	}
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	if d.Type == "STRING" {
		return `"` + text + `"`
	}
	return text
}
