package live

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A mutatedRow is a difference over changed files that is the reference's fault. A metric has it only
// if its file was changed, and each value has the form that the reason gives.
type mutatedRow struct {
	metric string                         // pattern of its name
	file   string                         // pattern of a change: a file and how it was changed
	pair   func(ours, theirs string) bool // about each instance that differs; "" is no value
	reason string
}

// mutatedRows are the differences over files that are changed, beside recordedRows.
var mutatedRows = []mutatedRow{
	{`^mem\.vmstat\.(nr_slab|thp_split|pg\w+_total)$|^swap\.pages(in|out)$`, `^proc/vmstat:`, fewer, "the agent counts a line that is missing as -1"},
	{`^mem\.util\.hugepages\w+Bytes$`, `^proc/meminfo: (lines? dropped|gone)`, is("", `0|184467440\d{11}`), "the agent multiplies with -1 for a line that is missing"},
	{`^mem\.vmstat\.\w+_khugepaged$`, ``, is(`\d+`, "0"), "the agent does not read the line"},
	{`^mem\.vmstat\.balloon_\w+flate$`, ``, is(`\d*`, `\d*`), "the agent shows the one as the other"},
	{`^(vfs\.|kernel\.all\.entropy)`, `^proc/sys/(fs|kernel/random)/`, is(`-?\d*`, "0|-1"), "the agent has zeros for all files if it cannot read one of them"},
	{`^(disk|hinv\.(ndisk|disk|map))`, `^proc/diskstats: (unreadable|gone)`, stale, "the agent has zeros for the devices of /proc/partitions then"},
	{`^mem\.ksm\.`, `^sys/kernel/mm/ksm/\w+: unreadable`, is(`\d+`, "0"), "the agent stops at a file that it may not read"},
	{`^swap\.(in|out|pagesin|pagesout)$`, `^proc/vmstat: unreadable`, stale, "the agent takes a system without the file for Linux 2.4"},
	{`^proc\.psinfo\.tty_pgrp$`, `/stat: unreadable`, is("", "Error: Metric not supported.*"), "the agent has an error if the last process has no number"},
	{`^mem\.ksm\.run_state$`, `^sys/kernel/mm/ksm/run:`, signed, "the agent extends the sign of 32 bits"},
	{`^disk\.\w+\.capacity$`, `^proc/(diskstats|partitions):`, is("", `\d+`), "the agent shows devices that are gone from one file of two, without names"},

	{`^(hot)?proc\.id\.\w+_nm$`, ``, func(o, t string) bool { return stale(o, t) && regexp.MustCompile(`^"[\w-]+"$`).MatchString(t) }, "the agent takes a process without a user for one of the superuser, or of the process before it"},
	{`^proc\.id\.container$`, ``, is(`"[0-9a-f]{64}"`, `""`), "the agent finds no containers"},

	{`^cgroup\.`, `cgroup.*: `, stale, "the agent shows what another group had for files that a group does not have"},
}

// value reports whether there is one, or none, and no error.
func value(t string) bool { return !strings.HasPrefix(t, "Error: ") }

// is returns the pair of values that match two patterns.
func is(ours, theirs string) func(o, t string) bool {
	return func(o, t string) bool {
		return regexp.MustCompile("^(?s:"+ours+")$").MatchString(o) && regexp.MustCompile("^(?s:"+theirs+")$").MatchString(t)
	}
}

// stale are values of another line or file where there is none.
func stale(o, t string) bool { return value(t) && (o == "" || o == "0" || o == `""`) }

// fewer are numbers from which up to eight lines that are missing were taken, in 32 or 64 bits.
func fewer(o, t string) bool {
	a, err := strconv.ParseUint(o, 10, 64)
	b, err2 := strconv.ParseUint(t, 10, 64)
	return (err == nil || o == "") && err2 == nil && (a-b-1 < 8 || uint32(a-b)-1 < 8 && b < 1<<32)
}

// signed are numbers of 32 bits whose sign was extended to 64.
func signed(o, t string) bool {
	a, err := strconv.ParseUint(o, 10, 32)
	return err == nil && t == strconv.FormatUint(uint64(int64(int32(a))), 10)
}

var answerLine = regexp.MustCompile(`^    (?:inst \[(-?\d+)(?: or ".*?")?\] )?value (.*)$`)

