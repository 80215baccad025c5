package live

import (
	"regexp"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// The part of the debug output that both sides have in common. Theirs has addresses, descriptors of files,
// states of memory and functions that ours does not call; times of live values differ.
var (
	debugGone = regexp.MustCompile(` from 0x[0-9a-f]+| valfmt: \d| fd=-?\d+|sample\.dupnames[^)]*, `)
	debugTime = regexp.MustCompile(`timestamp: 1[7-9]\d{8}\.\d+ \S+`)
	debugOnly = regexp.MustCompile(`^(pmUnitsStr_r|pmGetArchiveEnd|pmWhichContext|__pmFree|IPC table|__pmSet|__pmDecode|__pmSendCreds|Dump |contexts\[|refcnt|` +
		`pmGetHostName|.*: (greeting|credentials), |pmGetPMNSLocation|__pmSendNameList|namelist|IDlist|SendNameReq| +name\[|  PMID|pmDestroyContext)`)
)

// debugLines returns what both sides print.
func debugLines(b []byte) string {
	text := debugGone.ReplaceAllString(string(b), "")
	text = strings.ReplaceAll(text, "<:pmGetArchiveEnd() <::> returns 0 end=18:34:40.258477000\n:> ", "<::> ")
	var out strings.Builder
	for line := range strings.Lines(debugTime.ReplaceAllString(text, "TIME")) {
		if !debugOnly.MatchString(line) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestDebugLines: the calls and results of -D, for commands that make the same calls on both sides.
func TestDebugLines(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	harness.Live(t)
	live := "-h localhost:45399 "
	archive := "-a " + root + "/var/lib/pcp/testsuite/archives/ok-foo "
	for _, line := range []string{
		"pmval -D pmapi " + live + "-s 2 -t 0.01 sample.const_rate.gradient",
		"pmval -D pmapi,fetch " + live + "-s 2 -t 0.01 sample.bin[bin-100]",
		"pmval -D pmapi,fetch " + archive + "-s 3 sample.seconds",
		"pmval -D fetch " + live + "-s 2 -t 0.01 sample.const_rate.gradient",
		"pmval -D pmns " + live + "-s 2 -t 0.01 sample.const_rate.gradient",
		"pmval -D context " + live + "-s 1 sample.const_rate.gradient",
		"pminfo -D fetch " + live + "-f sample.const_rate.gradient sample.string.hullo sample.bad.unknown sample.noinst sample.event.type",
		"pminfo -D fetch " + archive + "-f sample.seconds sample.colour",
		"pminfo -D indom " + live + "-f sample.colour",
		"pminfo -D context -h localhost:1 sample.colour",
		"pminfo -D pmapi -h localhost:1 sample.colour",
		"pmstore -D pmapi,fetch " + live + "sample.const_rate.gradient 3",
	} {
		c := harness.Command{Args: strings.Fields(line)}
		var lines [2]string
		for i, side := range []harness.Side{ours, theirs} {
			o, err := side.Run(c, root)
			if err != nil {
				t.Fatal(err)
			}
			lines[i] = debugLines(o.Stderr)
		}
		if lines[0] != lines[1] || lines[0] == "" {
			t.Errorf("%s: ours\n%stheirs\n%s", line, lines[0], lines[1])
		}
	}
}
