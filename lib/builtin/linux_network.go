package builtin

import (
	"bytes"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// addNetwork adds the counters of protocols.
func (l *linuxCollector) addNetwork() {
	snmp := l.pairs("snmp", "proc/net/snmp")
	l.alias("icmpmsg", "/proc/net/snmp", snmp)
	l.indoms["23"] = &pmda.InDom{Serial: 23, OneLine: "Types of ICMP messages", Instances: linuxICMPTypes()}
	l.pairs("netstat", "proc/net/netstat")
	l.fileOrError("snmp6", "proc/net/snmp6", procfsKeyed)
	l.file("sockstat", "proc/net/sockstat", linuxSockstat)
	l.file("sockstat6", "proc/net/sockstat6", linuxSockstat)
	l.table("softnet", "/proc/net/softnet_stat", func(t *procfsTable, _ *pmda.Request) error {
		text, err := l.root.read("proc/net/softnet_stat")
		if err != nil {
			return procfsMissing(err)
		}
		if linuxSoftnet(t, text); len(t.rows) == 0 {
			return pmerr.AppVersion
		}
		return nil
	})
}

// linuxICMPTypes returns the instances for the types of ICMP messages.
func linuxICMPTypes() []pcp.Instance {
	list := make([]pcp.Instance, 256)
	for i := range list {
		list[i] = pcp.Instance{ID: int32(i), Name: linuxNumbered("Type", i)}
	}
	return list
}

// fileOrError is like file, but without the file there is an error.
func (l *linuxCollector) fileOrError(name, file string, parse func(t *procfsTable, r *procfsRow, text []byte)) *procfsTable {
	return l.table(name, "/"+file, func(t *procfsTable, _ *pmda.Request) error {
		text, err := l.root.read(file)
		if err != nil {
			return procfsError(err)
		}
		parse(t, t.row(pcp.NullInst), text)
		return nil
	})
}

// pairs adds a table for a file with lines of keys and lines of numbers.
func (l *linuxCollector) pairs(name, file string) *procfsTable {
	return l.table(name, "/"+file, func(t *procfsTable, _ *pmda.Request) error {
		icmp := l.tables["icmpmsg"]
		if name == "snmp" {
			icmp.reset()
		}
		text, err := l.root.read(file)
		if err != nil {
			return procfsError(err)
		}
		linuxPairs(t, t.row(pcp.NullInst), icmp, text)
		return nil
	})
}

// linuxPairs reads /proc/net/snmp or /proc/net/netstat: pairs of lines.
//
//	Udp: InDatagrams NoPorts
//	Udp: 1462 1469
//
// The keys are Udp.InDatagrams and so on. The line IcmpMsg has a table of its own.
func linuxPairs(t *procfsTable, r *procfsRow, icmp *procfsTable, text []byte) {
	var key []byte
	for len(text) > 0 {
		var heads, values []byte
		heads, text = procfsLine(text)
		values, text = procfsLine(text)
		group, heads := procfsWord(heads)
		same, values := procfsWord(values)
		if !bytes.Equal(group, same) || len(group) == 0 {
			return
		}
		group = bytes.TrimSuffix(group, []byte{':'})
		for {
			var head, value []byte
			head, heads = procfsWord(heads)
			value, values = procfsWord(values)
			if len(head) == 0 || len(value) == 0 {
				break
			}
			if string(group) == "IcmpMsg" {
				linuxICMP(icmp, head, value)
				continue
			}
			key = append(append(append(key[:0], group...), '.'), head...)
			t.cell(r, key).setWord(value)
		}
	}
}

// linuxICMP adds the number of messages of a type: InType3, OutType3.
func linuxICMP(t *procfsTable, head, value []byte) {
	key := []byte("in")
	number, ok := bytes.CutPrefix(head, []byte("InType"))
	if !ok {
		key = []byte("out")
		if number, ok = bytes.CutPrefix(head, []byte("OutType")); !ok {
			return
		}
	}
	n, ok := procfsUint(number)
	if !ok || n > 255 {
		return
	}
	t.cell(t.at(int32(n)), key).setWord(value)
}

// linuxSockstat reads /proc/net/sockstat: "TCP: inuse 2 orphan 1". The keys are
// TCP.inuse and so on.
func linuxSockstat(t *procfsTable, r *procfsRow, text []byte) {
	var name []byte
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		group, rest := procfsWord(line)
		group = bytes.TrimSuffix(group, []byte{':'})
		for {
			var key, value []byte
			key, rest = procfsWord(rest)
			value, rest = procfsWord(rest)
			if len(value) == 0 {
				break
			}
			name = append(append(append(name[:0], group...), '.'), key...)
			t.cell(r, name).setWord(value)
		}
	}
}

