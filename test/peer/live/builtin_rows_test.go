package live

import (
	"maps"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A mutatedRow is a difference over damaged files that is the reference's fault. A metric has it only
// if its file was changed, and each value has the form that the reason gives.
type mutatedRow struct {
	metric string // pattern of its name
	file   string // pattern of a change: a file and how it was changed
	// pair is about each instance that differs; "" is no value. The text is that of the files that were changed.
	pair   func(ours, theirs, text string) bool
	reason string
}

// mutatedRows are the differences over files that are changed, beside recordedRows.
var mutatedRows = []mutatedRow{
	{`^mem\.vmstat\.(nr_slab|thp_split|pg\w+_total)$|^swap\.pages(in|out)$`, `^proc/vmstat:`, fewer, "the agent counts a line that is missing as -1"},
	{`^mem\.vmstat\.thp_split$`, `^proc/vmstat:`, is("0", ""), "the agent has no value without the line"},
	{`^mem\.util\.hugepages\w+Bytes$`, `^proc/meminfo: ` + shape, is("", `0|184467440\d{11}`), "the agent multiplies with -1 for a line that is missing"},
	{`^mem\.util\.hugepages\w+Bytes$`, `^proc/meminfo: numbers? changed`, is("", "0"), "the agent multiplies 0 with a size of 2^64-1"},
	{`^network\.sockstat`, `^proc/net/sockstat6?:`, is("0", "-1"), "the agent counts a line that is missing as -1"},
	{`^mem\.vmstat\.\w+_khugepaged$`, ``, is(`\d+`, "0"), "the agent does not read the line"},
	{`^mem\.vmstat\.balloon_\w+flate$`, ``, is(`\d*`, `\d*`), "the agent shows the one as the other"},
	{`^mem\.vmstat\.pg(scan|steal)_\w+_total$`, `^proc/vmstat: numbers? changed`, is("0", ""), "the agent takes a sum of 64 ones for a line that is missing"},
	{`^mem\.vmstat\.thp_split$`, `^proc/vmstat: numbers? changed`, is("18446744073709551615", ""), "the same"},
	{`^mem\.util\.available$`, `^proc/meminfo: `, less, "the agent takes bytes for Kbytes where it estimates"},
	{`^kernel\.all\.(running|blocked)$`, `^proc/stat: line unknown`, is(`\d+`, "0"), "the agent looks for the line after the one before it only"},
	{`^(vfs\.|kernel\.all\.entropy)`, `^proc/sys/(fs|kernel/random)/`, is(`-?\d*`, "0|-1"), "the agent has zeros for all files if it cannot read one of them"},
	{`^mem\.ksm\.`, `^sys/kernel/mm/ksm/\w+: unreadable`, is(`\d+`, "0"), "the agent stops at a file that it may not read"},
	{`^(disk|hinv\.(ndisk|disk|map))`, `^proc/diskstats: unreadable`, stale, "the agent has zeros for the devices of /proc/partitions then"},
	{`^mem\.ksm\.run_state$`, `^sys/kernel/mm/ksm/run:`, signed, "the agent extends the sign of 32 bits"},
	{`^kernel\.\w+\.cpu\.`, `^proc/stat: numbers? changed`, rounded, "the agent rounds milliseconds above 2^53 to a double, 0 from 2^64 on"},
	{`^kernel\.all\.cpu\.`, `^proc/stat: (lines? dropped|file short)`, stale, "the agent takes the first processor for all if their line is missing"},
	{`^kernel\.(percpu|all)\.(soft)?(irqs|interrupts|intr|sirq)`, `^proc/(interrupts|softirqs): ` + shape, told, "the agent numbers kinds of interrupts by lines, complete or not"},
	{`^mem\.buddyinfo\.`, `^proc/buddyinfo: ` + words, told, "the agent has as many orders as the longest line, or what that left"},
	{`^mem\.zoneinfo\.`, `^proc/zoneinfo: ` + shape, told, "the agent takes the lines of a zone without a heading for the zone before it"},
	{`^hinv\.cpu\.`, `^proc/cpuinfo: (lines? dropped|numbers? changed)`, known, "the agent takes the place of a processor in the file for its number"},
	{`^hinv\.cpu\.frequency_scaling\.m(in|ax)$`, `/cpufreq/`, is("0", `\d+`), "the agent takes the first line of time_in_state, whatever it has"},

	{`^network\.(ip|icmp|icmpmsg|tcp|udp|udplite)\.`, `^proc/net/snmp: ` + shape, stale, "the agent takes the next line for the numbers of headings"},
	{`^network\.mptcp\.`, `^proc/net/netstat: ` + shape, told, "the same"},
	{`^network\.tcpconn6?\.`, `^proc/net/tcp6?: ` + words, more, "the agent counts the state of the line before"},
	{`^network\.softnet\.percpu`, `^proc/net/softnet_stat: (lines? dropped|file short)`, is("", `\d+`), "the agent shows uninitialised memory for a line that is missing"},
	{`^network\.interface\.(in|out|total|collisions)`, `^proc/net/dev: ` + shape, stale, "the agent shows what a longer line before had"},
	{`^network\.all\.`, `^proc/net/dev: ` + shape, more, "the agent adds what a longer line before had"},
	{`^network\.interface\.(ipv6_\w+|hw_addr)$`, `^(proc/net/if_inet6|sys/class/net/\w+/address): (` + shape + `|numbers? changed)`, told, "the agent reads the fields of an address across lines"},
	{`^network\.interface\.ipv6_scope$`, `^proc/net/if_inet6: (` + shape + `|numbers? changed)`, is(`"[A-Z]\w+"`, `("[A-Z]\w+")?`), "the same"},
	{`^network\.(udplite|unix)`, `^proc/net/(udplite6?|unix|raw6?|udp6?): ` + shape, told, "the agent shows what a longer line before had"},
	{`^nfs\.server\.threads\.`, `^proc/fs/nfsd/pool_stats: ` + shape, is(`\d+`, "0"), "the agent needs the headings"},
	{`^cgroup\.cpuacct\.usage_percpu$`, `/cpuacct\.usage_percpu: numbers? changed`, is("18446744073709551615", ""), "the agent takes the largest number for none"},
	{`^ipc\.(shm|msg|sem)\.`, `^proc/sysvipc/\w+: (` + shape + `|numbers? changed)`, told, "the agent reads numbers across lines that are too long or too short, and the rest of one too wide as the next"},
	{`^ipc\.(shm|msg|sem)\.owner$`, `^proc/sysvipc/\w+: (` + shape + `|numbers? changed)`, is(`("\w*")?`, `("\w*")?`), "the same, of the user's number"},

	{`^disk\.\w+\.capacity$`, `^proc/(diskstats|partitions):`, is("", `\d+`), "the agent shows devices that are gone from one file of two, without names"},
	{`^disk\.(dev|partitions|dm|md)\.(read|write|blkread|blkwrite|total|blktotal|\w+_bytes)$`, `^proc/diskstats: ` + shape, told, "the agent reads the four numbers of an old kernel into the lower halves of others"},
	{`^disk\.all\.(read|write|blkread|blkwrite|total|blktotal|\w+_bytes)$`, `^proc/diskstats: ` + shape, ofDisks, "the agent reads the four numbers of an old kernel into the lower halves of others"},
	{`^(filesys|tmpfs)\.`, `^proc/(self/)?mounts:`, is("", "Error: Unknown or illegal instance identifier"), "the agent has an error for a list without file systems that it had before"},
	{`^(sysfs\.|zram\.\w+_stat\.|rpc\.server\.ra_hits|kernel\.all\.load)`, `^(proc|sys)/.*(loadavg|rpc|zram|sysfs).*: ` + shape, told, "the agent reads numbers from lines that it does not know"},

	{`^(hot)?proc\.`, `/status: `, same, "the agent does not end the name of a process whose status has none, or goes on to the next lines"},
	{`^(hot)?proc\.id\.\w+_nm$`, ``, func(o, t, _ string) bool { return stale(o, t, "") && regexp.MustCompile(`^"[\w-]+"$`).MatchString(t) }, "the agent takes a process without a user for one of the superuser, or of the process before it"},
	{`^(hot)?proc\.id\.`, `/status:`, stale, "the agent shows what a longer file before had"},
	{`^(hot)?proc\.id\.`, `/status: ` + words, is(`\d+|".*"`, `0|"root"`), "the agent has zeros for a line without numbers"},
	{`^(hot)?proc\.id\.\w+_nm$`, `/status: ` + words, is(`"\w+"`, `"\w+"`), "the agent shows the names of another process for a line of less than four numbers"},
	{`^(hot)?proc\.io\.`, `/io: end of line missing`, told, "the agent shows another process for a number that ends the file"},
	{`^(hot)?proc\.io\.`, `/io: last words dropped`, is(`\d+`, "0"), "the agent stops at a line without a number"},
	{`^proc\.id\.container$`, ``, is(`"[0-9a-f]{64}"`, `""`), "the agent finds no containers"},
	{`^(hot)?proc\.(psinfo|memory|schedstat|namespaces|autogroup|io)\.`, `^proc/\d+/`, stale, "the agent shows what a longer file before had in the fields that a file does not have"},
	{`^proc\.psinfo\.psargs$`, `/status: `, is(`"\(\)"`, `"\(.*"`), "the same"},
	{`^(hot)?proc\.(psinfo\.(n?vctxsw|threads|\w+_s)|memory\.vm\w+)$`, `/status: ` + words, is(`.*`, `0|"(\w+:.*)?"`), "the agent takes the next line for the value of a key without one"},
	{`^(hot)?proc\.psinfo\.n?vctxsw$`, `/status: (last words dropped|end of line missing)`, told, "the same, of another process, or none, at the end of the file"},
	{`^(hot)?proc\.psinfo\.cpusallowed$`, `/status: ` + words, is(`"[\d,-]*"`, `".*"`), "the same, or the line of another process"},
	{`^(hot)?proc\.namespaces\.`, `/status: ` + words, is(`".*"`, `(Error: Metric not supported.*)?`), "the same"},
	{`^(hot)?proc\.memory\.vmreal$`, `/status: ` + words, less, "the same"},
	{`^proc\.psinfo\.tty_pgrp$`, `/stat: (numbers? changed|unreadable|` + shape[1:], is("", "Error: (Metric not supported|Missing metric value).*"), "the agent has an error if the last process has no number"},
	{`^(hot)?proc\.(memory\.|schedstat\.|psinfo\.cgroups|id\.container)`, `/(statm|schedstat|cgroup): (unreadable|` + shape[1:], is("", "Error: (Metric not supported|Missing metric value).*"), "the same"},
	{`^(hot)?proc\.smaps\.`, `/smaps(_rollup)?: ` + words, is(`\d+`, "0"), "the agent passes over the line after a key without a number"},
	{`^proc\.runq\.`, `/stat: ` + shape, fewProcesses, "the agent counts a process by what a longer file before had"},

	{`^cgroup\.`, `cgroup.*: `, stale, "the agent shows what another group had for files that a group does not have"},
	{`^cgroup\.blkio\.dev\.`, `/blkio\..*: last words dropped`, is("0", `\d+`), "the agent takes the last number of the file before for a first line without one"},
	{`^cgroup\.blkio\.all\.`, `/blkio\..*: last words dropped`, more, "the same"},
	{`^cgroup\.pressure\.\w+\.full\.total$`, `\.pressure: words added`, is(`\d+`, `\d*`), "the agent does not find the second line after words that it does not know"},
	{`^cgroup\.`, `cgroup.*: `, is(`""`, ""), "the agent has empty texts after the first group without the file"},
}

// Changes of the lines of a file, and of the words of its lines.
const (
	shape = `(lines? dropped|line unknown|file short|last words dropped|words added|empty|gone)`
	words = `(last words dropped|words added|line unknown|file short)`
)

// value reports whether there is one, or none, and no error.
func value(t string) bool { return !strings.HasPrefix(t, "Error: ") }

// told are values of ours that stand in a file, see inText, beside any of theirs.
func told(o, t, text string) bool { return value(t) && inText(o, text) }

// known are values of ours that stand in a file, or say that it does not have them.
func known(o, t, text string) bool { return o == `"unknown"` || told(o, t, text) }

// inText reports whether a value is made of what a file has: one of its words or texts; a number of pages, of blocks of pages or of sectors as
// Kbytes; the sum of the first words of a line, or of two of its words; the number of some of its lines; an address of IPv6; or nothing.
func inText(value, text string) bool {
	if value == "" || value == "0" {
		return true
	}
	if s, ok := strings.CutPrefix(value, `"`); ok {
		return textIn(strings.TrimSuffix(s, `"`), text)
	}
	want, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		want, err := strconv.ParseFloat(value, 64)
		return err == nil && slices.ContainsFunc(strings.FieldsFunc(text, notNumber), func(w string) bool {
			x, err := strconv.ParseFloat(w, 64)
			return err == nil && float32(x) == float32(want)
		})
	}
	lines := strings.Split(text, "\n")
	return want <= uint64(len(lines)) || slices.ContainsFunc(lines, func(line string) bool { return inLine(want, line) })
}

