package linux

import (
	"bytes"
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

func (l *collector) addCPU() {
	l.cpus = l.Table("percpu", "/proc/stat", func(t *procfs.Table, _ *pmda.Request) error {
		text, err := l.Root.Read("proc/stat")
		parseStat(t, l.Tables["cpu"], l.Tables["stat"], text)
		l.limitCPUs(t)
		return procfs.Missing(err)
	})
	l.Alias("cpu", "percpu")
	l.Alias("stat", "percpu")
	l.Count("ncpu", "processors", l.cpus)

	l.nodes = l.Fill("nodes", "/sys/devices/system/node", l.readNodes)
	l.Count("nnode", "memory nodes", l.nodes)
	l.Fill("cpunode", "/sys/devices/system/node", l.readCPUNodes, l.nodes, l.cpus)
	l.Each("pernode", "/proc/stat", l.nodes, l.addNode, l.cpus, l.Tables["cpunode"])
}

const maxCPU = 1 << 16 // exclusive limit for the number of a processor

func parseStat(percpu, cpu, stat *procfs.Table, text []byte) {
	all, r := cpu.Row(pcp.NullInst), stat.Row(pcp.NullInst)
	for line := range procfs.Lines(text) {
		key, rest := procfs.Word(line)
		number, isCPU := bytes.CutPrefix(key, []byte("cpu"))
		switch {
		case !isCPU:
			stat.Cell(r, key).SetWord(rest)
		case len(number) == 0:
			cpu.SetFields(all, 1, rest)
		default:
			if n, ok := procfs.Uint(number); ok && n < maxCPU {
				row := percpu.Row(int32(n))
				row.Name = numberedName("cpu", int(n))
				percpu.SetFields(row, 1, rest)
			}
		}
	}
}

// maxCPUs returns the number of processors that the reference's agent assumes for files recorded
// elsewhere: LINUX_NCPUS, but at least one, or the processors of this system; 0 for the files of this
// system. The CPU affinity of this process does not matter.
func (l *collector) maxCPUs() int {
	n, limited := l.Setting("NCPUS")
	switch {
	case limited:
		return int(max(1, min(n, maxCPU)))
	case l.Recorded():
		names, _ := l.System.Names("sys/devices/system/cpu")
		n := 0
		for _, name := range names {
			if _, ok := numbered("cpu", name); ok {
				n++
			}
		}
		return cmp.Or(n, runtime.NumCPU()) // a container may have no such directory
	}
	return 0
}

// recordedCPUs returns the table of processors if the processors in other files are limited to it.
func (l *collector) recordedCPUs() []*procfs.Table {
	if l.maxCPUs() == 0 {
		return nil
	}
	return []*procfs.Table{l.cpus}
}

// limitCPUs removes the processors without a memory node or, without nodes, beyond the limit.
func (l *collector) limitCPUs(t *procfs.Table) {
	n := l.maxCPUs()
	if n == 0 {
		return
	}
	nodes, counted := l.nodeNames(), map[int32]bool{}
	for _, node := range nodes {
		l.eachCPU(node, func(cpu int32) { counted[cpu] = true })
	}
	t.Keep(func(r *procfs.Row) bool { return counted[r.Inst] || nodes == nil && int(r.Inst) < n })
}

// smallNames are the names of the first processors, kept so that a fetch makes no strings.
var smallNames = [...]string{
	"cpu0", "cpu1", "cpu2", "cpu3", "cpu4", "cpu5", "cpu6", "cpu7",
	"cpu8", "cpu9", "cpu10", "cpu11", "cpu12", "cpu13", "cpu14", "cpu15",
}

func numberedName(what string, n int) string {
	if what == "cpu" && n < len(smallNames) {
		return smallNames[n]
	}
	return what + strconv.Itoa(n)
}

// readNodes finds the memory nodes. A system without the directory has one node.
func (l *collector) readNodes(t *procfs.Table) {
	names := l.nodeNames()
	if names == nil {
		t.Row(0).Name = "node0"
	}
	slices.SortFunc(names, func(a, b string) int { return int(nodeNumber(a) - nodeNumber(b)) })
	for _, name := range names {
		if nodeNumber(name) >= 0 {
			t.Row(int32(len(t.Rows))).Name = name
		}
	}
}

// nodeNumber returns the number of a memory node, -1 for other names. A node's instance has the
// number of its place among all.
func nodeNumber(name string) int32 {
	if n, ok := numbered("node", name); ok {
		return n
	}
	return -1
}

// nodeNames returns the memory nodes, or nil if LINUX_NNODES disables them.
func (l *collector) nodeNames() []string {
	names, err := l.Root.Names("sys/devices/system/node")
	if _, ignored := l.Setting("NNODES"); ignored || err != nil {
		return nil
	}
	return names
}

func numbered(what, name string) (int32, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(name, what), 10, 16)
	return int32(n), err == nil && name == numberedName(what, int(n))
}

func (l *collector) eachCPU(node string, f func(cpu int32)) {
	names, _ := l.Root.Names("sys/devices/system/node/" + node) // a node may have no processors
	for _, name := range names {
		if cpu, ok := numbered("cpu", name); ok {
			f(cpu)
		}
	}
}

