package linux

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
)

// hugeKeys count huge pages in meminfo files. The values in bytes have the key with ".bytes".
var hugeKeys = [...]string{"HugePages_Total", "HugePages_Free", "HugePages_Rsvd", "HugePages_Surp"}

// estimated are the keys of meminfo from which setAvailable estimates.
var estimated = [...]string{"MemTotal", "MemFree", "Active(file)", "Inactive(file)", "SReclaimable"}

// setAvailable sets the memory that programs can get without swapping. For kernels before 3.14, which
// do not tell it, it is estimated as later kernels do: free memory, files in memory and slabs that can
// be freed, but for what the zones keep free, and for as much of the files and of the slabs, or half
// of them.
func (l *collector) setAvailable(t, meminfo *procfs.Table) {
	mem, c := &meminfo.Rows[0], t.Cell(t.Row(pcp.NullInst), []byte("kB"))
	if told := meminfo.Cell(mem, []byte("MemAvailable")); told.Kind == procfs.Number {
		c.SetUint(told.Num)
		return
	}
	var n [len(estimated)]uint64
	for i, key := range estimated {
		part := meminfo.Cell(mem, []byte(key))
		if part.Kind != procfs.Number {
			return
		}
		n[i] = part.Num
	}
	text, _ := l.Root.Read("proc/zoneinfo") // without the file the zones keep nothing
	var low uint64
	for line := range procfs.Lines(text) {
		if key, rest := procfs.Word(line); string(key) == "low" {
			word, _ := procfs.Word(rest)
			pages, _ := procfs.Uint(word)
			low += pages * l.PageSize >> 10
		}
	}
	free, files, slabs := n[1], n[2]+n[3], n[4]
	c.SetUint(uint64(max(0, int64(free-low+files-min(files/2, low)+slabs-min(slabs/2, low)))))
}

func (l *collector) addMemory() {
	meminfo := l.File("meminfo", "proc/meminfo", func(t *procfs.Table, r *procfs.Row, text []byte) {
		procfs.Keyed(t, r, text)
		r.DropOnes()
		addHugeBytes(t, r, t.Cell(r, []byte("Hugepagesize")))
	})
	meminfo.Slot("Hugepagesize")
	for _, key := range hugeKeys {
		meminfo.Slot(key)
	}
	for _, key := range append(estimated[:], "MemAvailable") {
		meminfo.Slot(key)
	}
	l.Fill("available", "/proc/meminfo", func(t *procfs.Table) { l.setAvailable(t, meminfo) }, meminfo)
	vmstat := l.Text("vmstat", "proc/vmstat", func(t *procfs.Table, text []byte) {
		r := t.Row(pcp.NullInst)
		procfs.Keyed(t, r, text)
		r.DropOnes()
	})
	l.addSwapped(vmstat)
	l.Text("swaps", "proc/swaps", func(t *procfs.Table, text []byte) {
		parseSwaps(t, l.Numbering("swaps"), text)
	})
	for _, name := range []string{
		"full_scans", "merge_across_nodes", "pages_shared", "pages_sharing", "pages_to_scan",
		"pages_unshared", "pages_volatile", "run", "sleep_millisecs",
	} {
		l.Numbers("ksm_"+name, "sys/kernel/mm/ksm/"+name)
	}
	l.Private("slabinfo", "proc/slabinfo", func(t *procfs.Table, text []byte) {
		parseSlabs(t, l.Numbering("slabs"), l.PageSize, text)
	})
	l.Fill("hugepages", "/sys/kernel/mm/hugepages", func(t *procfs.Table) {
		l.readHuge(t, l.Numbering("hugepages"), "", "sys/kernel/mm/hugepages")
	})
}