func inLine(want uint64, line string) bool {
	var words, sums []uint64 // of the words from each one on
	for _, w := range strings.FieldsFunc(line, notNumber) {
		x, err := strconv.ParseUint(w, 10, 64)
		if err != nil {
			continue
		}
		words, sums = append(words, x), append(sums, 0)
		for i, other := range words {
			if sums[i] += x; sums[i] == want || other+x == want || (other+x)/2 == want {
				return true
			}
		}
		for order := range 16 {
			if x<<order == want || 4*x<<order == want || x>>1 == want || uint64(uint32(x)) == want {
				return true
			}
		}
	}
	return false
}

// ofDisks are sums of ours over the disks of a file: of one or two numbers of each, or of half of them, sectors as Kbytes.
func ofDisks(o, t, text string) bool {
	sums := make(map[[3]int]uint64)
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || !regexp.MustCompile(`^([shv]d[a-z]+|nvme\d+n\d+|mmcblk\d+)$`).MatchString(f[2]) {
			continue
		}
		var numbers [20]uint64
		for i, w := range f[3:min(len(f), 3+len(numbers))] {
			numbers[i], _ = strconv.ParseUint(w, 10, 64) // a word that is no number counts as 0
		}
		for i, x := range numbers {
			for k := range i + 1 {
				both := x
				if k < i {
					both += numbers[k]
				}
				sums[[3]int{i, k, 1}] += both
				sums[[3]int{i, k, 2}] += both / 2
			}
		}
	}
	return value(t) && slices.ContainsFunc(slices.Collect(maps.Values(sums)), func(x uint64) bool { return strconv.FormatUint(x, 10) == o })
}

