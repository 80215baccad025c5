package proc

import (
	"bytes"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/builtin/internal/procfs/procfstest"
)

// parsers are the parsers of files of processes, with the keys that the tests want.
var parsers = map[string]procfstest.Parser{
	"stat":      procfstest.OneRow(parseStat, "2", "3", "4", "8", "19", "39", "52", "tty", "policy"),
	"status":    procfstest.OneRow(parseStatus, "Uid.1", "Uid.4", "Gid.1", "VmPeak", "SigCgt", "SigIgn", "NStgid", "Cpus_allowed_list", "Threads"),
	"statm":     procfstest.OneRow(func(t *procfs.Table, r *procfs.Row, text []byte) { t.SetFields(r, 1, text) }, "1", "2", "7"),
	"cgroup":    procfstest.OneRow(parseCgroups, "text"),
	"autogroup": procfstest.OneRow(parseAutogroup, "id", "nice"),
	"args":      procfstest.OneRow(func(t *procfs.Table, r *procfs.Row, text []byte) { t.Cell(r, []byte("args")).SetText(shownArgs(text)) }, "args"),
	"group":     procfstest.OneRow(setGroup, "1", "text", "a", "some.avg10", "some.total"),
	"numa":      procfstest.OneRow((&numaReader{index: map[uint64]int{}}).read, "huge", "heap", "stack", "private"),
	"fdinfo": procfstest.OneRow(func(t *procfs.Table, r *procfs.Row, text []byte) {
		seen := map[string]bool{}
		for file := range bytes.SplitSeq(text, []byte("--\n")) {
			addClient(t, r, file, seen)
		}
	}, "drm_memory_vram"),
	"subsystems": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("hierarchy", "enabled")
		parseSubsystems(t, &procfs.IDs{}, text)
		return []*procfs.Table{t}
	},
	"blkio": procfstest.OneRow(func(t *procfs.Table, r *procfs.Row, text []byte) {
		parseBlkio(text, func(device, operation []byte, n uint64) { t.Cell(r, append(device, operation...)).SetUint(n) })
	}, "8:0", "8:16", "8:0.Read", "8:0.Write", "8:0.Total"),
	"queues": procfstest.OneRow(func(t *procfs.Table, r *procfs.Row, text []byte) {
		q := runQueues{}
		for line := range bytes.Lines(text) {
			q.add(line)
		}
		for key, n := range q {
			t.Cell(r, []byte(key)).SetUint(n)
		}
	}, queues[:]...),
}

