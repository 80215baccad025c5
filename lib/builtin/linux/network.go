package linux

import (
	"bytes"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

func (l *collector) addNetwork() {
	for _, name := range [...]string{"snmp", "netstat"} {
		l.Table(name, "/proc/net/"+name, func(t *procfs.Table, _ *pmda.Request) error {
			text, err := l.Root.Read("proc/net/" + name)
			parsePairs(t, t.Row(pcp.NullInst), l.Tables["icmpmsg"], text)
			if name == "netstat" { // a system without this file is an error, as with PCP's agent
				return procfs.Error(err)
			}
			return procfs.Missing(err)
		})
	}
	l.Alias("icmpmsg", "snmp")
	for i := range 256 { // the types of ICMP messages
		l.Fixed["23"] = append(l.Fixed["23"], pcp.Instance{ID: int32(i), Name: numberedName("Type", i)})
	}
	l.File("snmp6", "proc/net/snmp6", procfs.Keyed)
	l.File("sockstat", "proc/net/sockstat", parseSockstat)
	l.File("sockstat6", "proc/net/sockstat6", parseSockstat)
	l.Table("softnet", "/proc/net/softnet_stat", func(t *procfs.Table, _ *pmda.Request) error {
		text, err := l.Root.Read("proc/net/softnet_stat")
		parseSoftnet(t, l.cpus, text)
		if t.Tried = len(l.cpus.Rows); !l.Recorded() {
			t.Tried = 1
		}
		return procfs.Missing(err)
	}, l.cpus)
}

// parsePairs reads /proc/net/snmp or /proc/net/netstat: pairs of lines.
//
//	Udp: InDatagrams NoPorts
//	Udp: 1462 1469
//
// The keys are Udp.InDatagrams and so on. The line IcmpMsg has a table of its own. Lines of a
// pair with two names are left out.
func parsePairs(t *procfs.Table, r *procfs.Row, icmp *procfs.Table, text []byte) {
	var key []byte
	for len(text) > 0 {
		var heads, values []byte
		heads, text = procfs.Line(text)
		values, text = procfs.Line(text)
		group, heads := procfs.Word(heads)
		same, values := procfs.Word(values)
		if !bytes.Equal(group, same) || len(group) == 0 {
			continue
		}
		group = bytes.TrimSuffix(group, []byte{':'})
		for {
			var head, value []byte
			head, heads = procfs.Word(heads)
			value, values = procfs.Word(values)
			if len(head) == 0 || len(value) == 0 {
				break
			}
			if string(group) == "IcmpMsg" {
				parseICMP(icmp, head, value)
				continue
			}
			key = append(append(append(key[:0], group...), '.'), head...)
			t.Cell(r, key).SetWord(value)
		}
	}
}

// parseICMP adds the number of messages of a type: InType3, OutType3.
func parseICMP(t *procfs.Table, head, value []byte) {
	direction, number, _ := bytes.Cut(head, []byte("Type"))
	if n, ok := procfs.Uint(number); ok && n <= 255 {
		t.Cell(t.At(int32(n)), bytes.ToLower(direction)).SetWord(value)
	}
}

// parseSockstat reads "TCP: inuse 2 orphan 1". The keys are TCP.inuse and so on.
func parseSockstat(t *procfs.Table, r *procfs.Row, text []byte) {
	var name []byte
	for line := range procfs.Lines(text) {
		group, rest := procfs.Word(line)
		group = bytes.TrimSuffix(group, []byte{':'})
		for {
			var key, value []byte
			key, rest = procfs.Word(rest)
			value, rest = procfs.Word(rest)
			if len(value) == 0 {
				break
			}
			name = append(append(append(name[:0], group...), '.'), key...)
			t.Cell(r, name).SetWord(value)
		}
	}
}

// parseSoftnet reads /proc/net/softnet_stat: a line of hexadecimal numbers for each processor that is switched on. Of more
// than 11 columns, those since Linux 5.10 have a meaning: the lengths of queues.
func parseSoftnet(t, cpus *procfs.Table, text []byte) {
	i := 0
	for line := range procfs.Lines(text) {
		words := bytes.Fields(line)
		if i == len(cpus.Rows) {
			break
		}
		if len(words) > 11 && len(words) < 15 {
			words = words[:11]
		}
		r := t.Row(cpus.Rows[i].Inst)
		for field, word := range words {
			if n, ok := procfs.Hex(word); ok {
				t.Field(r, field+1).SetUint(n)
			}
		}
		i++
	}
}

func (l *collector) addSockets() {
	for _, version := range []struct{ suffix, file string }{{"4", ""}, {"6", "6"}} {
		for _, protocol := range []string{"tcp", "udp", "raw"} {
			parse := parseSockets
			if protocol == "raw" {
				parse = countSockets
			}
			l.File(protocol+version.suffix, "proc/net/"+protocol+version.file, parse)
		}
	}
	l.File("unix", "proc/net/unix", parseUnixSockets)
}

var socketStates = [...]string{
	1: "established", 2: "syn_sent", 3: "syn_recv", 4: "fin_wait1", 5: "fin_wait2", 6: "time_wait",
	7: "close", 8: "close_wait", 9: "last_ack", 10: "listen", 11: "closing",
}

// parseSockets counts the lines of /proc/net/tcp and files like it by their fourth word, the state.
// An open socket of UDP has the state that is "close" with TCP.
//
//	0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 497 1
func parseSockets(t *procfs.Table, r *procfs.Row, text []byte) {
	var counts [len(socketStates)]uint64
	for line := range procfs.Lines(text) {
		state, _ := procfs.Word(procfs.Skip(line, 3))
		if n, ok := procfs.Hex(state); ok && n < uint64(len(counts)) {
			counts[n]++
		}
	}
	for i, name := range socketStates {
		t.Cell(r, []byte(name)).SetUint(counts[i])
	}
	t.Cell(r, []byte("udplisten")).SetUint(counts[7])
}

// countSockets counts the lines after the headings.
func countSockets(t *procfs.Table, r *procfs.Row, text []byte) {
	t.Cell(r, []byte("count")).SetUint(uint64(max(0, bytes.Count(text, []byte{'\n'})-1)))
}

// parseUnixSockets counts the lines of /proc/net/unix by type and state.
//
//	0000000093a76a56: 00000002 00000000 00010000 0001 01 7064395 /run/a
func parseUnixSockets(t *procfs.Table, r *procfs.Row, text []byte) {
	for _, name := range [...]string{"stream", "listen", "established", "datagram"} {
		t.Cell(r, []byte(name)).SetUint(0)
	}
	for line := range procfs.Lines(text) {
		kind, rest := procfs.Word(procfs.Skip(line, 4))
		state, _ := procfs.Word(rest)
		switch string(kind) {
		case "0001":
			t.Cell(r, []byte("stream")).Add(1)
			switch string(state) {
			case "01":
				t.Cell(r, []byte("listen")).Add(1)
			case "03":
				t.Cell(r, []byte("established")).Add(1)
			}
		case "0002":
			t.Cell(r, []byte("datagram")).Add(1)
		}
	}
}

// hidden reports whether network.all metrics leave out an interface: its network is in the host.
func hidden(name string) bool {
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