func notNumber(r rune) bool { return (r < '0' || r > '9') && r != '.' }

// textIn reports whether a file has a text, an address of IPv6 without its colons, or the number that is a key.
func textIn(s, text string) bool {
	if key, err := strconv.ParseInt(s, 0, 64); err == nil && strings.HasPrefix(s, "0x") {
		return slices.Contains(strings.Fields(text), strconv.FormatInt(key, 10))
	}
	if addr, _, _ := strings.Cut(s, "/"); strings.Contains(addr, ":") {
		if ip, err := netip.ParseAddr(addr); err == nil && strings.Contains(text, strings.ReplaceAll(ip.StringExpanded(), ":", "")) {
			return true
		}
	}
	return strings.Contains(text, s)
}

// textOf returns what the files have that were changed in a way, and whether there are any.
func textOf(changes []string, how, dir string) (text string, any bool) {
	for _, change := range changes {
		if regexp.MustCompile(how).MatchString(change) {
			name, _, _ := strings.Cut(change, ": ")
			b, _ := os.ReadFile(filepath.Join(dir, name)) // it may be gone
			text += string(b) + "\n"
			any = true
		}
	}
	return text, any
}

func same(o, t, _ string) bool { return o == t && o != "" }

// more are counts that have others added.
func more(o, t, _ string) bool {
	a, err := strconv.ParseUint(o, 10, 64)
	b, err2 := strconv.ParseUint(t, 10, 64)
	return err == nil && err2 == nil && b > a
}