// parserTests are files of processes and the content of a row after reading them.
var parserTests = []struct{ parser, name, text, want string }{
	{"stat", "usual", "1 (init) S 0 1 1 34816 5 4194560 8571 1038 13 7 177 132 25 31 20 -5 3 12 5 22568960 2860 1844 1 2 3 4 5 1 2 3 4 5 6 7 17 1 9 2 33 44 55 1 2 3 4 5 6 7 0\n",
		`-1 19=18446744073709551611 2="init" 3="S" 39=1 4=0 52=0 8=5 policy="RR" tty="pts/0"`},
	{"stat", "name with blanks and parentheses", "5 (a) (b c) R 7 1 1 1025 -1\n", `-1 2="a) (b c" 3="R" 4=7 tty="tty1"`},
	{"stat", "empty name", "5 () R 7", `-1 2="" 3="R" 4=7`},
	{"stat", "no name", "5 init R 7", "-1"},
	{"stat", "wrong order", "5 )x( R 7", "-1"},
	{"stat", "cut", "5 (x)", `-1 2="x" 3=""`},
	{"stat", "empty", "", "-1"},
	{"stat", "odd numbers", "5 (x) R y z\n", `-1 2="x" 3="R"`},

	{"status", "usual", "Name:\tinit\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nNStgid:\t1\t11\nVmPeak:\t   22104 kB\nThreads:\t3\nSigIgn:\t0000000000001000\nCpus_allowed_list:\t0-1\n",
		`-1 Cpus_allowed_list="0-1" Gid.1=5 NStgid="1,11" SigCgt="" SigIgn="0000000000001000" Threads=3 Uid.1=1 Uid.4=4 VmPeak=22104`},
	{"status", "empty", "", `-1 SigCgt="" SigIgn=""`},
	{"status", "cut", "Uid:\t1\nGid:\nThreads:\nVmPeak", `-1 SigCgt="" SigIgn="" Uid.1=1`},
	{"status", "other blanks", "NStgid:\t 1 \t11 \r\nSigIgn:\t  000 1 \r\nCpus_allowed_list: 0-1\n", `-1 Cpus_allowed_list="0-1" NStgid="1,,11,," SigCgt="" SigIgn="000 1 \r"`},
	{"status", "colons", "Name:\ta:b\n:\n::\n", `-1 SigCgt="" SigIgn=""`},

	{"statm", "usual", "5510 2860 2099 13 1 787 2\n", "-1 1=5510 2=2860 7=2"},
	{"statm", "cut", "5510", "-1 1=5510"},
	{"statm", "odd", "x 1", "-1 2=1"},

	{"cgroup", "two", "12:cpu:/user.slice\n0::/user.slice/x\n", `-1 text="cpu:/user.slice;:/user.slice/x"`},
	{"cgroup", "none", "", `-1 text=""`},

	{"autogroup", "usual", "/autogroup-5 nice 2\n", "-1 id=5 nice=2"},
	{"autogroup", "negative", "/autogroup-5 nice -20\n", "-1 id=5 nice=18446744073709551596"},
	{"autogroup", "none", "", "-1 id=0 nice=0"},
	{"autogroup", "odd", "autogroup 5", "-1 id=0 nice=0"},

	{"args", "usual", "/sbin/init\x00splash\x00", `-1 args="/sbin/init splash"`},
	{"args", "empty arguments", "a\x00\x00b\x00", `-1 args="a  b"`},
	{"args", "empty first", "\x00x\x00", `-1 args=" x"`},
	{"args", "no end", "no terminator", `-1 args="no terminator"`},
	{"args", "lines", "a\nb\x00c\n", `-1 args="a b c "`},
	{"args", "colours", "a\x1b[1;31mb\x1b[38;5;12mc", `-1 args="abc"`},
	{"args", "title", "x\x1b]0;title\x07y\tz\x1b(Bq\x1b[0;1Kw\x7f\xc3\xa9", `-1 args="xy zBqw é"`},
	{"args", "two characters", "c\x1bMd\x1b", `-1 args="cd"`},
	{"args", "no end of a sequence", "a\x1b[12", `-1 args="a"`},
	{"args", "no end of a title", "a\x1b]0;t", `-1 args="a"`},
	{"args", "only sequence", "\x1b[m\x00", `-1 args=""`},

	{"group", "number", "12\n", `-1 1=12 text="12"`}, {"group", "no limit", "18446744073709551615\n", `-1 text="18446744073709551615"`}, {"group", "empty", "", `-1 text=""`},
	{"group", "keys", "a 1\nb 2\n", "-1 a=1"}, {"group", "one key", "a 1", "-1 a=1"}, {"group", "pairs", "some avg10=1.50 total=7\nfull avg10=0.00\n", "-1 some.avg10=1.5 some.total=7"},
	{"numa", "kinds", "55f default file=/bin/x mapped=30 N0=10 N1=20 kernelpagesize_kB=4\n56f default heap anon=300 N0=100 N1=200 kernelpagesize_kB=4\n57f default stack N1=512\n58f default huge N0=3 kernelpagesize_kB=2048\n",
		`-1 heap="node0:0.39,node1:0.78" huge="node0:6.00,node1:0.00" private="node0:0.04,node1:0.08" stack="node0:0.00,node1:2.00"`},
	{"numa", "odd", "x\nN=5 Nx=3 N\nN99999999999=1\n", `-1 heap="" huge="" private="" stack=""`},
	{"fdinfo", "clients", "drm-client-id: 5\ndrm-memory-vram:\t100 KiB\n--\ndrm-client-id: 5\ndrm-memory-vram:\t100 KiB\n--\ndrm-client-id: 6\ndrm-memory-vram: 2 MiB\n", "-1 drm_memory_vram=2148"},
	{"fdinfo", "odd", "pos:\t0\n\ndrm-memory-vram:\ndrm-memory-vram: x KiB\n", "-1"},
	{"subsystems", "usual", "#subsys_name hierarchy\ncpu 3 2 1\nmemory 4 7 0\n", "0 cpu enabled=1 hierarchy=3; 1 memory enabled=0 hierarchy=4"},
	{"blkio", "numbers", "8:0 7\n8:16 8\nTotal 7\n", "-1 8:0=7 8:16=8"},
	{"blkio", "operations", "8:0 Read 5\n8:0 Write 6\n8:0 Total 11\nTotal 11\n", "-1 8:0.Read=5 8:0.Total=11 8:0.Write=6"},
	{"blkio", "odd", "8:0\n\n8:0 x\n8:0 Read\n8:0 Write x\n", "-1"},

	{"queues", "states", "1 (a) R 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 9\n2 (b) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 9\n3 (c) D 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 9\n" +
		"4 (d) T 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 9\n5 (e) Z 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0\n6 (f) I 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0\n" +
		"7 (g) X 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 9\nx\n8 (h)\n",
		"-1 blocked=1 defunct=1 kernel=1 runnable=1 sleeping=1 stopped=1 swapped=1 unknown=3"},
}

func TestParsers(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range parserTests {
		tested[c.parser] = true
		t.Run(c.parser+"/"+c.name, func(t *testing.T) {
			if got := procfstest.Dump(parsers[c.parser]([]byte(c.text))[0]); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
	for name := range parsers {
		if !tested[name] {
			t.Errorf("the parser of %s is not tested", name)
		}
	}
}

// TestLarge feeds large files to all parsers: none may take more than the time that is in
// proportion.
func TestLarge(t *testing.T) {
	for _, c := range parserTests {
		if len(c.text) > 0 {
			parsers[c.parser]([]byte(strings.Repeat(c.text, 1+300_000/len(c.text))))
		}
	}
}

// FuzzParsers feeds a text to a parser. Files below /proc of any text are parsed without a panic.
func FuzzParsers(f *testing.F) {
	for _, c := range parserTests {
		f.Add(c.parser, []byte(c.text))
	}
	f.Fuzz(func(t *testing.T, parser string, text []byte) {
		if parse := parsers[parser]; parse != nil {
			parse(bytes.Clone(text))
		}
		for _, c := range shownArgs(bytes.Clone(text)) {
			if c < ' ' || c == 0x7f {
				t.Errorf("%q: control character %#x is shown", text, c)
			}
		}
	})
}

func TestTTY(t *testing.T) {
	for dev, want := range map[uint64]string{
		0: "?", 1025: "tty1", 1024: "tty0", 1088: "ttyS0", 1090: "ttyS2", 34816: "pts/0", 34821: "pts/5",
		0x500: "tty", 0x501: "console", 0x502: "?", 0x801: "?", 0x108800: "pts/256", 137 << 8: "pts/1048576",
	} {
		if got := ttyName(dev); got != want {
			t.Errorf("%#x: %s, want %s", dev, got, want)
		}
	}
}