func (l *collector) readCPUNodes(t *procfs.Table) {
	for i := range l.nodes.Rows {
		node := &l.nodes.Rows[i]
		l.eachCPU(node.Name, func(cpu int32) {
			if l.cpus.Find(cpu) != nil {
				t.Cell(t.At(cpu), []byte("node")).SetUint(uint64(nodeNumber(node.Name)))
			}
		})
	}
	for i := range l.cpus.Rows {
		t.At(l.cpus.Rows[i].Inst)
	}
}

// addNode adds the times of the processors of a node. Node 0 has the processors without a node.
func (l *collector) addNode(t *procfs.Table, node *procfs.Row) {
	nodeOf, r := l.Tables["cpunode"], t.Row(node.Inst)
	for key, slot := range t.Slots {
		r.Cells[slot].SetUint(0)
		from, ok := l.cpus.Slots[key]
		if !ok {
			continue
		}
		for c := range l.cpus.Rows {
			cpu := &l.cpus.Rows[c]
			where := nodeOf.Find(cpu.Inst)
			home := uint64(0)
			if known := nodeOf.Cell(where, []byte("node")); known.Kind == procfs.Number {
				home = known.Num
			}
			if home == uint64(nodeNumber(node.Name)) && cpu.Cells[from].Kind == procfs.Number {
				r.Cells[slot].Num += cpu.Cells[from].Num
			}
		}
	}
}

func (l *collector) addCPUFiles() {
	l.addCPUInfo()
	l.Tables["cpunode"].Slot("node")
	const dir, node = "/sys/devices/system/cpu/CPU/", "/sys/devices/system/node/NODE/"
	l.Each("scaling_cur_freq", dir+"cpufreq/scaling_cur_freq", l.cpus, func(t *procfs.Table, cpu *procfs.Row) {
		if kHz, _ := l.frequency(cpu); kHz > 0 {
			t.Field(t.Row(cpu.Inst), 1).SetReal(float64(kHz))
		}
	})
	l.Each("time_in_state", dir+"cpufreq/stats/time_in_state", l.cpus, l.addFrequencies)
	for _, file := range []string{
		"core_throttle_count", "core_throttle_total_time_ms", "package_throttle_count", "package_throttle_total_time_ms",
	} {
		// A processor without the file was never made slow because it was hot.
		l.numberOr(file, dir+"thermal_throttle/"+file, l.cpus, "1", 0)
	}
	// A processor that cannot be switched off has no file "online".
	l.numberOr("cpuonline", dir+"online", l.cpus, "online", 1)
	l.numberOr("nodeonline", node+"online", l.nodes, "online", 1)
	l.Files["cpuonline"], l.Files["nodeonline"] = "/sys/devices/system/cpu", "/sys/devices/system/node"
}

// addFrequencies adds the times of a processor. A kernel without them is asked for its limits, and
// for the present frequency in MHz, which the reference shows as the count.
func (l *collector) addFrequencies(t *procfs.Table, cpu *procfs.Row) {
	const dir = "/sys/devices/system/cpu/CPU/cpufreq/"
	r := t.Row(cpu.Inst)
	if text, err := l.Root.Read(procfs.FileOf(dir+"stats/time_in_state", cpu.Name)); err == nil {
		parseFrequencies(t, r, text)
		return
	}
	for _, key := range [...]string{"max", "min"} {
		if kHz, ok := l.Root.Number(procfs.FileOf(dir+"cpuinfo_"+key+"_freq", cpu.Name)); ok {
			t.Cell(r, []byte(key)).SetUint(kHz / 1000)
		}
	}
	if kHz, ok := l.frequency(cpu); ok {
		t.Cell(r, []byte("count")).SetUint(kHz / 1000)
	}
}

// parseFrequencies adds up the time at each frequency: a line has the frequency in kHz and a time.
// Key time is the sum of the times, count the equivalent at 1 MHz, max and min are the limits in MHz.
func parseFrequencies(t *procfs.Table, r *procfs.Row, text []byte) {
	var count, time, highest, lowest uint64
	for line := range procfs.Lines(text) {
		word, rest := procfs.Word(line)
		kHz, ok := procfs.Uint(word)
		word, _ = procfs.Word(rest)
		ticks, ok2 := procfs.Uint(word)
		if !ok || !ok2 {
			return
		}
		mhz := kHz / 1000
		if highest == 0 || mhz < lowest {
			lowest = mhz
		}
		count, time, highest = count+mhz*ticks, time+ticks, max(highest, mhz)
	}
	t.Cell(r, []byte("count")).SetUint(count)
	t.Cell(r, []byte("time")).SetUint(time)
	t.Cell(r, []byte("max")).SetUint(highest)
	t.Cell(r, []byte("min")).SetUint(lowest)
}

// numberOr adds a table for the number in a small file. Rows without the file have another value.
func (l *collector) numberOr(name, pattern string, of *procfs.Table, key string, other uint64) {
	l.Each(name, pattern, of, func(t *procfs.Table, from *procfs.Row) {
		c := t.Cell(t.Row(from.Inst), []byte(key))
		c.SetUint(other)
		if n, ok := l.Root.Number(procfs.FileOf(pattern, from.Name)); ok {
			c.SetUint(n)
		}
	})
}