// addSwapped adds the numbers of pages moved to and from swap areas. Linux 2.4 has them in /proc/stat, as
// "swap 3 4"; the agent shows its line "page", of all pages read and written, as swap.in and swap.out.
func (l *collector) addSwapped(vmstat *procfs.Table) {
	keys := [...]string{"pswpin", "pswpout"}
	for _, key := range keys {
		vmstat.Slot(key)
	}
	l.Fill("swapped", "/proc/vmstat", func(t *procfs.Table) {
		r := t.Row(pcp.NullInst)
		if t.Tried = 1; len(vmstat.Rows) == 0 {
			text, _ := l.Root.Read("proc/stat") // without the file nothing was swapped
			swap, page := []byte("0 0"), []byte("0 0")
			for line := range procfs.Lines(text) {
				switch key, rest := procfs.Word(line); string(key) {
				case "swap":
					swap = rest
				case "page":
					page = rest
				}
			}
			t.SetKeys(r, swap, keys[:]...)
			t.SetKeys(r, page, "in", "out")
			return
		}
		for _, key := range keys {
			if n := vmstat.Cell(&vmstat.Rows[0], []byte(key)); n.Kind == procfs.Number {
				t.Cell(r, []byte(key)).SetUint(n.Num)
			}
		}
	}, vmstat)
}

// addHugeBytes calculates the sizes of huge pages from their number; size is that of a page in KiB.
func addHugeBytes(t *procfs.Table, r *procfs.Row, size *procfs.Cell) {
	if size == nil || size.Kind != procfs.Number {
		return
	}
	for _, key := range hugeKeys {
		n := t.Cell(r, []byte(key))
		if c := t.Cell(r, []byte(key+".bytes")); c != nil && n != nil && n.Kind == procfs.Number {
			c.SetUint(n.Num * size.Num << 10)
		}
	}
}

// slabName returns the name that a line of /proc/slabinfo begins with, and the numbers after it. Names
// with blanks have underlines for them: "TCP_v6".
func slabName(line []byte) (name, rest []byte) {
	name, rest = procfs.Word(line)
	for range maxSlabWords {
		word, after := procfs.Word(rest)
		if len(word) == 0 || word[0] >= '0' && word[0] <= '9' {
			break
		}
		name, rest = bytes.Join([][]byte{name, word}, []byte{'_'}), after
	}
	return name, rest
}

const maxSlabWords = 8 // after the first one: a damaged file may have lines of millions

// parseSwaps reads /proc/swaps: a line of headings, then
//
//	/dev/sda2   partition	2097148		1024		-2
func parseSwaps(t *procfs.Table, ids *procfs.IDs, text []byte) {
	for line := range procfs.Lines(text) {
		name, rest := procfs.Word(line)
		_, rest = procfs.Word(rest)
		last, _ := procfs.Word(procfs.Skip(rest, 2))
		if _, ok := procfs.Uint(last); !ok { // the headings, or a line without a value
			continue
		}
		r := t.Named(ids, name)
		t.SetKeys(r, rest, "size", "used", "priority")
		t.Cell(r, []byte("zero")).SetUint(0)
	}
}

// parseSlabs reads /proc/slabinfo: a line with the version, a line of headings, then
//
//	bio-312   12     12    320   12    1 : tunables    0    0    0 : slabdata      1      1      0
//
// Version 1.1 of Linux 2.4 has six numbers in a line, in another order, version 1.0 the first two. A
// line that is not complete ends the file.
func parseSlabs(t *procfs.Table, ids *procfs.IDs, pageSize uint64, text []byte) {
	line, text := procfs.Line(text)
	version, ok := bytes.CutPrefix(line, []byte("slabinfo - version: "))
	keys := [...]string{"active_objs", "num_objs", "objsize", "objperslab", "pagesperslab", "active_slabs", "num_slabs"}
	order := []int{0, 1, 2, 3, 4, 10, 11} // the places of the numbers among the words
	switch version, _ := procfs.Word(version); {
	case !ok:
		return
	case string(version) == "1.0":
		order = []int{0, 1}
	case string(version) == "1.1":
		order = []int{0, 1, 2, -1, 5, 3, -1}
	}
	for line := range procfs.Lines(text) {
		name, rest := slabName(line)
		if len(name) == 0 || name[0] == '#' {
			continue
		}
		var words [16][]byte
		for i, word := range procfs.Words(bytes.ReplaceAll(rest, []byte{':'}, []byte{' '})) {
			words[min(i, len(words)-1)] = word
		}
		var nums [len(keys)]uint64
		for i, at := range order {
			if at < 0 {
				continue
			}
			if nums[i], ok = procfs.Uint(words[at]); !ok {
				return
			}
		}
		r := t.Named(ids, name)
		for i, at := range order {
			if at >= 0 {
				t.Cell(r, []byte(keys[i])).SetUint(nums[i])
			}
		}
		switch bytes, perSlab, pages := t.Cell(r, []byte("bytes")), uint32(nums[3]), uint32(nums[4]); {
		case perSlab > 0:
			bytes.SetUint(nums[0] * uint64(pages) * pageSize / uint64(perSlab))
		case len(order) == 2:
			t.Cell(r, []byte("num_slabs")).SetUint(0)
		case order[3] < 0: // of slabs the version has their number
			bytes.SetUint(nums[5] * uint64(pages) * pageSize)
		}
	}
}