// fewProcesses are numbers of processes, of which damaged files have few.
func fewProcesses(o, t, _ string) bool {
	a, err := strconv.Atoi(o)
	b, err2 := strconv.Atoi(t)
	return err == nil && err2 == nil && a-b < 8 && b-a < 8
}

// rounded are numbers that a double does not have, or has as 0.
func rounded(o, t, _ string) bool {
	a, err := strconv.ParseUint(o, 10, 64)
	b, err2 := strconv.ParseUint(t, 10, 64)
	return err == nil && err2 == nil && (b == 0 || a > 1<<53 && math.Abs(float64(a)-float64(b)) <= float64(a)/(1<<50))
}

// is returns the pair of values that match two patterns.
func is(ours, theirs string) func(o, t, text string) bool {
	return func(o, t, _ string) bool {
		return regexp.MustCompile("^(?s:"+ours+")$").MatchString(o) && regexp.MustCompile("^(?s:"+theirs+")$").MatchString(t)
	}
}

// stale are values of another line or file where there is none.
func stale(o, t, _ string) bool { return value(t) && (o == "" || o == "0" || o == `""`) }

// fewer are numbers from which up to eight lines that are missing were taken, in 32 or 64 bits.
func fewer(o, t, _ string) bool {
	a, err := strconv.ParseUint(o, 10, 64)
	b, err2 := strconv.ParseUint(t, 10, 64)
	return (err == nil || o == "") && err2 == nil && (a-b-1 < 8 || uint32(a-b)-1 < 8 && b < 1<<32)
}

