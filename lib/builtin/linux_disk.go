package builtin

import (
	"bytes"
	"path"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// addDisks adds what is about block devices.
func (l *linuxCollector) addDisks() {
	const file = "/proc/diskstats"
	l.disks = l.table("disk", file, func(t *procfsTable, _ *pmda.Request) error {
		for _, kind := range linuxDiskKinds[1:] {
			l.tables[kind.table].reset()
		}
		text, err := l.root.read("proc/diskstats")
		if err != nil {
			return procfsError(err)
		}
		l.readDisks(text)
		return nil
	})
	for _, kind := range linuxDiskKinds {
		t := l.disks
		if kind.table != "disk" {
			t = l.alias(kind.table, file, l.disks)
		}
		l.indoms[kind.indom] = procfsInDom(kind.serial, t, kind.help)
	}
	l.count("ndisk", "disks", l.disks)
	l.addCapacity()
	l.table("scheduler", "/sys/block/DEV/queue/scheduler", func(t *procfsTable, _ *pmda.Request) error {
		for i := range l.disks.rows {
			name := "unknown"
			if text, err := l.root.read("sys/block/" + linuxSysName(l.disks.rows[i].name) + "/queue/scheduler"); err == nil {
				name = linuxSelected(text, name)
			}
			r := t.row(l.disks.rows[i].inst)
			t.cell(r, []byte("name")).setString(name)
		}
		return nil
	}, l.disks)
	l.addControllers()
	l.addPaths()
	l.addZRAM()
}

// addControllers adds what /sys tells of disks and their controllers.
func (l *linuxCollector) addControllers() {
	l.table("controller", "/sys/block/DEV", func(t *procfsTable, _ *pmda.Request) error {
		for i := range l.disks.rows {
			if name := linuxController(l.root.link("sys/block/" + linuxSysName(l.disks.rows[i].name))); name != "" {
				r := t.row(l.disks.rows[i].inst)
				t.cell(r, []byte("name")).setString(name)
			}
		}
		return nil
	}, l.disks)
	l.table("model", "/sys/block/DEV", func(t *procfsTable, _ *pmda.Request) error {
		for i := range l.disks.rows {
			dir, _, ok := strings.Cut(l.root.link("sys/block/"+linuxSysName(l.disks.rows[i].name)), "/block/")
			if !ok || path.Base(dir) == "virtual" {
				continue
			}
			if text, err := l.root.read(path.Join("sys/block", dir, "model")); err == nil {
				r := t.row(l.disks.rows[i].inst)
				t.cell(r, []byte("name")).setText(bytes.TrimRight(text, "\n"))
			}
		}
		return nil
	}, l.disks)
	l.table("wwid", "/sys/block/DEV/wwid", func(t *procfsTable, _ *pmda.Request) error {
		for i := range l.disks.rows {
			dir := "sys/block/" + linuxSysName(l.disks.rows[i].name)
			text, err := l.root.read(dir + "/device/wwid")
			if err != nil {
				text, err = l.root.read(dir + "/wwid")
			}
			id := "unknown"
			if err == nil {
				id = linuxWWID(string(bytes.TrimSpace(text)))
			}
			r := t.row(l.disks.rows[i].inst)
			t.cell(r, []byte("id")).setString(id)
		}
		return nil
	}, l.disks)
	for name, dir := range map[string]string{"ntape": "sys/class/scsi_tape", "nfchost": "sys/class/fc_host"} {
		l.table(name, "/"+dir, func(t *procfsTable, _ *pmda.Request) error {
			names, _ := l.root.names(dir) // without the directory there are none
			r := t.row(pcp.NullInst)
			t.cell(r, []byte("n")).setUint(uint64(len(names)))
			return nil
		})
	}
}

// linuxController returns the address of the last device on the PCI bus in the path
// of a disk, without its domain: "00:02.0" of "../devices/pci0000:00/0000:00:02.0/virtio1/block/vda".
func linuxController(link string) string {
	name := ""
	for part := range strings.SplitSeq(link, "/") {
		if _, address, ok := strings.Cut(part, ":"); ok && len(part) == len("0000:00:02.0") && part[4] == ':' && part[7] == ':' && part[10] == '.' {
			name = address
		}
	}
	return name
}

// linuxWWID returns the identifier of a disk with a digit for its kind in place of
// the kind's name.
func linuxWWID(s string) string {
	for prefix, digit := range map[string]string{"t10.": "1", "eui.": "2", "naa.": "3"} {
		if id, ok := strings.CutPrefix(s, prefix); ok {
			return digit + id
		}
	}
	return s
}

// linuxDiskKinds are the kinds of block devices that have metrics.
var linuxDiskKinds = [...]struct {
	table, indom string
	serial       uint32
	help         string
}{
	{"disk", "1", 1, "Disks"},
	{"partition", "10", 10, "Partitions of disks"},
	{"dm", "24", 24, "Logical volumes"},
	{"md", "25", 25, "Arrays of disks"},
	{"zram", "38", 38, "Compressed disks in memory"},
}

// linuxSysName returns a device's name as it stands in /sys.
func linuxSysName(name string) string {
	return string(bytes.ReplaceAll([]byte(name), []byte{'/'}, []byte{'!'}))
}

// linuxDiskKind returns the number of a device's kind, -1 for those without metrics.
func linuxDiskKind(name []byte) int {
	has := func(prefix string) bool { return bytes.HasPrefix(name, []byte(prefix)) }
	switch {
	case len(name) == 0, has("loop"), has("ram"), has("sr"), has("scd"):
		return -1
	case has("zram"):
		return 4
	case has("dm-"):
		return 2
	case has("md"):
		return 3
	case linuxIsPartition(name):
		return 1
	}
	return 0
}

// linuxIsPartition reports whether a device is a part of another by its name: a
// number after the name of a disk, with a p between if that ends in a digit. Other
// devices with a number are taken for partitions, as the reference does.
func linuxIsPartition(name []byte) bool {
	base := bytes.TrimRight(name, "0123456789")
	if len(base) == len(name) {
		return false
	}
	for _, prefix := range [...]string{"mmcblk", "nvme", "nbd", "rbd", "cciss/", "ida/", "rd/"} {
		if bytes.HasPrefix(name, []byte(prefix)) {
			return base[len(base)-1] == 'p' && len(base) > 1 && base[len(base)-2] >= '0' && base[len(base)-2] <= '9'
		}
	}
	return true
}

// readDisks reads /proc/diskstats, of which the first two numbers are those of the
// device:
//
//	8       0 sda 832120 163765 19447322 603461 1514020 297525 50004496 542615 3 348428 1381996
func (l *linuxCollector) readDisks(text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		_, rest := procfsWord(line)
		_, rest = procfsWord(rest)
		name, rest := procfsWord(rest)
		kind := linuxDiskKind(name)
		if kind < 0 {
			continue
		}
		t := l.tables[linuxDiskKinds[kind].table]
		r := t.named(l.numbering(linuxDiskKinds[kind].table), l.diskName(kind, name))
		t.setFields(r, 1, rest)
		if inst, ok := l.devices[string(name)]; !ok || inst != r.inst {
			l.devices[string(name)] = r.inst
		}
		t.cell(r, []byte("dev")).setText(name)
	}
	for _, kind := range linuxDiskKinds {
		l.tables[kind.table].sort()
	}
}

