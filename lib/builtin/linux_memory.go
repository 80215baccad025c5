package builtin

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pmda"
)

// linuxHugeKeys are the lines of meminfo files that count huge pages. Their values
// in bytes have the same keys with ".bytes".
var linuxHugeKeys = [...]string{"HugePages_Total", "HugePages_Free", "HugePages_Rsvd", "HugePages_Surp"}

// addMemory adds what is about memory and swap space.
func (l *linuxCollector) addMemory() {
	meminfo := l.file("meminfo", "proc/meminfo", func(t *procfsTable, r *procfsRow, text []byte) {
		procfsKeyed(t, r, text)
		t.addHugeBytes(r, t.cell(r, []byte("Hugepagesize")))
	})
	meminfo.slot("Hugepagesize")
	for _, key := range linuxHugeKeys {
		meminfo.slot(key)
	}
	l.file("vmstat", "proc/vmstat", procfsKeyed)
	swaps := l.table("swaps", "/proc/swaps", func(t *procfsTable, _ *pmda.Request) error {
		text, err := l.root.read("proc/swaps")
		if err != nil {
			return procfsMissing(err)
		}
		linuxSwaps(t, l.numbering("swaps"), text)
		return nil
	})
	l.indoms["6"] = procfsInDom(6, swaps, "Swap areas")
	for _, name := range []string{
		"full_scans", "merge_across_nodes", "pages_shared", "pages_sharing", "pages_to_scan",
		"pages_unshared", "pages_volatile", "run", "sleep_millisecs",
	} {
		l.numbers("ksm_"+name, "sys/kernel/mm/ksm/"+name)
	}
	slabs := l.table("slabinfo", "/proc/slabinfo", func(t *procfsTable, _ *pmda.Request) error {
		text, err := l.root.read("proc/slabinfo")
		if err != nil {
			return procfsMissing(err)
		}
		linuxSlabs(t, l.numbering("slabs"), text)
		return nil
	})
	l.indoms["12"] = procfsInDom(12, slabs, "Caches of structures of the kernel")
	huge := l.table("hugepages", "/sys/kernel/mm/hugepages", func(t *procfsTable, _ *pmda.Request) error {
		l.readHuge(t, l.numbering("hugepages"), "", "sys/kernel/mm/hugepages")
		t.sort()
		return nil
	})
	l.indoms["43"] = procfsInDom(43, huge, "Sizes of huge pages")
}

// addHugeBytes calculates the sizes of huge pages from their number; size is that of
// one in KiB.
func (t *procfsTable) addHugeBytes(r *procfsRow, size *procfsCell) {
	if size == nil || size.kind != procfsNumber {
		return
	}
	for _, key := range linuxHugeKeys {
		n := t.cell(r, []byte(key))
		if c := t.cell(r, []byte(key+".bytes")); c != nil && n != nil && n.kind == procfsNumber {
			c.setUint(n.num * size.num << 10)
		}
	}
}

// linuxSwaps reads /proc/swaps: a line of headings, then
//
//	/dev/sda2   partition	2097148		1024		-2
func linuxSwaps(t *procfsTable, ids *procfsIDs, text []byte) {
	_, text = procfsLine(text)
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		name, rest := procfsWord(line)
		_, rest = procfsWord(rest)
		if len(rest) == 0 {
			continue
		}
		r := t.named(ids, name)
		for _, key := range [...]string{"size", "used", "priority"} {
			var word []byte
			word, rest = procfsWord(rest)
			t.cell(r, []byte(key)).setWord(word)
		}
		t.cell(r, []byte("zero")).setUint(0)
	}
	t.sort()
}

// linuxSlabs reads /proc/slabinfo: two lines of headings, then
//
//	bio-312   12     12    320   12    1 : tunables    0    0    0 : slabdata      1      1      0
func linuxSlabs(t *procfsTable, ids *procfsIDs, text []byte) {
	keys := [...]string{"active_objs", "num_objs", "objsize", "objperslab", "pagesperslab"}
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		name, rest := procfsWord(line)
		objects, data, _ := bytes.Cut(rest, []byte(": tunables"))
		_, data, ok := bytes.Cut(data, []byte(": slabdata"))
		if !ok || len(name) == 0 || name[0] == '#' {
			continue // a heading, or without what is wanted
		}
		r := t.named(ids, name)
		var nums [5]uint64
		for i, key := range keys {
			var word []byte
			word, objects = procfsWord(objects)
			nums[i], _ = procfsUint(word)
			t.cell(r, []byte(key)).setUint(nums[i])
		}
		active, data := procfsWord(data)
		total, _ := procfsWord(data)
		t.cell(r, []byte("active_slabs")).setWord(active)
		t.cell(r, []byte("num_slabs")).setWord(total)
		if perSlab := nums[3]; perSlab > 0 {
			t.cell(r, []byte("bytes")).setUint(nums[0] * nums[4] * linuxPage() / perSlab)
		}
	}
	t.sort()
}

