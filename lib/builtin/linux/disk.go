package linux

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

func (l *collector) addDisks() {
	l.disks = l.Text("disk", "proc/diskstats", func(_ *procfs.Table, text []byte) { l.readDisks(text) })
	for _, kind := range diskKinds[1:] {
		l.Alias(kind, "disk")
	}
	l.Count("ndisk", "disks", l.disks)
	l.Text("diskcapacity", "proc/partitions", func(_ *procfs.Table, text []byte) { l.readCapacity(text) }, l.disks)
	for _, kind := range diskKinds[1:] {
		l.Alias(kind+"capacity", "diskcapacity")
	}
	l.Each("scheduler", "/sys/block/DEV/queue/scheduler", l.disks, func(t *procfs.Table, disk *procfs.Row) {
		name := "unknown"
		if text, err := l.Root.Read("sys/block/" + sysName(disk.Name) + "/queue/scheduler"); err == nil {
			name = selected(text, name)
		}
		t.Cell(t.Row(disk.Inst), []byte("name")).SetString(name)
	})
	l.addControllers()
	l.addPaths()
	l.numberOr("zram_disksize", "/sys/block/DEV/disksize", l.Tables["zram"], "1", 0)
	for file, least := range map[string]int{"io_stat": 4, "mm_stat": 8, "bd_stat": 3} {
		l.PerRow("zram_"+file, "/sys/block/DEV/"+file, l.Tables["zram"], func(t *procfs.Table, r *procfs.Row, text []byte) {
			if len(bytes.Fields(text)) >= least { // PCP's agent does not show fewer numbers, as Linux before 4.19 has in mm_stat
				procfs.Fields(t, r, text)
			}
		})
	}
}

func (l *collector) addControllers() {
	l.Each("controller", "/sys/block/DEV", l.disks, func(t *procfs.Table, disk *procfs.Row) {
		if name := controller(l.Root.Link("sys/block/" + sysName(disk.Name))); name != "" {
			t.Cell(t.Row(disk.Inst), []byte("name")).SetString(name)
		}
	})
	l.Each("model", "/sys/block/DEV", l.disks, func(t *procfs.Table, disk *procfs.Row) {
		dir, _, ok := strings.Cut(l.Root.Link("sys/block/"+sysName(disk.Name)), "/block/")
		if !ok || path.Base(dir) == "virtual" {
			return
		}
		if text, err := l.Root.Read(path.Join("sys/block", dir, "model")); err == nil && len(text) > 0 {
			t.Cell(t.Row(disk.Inst), []byte("name")).SetText(procfs.Chop(text))
		}
	})
	l.Each("wwid", "/sys/block/DEV/wwid", l.disks, func(t *procfs.Table, disk *procfs.Row) {
		dir, id := "sys/block/"+sysName(disk.Name), "unknown"
		text, err := l.Root.Read(dir + "/device/wwid")
		if err != nil {
			text, err = l.Root.Read(dir + "/wwid")
		}
		if err == nil && len(text) > 0 {
			line, _ := procfs.Line(procfs.Chop(text))
			id = wwid(string(line))
		}
		t.Cell(t.Row(disk.Inst), []byte("id")).SetString(id)
	})
	l.countNames("ntape", "sys/class/scsi_tape", "st")
	l.countNames("nfchost", "sys/class/fc_host", "host")
}

// countNames adds a table with the count of numbered names. Tapes have more: nst0 and st0a.
func (l *collector) countNames(name, dir, what string) {
	l.Table(name, "/"+dir, func(t *procfs.Table, _ *pmda.Request) error {
		names, _ := l.Root.Names(dir) // without the directory there are no devices
		names = slices.DeleteFunc(names, func(name string) bool {
			_, ok := numbered(what, name)
			return !ok
		})
		t.Cell(t.Row(pcp.NullInst), []byte("n")).SetUint(uint64(len(names)))
		return nil
	})
}

// controller returns the address of the last device on the PCI bus in the path
// of a disk, without its domain: "00:02.0" of "../devices/pci0000:00/0000:00:02.0/virtio1/block/vda".
func controller(link string) string {
	name := ""
	for part := range strings.SplitSeq(link, "/") {
		if _, address, ok := strings.Cut(part, ":"); ok && len(part) == len("0000:00:02.0") && part[4] == ':' && part[7] == ':' && part[10] == '.' {
			name = address
		}
	}
	return name
}

