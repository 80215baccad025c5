package proc

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
)

// Fields of /proc/PID/stat, by their numbers in proc(5).
const (
	statTTY      = 7
	statTTYGroup = 8
	statVSize    = 23
	statPolicy   = 41
)

// parseStat reads /proc/PID/stat:
//
//	1 (init) S 0 1 1 34816 5 4194560 8571 ...
//
// The name may have blanks and parentheses: it ends at the last one. The number of a terminal's
// process group has no value if it is -1, or another that is negative in 32 bits.
func parseStat(t *procfs.Table, r *procfs.Row, text []byte) {
	name, rest, ok := statName(text)
	if !ok {
		return
	}
	t.Field(r, 2).SetText(name)
	state, rest := procfs.Word(rest)
	t.Field(r, 3).SetText(state)
	for i, word := range procfs.Words(rest) {
		n := 4 + i
		v, _ := procfs.Uint(word)
		if n == statTTYGroup && int32(v) < 0 {
			continue
		}
		t.Field(r, n).SetWord(word)
		switch n {
		case statTTY:
			t.Cell(r, []byte("tty")).SetString(ttyName(v))
		case statPolicy:
			name := "?"
			if v < uint64(len(policies)) {
				name = policies[v]
			}
			t.Cell(r, []byte("policy")).SetString(name)
		}
	}
}

func statName(text []byte) (name, rest []byte, ok bool) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return nil, nil, false
	}
	return text[open+1 : end], text[end+1:], true
}

var policies = [...]string{"NORMAL", "FIFO", "RR", "BATCH", "ISO", "IDLE", "DEADLINE"}

const (
	ttyMajor     = 4
	consoleMajor = 5
	ptsMajor     = 136 // the first of eight numbers
	ttySerial    = 64  // the first minor number of serial lines
)

// ttyName returns the name of a terminal by its device number, "?" if there is none.
func ttyName(dev uint64) string {
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

// queues are the classes in which processes are counted: by state, and kernel threads once more.
var queues = [...]string{"runnable", "blocked", "sleeping", "stopped", "swapped", "defunct", "unknown", "kernel"}

type runQueues map[string]uint64

func (p *collector) readQueues(t *procfs.Table) {
	q := runQueues{}
	for _, pid := range p.pids {
		if text, err := p.read(pid, "stat"); err == nil {
			q.add(text)
		}
	}
	r := t.Row(pcp.NullInst)
	for _, key := range queues {
		t.Cell(r, []byte(key)).SetUint(q[key])
	}
}

// add counts a process by its stat file. A process without memory of its own is a kernel thread,
// and counted as that in any state.
func (q runQueues) add(text []byte) {
	_, rest, _ := statName(text)
	state, rest := procfs.Word(rest)
	vsize, _ := procfs.Word(procfs.Skip(rest, statVSize-4))
	size, ok := procfs.Uint(vsize)
	switch {
	case len(state) == 0:
		q["unknown"]++
	case state[0] == 'Z':
		q["defunct"]++
	case ok && size == 0:
		q["swapped"]++
		q["kernel"]++
	default:
		q[cmp.Or(stateQueues[state[0]], "unknown")]++
	}
}

// stateQueues has, by the letter of its state, the queue in which a process that is no kernel thread is counted.
var stateQueues = [256]string{'R': "runnable", 'D': "blocked", 'P': "blocked", 'S': "sleeping", 'T': "stopped", 't': "stopped"}
