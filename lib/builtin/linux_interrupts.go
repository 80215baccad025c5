package builtin

import (
	"bytes"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// addInterrupts adds what is about interrupts and soft interrupts.
func (l *linuxCollector) addInterrupts() {
	lines := l.interrupts("interrupts", "cpuinterrupts", "intrcpu", "proc/interrupts")
	l.alias("interrupterrors", "/proc/interrupts", lines)
	lines.slot("text")
	l.tables["cpuinterrupts"].slot("text")
	l.indoms["4"] = procfsInDom(4, lines, "Interrupt lines")
	l.indoms["40"] = procfsInDom(40, l.tables["cpuinterrupts"], "Interrupt lines of each processor")
	soft := l.interrupts("softirqs", "cpusoftirqs", "sirqcpu", "proc/softirqs")
	l.indoms["36"] = procfsInDom(36, soft, "Kinds of soft interrupts")
	l.indoms["41"] = procfsInDom(41, l.tables["cpusoftirqs"], "Kinds of soft interrupts of each processor")
}

// interrupts adds tables for a file with a line for each kind of interrupt and a
// column for each processor: for the kinds, for both, and for the processors.
func (l *linuxCollector) interrupts(kinds, both, cpus, file string) *procfsTable {
	t := l.table(kinds, "/"+file, func(t *procfsTable, _ *pmda.Request) error {
		x := linuxInterrupts{
			kinds: t, both: l.tables[both], cpus: l.tables[cpus], errors: l.tables["interrupterrors"],
			kindIDs: l.numbering(kinds), bothIDs: l.numbering(both),
		}
		x.both.reset()
		x.cpus.reset()
		if kinds == "softirqs" {
			x.errors = nil
		} else {
			x.errors.reset()
		}
		text, err := l.root.read(file)
		if err != nil {
			return procfsMissing(err)
		}
		x.read(text)
		return nil
	})
	l.alias(both, "/"+file, t)
	l.alias(cpus, "/"+file, t)
	return t
}

// linuxInterrupts reads /proc/interrupts or /proc/softirqs.
type linuxInterrupts struct {
	kinds, both, cpus *procfsTable
	errors            *procfsTable // for lines with one number for all processors; may be nil
	kindIDs, bothIDs  *procfsIDs

	columns []int32 // the processor of each column
	totals  []uint64
	name    []byte
	text    []byte // what the line says beside its numbers
}

// read reads a file:
//
//	           CPU0       CPU1
//	 24:          1          0  IO-APIC   5-edge      ACPI:Ged
//	ERR:          0
func (x *linuxInterrupts) read(text []byte) {
	line, text := procfsLine(text)
	for word, rest := procfsWord(line); len(word) > 0; word, rest = procfsWord(rest) {
		n, ok := procfsUint(bytes.TrimPrefix(word, []byte("CPU")))
		if !ok || n >= 1<<16 || len(x.columns) >= 1<<16 {
			return
		}
		x.columns = append(x.columns, int32(n))
	}
	x.totals = make([]uint64, len(x.columns))
	var errors *procfsRow
	if x.errors != nil {
		errors = x.errors.row(pcp.NullInst)
	}
	for len(text) > 0 {
		line, text = procfsLine(text)
		name, rest, ok := bytes.Cut(line, []byte{':'})
		if name = bytes.TrimSpace(name); !ok || len(name) == 0 {
			continue
		}
		if key := bytes.ToUpper(name); string(key) == "ERR" || string(key) == "MIS" { // "Err" on some machines
			if errors != nil {
				word, _ := procfsWord(rest)
				x.errors.cell(errors, key).setWord(word)
			}
			continue
		}
		x.line(name, rest)
	}
	for i, cpu := range x.columns {
		x.cpus.cell(x.cpus.row(cpu), []byte("count")).setUint(x.totals[i])
	}
	x.kinds.sort()
	x.both.sort()
	x.cpus.sort()
}

// line adds the numbers of a line.
func (x *linuxInterrupts) line(name, rest []byte) {
	var total uint64
	count := rest
	for range x.columns {
		_, rest = procfsWord(rest)
	}
	x.text = procfsJoin(x.text[:0], rest)
	rest = count
	for i, cpu := range x.columns {
		var word []byte
		word, rest = procfsWord(rest)
		n, ok := procfsUint(word)
		if !ok {
			break
		}
		total += n
		x.totals[i] += n
		x.name = append(append(x.name[:0], name...), "::cpu"...)
		x.name = strconv.AppendInt(x.name, int64(cpu), 10)
		r := x.both.named(x.bothIDs, x.name)
		x.both.cell(r, []byte("count")).setUint(n)
		x.both.cell(r, []byte("text")).setText(x.text)
	}
	r := x.kinds.named(x.kindIDs, name)
	x.kinds.cell(r, []byte("total")).setUint(total)
	x.kinds.cell(r, []byte("text")).setText(x.text)
}
