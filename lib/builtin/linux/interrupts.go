package linux

import (
	"bytes"
	"strconv"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
)

func (l *collector) addInterrupts() {
	lines := l.interrupts("interrupts", "cpuinterrupts", "intrcpu", "proc/interrupts")
	l.Alias("interrupterrors", "interrupts")
	lines.Slot("text")
	l.Tables["cpuinterrupts"].Slot("text")
	l.interrupts("softirqs", "cpusoftirqs", "sirqcpu", "proc/softirqs")
}

// interrupts adds tables for a file with a line for each kind of interrupt and a column for each
// processor: for the kinds, for both, and for the processors.
func (l *collector) interrupts(kinds, both, cpus, file string) *procfs.Table {
	t := l.Text(kinds, file, func(t *procfs.Table, text []byte) {
		x := interruptReader{
			kinds: t, both: l.Tables[both], cpus: l.Tables[cpus], errors: l.Tables["interrupterrors"],
			kindIDs: l.Numbering(kinds), bothIDs: l.Numbering(both)}
		if n := l.maxCPUs(); n > 0 {
			x.limit = max(n, len(l.cpus.Rows))
		}
		if kinds == "softirqs" {
			x.errors = nil
		}
		x.read(text)
	}, l.recordedCPUs()...)
	l.Alias(both, kinds)
	l.Alias(cpus, kinds)
	return t
}

type interruptReader struct {
	kinds, both, cpus *procfs.Table
	errors            *procfs.Table // table for lines with one number for all processors; may be nil
	kindIDs, bothIDs  *procfs.IDs
	limit             int // number of columns that count; 0 means all columns

	columns []int32 // the processor of each column
	totals  []uint64
	name    []byte
	text    []byte // text of the line after its numbers
}

// read reads a file:
//
//	           CPU0       CPU1
//	 24:          1          0  IO-APIC   5-edge      ACPI:Ged
//	ERR:          0
func (x *interruptReader) read(text []byte) {
	line, text := procfs.Line(text)
	for _, word := range procfs.Words(line) {
		n, ok := procfs.Uint(bytes.TrimPrefix(word, []byte("CPU")))
		if !ok || n >= maxCPU {
			return
		}
		if x.limit == 0 || len(x.columns) < x.limit {
			x.columns = append(x.columns, int32(n))
		}
	}
	x.totals = make([]uint64, len(x.columns))
	var errors *procfs.Row
	if x.errors != nil {
		errors = x.errors.Row(pcp.NullInst)
	}
	for len(text) > 0 {
		line, text = procfs.Line(text)
		name, rest, ok := bytes.Cut(line, []byte{':'})
		if name = bytes.TrimSpace(name); !ok || len(name) == 0 {
			continue
		}
		if key := bytes.ToUpper(name); string(key) == "ERR" || string(key) == "MIS" { // "Err" on some machines
			if errors != nil {
				x.errors.Cell(errors, key).SetWord(rest)
			}
			continue
		}
		x.line(name, rest)
	}
	for i, cpu := range x.columns {
		x.cpus.Cell(x.cpus.Row(cpu), []byte("count")).SetUint(x.totals[i])
	}
}

func (x *interruptReader) line(name, rest []byte) {
	var total uint64
	x.text = procfs.Join(x.text[:0], procfs.Skip(rest, len(x.columns)))
	for i, word := range procfs.Words(rest) {
		n, ok := procfs.Uint(word)
		if !ok || i == len(x.columns) {
			break
		}
		total += n
		x.totals[i] += n
		x.name = append(append(x.name[:0], name...), "::cpu"...)
		x.name = strconv.AppendInt(x.name, int64(x.columns[i]), 10)
		r := x.both.Named(x.bothIDs, x.name)
		x.both.Cell(r, []byte("count")).SetUint(n)
		x.both.Cell(r, []byte("text")).SetText(x.text)
	}
	r := x.kinds.Named(x.kindIDs, name)
	x.kinds.Cell(r, []byte("total")).SetUint(total)
	x.kinds.Cell(r, []byte("text")).SetText(x.text)
}
