package linux

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pmda"
)

func (l *collector) addDevices() {
	l.Text("scsi", "proc/scsi/scsi", func(t *procfs.Table, text []byte) {
		parseSCSI(t, l.Numbering("scsi"), text, func(address string) string {
			names, _ := l.Root.Names("sys/class/scsi_device/" + address + "/device/block") // without the directory there are no devices
			return strings.Join(names[:min(1, len(names))], "")
		})
	})
	l.directories("tapes", "sys/class/scsi_tape", "st", "stats", (*procfs.Cell).SetWord)
	l.directories("fchosts", "sys/class/fc_host", "host", "statistics", func(c *procfs.Cell, text []byte) {
		word, _ := procfs.Word(text)
		if n, ok := procfs.Hex(word); ok {
			if n == 1<<64-1 { // the driver does not count: all bits are ones
				n = 0
			}
			c.SetUint(n)
		}
	})
	l.Private("serial", "proc/tty/driver/serial", func(t *procfs.Table, text []byte) { parseSerial(t, l.Numbering("serial"), text) })
	l.File("hyperv", "sys/kernel/debug/hv-balloon", parseBalloon)
	l.File("vmmemctl", "sys/kernel/debug/vmmemctl", l.parseMemctl)
	l.Each("mdstatus", "/sys/block/DEV/md/degraded", l.Tables["md"], func(t *procfs.Table, md *procfs.Row) {
		dev := string(l.Tables["md"].Cell(md, []byte("dev")).Text)
		n, _ := l.Root.Number("sys/block/" + sysName(dev) + "/md/degraded") // an array without the file has no disk to spare
		t.Cell(t.Row(md.Inst), []byte("status")).SetUint(min(n, 1))
	})
	l.Text("extfrag", "sys/kernel/debug/extfrag/unusable_index", func(t *procfs.Table, text []byte) {
		parseFragments(l.nodeValues(t), text)
	}, l.nodes)
	l.addBandwidth()
}

// perNode sets a value of a memory node, if it exists.
type perNode func(node string, value float64)

func (l *collector) nodeValues(t *procfs.Table) perNode {
	return func(node string, value float64) {
		i := slices.IndexFunc(l.nodes.Rows, func(r procfs.Row) bool { return r.Name == node })
		if i >= 0 {
			t.Cell(t.At(l.nodes.Rows[i].Inst), []byte("value")).SetReal(value)
		}
	}
}

// addBandwidth adds the bandwidths of memory that the administrator has written into
// linux/bandwidth.conf in PCP_PMDAS_DIR.
func (l *collector) addBandwidth() {
	root, dir := l.System, "var/lib/pcp/pmdas/"
	if d := l.Environment("PCP_PMDAS_DIR"); d != "" {
		root, dir = &procfs.Root{Dir: d}, ""
	}
	l.Table("bandwidth", "/var/lib/pcp/pmdas/linux/bandwidth.conf", func(t *procfs.Table, _ *pmda.Request) error {
		text, err := root.Read(dir + "linux/bandwidth.conf")
		parseBandwidth(l.nodeValues(t), text)
		return procfs.Missing(err)
	}, l.nodes)
}

// parseBandwidth reads lines of a node and a number, below one with the version:
//
//	Version:1.0
//	node0:1024
func parseBandwidth(set perNode, text []byte) {
	for line := range procfs.Lines(text) {
		node, value, _ := bytes.Cut(line, []byte{':'})
		if n, ok := procfs.Real(bytes.TrimSpace(value)); ok {
			set(string(bytes.TrimSpace(node)), n)
		}
	}
}

// parseFragments reads /sys/kernel/debug/extfrag/unusable_index: the shares of the memory of a zone
// that cannot be used for blocks of each size. Those of the zone Normal are added.
//
//	Node 0, zone   Normal 0.000 0.250 0.750
func parseFragments(set perNode, text []byte) {
	for line := range procfs.Lines(text) {
		node, zone, rest := parseZone(line)
		if string(zone) != "Normal" {
			continue
		}
		sum := 0.0
		for _, word := range procfs.Words(rest) {
			v, _ := procfs.Real(word)
			sum += v
		}
		set("node"+string(node), sum)
	}
}

