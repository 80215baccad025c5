package linux

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// Flags of interfaces. Those of /sys do not have the second one, but recorded ones may.
const (
	interfaceUp      = 1
	interfaceRunning = 0x40
)

func (l *collector) addInterfaces() {
	l.netdev = l.Text("netdev", "proc/net/dev", func(t *procfs.Table, text []byte) {
		parseInterfaces(t, l.Tables["netall"], l.Numbering("interfaces"), text)
	})
	l.Alias("netall", "netdev")
	l.Count("ninterface", "network interfaces", l.netdev)

	const dir = "/sys/class/net/IF/"
	l.perInterface("mtu", dir+"mtu", procfs.Fields)
	l.perInterface("iftype", dir+"type", procfs.Fields)
	l.perInterface("linkspeed", dir+"speed", parseSpeed)
	l.perInterface("duplex", dir+"duplex", func(t *procfs.Table, r *procfs.Row, text []byte) {
		switch word, _ := procfs.Word(text); string(word) {
		case "half":
			t.Cell(r, []byte("mode")).SetUint(1)
		case "full":
			t.Cell(r, []byte("mode")).SetUint(2)
		}
	})
	l.perInterface("netflags", dir+"flags", func(t *procfs.Table, r *procfs.Row, text []byte) {
		flags, _ := procfs.Hex(bytes.TrimSpace(text))
		t.Cell(r, []byte("up")).SetUint(flags & interfaceUp)
		t.Cell(r, []byte("running")).SetUint(flags / interfaceRunning & 1)
	})
	l.Tables["netflags"].Slot("up")
	l.Tables["netflags"].Slot("running")
	l.Each("netrunning", "/sys/class/net/IF/flags and operstate", l.netdev, l.addRunning, l.Tables["netflags"])
	l.Each("nettype", "/sys/class/net/IF", l.netdev, func(t *procfs.Table, dev *procfs.Row) {
		r := t.Row(dev.Inst)
		_, err := l.Root.Names(procfs.FileOf(dir+"wireless", dev.Name))
		t.Cell(r, []byte("wireless")).SetBool(err == nil)
		_, err = l.Root.Names("sys/devices/virtual/net/" + sysName(dev.Name))
		t.Cell(r, []byte("virtual")).SetBool(err == nil)
	})
	l.addAddresses()
}

// perInterface adds a table for a file that each interface has. Of interfaces that this system has, too, its own files count, as PCP's agent
// asks the kernel, else those that were recorded.
func (l *collector) perInterface(name, pattern string, set func(t *procfs.Table, r *procfs.Row, text []byte)) {
	l.Each(name, pattern, l.netdev, func(t *procfs.Table, dev *procfs.Row) {
		file := procfs.FileOf(pattern, dev.Name)
		text, err := l.System.Read(file)
		if err != nil && l.Recorded() {
			text, err = l.Root.Read(file)
		}
		if r := t.Row(dev.Inst); err == nil {
			set(t, r, text)
		}
	})
}

// parseInterfaces reads /proc/net/dev: two lines of headings, then
//
//	eth0:828668288   28192    13    14    15     16          17         18  1750490   21064
//
// A row of the table of all is added for those that are not of the host itself.
func parseInterfaces(t, all *procfs.Table, ids *procfs.IDs, text []byte) {
	for line := range procfs.Lines(text) {
		name, rest := procfs.Word(line)
		end := bytes.LastIndexByte(name, ':') // a name may have colons, and a number may follow it at once
		if end <= 0 {
			continue
		}
		name, rest = name[:end], line[len(line)-len(rest)-len(name)+end+1:]
		r := t.Named(ids, name)
		t.SetFields(r, 1, rest)
		if !hidden(r.Name) {
			all.SetFields(all.Row(r.Inst), 1, rest)
		}
	}
}

// parseSpeed reads the speed of a link in Mbit/s. An unknown speed gives no value.
func parseSpeed(t *procfs.Table, r *procfs.Row, text []byte) {
	word, _ := procfs.Word(text)
	mbits, ok := procfs.Uint(word)
	if !ok || int32(mbits) <= 0 {
		return
	}
	bytes := mbits * 1000000 / 8
	t.Cell(r, []byte("bytes")).SetUint(bytes)
	t.Cell(r, []byte("mbytes")).SetReal(float64(bytes) / (1 << 20))
}

