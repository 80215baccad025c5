package builtin

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"

	"pmtools/lib/pmda"
)

// Flags of interfaces.
const linuxInterfaceUp = 1

// addInterfaces adds what is about network interfaces.
func (l *linuxCollector) addInterfaces() {
	l.netdev = l.table("netdev", "/proc/net/dev", func(t *procfsTable, _ *pmda.Request) error {
		all := l.tables["netall"]
		all.reset()
		text, err := l.root.read("proc/net/dev")
		if err != nil {
			return procfsMissing(err)
		}
		linuxInterfaces(t, all, l.numbering("interfaces"), text)
		return nil
	})
	l.alias("netall", "/proc/net/dev", l.netdev)
	l.indoms["3"] = procfsInDom(3, l.netdev, "Network interfaces")
	l.count("ninterface", "network interfaces", l.netdev)

	number := func(t *procfsTable, r *procfsRow, text []byte) { t.setFields(r, 1, text) }
	l.perInterface("mtu", "mtu", number)
	l.perInterface("linkspeed", "speed", linuxSpeed)
	l.perInterface("duplex", "duplex", func(t *procfsTable, r *procfsRow, text []byte) {
		switch word, _ := procfsWord(text); string(word) {
		case "half":
			t.cell(r, []byte("mode")).setUint(1)
		case "full":
			t.cell(r, []byte("mode")).setUint(2)
		}
	})
	l.perInterface("netflags", "flags", func(t *procfsTable, r *procfsRow, text []byte) {
		flags, _ := procfsHex(bytes.TrimSpace(text))
		t.cell(r, []byte("up")).setUint(flags & linuxInterfaceUp)
	})
	l.tables["netflags"].slot("up")
	l.table("netrunning", "/sys/class/net/IF/flags and operstate", l.readRunning, l.netdev, l.tables["netflags"])
	l.table("nettype", "/sys/class/net/IF", l.readTypes, l.netdev)
	l.addAddresses()
}

// perInterface adds a table for a file that each interface has.
func (l *linuxCollector) perInterface(name, file string, set func(t *procfsTable, r *procfsRow, text []byte)) {
	l.perRow(name, "/sys/class/net/IF/"+file, l.netdev, func(dev string) string { return linuxInterfaceFile(dev, file) }, set)
}

// linuxInterfaceFile returns the name of a file of an interface. Interfaces have no
// slashes in their names.
func linuxInterfaceFile(dev, file string) string {
	return fmt.Sprintf("sys/class/net/%s/%s", linuxSysName(dev), file)
}

// linuxInterfaces reads /proc/net/dev: two lines of headings, then
//
//	eth0:828668288   28192    13    14    15     16          17         18  1750490   21064
//
// A row of the table of all is added for those that are not of the host itself.
func linuxInterfaces(t, all *procfsTable, ids *procfsIDs, text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		name, rest, ok := bytes.Cut(line, []byte{':'})
		if name = bytes.TrimSpace(name); !ok || len(name) == 0 || bytes.ContainsAny(name, " |") {
			continue
		}
		r := t.named(ids, name)
		t.setFields(r, 1, rest)
		if !linuxHidden(r.name) {
			all.setFields(all.row(r.inst), 1, rest)
		}
	}
	t.sort()
}

// linuxSpeed reads the speed of a link in Mbit/s. An unknown one is no value.
func linuxSpeed(t *procfsTable, r *procfsRow, text []byte) {
	word, _ := procfsWord(text)
	mbits, ok := procfsUint(word)
	if !ok || int32(mbits) <= 0 {
		return
	}
	bytes := mbits * 1000000 / 8
	t.cell(r, []byte("bytes")).setUint(bytes)
	t.cell(r, []byte("mbytes")).setReal(float64(bytes) / (1 << 20))
}