// directories adds a table for numbered directories with files of one number each.
func (l *collector) directories(name, dir, kind, below string, set func(c *procfs.Cell, text []byte)) {
	l.Table(name, "/"+dir, func(t *procfs.Table, _ *pmda.Request) error {
		names, err := l.Root.Names(dir)
		for _, device := range names {
			if _, ok := numbered(kind, device); !ok {
				continue
			}
			r := t.Named(l.Numbering(name), []byte(device))
			for key, slot := range t.Slots {
				r.Cells[slot].SetUint(0)
				if text, err := l.Root.Read(path.Join(dir, device, below, key)); err == nil {
					set(&r.Cells[slot], text)
				}
			}
		}
		return procfs.Missing(err)
	})
}

// parseSCSI reads /proc/scsi/scsi, in which a device has three lines:
//
//	Host: scsi2 Channel: 01 Id: 03 Lun: 04
//	  Vendor: VMware,  Model: VMware Virtual S Rev: 1.0
//	  Type:   Direct-Access                    ANSI  SCSI revision: 02
//
// An instance is scsi2:1:3:4_Direct-Access. Those without a device are left out.
func parseSCSI(t *procfs.Table, ids *procfs.IDs, text []byte, device func(address string) string) {
	address := ""
	for line := range procfs.Lines(text) {
		f := strings.Fields(string(line))
		switch {
		case len(f) >= 8 && f[0] == "Host:":
			parts := []string{strings.TrimPrefix(f[1], "scsi"), f[3], f[5], f[7]}
			for i, p := range parts {
				if parts[i] = strings.TrimLeft(p, "0"); parts[i] == "" {
					parts[i] = "0"
				}
			}
			address = strings.Join(parts, ":")
		case len(f) >= 2 && f[0] == "Type:" && address != "":
			if name := device(sysName(address)); name != "" {
				t.Cell(t.Named(ids, []byte("scsi"+address+"_"+f[1])), []byte("device")).SetString(name)
			}
			address = ""
		}
	}
}

// parseSerial reads /proc/tty/driver/serial: "0: uart:16550A port:000003F8 irq:4 tx:11 rx:22 fe:3".
// A counter that is left out is 0; lines that are not there are unknown.
func parseSerial(t *procfs.Table, ids *procfs.IDs, text []byte) {
	for line := range procfs.Lines(text) {
		number, rest, ok := bytes.Cut(line, []byte{':'})
		if _, isNumber := procfs.Uint(number); !ok || !isNumber || bytes.Contains(rest, []byte("uart:unknown")) {
			continue
		}
		r := t.Named(ids, number)
		for i := range r.Cells {
			r.Cells[i].SetUint(0)
		}
		t.SetPairs(r, "", rest, ':')
	}
}

// parseBalloon reads "pages_added : 10", or "target: 10 pages". Pages are counted in bytes.
func parseBalloon(t *procfs.Table, r *procfs.Row, text []byte) {
	size := uint64(4096)
	for line := range procfs.Lines(text) {
		key, value, _ := bytes.Cut(line, []byte{':'})
		word, unit := procfs.Word(value)
		key = bytes.TrimSpace(key)
		n, ok := procfs.Uint(word)
		if unit, _ := procfs.Word(unit); ok && (bytes.Contains(key, []byte("pages")) || string(unit) == "pages") {
			n *= size
		}
		if string(key) == "page_size" && ok && n > 0 {
			size = n
		}
		if c := t.Cell(r, key); ok {
			c.SetUint(n)
		}
	}
}