// diskName returns the instance's name of a device: for a logical volume the one
// that was given to it.
func (l *linuxCollector) diskName(kind int, name []byte) []byte {
	if linuxDiskKinds[kind].table != "dm" || bytes.ContainsRune(name, '/') {
		return name
	}
	// What read returns is in use: the name is read with a buffer of its own.
	other := procfsRoot{dir: l.root.dir, buf: make([]byte, 256), trace: l.root.trace}
	text, err := other.read("sys/block/" + string(name) + "/dm/name")
	if line, _ := procfsLine(text); err == nil && len(line) > 0 {
		return bytes.TrimSpace(line)
	}
	return name
}

// linuxSelected returns the word in brackets: "mq-deadline" of "none [mq-deadline] kyber".
func linuxSelected(text []byte, other string) string {
	_, after, _ := bytes.Cut(text, []byte{'['})
	if word, _, ok := bytes.Cut(after, []byte{']'}); ok {
		return string(word)
	}
	return other
}

// addCapacity adds the sizes of block devices from /proc/partitions.
func (l *linuxCollector) addCapacity() {
	const file = "/proc/partitions"
	disks := l.table("diskcapacity", file, func(t *procfsTable, _ *pmda.Request) error {
		for _, kind := range linuxDiskKinds {
			l.tables[kind.table+"capacity"].reset()
		}
		text, err := l.root.read("proc/partitions")
		if err != nil {
			return procfsMissing(err)
		}
		l.readCapacity(text)
		return nil
	}, l.disks)
	for _, kind := range linuxDiskKinds[1:] {
		l.alias(kind.table+"capacity", file, disks)
	}
}

// readCapacity reads /proc/partitions: "8 0 268435456 sda".
func (l *linuxCollector) readCapacity(text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		_, rest := procfsWord(line)
		_, rest = procfsWord(rest)
		size, rest := procfsWord(rest)
		name, _ := procfsWord(rest)
		kind := linuxDiskKind(name)
		if kind < 0 {
			continue
		}
		if inst, ok := l.devices[string(name)]; ok && l.tables[linuxDiskKinds[kind].table].find(inst) != nil {
			t := l.tables[linuxDiskKinds[kind].table+"capacity"]
			t.field(t.row(inst), 1).setWord(size)
		}
	}
	for _, kind := range linuxDiskKinds {
		l.tables[kind.table+"capacity"].sort()
	}
}

// addZRAM adds the files that only compressed disks in memory have.
func (l *linuxCollector) addZRAM() {
	zram := l.tables["zram"]
	number := func(t *procfsTable, r *procfsRow, text []byte) { t.setFields(r, 1, text) }
	for _, file := range []string{"io_stat", "mm_stat", "bd_stat"} {
		l.perRow("zram_"+file, "/sys/block/DEV/"+file, zram, func(dev string) string {
			return "sys/block/" + linuxSysName(dev) + "/" + file
		}, number)
	}
	l.perRow("zram_disksize", "/sys/block/DEV/disksize", zram, func(dev string) string {
		return "sys/block/" + linuxSysName(dev) + "/disksize"
	}, number)
}
