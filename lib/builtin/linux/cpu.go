package linux

import (
	"bytes"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// addCPU adds what is in /proc/stat.
func (l *collector) addCPU() {
	l.cpus = l.Text("percpu", "proc/stat", func(t *procfs.Table, text []byte) {
		parseStat(t, l.Tables["cpu"], l.Tables["stat"], text)
	})
	l.Alias("cpu", "percpu")
	l.Alias("stat", "percpu")
	l.count("ncpu", "processors", l.cpus)

	l.nodes = l.Table("nodes", "/sys/devices/system/node", l.readNodes)
	l.count("nnode", "memory nodes", l.nodes)
	l.Table("cpunode", "/sys/devices/system/node", l.readCPUNodes, l.nodes, l.cpus)
	l.Each("pernode", "/proc/stat", l.nodes, l.addNode, l.cpus, l.Tables["cpunode"])
}

// parseStat reads /proc/stat.
func parseStat(percpu, cpu, stat *procfs.Table, text []byte) {
	r := stat.Row(pcp.NullInst)
	for line := range procfs.Lines(text) {
		key, rest := procfs.Word(line)
		number, isCPU := bytes.CutPrefix(key, []byte("cpu"))
		switch {
		case !isCPU:
			word, _ := procfs.Word(rest)
			stat.Cell(r, key).SetWord(word)
		case len(number) == 0:
			cpu.Reset()
			cpu.SetFields(cpu.Row(pcp.NullInst), 1, rest)
		default:
			if n, ok := procfs.Uint(number); ok && n < 1<<16 {
				row := percpu.Row(int32(n))
				row.Name = numberedName("cpu", int(n))
				percpu.SetFields(row, 1, rest)
			}
		}
	}
	percpu.Sort()
}

// smallNames are the names of the first processors, which most machines do not exceed: names of
// instances are not made anew at each fetch.
var smallNames = [...]string{
	"cpu0", "cpu1", "cpu2", "cpu3", "cpu4", "cpu5", "cpu6", "cpu7",
	"cpu8", "cpu9", "cpu10", "cpu11", "cpu12", "cpu13", "cpu14", "cpu15",
}

// numberedName returns the name of a thing and its number.
func numberedName(what string, n int) string {
	if what == "cpu" && n < len(smallNames) {
		return smallNames[n]
	}
	return what + strconv.Itoa(n)
}

// readNodes finds the memory nodes. A system without that directory has one.
func (l *collector) readNodes(t *procfs.Table, _ *pmda.Request) error {
	names, err := l.Root.Names("sys/devices/system/node")
	if err != nil {
		t.Row(0).Name = "node0"
		return nil
	}
	for _, name := range names {
		n, err := strconv.ParseUint(strings.TrimPrefix(name, "node"), 10, 16)
		if err == nil && name == numberedName("node", int(n)) {
			t.Row(int32(n)).Name = name
		}
	}
	t.Sort()
	return nil
}

// readCPUNodes finds the memory node of each processor.
func (l *collector) readCPUNodes(t *procfs.Table, _ *pmda.Request) error {
	for i := range l.nodes.Rows {
		node := &l.nodes.Rows[i]
		names, err := l.Root.Names("sys/devices/system/node/" + node.Name)
		if err != nil {
			continue
		}
		for _, name := range names {
			n, err := strconv.ParseUint(strings.TrimPrefix(name, "cpu"), 10, 16)
			if err == nil && strings.HasPrefix(name, "cpu") && l.cpus.Find(int32(n)) != nil {
				t.Cell(t.Row(int32(n)), []byte("node")).SetUint(uint64(node.Inst))
			}
		}
	}
	t.Sort()
	return nil
}

// addNode adds the times of the processors of a node. Processors without one are of the first.
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

// addCPUFiles adds /proc/cpuinfo and the files below /sys/devices/system/cpu.
func (l *collector) addCPUFiles() {
	l.Text("cpuinfo", "proc/cpuinfo", parseCPUInfo)
	l.Tables["cpunode"].Slot("node")
	path := func(file string) func(string) string {
		return func(cpu string) string { return "sys/devices/system/cpu/" + cpu + "/" + file }
	}
	number := func(t *procfs.Table, r *procfs.Row, text []byte) { t.SetFields(r, 1, text) }
	for _, file := range []string{"cpuinfo_max_freq", "cpuinfo_min_freq", "scaling_cur_freq"} {
		l.PerRow(file, "/sys/devices/system/cpu/CPU/cpufreq/"+file, l.cpus, path("cpufreq/"+file), number)
	}
	l.PerRow("time_in_state", "/sys/devices/system/cpu/CPU/cpufreq/stats/time_in_state", l.cpus, path("cpufreq/stats/time_in_state"), parseFrequencies)
	for _, file := range []string{
		"core_throttle_count", "core_throttle_total_time_ms", "package_throttle_count", "package_throttle_total_time_ms",
	} {
		// A processor without the file was never made slow because it was hot.
		l.numberOr(file, "/sys/devices/system/cpu/CPU/thermal_throttle/"+file, l.cpus, path("thermal_throttle/"+file), "1", 0)
	}
	// What cannot be switched off has no file.
	l.numberOr("cpuonline", "/sys/devices/system/cpu", l.cpus, path("online"), "online", 1)
	l.numberOr("nodeonline", "/sys/devices/system/node", l.nodes, func(node string) string {
		return "sys/devices/system/node/" + node + "/online"
	}, "online", 1)
}

// parseFrequencies adds up the time at each frequency: a line has the frequency in kHz and a time.
// Time is their sum, count what it would be at 1 MHz.
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

// numberOr adds a table for the number in a small file that some rows of a table have. Its cell has
// a key, and another value for rows without the file.
func (l *collector) numberOr(name, file string, of *procfs.Table, path func(string) string, key string, other uint64) {
	l.Each(name, file, of, func(t *procfs.Table, from *procfs.Row) {
		c := t.Cell(t.Row(from.Inst), []byte(key))
		c.SetUint(other)
		if text, err := l.Root.Read(path(from.Name)); err == nil {
			word, _ := procfs.Word(text)
			c.SetWord(word)
		}
	})
}

// parseCPUInfo reads /proc/cpuinfo: a paragraph for each processor. Blanks in keys are written as
// underscores.
func parseCPUInfo(t *procfs.Table, text []byte) {
	var r *procfs.Row
	var next int32
	for line := range procfs.Lines(text) {
		key, value, ok := bytes.Cut(line, []byte{':'})
		key, value = bytes.TrimSpace(key), bytes.TrimSpace(value)
		if !ok || len(key) == 0 || len(key) > 32 {
			continue
		}
		if string(key) == "processor" {
			n, ok := procfs.Uint(value)
			if !ok || n >= 1<<16 {
				n = uint64(next)
			}
			r, next = t.Row(int32(n)), int32(n)+1
		}
		if r == nil {
			continue
		}
		var name [32]byte
		n := copy(name[:], key)
		for i := range name[:n] {
			if name[i] == ' ' {
				name[i] = '_'
			}
		}
		setCPUInfo(t, r, name[:n], value)
	}
	t.Sort()
}

// cpuKeys are the usual names of lines of /proc/cpuinfo that have others on other machines.
var cpuKeys = map[string]string{
	"BogoMIPS": "bogomips", "clock": "cpu_MHz", "Features": "flags", "CPU_implementer": "vendor_id", "revision": "stepping", "cpu": "model_name",
}

// setCPUInfo sets the value of a line of /proc/cpuinfo.
func setCPUInfo(t *procfs.Table, r *procfs.Row, key, value []byte) {
	if usual, ok := cpuKeys[string(key)]; ok {
		key = []byte(usual)
	}
	c := t.Cell(r, key)
	switch string(key) {
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