// parseMemctl reads "current : 10", which are pages. Of several lines with a key the first counts.
func (l *collector) parseMemctl(t *procfs.Table, r *procfs.Row, text []byte) {
	for line := range procfs.Lines(text) {
		key, value, _ := bytes.Cut(line, []byte{':'})
		word, _ := procfs.Word(value)
		c := t.Cell(r, bytes.TrimSpace(key))
		if n, ok := procfs.Uint(word); ok && c != nil && c.Kind == procfs.None {
			c.SetUint(n * l.PageSize)
		}
	}
}

// addNFSClients adds the clients of version 4 of an NFS server: a directory for each.
func (l *collector) addNFSClients() {
	const dir = "proc/fs/nfsd/clients"
	l.Table("nfsclients", "/"+dir, func(t *procfs.Table, _ *pmda.Request) error {
		names, err := l.Root.Names(dir)
		open := l.Tables["nfsopen"]
		for _, name := range names {
			text, err := l.Root.Read(dir + "/" + name + "/info")
			if err != nil {
				continue
			}
			values := parseNFSClient(text)
			id := values["clientid"]
			if id == "" {
				continue
			}
			r := t.Named(l.Numbering("nfsclients"), []byte(id))
			for key := range t.Slots {
				c := t.Cell(r, []byte(key))
				if c.SetString(values[key]); slices.Contains(nfsNumbers[:], key) {
					c.SetUint(0)
					c.SetWord([]byte(values[key]))
				}
			}
			if text, err = l.Root.Read(dir + "/" + name + "/states"); err == nil {
				parseNFSStates(open, l.Numbering("nfsopen"), values, text)
			}
		}
		return procfs.Missing(err)
	})
	l.Alias("nfsopen", "nfsclients")
}

var nfsNumbers = [...]string{"admin_revoked_states", "session_slots", "session_target_slots"}

// parseNFSClient reads lines like `address: "192.168.1.5:901"`. The last word of name is the host.
func parseNFSClient(text []byte) map[string]string {
	values, keys := map[string]string{}, strings.NewReplacer(" ", "_", "-", "_")
	for line := range procfs.Lines(text) {
		key, value, _ := bytes.Cut(line, []byte(": "))
		values[keys.Replace(string(key))] = strings.Trim(string(bytes.TrimSpace(value)), `"`)
	}
	if f := strings.Fields(values["name"]); len(f) > 1 {
		values["hostname"] = f[len(f)-1]
	}
	return values
}

// parseNFSStates reads the file states of a client:
//
//   - 0x1: { type: open, access: rw, deny: --, superblock: "fd:10:13649", filename: "/test2", owner: "x" }
func parseNFSStates(t *procfs.Table, ids *procfs.IDs, client map[string]string, text []byte) {
	for line := range procfs.Lines(text) {
		_, rest, ok := bytes.Cut(line, []byte("{"))
		if !ok {
			continue
		}
		values := map[string]string{"client_id": client["clientid"], "client_addr": client["address"], "client_hostname": client["hostname"]}
		for len(rest) > 0 {
			var key, value []byte
			key, rest, _ = bytes.Cut(rest, []byte{':'})
			rest = bytes.TrimLeft(rest, " ")
			end := []byte{','}
			if bytes.HasPrefix(rest, []byte{'"'}) {
				rest, end = rest[1:], []byte{'"'}
			}
			value, rest, _ = bytes.Cut(rest, end)
			values[string(bytes.Trim(key, " ,"))] = string(bytes.TrimRight(value, " }"))
		}
		inode := values["superblock"][strings.LastIndexByte(values["superblock"], ':')+1:]
		if inode == "" {
			continue
		}
		if name := values["filename"]; name != "" {
			values["filename"] = path.Base(name)
		}
		r := t.Named(ids, []byte(inode+":"+values["client_id"]))
		for key := range t.Slots {
			t.Cell(r, []byte(key)).SetString(values[key])
		}
		c := t.Cell(r, []byte("inode"))
		c.Kind = procfs.None
		c.SetWord([]byte(inode))
	}
}
