package linux

import (
	"bytes"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pmda"
)

// cpuTexts are the cells of /proc/cpuinfo that are "unknown" without a line for them.
var cpuTexts = [...]string{"vendor_id", "model", "stepping", "model_name", "flags"}

// addCPUInfo adds /proc/cpuinfo. The clock of a processor is the frequency at present if the file
// does not have it.
func (l *collector) addCPUInfo() {
	info := l.Table("cpuinfo", "/proc/cpuinfo", func(t *procfs.Table, _ *pmda.Request) error {
		text, err := l.Root.Read("proc/cpuinfo")
		parseCPUInfo(t, l.cpus, text)
		return procfs.Missing(err)
	}, l.cpus)
	for _, key := range append(cpuTexts[:], "MHz") {
		info.Slot(key)
	}
	l.Each("cpuclock", "/proc/cpuinfo or /sys/devices/system/cpu/CPU/cpufreq/scaling_cur_freq", l.cpus, func(t *procfs.Table, cpu *procfs.Row) {
		c := t.Cell(t.Row(cpu.Inst), []byte("MHz"))
		if r := info.Find(cpu.Inst); r != nil {
			*c = *info.Cell(r, []byte("MHz"))
		}
		if c.Kind != procfs.None {
			return
		}
		if kHz, _ := l.frequency(cpu); kHz > 0 {
			c.SetReal(float64(kHz) / 1000)
		}
	}, info)
}

// frequency returns the present frequency of a processor in kHz, 0 if the kernel does not know it.
func (l *collector) frequency(cpu *procfs.Row) (kHz uint64, ok bool) {
	return l.Root.Number(procfs.FileOf("/sys/devices/system/cpu/CPU/cpufreq/scaling_cur_freq", cpu.Name))
}

// parseCPUInfo parses /proc/cpuinfo. A line "processor" gives the number of the processor that the next lines describe. Lines describe all
// processors if they precede the first such line, or from two successive such lines on.
func parseCPUInfo(t, cpus *procfs.Table, text []byte) {
	for i := range cpus.Rows {
		t.At(cpus.Rows[i].Inst)
	}
	common := procfs.Row{Cells: make([]procfs.Cell, len(t.Slots))} // lines about all processors
	inst, listed, all := int32(-1), false, false
	for line := range procfs.Lines(text) {
		key, value, ok := bytes.Cut(line, []byte{':'})
		if !ok {
			continue
		}
		if number, ok := bytes.CutPrefix(line, []byte("processor")); ok {
			word, _ := procfs.Word(bytes.TrimLeft(number, " \t:")) // "processor : 2" or "processor 2: version = FF"
			n, ok := procfs.Uint(bytes.TrimSuffix(word, []byte{':'}))
			if inst = maxCPU; ok {
				inst = int32(min(n, maxCPU))
			}
			all, listed = all || listed, true
			continue
		}
		all, listed = all || inst < 0, false
		key, value = bytes.TrimSpace(key), value[min(1, len(value)):] // after the blank
		if all {
			setCPUInfo(t, &common, key, value)
		} else if cpus.Find(inst) != nil {
			setCPUInfo(t, t.At(inst), key, value)
		}
	}
	for i := range t.Rows {
		finishCPUInfo(t, &t.Rows[i], &common)
	}
}

// finishCPUInfo fills the empty cells of a processor, first from the lines about all processors.
func finishCPUInfo(t *procfs.Table, r, common *procfs.Row) {
	for k := range r.Cells {
		if r.Cells[k].Kind == procfs.None {
			r.Cells[k].Set(&common.Cells[k])
		}
	}
	if c := t.Cell(r, []byte("processor")); c != nil {
		c.SetUint(uint64(r.Inst))
	}
	model, name := t.Cell(r, []byte("model")), t.Cell(r, []byte("model_name"))
	if model.Kind == procfs.None && name.Kind == procfs.Text {
		model.SetText(name.Text)
	}
	if name.Kind == procfs.None && model.Kind == procfs.Text {
		name.SetText(model.Text)
	}
	for _, key := range cpuTexts {
		if c := t.Cell(r, []byte(key)); c.Kind == procfs.None {
			c.SetString("unknown")
		}
	}
}

// cpuKeys are the beginnings of the keys of /proc/cpuinfo on all kinds of machines, in lower case,
// and the cells for them. The first beginning that fits and whose cell is empty counts.
var cpuKeys = [...]struct{ key, cell string }{
	{"vendor", "vendor_id"}, {"cpu implementer", "vendor_id"},
	{"model name", "model_name"}, {"hardware", "model_name"},
	{"model", "model"}, {"cpu model", "model"}, {"cpu variant", "model"},
	{"stepping", "stepping"}, {"revision", "stepping"}, {"cpu revision", "stepping"},
	{"flags", "flags"}, {"features", "flags"},
	{"cpu mhz", "MHz"}, {"cycle frequency [hz]", "MHz"}, {"bogomips", "bogomips"},
	{"cache size", "cache_size"}, {"cache_alignment", "cache_alignment"},
}

// setCPUInfo sets the cell for a line. If several lines set a cell, the first one counts, except for the clock, where the last one
// does; 0 sets nothing.
func setCPUInfo(t *procfs.Table, r *procfs.Row, key, value []byte) {
	var lower [32]byte // longer than each of cpuKeys
	n := copy(lower[:], key)
	for i, c := range lower[:n] {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	for _, k := range cpuKeys {
		c := t.Cell(r, []byte(k.cell))
		if !strings.HasPrefix(string(lower[:n]), k.key) || c != nil && c.Kind != procfs.None && k.key != "cpu mhz" {
			continue
		}
		word, _ := procfs.Word(value)
		switch k.cell {
		case "MHz", "bogomips":
			v, _ := procfs.Real(word)
			if k.key == "cycle frequency [hz]" {
				v /= 1e6
			}
			if v != 0 {
				c.SetReal(v)
			}
		case "cache_size", "cache_alignment":
			if n, _ := procfs.Uint(word); n > 0 {
				c.SetUint(n)
			}
		case "flags":
			c.SetText(bytes.TrimRight(value, " \t")) // on some machines the kernel writes a blank after each
		default:
			c.SetText(value)
		}
		return
	}
}
