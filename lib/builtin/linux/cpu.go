package linux

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
)

func (l *collector) addCPU() {
	l.cpus = l.Text("percpu", "proc/stat", func(t *procfs.Table, text []byte) {
		parseStat(t, l.Tables["cpu"], l.Tables["stat"], text)
		l.limitCPUs(t)
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
	r := stat.Row(pcp.NullInst)
	for line := range procfs.Lines(text) {
		key, rest := procfs.Word(line)
		number, isCPU := bytes.CutPrefix(key, []byte("cpu"))
		switch {
		case !isCPU:
			stat.Cell(r, key).SetWord(rest)
		case len(number) == 0:
			cpu.Reset()
			cpu.SetFields(cpu.Row(pcp.NullInst), 1, rest)
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
// elsewhere: LINUX_NCPUS, or the processors of this system; 0 for the files of this system.
func (l *collector) maxCPUs() int {
	n, limited := l.Setting("NCPUS")
	switch {
	case limited:
		return int(min(n, maxCPU))
	case l.Recorded():
		return runtime.NumCPU()
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
	for _, name := range names {
		if n, ok := numbered("node", name); ok {
			t.Row(n).Name = name
		}
	}
}

// nodeNames returns the memory nodes, nil if there are none or LINUX_NNODES switches them off.
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
				t.Cell(t.Row(cpu), []byte("node")).SetUint(uint64(node.Inst))
			}
		})
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
			if where == nil && node.Inst == 0 || where != nil && where.Cells[nodeOf.Slots["node"]].Num == uint64(node.Inst) {
				if cpu.Cells[from].Kind == procfs.Number {
					r.Cells[slot].Num += cpu.Cells[from].Num
				}
			}
		}
	}
}

func (l *collector) addCPUFiles() {
	l.Text("cpuinfo", "proc/cpuinfo", func(t *procfs.Table, text []byte) { parseCPUInfo(t, l.cpus, text) }, l.cpus)
	l.Tables["cpunode"].Slot("node")
	const dir, node = "/sys/devices/system/cpu/CPU/", "/sys/devices/system/node/NODE/"
	l.PerRow("cpuinfo_max_freq", dir+"cpufreq/cpuinfo_max_freq", l.cpus, procfs.Fields)
	l.PerRow("cpuinfo_min_freq", dir+"cpufreq/cpuinfo_min_freq", l.cpus, procfs.Fields)
	l.PerRow("scaling_cur_freq", dir+"cpufreq/scaling_cur_freq", l.cpus, func(t *procfs.Table, r *procfs.Row, text []byte) {
		if v, ok := procfs.Real(text); ok {
			t.Field(r, 1).SetReal(v)
		}
	})
	l.PerRow("time_in_state", dir+"cpufreq/stats/time_in_state", l.cpus, parseFrequencies)
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

// parseFrequencies adds up the time at each frequency: a line has the frequency in kHz and a time.
// Key time is the sum of the times, count the equivalent at 1 MHz.
func parseFrequencies(t *procfs.Table, r *procfs.Row, text []byte) {
	var count, time uint64
	for line := range procfs.Lines(text) {
		kHz, rest := procfs.Word(line)
		ticks, _ := procfs.Word(rest)
		f, _ := procfs.Uint(kHz)
		n, _ := procfs.Uint(ticks)
		count, time = count+f*n, time+n
	}
	t.Cell(r, []byte("count")).SetUint(count / 1000)
	t.Cell(r, []byte("time")).SetUint(time)
}

// numberOr adds a table for the number in a small file. Rows without the file have another value.
func (l *collector) numberOr(name, pattern string, of *procfs.Table, key string, other uint64) {
	l.Each(name, pattern, of, func(t *procfs.Table, from *procfs.Row) {
		c := t.Cell(t.Row(from.Inst), []byte(key))
		c.SetUint(other)
		if text, err := l.Root.Read(procfs.FileOf(pattern, from.Name)); err == nil {
			c.SetWord(text)
		}
	})
}

// parseCPUInfo reads /proc/cpuinfo: a paragraph for each processor. The lines before the first
// paragraph describe all processors, which are given. Blanks in keys are written as underscores.
func parseCPUInfo(t, cpus *procfs.Table, text []byte) {
	var common []byte
	var r *procfs.Row
	var next int32
	for line := range procfs.Lines(text) {
		key, value, _ := bytes.Cut(line, []byte{':'})
		if string(bytes.TrimSpace(key)) == "processor" {
			n, ok := procfs.Uint(bytes.TrimSpace(value))
			if !ok || n >= maxCPU {
				n = uint64(next)
			}
			r, next = t.At(int32(n)), int32(n)+1
		}
		if r != nil {
			setCPUInfo(t, r, line)
		} else if len(common)+len(line) < maxCommon {
			common = append(append(common, line...), '\n')
		}
	}
	for i := range cpus.Rows {
		for line := range procfs.Lines(common) {
			setCPUInfo(t, t.At(cpus.Rows[i].Inst), line)
		}
	}
}

const maxCommon = 4096 // bytes that are kept of the lines about all processors

// cpuNames are the usual names for lines of /proc/cpuinfo that other machines name otherwise.
var cpuNames = [...]struct{ other, usual string }{
	{"BogoMIPS", "bogomips"}, {"bogomips_per_cpu", "bogomips"}, {"clock", "cpu_MHz"}, {"Features", "flags"}, {"features", "flags"},
	{"CPU_implementer", "vendor_id"}, {"vendor", "vendor_id"}, {"revision", "stepping"}, {"cpu_revision", "stepping"},
	{"CPU_revision", "stepping"}, {"cpu", "model_name"}, {"cpu_model", "model"}, {"cpu_model", "model_name"},
	{"CPU_variant", "model"}, {"CPU_variant", "model_name"},
}

func cpuKeys(name string) (keys []string) {
	for _, n := range cpuNames {
		if n.other == name {
			keys = append(keys, n.usual)
		}
	}
	if keys == nil {
		return []string{name}
	}
	return keys
}

func setCPUInfo(t *procfs.Table, r *procfs.Row, line []byte) {
	key, value, ok := bytes.Cut(line, []byte{':'})
	key, value = bytes.TrimSpace(key), bytes.TrimSpace(value)
	var name [32]byte
	if !ok || len(key) == 0 || len(key) > len(name) {
		return
	}
	n := copy(name[:], key)
	for i := range name[:n] {
		if name[i] == ' ' {
			name[i] = '_'
		}
	}
	for _, key := range cpuKeys(string(name[:n])) {
		switch c := t.Cell(r, []byte(key)); key {
		case "cpu_MHz", "bogomips":
			if v, ok := procfs.Real(value); ok {
				c.SetReal(v)
			}
		case "processor", "cache_size", "cache_alignment":
			c.SetWord(value)
		default:
			c.SetText(value)
		}
	}
}