// addRunning sets the key running: the interface is switched on, and does not report otherwise.
func (l *collector) addRunning(t *procfs.Table, dev *procfs.Row) {
	flags := l.Tables["netflags"]
	f := flags.Find(dev.Inst)
	if f == nil {
		return
	}
	c := t.Cell(t.Row(dev.Inst), []byte("running"))
	if up := flags.Cell(f, []byte("up")); up.Kind == procfs.Number {
		c.SetUint(up.Num)
	}
	text, err := l.System.Read(procfs.FileOf("/sys/class/net/IF/operstate", dev.Name))
	if s := string(bytes.TrimSpace(text)); err == nil && s != "up" && s != "unknown" {
		c.SetUint(0)
	}
	if running := flags.Cell(f, []byte("running")); err != nil && l.Recorded() && running.Kind == procfs.Number {
		c.SetUint(running.Num)
	}
}

// addressCluster is the cluster of the metrics of addresses.
const addressCluster = 33

// addAddresses adds the addresses of interfaces. Instances are numbered as they are first seen: the interfaces in /sys, those
// of this system with IPv4 addresses, then those with IPv6 addresses. A fetch reads only the addresses that it needs, a
// request for instances reads all.
func (l *collector) addAddresses() {
	ids := l.Numbering("addresses")
	list := l.Table("netlist", "/sys/class/net", func(t *procfs.Table, req *pmda.Request) error {
		asked := func(item uint32) bool {
			return len(req.IDs) == 0 || slices.Contains(req.IDs, pcp.NewID(l.Domain, addressCluster, item))
		}
		names, err := l.Root.Names("sys/class/net")
		if !asked(3) {
			names = nil
		}
		if asked(0) {
			own, _ := l.System.Names("sys/class/net") // IPv4 addresses are those of this system
			names = append(names, slices.DeleteFunc(own, func(name string) bool { return l.addresses(name) == "" })...)
		}
		for _, name := range names {
			t.Named(ids, []byte(name))
		}
		return procfs.Missing(err)
	})
	l.PerRow("hwaddr", "/sys/class/net/IF/address", list, func(t *procfs.Table, r *procfs.Row, text []byte) {
		if word, _ := procfs.Word(text); len(word) > 0 {
			t.Cell(r, []byte("address")).SetText(word)
		}
	})
	l.Each("inetaddr", "the interfaces' addresses", list, func(t *procfs.Table, dev *procfs.Row) {
		if a := l.addresses(dev.Name); a != "" {
			t.Cell(t.Row(dev.Inst), []byte("address")).SetString(a)
		}
	})
	six := l.Text("inet6addr", "proc/net/if_inet6", func(t *procfs.Table, text []byte) { parseAddresses6(t, ids, text) }, list)
	l.Fill("netnames", "/sys/class/net", func(t *procfs.Table) {
		for _, from := range []*procfs.Table{list, six} {
			for i := range from.Rows {
				t.Row(from.Rows[i].Inst).Name = from.Rows[i].Name
			}
		}
	}, list, six)
}

// parseAddresses6 reads /proc/net/if_inet6: address, number of the interface, length of the prefix,
// scope, flags and name. The last address of an interface counts.
//
//	fe80000000000000020c29fffe3b1c2d 02 40 20 80     eth0
func parseAddresses6(t *procfs.Table, ids *procfs.IDs, text []byte) {
	var words [6][]byte
	for line := range procfs.Lines(text) {
		for i := range words {
			words[i], line = procfs.Word(line)
		}
		var addr [16]byte
		if n, err := hex.Decode(addr[:], words[0][:min(32, len(words[0]))]); err != nil || n != 16 {
			continue
		}
		prefix, _ := procfs.Hex(words[2])
		scope, _ := procfs.Hex(words[3])
		if len(words[5]) == 0 {
			continue
		}
		inst, name := ids.ID(words[5])
		r := t.At(inst)
		r.Name = name
		t.Cell(r, []byte("address")).SetString(fmt.Sprintf("%s/%d", netip.AddrFrom16(addr), uint32(prefix)))
		t.Cell(r, []byte("scope")).SetString(scopeName(scope))
	}
}

var scopeNames = [...]string{0x00: "Global", 0x10: "Host", 0x20: "Link", 0x40: "Site", 0x80: "Compat"}

func scopeName(scope uint64) string {
	if scope < uint64(len(scopeNames)) {
		return cmp.Or(scopeNames[scope], "Unknown")
	}
	return "Unknown"
}
