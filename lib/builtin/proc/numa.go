package proc

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
)

// numaKinds are words in the lines of memory areas. Lines without one are private.
var numaKinds = [...]string{"huge", "heap", "stack", "private"}

const maxNode = 1 << 16 // exclusive limit for the number of a memory node

// A numaReader reads /proc/PID/numa_maps, in which N0=5 is a number of pages on a node:
//
//	55f0c0a000 default heap anon=300 dirty=300 N0=100 N1=200 kernelpagesize_kB=4
//
// The values are texts: "node0:0.39,node1:0.78", in Mbytes. It keeps its memory from file to file.
type numaReader struct {
	nodes []memoryNode
	index map[uint64]int // indexes of nodes by their numbers
	line  []nodePages
	text  []byte
}

type memoryNode struct {
	number uint64
	kbytes [len(numaKinds)]float64
}

type nodePages struct{ node, pages uint64 }

func (m *numaReader) read(t *procfs.Table, r *procfs.Row, text []byte) {
	m.nodes = m.nodes[:0]
	clear(m.index)
	for line := range procfs.Lines(text) {
		m.add(line)
	}
	slices.SortFunc(m.nodes, func(a, b memoryNode) int { return cmp.Compare(a.number, b.number) })
	for kind, name := range numaKinds {
		m.text = m.text[:0]
		for i, n := range m.nodes {
			if i > 0 {
				m.text = append(m.text, ',')
			}
			m.text = strconv.AppendUint(append(m.text, "node"...), n.number, 10)
			m.text = strconv.AppendFloat(append(m.text, ':'), n.kbytes[kind]/1024, 'f', 2, 64)
		}
		t.Cell(r, []byte(name)).SetText(m.text)
	}
}

// add adds a line. The size of pages stands after their numbers.
func (m *numaReader) add(line []byte) {
	kind, size := len(numaKinds)-1, uint64(4)
	m.line = m.line[:0]
	for _, word := range procfs.Words(line) {
		key, value, _ := bytes.Cut(word, []byte{'='})
		switch number, ok := procfs.Uint(bytes.TrimPrefix(key, []byte{'N'})); {
		case ok && key[0] == 'N' && number < maxNode:
			n, _ := procfs.Uint(value)
			m.line = append(m.line, nodePages{number, n})
		case string(key) == "kernelpagesize_kB":
			size, _ = procfs.Uint(value)
		default:
			if k := slices.Index(numaKinds[:], string(word)); k >= 0 {
				kind = k
			}
		}
	}
	for _, l := range m.line {
		i, ok := m.index[l.node]
		if !ok {
			i = len(m.nodes)
			m.index[l.node] = i
			m.nodes = append(m.nodes, memoryNode{number: l.node})
		}
		m.nodes[i].kbytes[kind] += float64(l.pages) * float64(size)
	}
}

func (p *collector) addGraphics() {
	drawing := false
	graphics := p.Fill("graphics", "/sys/class/drm", func(*procfs.Table) { drawing = p.hasGraphics() })
	p.each("fdinfo", "/proc/PID/fdinfo", func(t *procfs.Table, pid int32) {
		var names []string
		any := !drawing && p.openFiles(pid) > 0
		if drawing {
			names, _ = p.Root.Names(fileOf(pid, "fdinfo")) // hidden, if not gone
			any = len(names) > 0
		}
		if !any || !p.mayRead(pid) {
			return
		}
		r, seen := t.Row(pid), map[string]bool{}
		for _, slot := range t.Slots {
			r.Cells[slot].SetUint(0)
		}
		for _, name := range names {
			if !mayDraw(p.Root.Link(fileOf(pid, "fd/"+name))) {
				continue
			}
			if text, err := p.Root.Read(fileOf(pid, "fdinfo/"+name)); err == nil {
				addClient(t, r, text, seen)
			}
		}
	})
	p.Tables["fdinfo"].Reading.Needs = append(p.Tables["fdinfo"].Reading.Needs, graphics.Reading)
	p.each("none", "the kernel's delay accounting, which is not asked", func(*procfs.Table, int32) {})
	numa := numaReader{index: map[uint64]int{}}
	p.perProcess("numa", "numa_maps", true, numa.read)
}

// hasGraphics reports whether the system may have a device whose users the kernel lists in fdinfo.
// Recorded files do not say which devices there were: for them it is true.
func (p *collector) hasGraphics() bool {
	for _, class := range [...]string{"drm", "accel"} {
		names, _ := p.System.Names("sys/class/" + class) // without the directory there is none
		if slices.ContainsFunc(names, func(name string) bool { return name != "version" }) {
			return true
		}
	}
	return !p.Root.Live()
}

// mayDraw reports whether the link target of an open file allows it to be a graphics device. Most
// open files are not devices, and need not be read then. A recorded file has no link.
func mayDraw(target string) bool {
	switch {
	case target == "":
		return true
	case target == "/dev/null", strings.HasPrefix(target, "/dev/pts/"), strings.HasPrefix(target, "/dev/tty"):
		return false
	}
	return strings.HasPrefix(target, "/dev/")
}

// addClient adds the numbers of a file of /proc/PID/fdinfo: "drm-memory-vram:	100 KiB". Those of a
// client that was seen before are left out.
func addClient(t *procfs.Table, r *procfs.Row, text []byte, seen map[string]bool) {
	for line := range procfs.Lines(text) {
		key, rest := procfs.Word(line)
		word, rest := procfs.Word(rest)
		if string(key) == "drm-client-id:" {
			if seen[string(word)] {
				return
			}
			seen[string(word)] = true
		}
		n, ok := procfs.Uint(word)
		if unit, _ := procfs.Word(rest); string(unit) == "MiB" {
			n *= 1024
		}
		if c := t.Cell(r, bytes.ReplaceAll(bytes.TrimSuffix(key, []byte{':'}), []byte{'-'}, []byte{'_'})); c != nil && ok {
			c.Add(n)
		}
	}
}