// readHuge reads the directories for sizes of huge pages: hugepages-2048kB. What is
// counted in pages there has the size of the pages here, in KiB.
func (l *linuxCollector) readHuge(t *procfsTable, ids *procfsIDs, prefix, dir string) {
	names, _ := l.root.names(dir)
	for _, name := range names {
		size, ok := strings.CutPrefix(name, "hugepages-")
		kbytes, isNumber := procfsUint([]byte(size))
		if !ok || !isNumber {
			continue
		}
		r := t.named(ids, []byte(prefix+size))
		for key, slot := range t.slots {
			if key == "pagesize" {
				r.cells[slot].setUint(kbytes)
				continue
			}
			text, err := l.root.read(dir + "/" + name + "/" + key)
			if err != nil {
				continue
			}
			word, _ := procfsWord(text)
			if n, ok := procfsUint(word); ok {
				r.cells[slot].setUint(n * kbytes)
			}
		}
	}
}

// addNUMA adds what is about memory nodes and zones.
func (l *linuxCollector) addNUMA() {
	meminfo := l.tables["meminfo"]
	nodemem := l.table("nodemem", "/sys/devices/system/node/NODE/meminfo", func(t *procfsTable, _ *pmda.Request) error {
		for i := range l.nodes.rows {
			text, err := l.root.read("sys/devices/system/node/" + l.nodes.rows[i].name + "/meminfo")
			if err != nil {
				continue
			}
			r := t.row(l.nodes.rows[i].inst)
			linuxNodeMemory(t, r, text)
			if len(meminfo.rows) == 1 {
				t.addHugeBytes(r, meminfo.cell(&meminfo.rows[0], []byte("Hugepagesize")))
			}
		}
		return nil
	}, l.nodes, meminfo)
	for _, key := range linuxHugeKeys {
		nodemem.slot(key)
	}
	l.perRow("numastat", "/sys/devices/system/node/NODE/numastat", l.nodes, func(node string) string {
		return "sys/devices/system/node/" + node + "/numastat"
	}, procfsKeyed)
	huge := l.table("nodehugepages", "/sys/devices/system/node/NODE/hugepages", func(t *procfsTable, _ *pmda.Request) error {
		for i := range l.nodes.rows {
			name := l.nodes.rows[i].name
			l.readHuge(t, l.numbering("nodehugepages"), name+"::", "sys/devices/system/node/"+name+"/hugepages")
		}
		t.sort()
		return nil
	}, l.nodes)
	l.indoms["44"] = procfsInDom(44, huge, "Sizes of huge pages of each memory node")
	buddy := l.table("buddyinfo", "/proc/buddyinfo", func(t *procfsTable, _ *pmda.Request) error {
		text, err := l.root.read("proc/buddyinfo")
		if err != nil {
			return procfsMissing(err)
		}
		linuxBuddies(t, l.numbering("buddyinfo"), text)
		return nil
	})
	l.indoms["31"] = procfsInDom(31, buddy, "Sizes of free blocks of memory in each zone")
	l.addZones()
}

// linuxNodeMemory reads the meminfo file of a node: "Node 0 MemTotal: 123 kB".
func linuxNodeMemory(t *procfsTable, r *procfsRow, text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		_, line = procfsWord(line)
		_, line = procfsWord(line)
		procfsKeyed(t, r, line)
	}
}

// linuxBuddies reads /proc/buddyinfo: how many free blocks of each order a zone has.
//
//	Node 0, zone      DMA      0      0      0      0      0      0      0      0      1      1      3
func linuxBuddies(t *procfsTable, ids *procfsIDs, text []byte) {
	var name []byte
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		node, zone, rest, ok := linuxZone(line)
		if !ok {
			continue
		}
		for order := range 32 {
			var word []byte
			if word, rest = procfsWord(rest); len(word) == 0 {
				break
			}
			name = append(name[:0], zone...)
			name = append(name, "::order"...)
			name = strconv.AppendUint(name, uint64(order), 10)
			name = append(name, "::node"...)
			name = append(name, node...)
			pages, _ := procfsUint(word)
			r := t.named(ids, name)
			t.cell(r, []byte("pages")).setUint(pages)
			t.cell(r, []byte("total")).setUint(pages << order * (linuxPage() >> 10))
		}
	}
	t.sort()
}