// readHuge reads directories like hugepages-2048kB. Files count pages; the cells have KiB.
func (l *collector) readHuge(t *procfs.Table, ids *procfs.IDs, prefix, dir string) {
	names, _ := l.Root.Names(dir)
	for _, name := range names {
		size, ok := strings.CutPrefix(name, "hugepages-")
		kbytes, isNumber := procfs.Uint([]byte(size))
		if !ok || !isNumber {
			continue
		}
		r := t.Named(ids, []byte(prefix+size))
		for key, slot := range t.Slots {
			if key == "pagesize" {
				r.Cells[slot].SetUint(kbytes)
				continue
			}
			text, _ := l.Root.Read(dir + "/" + name + "/" + key) // an older kernel does not have the file: no pages
			r.Cells[slot].SetUint(procfs.AnyUint(bytes.TrimSpace(text)) * kbytes)
		}
	}
}

func (l *collector) addNUMA() {
	meminfo := l.Tables["meminfo"]
	nodemem := l.Each("nodemem", "/sys/devices/system/node/NODE/meminfo", l.nodes, func(t *procfs.Table, node *procfs.Row) {
		text, err := l.Root.Read("sys/devices/system/node/" + node.Name + "/meminfo")
		if err != nil {
			return
		}
		r := t.Row(node.Inst)
		parseNodeMemory(t, r, text)
		if len(meminfo.Rows) == 1 {
			addHugeBytes(t, r, meminfo.Cell(&meminfo.Rows[0], []byte("Hugepagesize")))
		}
	}, meminfo)
	for _, key := range hugeKeys {
		nodemem.Slot(key)
	}
	l.PerRow("numastat", "/sys/devices/system/node/NODE/numastat", l.nodes, procfs.Keyed)
	l.Fill("nodehugepages", "/sys/devices/system/node/NODE/hugepages", func(t *procfs.Table) {
		for i := range l.nodes.Rows {
			name := l.nodes.Rows[i].Name
			l.readHuge(t, l.Numbering("nodehugepages"), name+"::", "sys/devices/system/node/"+name+"/hugepages")
		}
	}, l.nodes)
	l.Text("buddyinfo", "proc/buddyinfo", func(t *procfs.Table, text []byte) {
		parseBuddies(t, l.Numbering("buddyinfo"), text)
	})
	l.Text("zoneinfo", "proc/zoneinfo", func(t *procfs.Table, text []byte) {
		z := zoneReader{zones: t, protection: l.Tables["zoneprotection"], ids: l.Numbering("zones"), reserves: l.Numbering("reserves"), page: l.PageSize >> 10}
		z.read(text)
	})
	l.Alias("zoneprotection", "zoneinfo")
}

// parseNodeMemory reads the meminfo file of a node: "Node 0 MemTotal: 123 kB". SecPageTables, which
// newer kernels have after it, counts as PageTables, as with the reference.
func parseNodeMemory(t *procfs.Table, r *procfs.Row, text []byte) {
	for line := range procfs.Lines(text) {
		procfs.Keyed(t, r, bytes.TrimPrefix(bytes.TrimSpace(procfs.Skip(line, 2)), []byte("Sec")))
	}
}

const maxOrder = 32 // the kernel has 11 orders

