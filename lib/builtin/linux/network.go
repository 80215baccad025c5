package linux

import (
	"bytes"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

func (l *collector) addNetwork() {
	l.Table("snmp", "/proc/net/snmp", func(t *procfs.Table, _ *pmda.Request) error { return procfs.Missing(l.readPairs(t, "snmp")) })
	l.Alias("icmpmsg", "snmp")
	for i := range 256 { // the types of ICMP messages
		l.Fixed["23"] = append(l.Fixed["23"], pcp.Instance{ID: int32(i), Name: numberedName("Type", i)})
	}
	l.Table("netstat", "/proc/net/netstat", func(t *procfs.Table, _ *pmda.Request) error { return procfs.Error(l.readPairs(t, "netstat")) })
	l.File("snmp6", "proc/net/snmp6", procfs.Keyed)
	l.File("sockstat", "proc/net/sockstat", parseSockstat)
	l.File("sockstat6", "proc/net/sockstat6", parseSockstat)
	l.Table("softnet", "/proc/net/softnet_stat", func(t *procfs.Table, _ *pmda.Request) error {
		text, err := l.Root.Read("proc/net/softnet_stat")
		parseSoftnet(t, text, len(l.cpus.Rows))
		for i := range t.Rows { // there are no lines of processors that are switched off
			t.Rows[i].Inst = l.cpus.Rows[i].Inst
		}
		if t.Tried = len(l.cpus.Rows); !l.Recorded() {
			t.Tried = 1
		}
		return procfs.Missing(err)
	}, l.cpus)
}

func (l *collector) readPairs(t *procfs.Table, name string) error {
	r := t.Row(pcp.NullInst)
	text, err := l.Root.Read("proc/net/" + name)
	parsePairs(t, r, l.Tables["icmpmsg"], text)
	r.DropOnes()
	if name == "netstat" && len(procfs.Complete(text)) < len(text) {
		return pmerr.Botch // PCP's agent has no values of a file whose last line has no end
	}
	for i := range l.Tables["icmpmsg"].Rows {
		l.Tables["icmpmsg"].Rows[i].DropOnes()
	}
	return err
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
	key := []byte("in")
	number, ok := bytes.CutPrefix(head, []byte("InType"))
	if !ok {
		key = []byte("out")
		if number, ok = bytes.CutPrefix(head, []byte("OutType")); !ok {
			return
		}
	}
	n, ok := procfs.Uint(number)
	if !ok || n > 255 {
		return
	}
	t.Cell(t.At(int32(n)), key).SetWord(value)
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

// Numbers of columns that /proc/net/softnet_stat has had: those of the oldest kernels, and those
// since there are lengths of queues. Between them, only the columns up to maxFlow have a meaning.
const (
	minSoftnet = 9
	maxFlow    = 11
	allSoftnet = 15
)

// parseSoftnet reads /proc/net/softnet_stat: a line of hexadecimal numbers for each of most processors.
// The last line tells which columns the kernel has; shorter lines have zeros there.
func parseSoftnet(t *procfs.Table, text []byte, most int) {
	var lines, words [][]byte
	for line := range procfs.Lines(text) {
		if len(lines) == most {
			break
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return
	}
	known := softnetColumns(len(softnetWords(nil, lines[len(lines)-1])))
	if known < minSoftnet {
		return
	}
	for i, line := range lines {
		words = softnetWords(words[:0], line)
		r := t.Row(int32(i))
		for field := range known {
			var v uint64
			if field < len(words) {
				v, _ = procfs.Hex(words[field])
			}
			t.Field(r, field+1).SetUint(v)
		}
	}
}

// softnetColumns returns how many columns of a line with a number of words have a meaning.
func softnetColumns(words int) int {
	if words < allSoftnet {
		return min(words, maxFlow)
	}
	return allSoftnet
}

// softnetWords appends the words of a line. Longer ones than the kernel writes are several, as the
// reference reads them; a word that is no number is the end.
func softnetWords(words [][]byte, line []byte) [][]byte {
	const digits = 8
	for _, word := range procfs.Words(line) {
		if _, ok := procfs.Hex(word); !ok {
			break
		}
		for ; len(word) > digits; word = word[digits:] {
			words = append(words, word[:digits])
		}
		words = append(words, word)
	}
	return words
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
	for line := range procfs.Lines(procfs.Complete(text)) {
		state, _ := procfs.Word(procfs.Skip(line, 3))
		if n, ok := procfs.Hex(state); ok && uint32(n) < uint32(len(counts)) {
			counts[uint32(n)]++
		}
	}
	for i, name := range socketStates {
		if i > 0 {
			t.Cell(r, []byte(name)).SetUint(counts[i])
		}
	}
	t.Cell(r, []byte("udplisten")).SetUint(counts[7])
}

// countSockets counts the lines after the headings.
func countSockets(t *procfs.Table, r *procfs.Row, text []byte) {
	_, text = procfs.Line(text)
	n := uint64(0)
	for range procfs.Lines(text) {
		n++
	}
	t.Cell(r, []byte("count")).SetUint(n)
}

// parseUnixSockets counts the lines of /proc/net/unix by type and state.
//
//	0000000093a76a56: 00000002 00000000 00010000 0001 01 7064395 /run/a
func parseUnixSockets(t *procfs.Table, r *procfs.Row, text []byte) {
	var datagram, established, listen, stream uint64
	for line := range procfs.Lines(procfs.Complete(text)) {
		word, rest := procfs.Word(procfs.Skip(line, 4))
		kind, _ := procfs.Hex(word)
		word, _ = procfs.Word(rest)
		state, ok := procfs.Hex(word)
		if !ok {
			continue
		}
		switch uint32(kind) {
		case 1:
			stream++
			switch uint32(state) {
			case 1:
				listen++
			case 3:
				established++
			}
		case 2:
			datagram++
		}
	}
	t.Cell(r, []byte("datagram")).SetUint(datagram)
	t.Cell(r, []byte("established")).SetUint(established)
	t.Cell(r, []byte("listen")).SetUint(listen)
	t.Cell(r, []byte("stream")).SetUint(stream)
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