// linuxZone reads the beginning of a line: "Node 0, zone DMA".
func linuxZone(line []byte) (node, zone, rest []byte, ok bool) {
	word, rest := procfsWord(line)
	node, rest = procfsWord(rest)
	kind, rest := procfsWord(rest)
	zone, rest = procfsWord(rest)
	node = bytes.TrimSuffix(node, []byte{','})
	return node, zone, rest, string(word) == "Node" && string(kind) == "zone" && len(zone) > 0
}

// addZones adds what is in /proc/zoneinfo.
func (l *linuxCollector) addZones() {
	zones := l.table("zoneinfo", "/proc/zoneinfo", func(t *procfsTable, _ *pmda.Request) error {
		protection := l.tables["zoneprotection"]
		protection.reset()
		text, err := l.root.read("proc/zoneinfo")
		if err != nil {
			return procfsMissing(err)
		}
		z := linuxZoneReader{zones: t, protection: protection, ids: l.numbering("zones"), reserves: l.numbering("reserves")}
		z.read(text)
		return nil
	})
	l.alias("zoneprotection", "/proc/zoneinfo", zones)
	l.indoms["32"] = procfsInDom(32, zones, "Memory nodes and their zones")
	l.indoms["33"] = procfsInDom(33, l.tables["zoneprotection"], "Reserves of zones")
}

// A linuxZoneReader reads /proc/zoneinfo. What is counted in pages there is in KiB
// in the tables.
type linuxZoneReader struct {
	zones, protection *procfsTable
	ids, reserves     *procfsIDs

	zone, node, name []byte // where it is
	row              *procfsRow
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
func (z *linuxZoneReader) read(text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		if node, zone, _, ok := linuxZone(line); ok {
			z.node, z.zone, z.row = node, zone, nil
			continue
		}
		key, rest := procfsWord(line)
		switch string(key) {
		case "per-node":
			z.begin(false)
			continue
		case "pages":
			z.begin(true)
			key, rest = procfsWord(rest)
		case "protection:":
			z.reserve(rest)
			continue
		case "pagesets":
			z.row = nil
		}
		if z.row == nil {
			continue
		}
		word, _ := procfsWord(rest)
		n, ok := procfsUint(word)
		if ok && n == 0 && string(key) == "present" {
			z.empty = append(z.empty, z.row.inst)
		}
		if ok {
			z.zones.cell(z.row, key).setUint(n * (linuxPage() >> 10))
		}
	}
	z.zones.keep(func(r *procfsRow) bool { return !slices.Contains(z.empty, r.inst) })
	z.zones.sort()
	z.protection.sort()
}

// begin makes the row of the zone, or of its node, the current one.
func (z *linuxZoneReader) begin(zone bool) {
	z.name = z.name[:0]
	if zone {
		z.name = append(append(z.name, z.zone...), "::"...)
	}
	z.name = append(append(z.name, "node"...), z.node...)
	inst, name := z.ids.id(z.name)
	z.row = z.zones.at(inst)
	z.row.name = name
}

// reserve reads "(0, 3019, 7627)": what of the zone is not given to allocations that
// could have come from others.
func (z *linuxZoneReader) reserve(list []byte) {
	for i := range 64 {
		var word []byte
		if word, list = procfsWord(list); len(word) == 0 {
			return
		}
		n, ok := procfsUint(bytes.TrimLeft(word, "("))
		if !ok {
			return
		}
		z.name = append(append(z.name[:0], z.zone...), "::node"...)
		z.name = append(append(z.name, z.node...), "::lowmem_reserved"...)
		z.name = strconv.AppendUint(z.name, uint64(i), 10)
		r := z.protection.named(z.reserves, z.name)
		z.protection.cell(r, []byte("pages")).setUint(n * (linuxPage() >> 10))
	}
}

// linuxPage returns the size of a page of memory.
func linuxPage() uint64 { return uint64(os.Getpagesize()) }