// parseBuddies reads /proc/buddyinfo: the numbers of free blocks of each order in a zone.
//
//	Node 0, zone      DMA      0      0      0      0      0      0      0      0      1      1      3
func parseBuddies(t *procfs.Table, ids *procfs.IDs, text []byte) {
	var name []byte
	orders := 0 // those of the first zone
	for line := range procfs.Lines(text) {
		node, zone, rest, ok := parseZone(line)
		if !ok {
			continue
		}
		first := len(t.Rows) == 0
		rest = rest[:1+bytes.LastIndexAny(rest, " \t")] // each number has a blank after it
		for order, word := range procfs.Words(rest) {
			if order == maxOrder || !first && order == orders {
				break
			}
			orders = max(orders, order+1)
			name = append(name[:0], zone...)
			name = append(name, "::order"...)
			name = strconv.AppendUint(name, uint64(order), 10)
			name = append(name, "::node"...)
			name = append(name, node...)
			pages, _ := procfs.Uint(word)
			pages &= math.MaxUint32 // a counter of 32 bits
			r := t.Named(ids, name)
			t.Cell(r, []byte("pages")).SetUint(pages)
			t.Cell(r, []byte("total")).SetUint(pages << order)
		}
	}
}

// parseZone reads the beginning of a line: "Node 0, zone DMA".
func parseZone(line []byte) (node, zone, rest []byte, ok bool) {
	word, rest := procfs.Word(line)
	node, rest = procfs.Word(rest)
	kind, rest := procfs.Word(rest)
	zone, rest = procfs.Word(rest)
	node = bytes.TrimSuffix(node, []byte{','})
	return node, zone, rest, string(word) == "Node" && string(kind) == "zone" && len(zone) > 0
}

// A zoneReader reads /proc/zoneinfo. The file counts pages; the tables have KiB.
type zoneReader struct {
	zones, protection *procfs.Table
	ids, reserves     *procfs.IDs
	page              uint64 // the size of a page in KiB

	zone, node, name []byte // the current zone as a key, its node and its name
	row              *procfs.Row
	empty            []int32 // zones without memory, which are not instances
}

// read reads a file:
//
//	Node 0, zone      DMA
//	  per-node stats
//	      nr_inactive_anon 46718
//	  pages free     3840
//	        min      33
//	        protection: (0, 3019, 7627, 7627, 7627)
//	      nr_free_pages 3840
//	  pagesets
func (z *zoneReader) read(text []byte) {
	for line := range procfs.Lines(text) {
		if node, zone, _, ok := parseZone(line); ok {
			z.node, z.zone, z.row = node, zone, nil
			continue
		}
		if len(z.zone) == 0 {
			continue
		}
		key, rest := procfs.Word(line)
		switch string(key) {
		case "per-node":
			z.begin(false)
			continue
		case "pages":
			z.begin(true)
			key, rest = procfs.Word(rest)
		case "protection:":
			z.reserve(rest)
			continue
		case "node_scanned":
			key = []byte("scanned")
		case "pagesets":
			z.row = nil
		}
		if z.row == nil {
			continue
		}
		word, _ := procfs.Word(rest)
		n, ok := procfs.Uint(word)
		if ok && n == 0 && string(key) == "present" {
			z.empty = append(z.empty, z.row.Inst)
		}
		if ok {
			z.zones.Cell(z.row, key).SetUint(n * (z.page << 10) >> 10) // in bytes on the way, which may wrap
		}
	}
	z.zones.Keep(func(r *procfs.Row) bool { return !slices.Contains(z.empty, r.Inst) })
}

// begin makes the row of the zone, or of its node, the current row.
func (z *zoneReader) begin(zone bool) {
	z.name = z.name[:0]
	if zone {
		z.name = append(append(z.name, z.zone...), "::"...)
	}
	z.name = append(append(z.name, "node"...), z.node...)
	inst, name := z.ids.ID(z.name)
	z.row = z.zones.At(inst)
	z.row.Name = name
}

const maxZones = 64 // numbers that are read of a list

// reserve reads "(0, 3019, 7627)": the pages kept from allocations that other zones could serve.
func (z *zoneReader) reserve(list []byte) {
	for i, word := range procfs.Words(list) {
		n, ok := procfs.Uint(bytes.TrimLeft(word, "("))
		if !ok || i == maxZones {
			return
		}
		z.name = append(append(z.name[:0], z.zone...), "::node"...)
		z.name = append(append(z.name, z.node...), "::lowmem_reserved"...)
		z.name = strconv.AppendUint(z.name, uint64(i), 10)
		r := z.protection.Named(z.reserves, z.name)
		z.protection.Cell(r, []byte("pages")).SetUint(n * z.page)
	}
}
