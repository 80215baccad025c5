package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// procfsMissing returns the error of metrics whose file could not be read: none if
// there is no such file, so that they just have no values.
func procfsMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return procfsError(err)
}

// addCPU adds what is in /proc/stat.
func (l *linuxCollector) addCPU() {
	const file = "/proc/stat"
	l.cpus = l.table("percpu", file, func(t *procfsTable, _ *pmda.Request) error {
		cpu, stat := l.tables["cpu"], l.tables["stat"]
		cpu.reset()
		stat.reset()
		text, err := l.root.read("proc/stat")
		if err != nil {
			return procfsMissing(err)
		}
		linuxStat(t, cpu, stat, text)
		return nil
	})
	l.alias("cpu", file, l.cpus)
	l.alias("stat", file, l.cpus)
	l.indoms["0"] = procfsInDom(0, l.cpus, "Processors")
	l.count("ncpu", "processors", l.cpus)

	l.nodes = l.table("nodes", "/sys/devices/system/node", l.readNodes)
	l.indoms["19"] = procfsInDom(19, l.nodes, "Memory nodes")
	l.count("nnode", "memory nodes", l.nodes)
	l.table("cpunode", "/sys/devices/system/node", l.readCPUNodes, l.nodes, l.cpus)
	l.table("pernode", "/proc/stat", l.readPerNode, l.cpus, l.nodes, l.tables["cpunode"])
}

// linuxStat reads /proc/stat.
func linuxStat(percpu, cpu, stat *procfsTable, text []byte) {
	r := stat.row(pcp.NullInst)
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		key, rest := procfsWord(line)
		number, isCPU := bytes.CutPrefix(key, []byte("cpu"))
		switch {
		case !isCPU:
			word, _ := procfsWord(rest)
			stat.cell(r, key).setWord(word)
		case len(number) == 0:
			cpu.reset()
			cpu.setFields(cpu.row(pcp.NullInst), 1, rest)
		default:
			if n, ok := procfsUint(number); ok && n < 1<<16 {
				row := percpu.row(int32(n))
				row.name = linuxNumbered("cpu", int(n))
				percpu.setFields(row, 1, rest)
			}
		}
	}
	percpu.sort()
}

// linuxSmall are the names of the first processors, which most machines do not
// exceed: names of instances are not made anew at each fetch.
var linuxSmall = [...]string{
	"cpu0", "cpu1", "cpu2", "cpu3", "cpu4", "cpu5", "cpu6", "cpu7",
	"cpu8", "cpu9", "cpu10", "cpu11", "cpu12", "cpu13", "cpu14", "cpu15",
}

// linuxNumbered returns the name of a thing and its number.
func linuxNumbered(what string, n int) string {
	if what == "cpu" && n < len(linuxSmall) {
		return linuxSmall[n]
	}
	return what + strconv.Itoa(n)
}

// readNodes finds the memory nodes. A system that does not tell has one.
func (l *linuxCollector) readNodes(t *procfsTable, _ *pmda.Request) error {
	names, err := l.root.names("sys/devices/system/node")
	if err != nil {
		t.row(0).name = "node0"
		return nil
	}
	for _, name := range names {
		n, err := strconv.ParseUint(strings.TrimPrefix(name, "node"), 10, 16)
		if err == nil && name == linuxNumbered("node", int(n)) {
			t.row(int32(n)).name = name
		}
	}
	t.sort()
	return nil
}

// readCPUNodes finds the memory node of each processor.
func (l *linuxCollector) readCPUNodes(t *procfsTable, _ *pmda.Request) error {
	for i := range l.nodes.rows {
		node := &l.nodes.rows[i]
		names, err := l.root.names("sys/devices/system/node/" + node.name)
		if err != nil {
			continue
		}
		for _, name := range names {
			n, err := strconv.ParseUint(strings.TrimPrefix(name, "cpu"), 10, 16)
			if err == nil && strings.HasPrefix(name, "cpu") && l.cpus.find(int32(n)) != nil {
				r := t.row(int32(n))
				t.cell(r, []byte("node")).setUint(uint64(node.inst))
			}
		}
	}
	t.sort()
	return nil
}

// readPerNode adds the times of the processors of each node.
func (l *linuxCollector) readPerNode(t *procfsTable, _ *pmda.Request) error {
	nodeOf := l.tables["cpunode"]
	for i := range l.nodes.rows {
		node := &l.nodes.rows[i]
		r := t.row(node.inst)
		for key, slot := range t.slots {
			r.cells[slot].setUint(0)
			from, ok := l.cpus.slots[key]
			if !ok {
				continue
			}
			for c := range l.cpus.rows {
				cpu := &l.cpus.rows[c]
				where := nodeOf.find(cpu.inst)
				if where == nil && node.inst == 0 || where != nil && where.cells[nodeOf.slots["node"]].num == uint64(node.inst) {
					if cpu.cells[from].kind != procfsNumber {
						continue
					}
					r.cells[slot].num += cpu.cells[from].num
				}
			}
		}
	}
	return nil
}