// wwid returns the identifier of a disk with a digit for its kind in place of the kind's name.
func wwid(s string) string {
	for prefix, digit := range map[string]string{"t10.": "1", "eui.": "2", "naa.": "3"} {
		if id, ok := strings.CutPrefix(s, prefix); ok {
			return digit + id
		}
	}
	return s
}

var diskKinds = [...]string{"disk", "partition", "dm", "md", "zram"}

func sysName(name string) string {
	return strings.ReplaceAll(name, "/", "!")
}

// diskKind returns the number of a device's kind, -1 for those without metrics.
func diskKind(name []byte) int {
	has := func(prefix string) bool { return bytes.HasPrefix(name, []byte(prefix)) }
	switch {
	case len(name) == 0, has("loop"), has("ram"), has("sr"):
		return -1
	case has("zram"):
		return 4
	case has("dm-"):
		return 2
	case has("md"):
		return 3
	case isPartition(name):
		return 1
	}
	return 0
}

// isPartition reports by its name whether a device is a partition: the name of a disk and a number,
// with a p between them if the disk's name ends in a digit, such as "cciss/c0d1". Like the reference,
// it takes other names that end in a number, and names with a directory but without a number, for
// partitions.
func isPartition(name []byte) bool {
	base := bytes.TrimRight(name, "0123456789")
	if bytes.IndexByte(name, '/') >= 0 {
		return len(base) == len(name) || base[len(base)-1] == 'p'
	}
	if len(base) == len(name) {
		return false
	}
	for _, prefix := range [...]string{"mmcblk", "nvme", "nbd", "rbd"} {
		if bytes.HasPrefix(name, []byte(prefix)) {
			return base[len(base)-1] == 'p' && len(base) > 1 && base[len(base)-2] >= '0' && base[len(base)-2] <= '9'
		}
	}
	return true
}

// readDisks reads /proc/diskstats:
//
//	8       0 sda 832120 163765 19447322 603461 1514020 297525 50004496 542615 3 348428 1381996
//
// Linux 4.18 has four more numbers, and 5.5 two more.
func (l *collector) readDisks(text []byte) {
	for line := range procfs.Lines(text) {
		name, rest := procfs.Word(procfs.Skip(line, 2))
		kind := diskKind(name)
		if kind < 0 {
			continue
		}
		given := l.diskName(kind, name)
		if len(given) == 0 {
			continue
		}
		t := l.Tables[diskKinds[kind]]
		r := t.Named(l.Numbering(diskKinds[kind]), given)
		t.SetFields(r, 1, rest)
		if inst, ok := l.devices[string(name)]; !ok || inst != r.Inst {
			l.devices[string(name)] = r.Inst
		}
		t.Cell(r, []byte("dev")).SetText(name)
	}
}

// diskName returns the instance's name of a device: for a logical volume and an array the name that
// its administrator has chosen. A logical volume without such a name is not an instance.
func (l *collector) diskName(kind int, name []byte) []byte {
	switch diskKinds[kind] {
	case "dm":
		// The caller still uses the result of l.Root.Read: the name is read with a buffer of its
		// own.
		other := procfs.Root{Dir: l.Root.Dir, Buf: make([]byte, 256), Trace: l.Root.Trace}
		text, _ := other.Read("sys/block/" + string(name) + "/dm/name") // without the file the device has no name
		line, _ := procfs.Line(text)
		return bytes.TrimSpace(line)
	case "md":
		given, _ := l.Root.Names("dev/md") // without the directory arrays have no names
		for _, link := range given {
			if _, number := numbered("", link); !number && path.Base(l.Root.Link("dev/md/"+link)) == string(name) {
				return []byte(link)
			}
		}
	}
	return name
}

// selected returns the word in brackets: "mq-deadline" of "none [mq-deadline] kyber".
func selected(text []byte, other string) string {
	_, after, _ := bytes.Cut(text, []byte{'['})
	if word, _, ok := bytes.Cut(after, []byte{']'}); ok {
		return string(word)
	}
	return other
}

// readCapacity reads /proc/partitions: "8 0 268435456 sda". A drive that is empty has no size.
func (l *collector) readCapacity(text []byte) {
	for line := range procfs.Lines(text) {
		word, rest := procfs.Word(procfs.Skip(line, 2))
		name, _ := procfs.Word(rest)
		size, _ := procfs.Uint(word)
		kind := diskKind(name)
		if kind < 0 || size == 0 {
			continue
		}
		if inst, ok := l.devices[string(name)]; ok && l.Tables[diskKinds[kind]].Find(inst) != nil {
			t := l.Tables[diskKinds[kind]+"capacity"]
			t.Field(t.Row(inst), 1).SetUint(size)
		}
	}
}