// linuxSoftnet reads /proc/net/softnet_stat: a line of hexadecimal numbers for each
// processor.
func linuxSoftnet(t *procfsTable, text []byte) {
	for cpu := int32(0); len(text) > 0 && cpu < 1<<16; cpu++ {
		var line []byte
		line, text = procfsLine(text)
		r := t.row(cpu)
		for i := 1; i < 64; i++ {
			var word []byte
			if word, line = procfsWord(line); len(word) == 0 {
				break
			}
			if v, ok := procfsHex(word); ok {
				t.field(r, i).setUint(v)
			}
		}
	}
}

// addSockets adds the numbers of sockets by state.
func (l *linuxCollector) addSockets() {
	for _, version := range []struct{ suffix, file string }{{"4", ""}, {"6", "6"}} {
		for _, protocol := range []string{"tcp", "udp", "raw"} {
			l.fileOrError(protocol+version.suffix, "proc/net/"+protocol+version.file, linuxSockets)
		}
	}
	l.fileOrError("unix", "proc/net/unix", linuxUnixSockets)
}

// linuxStates are the names of states of TCP connections by their numbers.
var linuxStates = [...]string{
	1: "established", 2: "syn_sent", 3: "syn_recv", 4: "fin_wait1", 5: "fin_wait2", 6: "time_wait",
	7: "close", 8: "close_wait", 9: "last_ack", 10: "listen", 11: "closing",
}

// linuxSockets counts the lines of /proc/net/tcp and files like it by their fourth
// word, the state. An open socket of UDP has the state that is "close" with TCP.
//
//	0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 497 1
func linuxSockets(t *procfsTable, r *procfsRow, text []byte) {
	var counts [len(linuxStates)]uint64
	var all uint64
	_, text = procfsLine(text)
	for len(text) > 0 {
		var line, state []byte
		line, text = procfsLine(text)
		for range 4 {
			state, line = procfsWord(line)
		}
		if n, ok := procfsHex(state); ok {
			all++
			if n < uint64(len(counts)) {
				counts[n]++
			}
		}
	}
	for i, name := range linuxStates {
		if i > 0 {
			t.cell(r, []byte(name)).setUint(counts[i])
		}
	}
	t.cell(r, []byte("udplisten")).setUint(counts[7])
	t.cell(r, []byte("count")).setUint(all)
}

// linuxUnixSockets counts the lines of /proc/net/unix by type and state.
//
//	0000000093a76a56: 00000002 00000000 00010000 0001 01 7064395 /run/a
func linuxUnixSockets(t *procfsTable, r *procfsRow, text []byte) {
	var datagram, established, listen, stream uint64
	_, text = procfsLine(text)
	for len(text) > 0 {
		var line, kind []byte
		line, text = procfsLine(text)
		for range 5 {
			kind, line = procfsWord(line)
		}
		state, _ := procfsWord(line)
		switch string(kind) {
		case "0001":
			stream++
			switch string(state) {
			case "01":
				listen++
			case "03":
				established++
			}
		case "0002":
			datagram++
		}
	}
	for _, c := range []struct {
		key string
		n   uint64
	}{{"datagram", datagram}, {"established", established}, {"listen", listen}, {"stream", stream}} {
		t.cell(r, []byte(c.key)).setUint(c.n)
	}
}

// linuxHidden reports whether an interface is not one of a network outside the host,
// so that network.all metrics leave it out.
func linuxHidden(name string) bool {
	if name == "lo" || name == "face" {
		return true
	}
	name = strings.TrimSuffix(name, "-nic")
	base := strings.TrimRight(name, "0123456789")
	if base == name {
		return false
	}
	switch base {
	case "bond", "team", "tun", "virbr", "cni", "cni-podman", "docker", "veth":
		return true
	}
	return false
}
