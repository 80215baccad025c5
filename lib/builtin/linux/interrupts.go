package linux

import (
	"bytes"
	"strconv"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

func (l *collector) addInterrupts() {
	l.interrupts("interrupts", "cpuinterrupts", "intrcpu", "proc/interrupts")
	l.Alias("interrupterrors", "interrupts")
	l.interrupts("softirqs", "cpusoftirqs", "sirqcpu", "proc/softirqs")
}

// interrupts adds three tables for a file with a line for each kind of interrupt and a column for
// each processor: by kind, by kind and processor, and by processor. The second may have millions of
// instances, and is filled separately.
func (l *collector) interrupts(kinds, both, cpus, file string) {
	var text []byte
	source := l.Table(kinds+"text", "/"+file, func(*procfs.Table, *pmda.Request) error {
		read, err := l.Root.Read(file)
		text = append(text[:0], read...)
		return procfs.Missing(err)
	}, l.recordedCPUs()...)
	l.Fill(kinds, "/"+file, func(t *procfs.Table) {
		x := interruptReader{kinds: t, cpus: l.Tables[cpus], kindIDs: l.Numbering(kinds), limit: l.maxColumns()}
		if kinds == "interrupts" {
			x.errors = l.Tables["interrupterrors"]
		}
		x.read(text)
		for i := range min(l.maxCPUs(), len(l.cpus.Rows)) { // processors without a column
			x.cpus.At(l.cpus.Rows[i].Inst)
		}
		if l.maxCPUs() > 0 {
			x.cpus.Keep(func(r *procfs.Row) bool { return l.cpus.Find(r.Inst) != nil })
		}
	}, source)
	l.Alias(cpus, kinds)
	l.Fill(both, "/"+file, func(t *procfs.Table) {
		x := interruptReader{both: t, bothIDs: l.Numbering(both), limit: l.maxColumns()}
		x.read(text)
	}, source)
}

// maxColumns returns the number of columns that count, 0 for all.
func (l *collector) maxColumns() int {
	if n := l.maxCPUs(); n > 0 {
		return max(n, len(l.cpus.Rows))
	}
	return 0
}

type interruptReader struct {
	kinds, cpus, both *procfs.Table // kinds and cpus may be nil, or both
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
	var errors *procfs.Row
	if x.errors != nil {
		errors = x.errors.Row(pcp.NullInst)
	}
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
			if line[0] != ' ' { // the reference takes indented lines for interrupts, too
				continue
			}
		}
		x.line(name, rest)
	}
	for i, cpu := range x.columns {
		if x.cpus == nil {
			break
		}
		x.cpus.Cell(x.cpus.At(cpu), []byte("count")).SetUint(x.totals[i])
	}
}

// line reads a line. Some kinds have a number for the first processors only.
func (x *interruptReader) line(name, rest []byte) {
	var total uint64
	x.text = bytes.Join(bytes.Fields(procfs.Skip(rest, len(x.columns))), []byte{' '})
	for i, cpu := range x.columns {
		word, after := procfs.Word(rest)
		n, ok := procfs.Uint(word)
		if ok {
			rest = after
		}
		total += n
		x.totals[i] += n
		if x.both == nil {
			continue
		}
		x.name = append(append(x.name[:0], name...), "::cpu"...)
		x.name = strconv.AppendInt(x.name, int64(cpu), 10)
		r := x.both.Named(x.bothIDs, x.name)
		x.both.Cell(r, []byte("count")).SetUint(n)
		x.both.Cell(r, []byte("text")).SetText(x.text)
	}
	if x.kinds == nil {
		return
	}
	r := x.kinds.Named(x.kindIDs, name)
	x.kinds.Cell(r, []byte("total")).SetUint(total)
	x.kinds.Cell(r, []byte("text")).SetText(x.text)
}
