package builtin

import (
	"bytes"
	"fmt"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// Fields of /proc/PID/stat, by their numbers in proc(5).
const (
	statTTY      = 7
	statTTYGroup = 8
	statVSize    = 23
	statRSS      = 24
	statPolicy   = 41
	statFields   = 52
)

// addStat adds what is in /proc/PID/stat.
func (p *procCollector) addStat() {
	p.perProcess("stat", "stat", false, procStat)
	p.table("runq", "/proc/PID/stat of all processes", p.readQueues, p.tables["all"])
}

// procStat reads /proc/PID/stat:
//
//	1 (init) S 0 1 1 34816 5 4194560 8571 ...
//
// The name may have blanks and parentheses: it ends at the last one. The number of
// a terminal's process group that is -1 is no value.
func procStat(t *procfsTable, r *procfsRow, text []byte) {
	name, rest, ok := procStatName(text)
	if !ok {
		return
	}
	t.field(r, 2).setText(name)
	state, rest := procfsWord(rest)
	t.field(r, 3).setText(state)
	for n := 4; n <= statFields; n++ {
		var word []byte
		if word, rest = procfsWord(rest); len(word) == 0 {
			break
		}
		if n == statTTYGroup && word[0] == '-' {
			continue
		}
		t.field(r, n).setWord(word)
		switch n {
		case statTTY, statPolicy, statRSS:
			v, _ := procfsUint(word)
			procStatDerived(t, r, n, v)
		}
	}
}

// procStatDerived sets what follows from a field.
func procStatDerived(t *procfsTable, r *procfsRow, field int, v uint64) {
	switch field {
	case statTTY:
		t.cell(r, []byte("tty")).setString(procTTY(v))
	case statPolicy:
		name := "?"
		if v < uint64(len(procPolicies)) {
			name = procPolicies[v]
		}
		t.cell(r, []byte("policy")).setString(name)
	case statRSS:
		t.cell(r, []byte("24.kb")).setUint(v * (linuxPage() >> 10))
	}
}

// procStatName returns the name in the second field of /proc/PID/stat, and what
// follows.
func procStatName(text []byte) (name, rest []byte, ok bool) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return nil, nil, false
	}
	return text[open+1 : end], text[end+1:], true
}

// procPolicies are the names of scheduling policies by their numbers.
var procPolicies = [...]string{"NORMAL", "FIFO", "RR", "BATCH", "ISO", "IDLE", "DEADLINE"}

// Major device numbers of terminals.
const (
	ttyMajor     = 4
	consoleMajor = 5
	ptsMajor     = 136 // and the seven after it
	ttySerial    = 64  // the first minor number of serial lines
)

// procTTY returns the name of a terminal by its device number, "?" if there is none.
func procTTY(dev uint64) string {
	major, minor := dev>>8&0xfff, dev&0xff|dev>>12&0xfff00
	switch {
	case major == ttyMajor && minor < ttySerial:
		return fmt.Sprintf("tty%d", minor)
	case major == ttyMajor:
		return fmt.Sprintf("ttyS%d", minor-ttySerial)
	case major == consoleMajor && minor == 0:
		return "tty"
	case major == consoleMajor && minor == 1:
		return "console"
	case major >= ptsMajor && major < ptsMajor+8:
		return "pts/" + strconv.FormatUint((major-ptsMajor)<<20|minor, 10)
	}
	return "?"
}

// procQueues counts processes by what they do.
type procQueues struct {
	runnable, blocked, sleeping, stopped, swapped, defunct, unknown, kernel uint64
}

// readQueues reads /proc/PID/stat of all processes.
func (p *procCollector) readQueues(t *procfsTable, _ *pmda.Request) error {
	var q procQueues
	for _, pid := range p.pids {
		if text, err := p.root.read(procFile(pid, "stat")); err == nil {
			q.add(text)
		}
	}
	r := t.row(pcp.NullInst)
	for _, c := range []struct {
		key string
		n   uint64
	}{
		{"runnable", q.runnable}, {"blocked", q.blocked}, {"sleeping", q.sleeping}, {"stopped", q.stopped},
		{"swapped", q.swapped}, {"defunct", q.defunct}, {"unknown", q.unknown}, {"kernel", q.kernel},
	} {
		t.cell(r, []byte(c.key)).setUint(c.n)
	}
	return nil
}

// add counts a process by its stat file. One without memory of its own is counted as
// such, whatever its state; those are of the kernel.
func (q *procQueues) add(text []byte) {
	_, rest, ok := procStatName(text)
	if !ok {
		q.unknown++
		return
	}
	state, rest := procfsWord(rest)
	var vsize []byte
	for n := 4; n <= statVSize; n++ {
		vsize, rest = procfsWord(rest)
	}
	if len(state) == 0 {
		q.unknown++
		return
	}
	if state[0] == 'Z' {
		q.defunct++
		return
	}
	if size, ok := procfsUint(vsize); ok && size == 0 {
		q.swapped++
		q.kernel++
		return
	}
	switch state[0] {
	case 'R':
		q.runnable++
	case 'D', 'P':
		q.blocked++
	case 'S':
		q.sleeping++
	case 'T', 't':
		q.stopped++
	default:
		q.unknown++
	}
}