// less are numbers of which the agent takes too much away.
func less(o, t, _ string) bool {
	a, err := strconv.ParseUint(o, 10, 64)
	b, err2 := strconv.ParseUint(t, 10, 64)
	return err == nil && err2 == nil && b < a
}

// signed are numbers of 32 bits whose sign was extended to 64.
func signed(o, t, _ string) bool {
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
func explained(metric, where string, d recordedDiff, changes []string, dir string) bool {
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
			text, changed := textOf(changes, row.file, dir)
			return (changed || row.file == "") && row.pair(p[0], p[1], text)
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
		{"proc.psinfo.utime", nil, value("7", "10"), "proc/7/stat: file short", true},
		{"proc.psinfo.utime", value("7", "20"), value("7", "10"), "proc/7/stat: file short", false},
		{"proc.psinfo.utime", nil, value("7", "10"), "proc/meminfo: file short", false},
		{"network.interface.in.bytes", nil, value("2", "10"), "proc/net/dev: last words dropped", true},
		{"network.interface.in.bytes", value("2", "11"), value("2", "10"), "proc/net/dev: last words dropped", false},
		{"network.interface.in.bytes", nil, value("2", "10"), "proc/net/dev: numbers changed", false},
		{"swap.pagesin", []string{"    value 0"}, []string{"    value 4294967295"}, "proc/vmstat: line dropped", true},
		{"swap.pagesin", []string{"    value 0"}, []string{"    value 7"}, "proc/vmstat: line dropped", false},
		{"disk.dev.capacity", nil, []string{"    inst [2] value 7", "pmNameIndom: indom=60.1 inst=2: Unknown or illegal instance identifier"}, "proc/diskstats: line dropped", true},
		{"disk.dev.capacity", []string{"    inst [2] value 8"}, []string{"    inst [2] value 7"}, "proc/diskstats: line dropped", false},
		{"mem.ksm.run_state", []string{"    value 2147483648"}, []string{"    value 18446744071562067968"}, "sys/kernel/mm/ksm/run: number changed", true},
		{"mem.ksm.run_state", []string{"    value 1"}, []string{"    value 2"}, "sys/kernel/mm/ksm/run: number changed", false},
		{"hinv.cpu.vendor", value("1", `"unknown"`), value("1", `"x"`), "proc/cpuinfo: line dropped", true},
		{"hinv.cpu.vendor", value("1", `"y"`), value("1", `"x"`), "proc/cpuinfo: line dropped", false},
		{"kernel.all.load", nil, nil, "proc/loadavg: gone", false},
		{"proc.io.rchar", []string{"No value(s) available!"}, []string{"Error: Operation not permitted"}, "proc/7/io: gone", false},
	} {
		if got := explained(c.metric, "invented", recordedDiff{c.ours, c.theirs}, []string{c.change}, t.TempDir()); got != c.want {
			t.Errorf("%s, %s: %q, %q: %t", c.metric, c.change, c.ours, c.theirs, got)
		}
	}
}