var (
	nameBegin = regexp.MustCompile(`^    inst \[\d+ or "[^"]*$`)
	nameEnd   = regexp.MustCompile(`^"\] value (.*)$`)
)

// pairsOf returns the values of the instances that differ, by their numbers: ours and theirs. All is
// false if the answers have other lines than values.
func pairsOf(d recordedDiff) (pairs map[string][2]string, all bool) {
	pairs, all = map[string][2]string{}, true
	for i, lines := range [][]string{d.ours, d.theirs} {
		for _, line := range lines {
			m := answerLine.FindStringSubmatch(line)
			switch {
			case m != nil:
				p := pairs[m[1]]
				if p[i] = m[2]; len(m[2]) > 1 && m[2][0] == '"' && !strings.HasSuffix(m[2], `"`) {
					p[i] += `"` // the value has several lines
				}
				pairs[m[1]] = p
			case strings.HasPrefix(line, "Error: "):
				if i == 1 {
					pairs["error"] = [2]string{1: line}
				}
			case nameEnd.MatchString(line): // of an instance whose name has several lines, as those of the agent only
				p := pairs[line]
				p[i] = nameEnd.FindStringSubmatch(line)[1]
				pairs[line] = p
			case nameBegin.MatchString(line):
			case line != "No value(s) available!" && line != `"` && !strings.HasPrefix(line, "pmNameIndom: "):
				all = false
			}
		}
	}
	return pairs, all
}

// explained reports whether a row is about a difference over a tree, with its settings.
func explained(metric, where string, d recordedDiff, changes []string) bool {
	for _, row := range recordedRows {
		if regexp.MustCompile(row.where).MatchString(where) && regexp.MustCompile(row.metric).MatchString(metric) {
			return true
		}
	}
	pairs, all := pairsOf(d)
	if !all {
		return false
	}
	left := len(pairs)
	for _, p := range pairs {
		if slices.ContainsFunc(mutatedRows, func(row mutatedRow) bool {
			if !regexp.MustCompile(row.metric).MatchString(metric) {
				return false
			}
			changed := slices.ContainsFunc(changes, func(change string) bool { return regexp.MustCompile(row.file).MatchString(change) })
			return (changed || row.file == "") && row.pair(p[0], p[1])
		}) {
			left--
		}
	}
	return left == 0 && len(pairs) > 0
}

// TestExplained checks that rows are about what they say only: a value of another form, or a file that
// was not changed, is a difference.
func TestExplained(t *testing.T) {
	value := func(inst, v string) []string { return []string{"    inst [" + inst + " or \"x\"] value " + v} }
	for _, c := range []struct {
		metric       string
		ours, theirs []string
		change       string
		want         bool
	}{
		{"cgroup.memory.usage", nil, value("1", "5"), "sys/fs/cgroup/a/memory.current: gone", true},
		{"cgroup.memory.usage", value("1", "5"), value("1", "6"), "sys/fs/cgroup/a/memory.current: gone", false},
		{"cgroup.memory.usage", nil, value("1", "5"), "proc/stat: gone", false},
		{"swap.pagesin", []string{"    value 0"}, []string{"    value 4294967295"}, "proc/vmstat: line dropped", true},
		{"swap.pagesin", []string{"    value 0"}, []string{"    value 7"}, "proc/vmstat: line dropped", false},
		{"disk.dev.capacity", nil, []string{"    inst [2] value 7", "pmNameIndom: indom=60.1 inst=2: Unknown or illegal instance identifier"}, "proc/diskstats: gone", true},
		{"disk.dev.capacity", []string{"    inst [2] value 8"}, []string{"    inst [2] value 7"}, "proc/diskstats: gone", false},
		{"mem.ksm.run_state", []string{"    value 2147483648"}, []string{"    value 18446744071562067968"}, "sys/kernel/mm/ksm/run: number changed", true},
		{"mem.ksm.run_state", []string{"    value 1"}, []string{"    value 2"}, "sys/kernel/mm/ksm/run: number changed", false},
		{"kernel.all.load", nil, nil, "proc/loadavg: gone", false},
		{"proc.io.rchar", []string{"No value(s) available!"}, []string{"Error: Operation not permitted"}, "proc/7/io: gone", false},
	} {
		if got := explained(c.metric, "invented", recordedDiff{c.ours, c.theirs}, []string{c.change}); got != c.want {
			t.Errorf("%s, %s: %q, %q: %t", c.metric, c.change, c.ours, c.theirs, got)
		}
	}
}
