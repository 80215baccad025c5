package linux

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
)

// hugeKeys count huge pages in meminfo files. The values in bytes have the key with ".bytes".
var hugeKeys = [...]string{"HugePages_Total", "HugePages_Free", "HugePages_Rsvd", "HugePages_Surp"}

func (l *collector) addMemory() {
	meminfo := l.File("meminfo", "proc/meminfo", func(t *procfs.Table, r *procfs.Row, text []byte) {
		procfs.Keyed(t, r, text)
		addHugeBytes(t, r, t.Cell(r, []byte("Hugepagesize")))
	})
	meminfo.Slot("Hugepagesize")
	for _, key := range hugeKeys {
		meminfo.Slot(key)
	}
	l.Text("vmstat", "proc/vmstat", func(t *procfs.Table, text []byte) { procfs.Keyed(t, t.Row(pcp.NullInst), text) })
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

// addHugeBytes converts numbers of huge pages to bytes; size is the size of a page in KiB.
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

// parseSwaps reads /proc/swaps: a line of headings, then
//
//	/dev/sda2   partition	2097148		1024		-2
func parseSwaps(t *procfs.Table, ids *procfs.IDs, text []byte) {
	_, text = procfs.Line(text)
	for line := range procfs.Lines(text) {
		name, rest := procfs.Word(line)
		if rest = procfs.Skip(rest, 1); len(rest) == 0 {
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
func parseSlabs(t *procfs.Table, ids *procfs.IDs, pageSize uint64, text []byte) {
	for line := range procfs.Lines(procfs.After(text, 2)) {
		name, rest := procfs.Word(line)
		_, slabs, ok := bytes.Cut(rest, []byte(": slabdata"))
		first, _ := procfs.Word(rest)
		if _, number := procfs.Uint(first); !ok || !number {
			continue
		}
		r := t.Named(ids, name)
		t.SetKeys(r, rest, "active_objs", "num_objs", "objsize", "objperslab", "pagesperslab")
		t.SetKeys(r, slabs, "active_slabs", "num_slabs")
		objects, pages, perSlab := t.Cell(r, []byte("active_objs")), t.Cell(r, []byte("pagesperslab")), t.Cell(r, []byte("objperslab"))
		if perSlab.Kind == procfs.Number && perSlab.Num > 0 {
			t.Cell(r, []byte("bytes")).SetUint(objects.Num * pages.Num * pageSize / perSlab.Num)
		}
	}
}

// readHuge reads directories like hugepages-2048kB. Files count pages; the cells have KiB.
func (l *collector) readHuge(t *procfs.Table, ids *procfs.IDs, prefix, dir string) {
	names, _ := l.Root.Names(dir)
	for _, name := range names {
		size := strings.TrimPrefix(name, "hugepages-")
		kbytes, ok := procfs.Uint([]byte(strings.TrimSuffix(size, "kB")))
		if !ok {
			continue
		}
		r := t.Named(ids, []byte(prefix+size))
		for key, slot := range t.Slots {
			if key == "pagesize" {
				r.Cells[slot].SetUint(kbytes)
				continue
			}
			n, _ := l.Root.Number(dir + "/" + name + "/" + key) // an older kernel does not have the file: no pages
			r.Cells[slot].SetUint(n * kbytes)
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

// parseBuddies reads /proc/buddyinfo: the numbers of free blocks of each order in a zone.
//
//	Node 0, zone      DMA      0      0      0      0      0      0      0      0      1      1      3
func parseBuddies(t *procfs.Table, ids *procfs.IDs, text []byte) {
	var name []byte
	for line := range procfs.Lines(text) {
		node, zone, rest := parseZone(line)
		for order, word := range procfs.Words(rest) {
			pages, ok := procfs.Uint(word)
			if !ok || order == maxOrder {
				break
			}
			name = fmt.Appendf(name[:0], "%s::order%d::node%s", zone, order, node)
			r := t.Named(ids, name)
			pages = uint64(uint32(pages)) // as PCP's agent counts
			t.Cell(r, []byte("pages")).SetUint(pages)
			t.Cell(r, []byte("total")).SetUint(pages << order)
		}
	}
}

const maxOrder = 32 // the kernel has 11 orders

// parseZone reads the beginning of a line: "Node 0, zone DMA". The zone of other lines is empty.
func parseZone(line []byte) (node, zone, rest []byte) {
	if rest, ok := bytes.CutPrefix(line, []byte("Node ")); ok {
		node, rest, _ = bytes.Cut(rest, []byte(", zone "))
		zone, rest = procfs.Word(rest)
		return node, zone, rest
	}
	return nil, nil, nil
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
		if node, zone, _ := parseZone(line); len(zone) > 0 {
			z.node, z.zone, z.row = node, zone, nil
			continue
		}
		if len(z.zone) == 0 {
			continue
		}
		key, rest := procfs.Word(line)
		switch string(key) {
		case "per-node":
			z.begin("node%[2]s")
		case "pages":
			z.begin("%s::node%s")
			key, rest = procfs.Word(rest)
		case "protection:":
			z.reserve(rest)
		case "node_scanned":
			key = []byte("scanned")
		case "pagesets":
			z.row = nil
		}
		word, _ := procfs.Word(rest)
		n, ok := procfs.Uint(word)
		if !ok || z.row == nil {
			continue
		}
		if n == 0 && string(key) == "present" {
			z.empty = append(z.empty, z.row.Inst)
		}
		z.zones.Cell(z.row, key).SetUint(n * (z.page << 10) >> 10) // in bytes on the way, which may wrap
	}
	z.zones.Keep(func(r *procfs.Row) bool { return !slices.Contains(z.empty, r.Inst) })
}

// begin makes the row of the zone, or of its node, the current row. The form of its name has the zone and the node.
func (z *zoneReader) begin(form string) {
	z.name = fmt.Appendf(z.name[:0], form, z.zone, z.node)
	inst, name := z.ids.ID(z.name)
	z.row = z.zones.At(inst)
	z.row.Name = name
}

const maxZones = 64 // numbers that are read of a list

// reserve reads "(0, 3019, 7627)": the pages kept from allocations that other zones could serve.
func (z *zoneReader) reserve(list []byte) {
	for i, word := range procfs.Words(list) {
		n, ok := procfs.Uint(bytes.Trim(word, "(,)"))
		if !ok || i == maxZones {
			return
		}
		z.name = fmt.Appendf(z.name[:0], "%s::node%s::lowmem_reserved%d", z.zone, z.node, i)
		r := z.protection.Named(z.reserves, z.name)
		z.protection.Cell(r, []byte("pages")).SetUint(n * z.page)
	}
}