// readRunning finds out which interfaces can work: those that are switched on and
// do not say that they are not ready.
func (l *linuxCollector) readRunning(t *procfsTable, _ *pmda.Request) error {
	flags := l.tables["netflags"]
	for i := range l.netdev.rows {
		dev := &l.netdev.rows[i]
		f := flags.find(dev.inst)
		if f == nil {
			continue
		}
		r := t.row(dev.inst)
		c := t.cell(r, []byte("running"))
		c.setUint(flags.cell(f, []byte("up")).num)
		if text, err := l.root.read(linuxInterfaceFile(dev.name, "operstate")); err == nil {
			if s := string(bytes.TrimSpace(text)); s != "up" && s != "unknown" {
				c.setUint(0)
			}
		}
	}
	return nil
}

// readTypes finds out the kinds of interfaces.
func (l *linuxCollector) readTypes(t *procfsTable, _ *pmda.Request) error {
	for i := range l.netdev.rows {
		name := l.netdev.rows[i].name
		r := t.row(l.netdev.rows[i].inst)
		var wireless uint64
		if _, err := l.root.names(linuxInterfaceFile(name, "wireless")); err == nil {
			wireless = 1
		}
		t.cell(r, []byte("wireless")).setUint(wireless)
	}
	return nil
}

// addAddresses adds the addresses of interfaces, which have an instance domain of
// their own.
func (l *linuxCollector) addAddresses() {
	list := l.table("netnames", "/sys/class/net", func(t *procfsTable, _ *pmda.Request) error {
		names, err := l.root.names("sys/class/net")
		if err != nil {
			return procfsMissing(err)
		}
		for _, name := range names {
			t.named(l.numbering("addresses"), []byte(name))
		}
		t.sort()
		return nil
	})
	l.indoms["17"] = procfsInDom(17, list, "Network interfaces with addresses")
	l.perRow("hwaddr", "/sys/class/net/IF/address", list, func(dev string) string {
		return linuxInterfaceFile(dev, "address")
	}, func(t *procfsTable, r *procfsRow, text []byte) {
		if line, _ := procfsLine(text); len(line) > 0 {
			t.cell(r, []byte("address")).setText(line)
		}
	})
	l.table("inetaddr", "the interfaces' addresses", func(t *procfsTable, _ *pmda.Request) error {
		if !l.root.live() {
			return nil
		}
		for i := range list.rows {
			if a := l.addresses(list.rows[i].name); a != "" {
				r := t.row(list.rows[i].inst)
				t.cell(r, []byte("address")).setString(a)
			}
		}
		return nil
	}, list)
	l.table("inet6addr", "/proc/net/if_inet6", func(t *procfsTable, _ *pmda.Request) error {
		text, err := l.root.read("proc/net/if_inet6")
		if err != nil {
			return procfsMissing(err)
		}
		linuxAddresses6(t, list, l.numbering("addresses"), text)
		return nil
	}, list)
}

// linuxAddresses6 reads /proc/net/if_inet6: address, number of the interface, length
// of the prefix, scope, flags and name. The last address of an interface counts.
//
//	fe80000000000000020c29fffe3b1c2d 02 40 20 80     eth0
func linuxAddresses6(t, list *procfsTable, ids *procfsIDs, text []byte) {
	var words [6][]byte
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		for i := range words {
			words[i], line = procfsWord(line)
		}
		var addr [16]byte
		if n, err := hex.Decode(addr[:], words[0][:min(32, len(words[0]))]); err != nil || n != 16 {
			continue
		}
		prefix, _ := procfsHex(words[2])
		scope, _ := procfsHex(words[3])
		inst, ok := ids.ids[string(words[5])]
		if !ok || list.find(inst) == nil {
			continue
		}
		r := t.at(inst)
		t.cell(r, []byte("address")).setString(fmt.Sprintf("%s/%d", netip.AddrFrom16(addr), prefix))
		t.cell(r, []byte("scope")).setString(linuxScope(scope))
	}
	t.sort()
}

// linuxScope returns the name of the scope of an IPv6 address.
func linuxScope(scope uint64) string {
	switch scope {
	case 0x00:
		return "Global"
	case 0x10:
		return "Host"
	case 0x20:
		return "Link"
	case 0x40:
		return "Site"
	case 0x80:
		return "Compat"
	}
	return "Unknown"
}
