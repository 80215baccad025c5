package proc

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"pmtools/lib/builtin/internal/procfs"
)

// Where one node has all memory, numa_maps says no more than how many pages the areas in maps have. For processes without huge pages, and
// without the memory of devices, which numa_maps leaves out, the kernel counts these pages in a third of the time that it needs for numa_maps.
// The first such process of a request is asked for both, and numa_maps is read for all if they differ.

// A pageCounter counts pages of processes in the form of numa_maps.
type pageCounter struct {
	node    string // the only node's word for numbers of pages: "N0="; "" if numa_maps is to be read
	size    uint64 // of a page in KiB
	trusted bool   // one process has been compared in this request
	areas   []area
	text    []byte
}

// An area is a range of addresses whose pages are not private.
type area struct {
	start, end uint64
	kind       int // among numaKinds, or uncounted
}

// The kind of areas that numa_maps leaves out: their pages are the kernel's own.
const uncounted = len(numaKinds)

// begin begins a request.
func (c *pageCounter) begin(root *procfs.Root) {
	c.node, c.trusted = "", false
	if !root.Live() {
		return
	}
	mounts, err := root.Read("proc/mounts")
	if err != nil || bytes.Contains(mounts, []byte("dax")) { // a file system in the memory of a device
		return
	}
	if nodes, err := root.Read("sys/devices/system/node/has_memory"); err == nil {
		c.node = onlyNode(nodes)
	}
}

// onlyNode returns the word of the only node in a list of nodes, "" if there are none or several: "0-1,3".
func onlyNode(list []byte) string {
	if list = bytes.TrimSpace(list); len(list) == 0 || bytes.ContainsAny(list, "-,") {
		return ""
	}
	return " N" + string(list) + "="
}

// count returns lines like those of numa_maps, one for each kind of areas, nil if they are not known.
func (c *pageCounter) count(root *procfs.Root, pid int32, maps []byte) []byte {
	start, end, ok := c.find(maps)
	if !ok {
		return nil
	}
	var sizes [len(numaKinds) + 1]uint64
	err := root.Pages(fileOf(pid, "pagemap"), start, end, func(start, end uint64) {
		sizes[private] += end - start
		for _, a := range c.areas {
			if low, high := max(start, a.start), min(end, a.end); low < high {
				sizes[a.kind] += high - low
				sizes[private] -= high - low
			}
		}
	})
	if errors.Is(err, syscall.ENOTTY) || errors.Is(err, syscall.EINVAL) { // another kernel
		c.node = ""
	}
	if err != nil {
		return nil
	}
	c.text = c.text[:0]
	for i, kind := range numaKinds {
		c.text = append(append(c.text, "0 default "...), kind...)
		if n := sizes[i] / (c.size << 10); n > 0 {
			c.text = strconv.AppendUint(append(c.text, c.node...), n, 10)
		}
		c.text = strconv.AppendUint(append(c.text, " kernelpagesize_kB="...), c.size, 10)
		c.text = append(c.text, '\n')
	}
	return c.text
}

// find notes the areas in maps that are not private, and returns where the first begins and the last ends:
//
//	7ffd8000-7ffda000 rw-p 00000000 00:00 0                  [stack]
//
// It is not ok if there are areas whose pages may be those of a device.
func (c *pageCounter) find(maps []byte) (start, end uint64, ok bool) {
	c.areas = c.areas[:0]
	for line := range procfs.Lines(maps) {
		addresses, rest := procfs.Word(line)
		from, to, _ := bytes.Cut(addresses, []byte{'-'})
		a := area{kind: uncounted}
		a.start, _ = procfs.Hex(from)
		if a.end, ok = procfs.Hex(to); !ok {
			return 0, 0, false
		}
		word, _ := procfs.Word(procfs.Skip(rest, 4))
		switch name := string(word); name {
		case "[vsyscall]": // not in the page tables of the process
			continue
		case "[heap]", "[stack]":
			a.kind = slices.Index(numaKinds[:], name[1:len(name)-1])
			c.areas = append(c.areas, a)
		case "[vdso]":
			c.areas = append(c.areas, a)
		case "[vvar]", "[vvar_vclock]": // without pages that count
		default:
			if !ordinary(name) {
				return 0, 0, false
			}
		}
		if start == 0 {
			start = a.start
		}
		end = a.end
	}
	return start, end, start < end
}

// ordinary reports whether an area of that name has the pages of a program or of a file.
func ordinary(name string) bool {
	return name == "" || strings.HasPrefix(name, "[anon") || name[0] == '/' && !strings.HasPrefix(name, "/dev/")
}

// readNuma returns what numa_maps says of a process.
func (p *collector) readNuma(pid int32) ([]byte, error) {
	var counted []byte
	if p.pages.node != "" {
		if maps, err := p.read(pid, "maps"); err == nil {
			counted = p.pages.count(p.Root, pid, maps)
		}
	}
	if counted != nil && p.pages.trusted {
		return counted, nil
	}
	text, err := p.readFile(pid, "numa_maps")
	if counted != nil {
		if p.pages.trusted = err == nil && slices.Equal(nodesOf(counted), nodesOf(text)); !p.pages.trusted {
			p.pages.node = ""
		}
	}
	return text, err
}

func nodesOf(text []byte) []memoryNode {
	m := numaReader{index: map[uint64]int{}}
	m.sum(text)
	return m.nodes
}
