package linux

import (
	"bytes"
	"fmt"
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
	l.Table("pernode", "/proc/stat", l.readPerNode, l.cpus, l.nodes, l.Tables["cpunode"])
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
				r := t.Row(int32(n))
				t.Cell(r, []byte("node")).SetUint(uint64(node.Inst))
			}
		}
	}
	t.Sort()
	return nil
}

// readPerNode adds the times of the processors of each node.
func (l *collector) readPerNode(t *procfs.Table, _ *pmda.Request) error {
	nodeOf := l.Tables["cpunode"]
	for i := range l.nodes.Rows {
		node := &l.nodes.Rows[i]
		r := t.Row(node.Inst)
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
					if cpu.Cells[from].Kind != procfs.Number {
						continue
					}
					r.Cells[slot].Num += cpu.Cells[from].Num
				}
			}
		}
	}
	return nil
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
		l.throttle(file, path("thermal_throttle/"+file))
	}
	l.online("cpuonline", "cpu", l.cpus)
	l.online("nodeonline", "node", l.nodes)
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

// throttle adds a table for a file that counts how often or how long processors were made slow
// because they were hot. One without it never was.
func (l *collector) throttle(name string, path func(string) string) {
	l.Table(name, "/sys/devices/system/cpu/CPU/thermal_throttle/"+name, func(t *procfs.Table, _ *pmda.Request) error {
		for i := range l.cpus.Rows {
			r := t.Row(l.cpus.Rows[i].Inst)
			c := t.Field(r, 1)
			c.SetUint(0)
			if text, err := l.Root.Read(path(l.cpus.Rows[i].Name)); err == nil {
				word, _ := procfs.Word(text)
				c.SetWord(word)
			}
		}
		return nil
	}, l.cpus)
}

// online adds a table that says which processors or nodes are switched on: those that cannot be
// switched off have no file.
func (l *collector) online(name, kind string, of *procfs.Table) {
	dir := "sys/devices/system/" + kind
	l.Table(name, "/"+dir, func(t *procfs.Table, _ *pmda.Request) error {
		for i := range of.Rows {
			r := t.Row(of.Rows[i].Inst)
			c := t.Cell(r, []byte("online"))
			c.SetUint(1)
			if text, err := l.Root.Read(fmt.Sprintf("%s/%s/online", dir, of.Rows[i].Name)); err == nil {
				word, _ := procfs.Word(text)
				c.SetWord(word)
			}
		}
		return nil
	}, of)
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

// cpuKey returns the usual name of a line of /proc/cpuinfo that has another on other machines.
func cpuKey(key []byte) []byte {
	switch string(key) {
	case "BogoMIPS":
		return []byte("bogomips")
	case "clock":
		return []byte("cpu_MHz")
	case "Features":
		return []byte("flags")
	case "CPU_implementer":
		return []byte("vendor_id")
	case "revision":
		return []byte("stepping")
	case "cpu":
		return []byte("model_name")
	}
	return key
}

// setCPUInfo sets the value of a line of /proc/cpuinfo.
func setCPUInfo(t *procfs.Table, r *procfs.Row, key, value []byte) {
	key = cpuKey(key)
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