// addCPUFiles adds /proc/cpuinfo and the files below /sys/devices/system/cpu.
func (l *linuxCollector) addCPUFiles() {
	l.table("cpuinfo", "/proc/cpuinfo", func(t *procfsTable, _ *pmda.Request) error {
		text, err := l.root.read("proc/cpuinfo")
		if err != nil {
			return procfsMissing(err)
		}
		linuxCPUInfo(t, text)
		return nil
	})
	l.tables["cpunode"].slot("node")
	path := func(file string) func(string) string {
		return func(cpu string) string { return "sys/devices/system/cpu/" + cpu + "/" + file }
	}
	number := func(t *procfsTable, r *procfsRow, text []byte) { t.setFields(r, 1, text) }
	for _, file := range []string{"cpuinfo_max_freq", "cpuinfo_min_freq", "scaling_cur_freq"} {
		l.perRow(file, "/sys/devices/system/cpu/CPU/cpufreq/"+file, l.cpus, path("cpufreq/"+file), number)
	}
	l.perRow("time_in_state", "/sys/devices/system/cpu/CPU/cpufreq/stats/time_in_state", l.cpus, path("cpufreq/stats/time_in_state"), linuxFrequencies)
	for _, file := range []string{
		"core_throttle_count", "core_throttle_total_time_ms", "package_throttle_count", "package_throttle_total_time_ms",
	} {
		l.throttle(file, path("thermal_throttle/"+file))
	}
	l.online("cpuonline", "cpu", l.cpus)
	l.online("nodeonline", "node", l.nodes)
}

// linuxFrequencies adds up the time at each frequency: a line has the frequency in
// kHz and a time. Time is their sum, count what it would be at 1 MHz.
func linuxFrequencies(t *procfsTable, r *procfsRow, text []byte) {
	var count, time uint64
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		kHz, rest := procfsWord(line)
		ticks, _ := procfsWord(rest)
		f, _ := procfsUint(kHz)
		n, _ := procfsUint(ticks)
		count, time = count+f*n, time+n
	}
	t.cell(r, []byte("count")).setUint(count / 1000)
	t.cell(r, []byte("time")).setUint(time)
}

// throttle adds a table for a file that counts how often or how long processors were
// made slow because they were hot. One without it never was.
func (l *linuxCollector) throttle(name string, path func(string) string) {
	l.table(name, "/sys/devices/system/cpu/CPU/thermal_throttle/"+name, func(t *procfsTable, _ *pmda.Request) error {
		for i := range l.cpus.rows {
			r := t.row(l.cpus.rows[i].inst)
			c := t.field(r, 1)
			c.setUint(0)
			if text, err := l.root.read(path(l.cpus.rows[i].name)); err == nil {
				word, _ := procfsWord(text)
				c.setWord(word)
			}
		}
		return nil
	}, l.cpus)
}

// online adds a table that says which processors or nodes are switched on: those
// that cannot be switched off have no file.
func (l *linuxCollector) online(name, kind string, of *procfsTable) {
	dir := "sys/devices/system/" + kind
	l.table(name, "/"+dir, func(t *procfsTable, _ *pmda.Request) error {
		for i := range of.rows {
			r := t.row(of.rows[i].inst)
			c := t.cell(r, []byte("online"))
			c.setUint(1)
			if text, err := l.root.read(fmt.Sprintf("%s/%s/online", dir, of.rows[i].name)); err == nil {
				word, _ := procfsWord(text)
				c.setWord(word)
			}
		}
		return nil
	}, of)
}

// linuxCPUInfo reads /proc/cpuinfo: a paragraph for each processor. Blanks in keys
// are written as underscores.
func linuxCPUInfo(t *procfsTable, text []byte) {
	var r *procfsRow
	var next int32
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		key, value, ok := bytes.Cut(line, []byte{':'})
		key, value = bytes.TrimSpace(key), bytes.TrimSpace(value)
		if !ok || len(key) == 0 || len(key) > 32 {
			continue
		}
		if string(key) == "processor" {
			n, ok := procfsUint(value)
			if !ok || n >= 1<<16 {
				n = uint64(next)
			}
			r, next = t.row(int32(n)), int32(n)+1
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
		linuxSetCPUInfo(t, r, name[:n], value)
	}
	t.sort()
}

// linuxCPUKey returns the usual name of a line of /proc/cpuinfo that has another on
// other machines.
func linuxCPUKey(key []byte) []byte {
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

// linuxSetCPUInfo sets the value of a line of /proc/cpuinfo.
func linuxSetCPUInfo(t *procfsTable, r *procfsRow, key, value []byte) {
	key = linuxCPUKey(key)
	c := t.cell(r, key)
	switch string(key) {
	case "cpu_MHz", "bogomips":
		if v, ok := procfsReal(value); ok {
			c.setReal(v)
		}
	case "processor", "cache_size", "cache_alignment":
		c.setWord(value)
	default:
		c.setText(value)
	}
}
