package linux

import (
	"bytes"
	"testing"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pcp"
)

// parsers are the parsers of files, with the keys that the tests want.
var parsers = map[string]procfstest.Parser{
	"balloon": procfstest.OneRow(parseBalloon, "state", "pages_added", "target"),
	"serial": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("tx", "irq")
		parseSerial(t, &procfs.IDs{}, text)
		return []*procfs.Table{t}
	},
	"scsi": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("device")
		parseSCSI(t, &procfs.IDs{}, text, func(address string) string { return address })
		return []*procfs.Table{t}
	},
	"nfsclient": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("type", "access", "filename", "inode")
		parseNFSStates(t, &procfs.IDs{}, parseNFSClient(text), text)
		return []*procfs.Table{t}
	},
	"fragments": procfstest.OneRow(func(t *procfs.Table, r *procfs.Row, text []byte) {
		parseFragments(func(node string, value float64) { t.Cell(r, []byte(node)).SetReal(value) }, text)
	}, "node0"),
	"loadavg": func(text []byte) []*procfs.Table {
		load, other := procfstest.NewTable("1"), procfstest.NewTable("runnable", "total", "last")
		parseLoad(load, other, text)
		return []*procfs.Table{load, other}
	},
	"pressure": func(text []byte) []*procfs.Table {
		total, avg := procfstest.NewTable("some", "full"), procfstest.NewTable("some", "full")
		parsePressure(total, avg, text)
		return []*procfs.Table{total, avg}
	},
	"locks":  procfstest.OneRow(parseLocks, "posix.read", "posix.write", "posix.count", "flock.read", "flock.write", "lease.read", "lease.write", "lease.count"),
	"users":  procfstest.OneRow(parseUsers, "sessions", "roots"),
	"distro": procfstest.OneRow(func(t *procfs.Table, r *procfs.Row, text []byte) { parseDistro(t.Cell(r, []byte("name")), text) }, "name"),
	"stat": func(text []byte) []*procfs.Table {
		percpu, cpu, stat := procfstest.NewTable("1", "10"), procfstest.NewTable("1", "10"), procfstest.NewTable("ctxt", "intr")
		parseStat(percpu, cpu, stat, text)
		return []*procfs.Table{percpu, cpu, stat}
	},
	"cpuinfo": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("processor", "MHz", "vendor_id", "model", "stepping", "model_name", "flags", "cache_size")
		cpus := procfstest.NewTable()
		cpus.Row(0)
		cpus.Row(1)
		parseCPUInfo(t, cpus, text)
		return []*procfs.Table{t}
	},
	"swaps": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("size", "used", "priority", "zero")
		parseSwaps(t, &procfs.IDs{}, text)
		return []*procfs.Table{t}
	},
	"slabinfo": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("active_objs", "num_slabs", "objperslab", "pagesperslab", "bytes")
		parseSlabs(t, &procfs.IDs{}, 4096, text)
		return []*procfs.Table{t}
	},
	"nodemem": procfstest.OneRow(parseNodeMemory, "MemTotal", "MemFree"),
	"buddyinfo": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("pages")
		parseBuddies(t, &procfs.IDs{}, text)
		return []*procfs.Table{t}
	},
	"zoneinfo": func(text []byte) []*procfs.Table {
		zones, protection := procfstest.NewTable("free", "nr_mlock", "present"), procfstest.NewTable("pages")
		z := zoneReader{zones: zones, protection: protection, ids: &procfs.IDs{}, reserves: &procfs.IDs{}, page: 4}
		z.read(text)
		return []*procfs.Table{zones, protection}
	},
	"pairs": func(text []byte) []*procfs.Table {
		t, icmp := procfstest.NewTable("Udp.InDatagrams", "Udp.NoPorts", "Ip.A"), procfstest.NewTable("in", "out")
		parsePairs(t, t.Row(-1), icmp, text)
		icmp.Sort()
		return []*procfs.Table{t, icmp}
	},
	"sockstat": procfstest.OneRow(parseSockstat, "TCP.inuse", "TCP.mem", "sockets.used"),
	"softnet": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("1", "9")
		cpus := procfstest.NewTable()
		for i := range int32(3) {
			cpus.Row(i)
		}
		parseSoftnet(t, cpus, text)
		return []*procfs.Table{t}
	},
	"tcp":  procfstest.OneRow(parseSockets, "established", "listen", "closing", "udplisten"),
	"unix": procfstest.OneRow(parseUnixSockets, "datagram", "stream", "listen", "established"),
	"netdev": func(text []byte) []*procfs.Table {
		t, all := procfstest.NewTable("1", "16"), procfstest.NewTable("1")
		parseInterfaces(t, all, &procfs.IDs{}, text)
		return []*procfs.Table{t, all}
	},
	"speed": procfstest.OneRow(parseSpeed, "bytes", "mbytes"),
	"inet6": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("address", "scope")
		parseAddresses6(t, &procfs.IDs{}, text)
		return []*procfs.Table{t}
	},
	"interrupts": func(text []byte) []*procfs.Table {
		x := interruptReader{
			kinds: procfstest.NewTable("total"), both: procfstest.NewTable("count"), cpus: procfstest.NewTable("count"), errors: procfstest.NewTable("ERR", "MIS"),
			kindIDs: &procfs.IDs{}, bothIDs: &procfs.IDs{},
		}
		x.read(text)
		return []*procfs.Table{x.kinds, x.both, x.cpus, x.errors}
	},
	"sysv": func(text []byte) []*procfs.Table {
		t := procfstest.NewTable("key", "perms", "status", "4", "uid")
		parseSysV(t, &procfs.IDs{}, text, 8)
		return []*procfs.Table{t}
	},
	"time_in_state": procfstest.OneRow(parseFrequencies, "count", "time", "max", "min"),
	"pools":         procfstest.OneRow(parsePools, "1", "2", "5"),
	"nfs": func(text []byte) []*procfs.Table {
		t, ops := procfstest.NewTable("net.1", "net.2", "proc3", "rc.6", "fh.1", "fh.2"), procfstest.NewTable("1")
		parseNFS(t, t.Row(-1), func(key string) (*procfs.Table, []pcp.Instance) {
			if key == "proc3" {
				return ops, []pcp.Instance{{ID: 1, Name: "null"}, {ID: 2, Name: "read"}}
			}
			return nil, nil
		}, text)
		return []*procfs.Table{t, ops}
	},
	"diskstats": func(text []byte) []*procfs.Table {
		l := newCollector(procfstest.Options("/nonexistent"))
		for _, kind := range diskKinds {
			l.Tables[kind].Slot("1")
			l.Tables[kind].Slot("11")
		}
		l.readDisks(text)
		l.readCapacity(text)
		return []*procfs.Table{l.disks, l.Tables["partition"], l.Tables["dm"], l.Tables["md"], l.Tables["zram"]}
	},
	"mounts": func(text []byte) []*procfs.Table {
		l := newCollector(procfstest.Options("/nonexistent"))
		l.statfs = func(path string, fs *filesystem) error {
			*fs = filesystem{blocks: 1000, free: 400, avail: 300, files: 50, ffree: 20, size: 4096}
			return nil
		}
		list, usage := l.Tables["filesys"], l.Tables["filesysusage"]
		list.Slot("type")
		for _, key := range []string{"readonly", "capacity", "used", "free", "avail", "files", "ffree", "full", "bsize"} {
			usage.Slot(key)
		}
		l.readMounts(text)
		l.addUsage(usage, list)
		return []*procfs.Table{list, l.Tables["tmpfs"], usage}
	},
}

// parserTests are files and the content of tables after reading them.
var parserTests = []struct {
	parser, name, text string
	want               []string // of each table
}{
	{"balloon", "pages", "state : 3 (x)\npages_added : 2\ntarget: 3 pages\n", []string{"-1 pages_added=8192 state=3 target=12288"}},
	{"balloon", "odd", ":\npage_size : 0\npages_added : x\nstate\n", []string{"-1"}},
	{"serial", "odd", "x: irq:1\n5\n6: irq: tx:x :\n", []string{"0 6 irq=0 tx=0"}},
	{"scsi", "odd", "Host: scsi0\nType: x\nHost: scsi00 Channel: 0 Id: 01 Lun: x/../y\nType:\nType: z\n", []string{`0 scsi0:0:1:x/../y_z device="0:0:1:x!..!y"`}},
	{"nfsclient", "odd", "{\n{ type: open, superblock: \"\n{ type: open, superblock: \"1:2:77\", filename: \"a\n{type:open,superblock:x}\n", []string{`0 77: access="" filename="a" inode=77 type="open"; 1 x: access="" filename="" type="open"`}},
	{"fragments", "odd", "Node 0, zone Normal 0.5 x\nNode 1, zone DMA 1\nNode\n", []string{"-1 node0=0.5"}},
	{"loadavg", "usual", "3.74 6.97 7.18 5/146 17208\n", []string{"1 1=3.74; 5 1=6.97; 15 1=7.18", "-1 last=17208 runnable=5 total=146"}},
	{"loadavg", "empty", "", []string{"1; 5; 15", "-1"}},
	{"loadavg", "cut", "3.74 6.9", []string{"1 1=3.74; 5 1=6.9; 15", "-1"}},
	{"loadavg", "odd", "x y z a/b c", []string{"1; 5; 15", "-1"}},

	{"pressure", "usual", "some avg10=36.18 avg60=39.52 avg300=59.38 total=58\nfull avg10=0.10 avg60=0.20 avg300=0.30 total=4\n",
		[]string{"-1 full=4 some=58", "10 full=0.1 some=36.18; 60 full=0.2 some=39.52; 300 full=0.3 some=59.38"}},
	{"pressure", "one line", "full avg10=7.20 avg60=8 avg300=-1 total=42\n", []string{"-1 full=42", "10 full=7.2; 60 full=8; 300 full=-1"}},
	{"pressure", "empty", "", []string{"-1", ""}},

	{"locks", "usual", "1: POSIX  ADVISORY  WRITE 1 2:3 0 EOF\n2: FLOCK  ADVISORY  WRITE 9\n3: POSIX  ADVISORY  READ 5\n3: -> POSIX  ADVISORY  WRITE 6\n" +
		"4: LEASE  ACTIVE    READ  1\n5: OFDLCK ADVISORY  READ -1\n",
		[]string{"-1 flock.read=0 flock.write=1 lease.count=1 lease.read=1 lease.write=0 posix.count=3 posix.read=2 posix.write=1"}},
	{"locks", "others", "1: DELEG  ACTIVE    READ 1\n2: LEASE  BREAKING  UNLCK 1\n3: LAYOUT ACTIVE READ 1\n4: ACCESS ADVISORY  READ 1\n5: OFDLCK ADVISORY  WRITE 1\n6: FLOCK  MSNFS     RW 1\n",
		[]string{"-1 flock.read=1 flock.write=1 lease.count=2 lease.read=1 lease.write=0 posix.count=2 posix.read=1 posix.write=1"}},
	{"locks", "empty", "", []string{"-1 flock.read=0 flock.write=0 lease.count=0 lease.read=0 lease.write=0 posix.count=0 posix.read=0 posix.write=0"}},

	{"users", "empty", "", []string{"-1 roots=0 sessions=0"}},
	{"users", "cut", string(make([]byte, 500)), []string{"-1 roots=0 sessions=0"}},
	{"users", "two", utmp(7, "root") + utmp(7, "bob") + utmp(8, "root"), []string{"-1 roots=1 sessions=2"}},

	{"distro", "usual", "NAME=x\nPRETTY_NAME=\"Some Linux 1\"\n", []string{`-1 name="Some Linux 1"`}},
	{"distro", "missing", "NAME=x\n", []string{"-1"}},

	{"stat", "usual", "cpu  3 0 0 0 0 0 0 0 0 9\ncpu0 1 0 0 0 0 0 0 0 0 8\ncpu1 2 0 0 0\nintr 99 1 2\nctxt 12\nsoftirq 4 5\n",
		[]string{"0 cpu0 1=1 10=8; 1 cpu1 1=2", "-1 1=3 10=9", "-1 ctxt=12 intr=99"}},
	{"stat", "order", "cpu20 5\ncpu3 6\ncpu20 7\n", []string{"3 cpu3 1=6; 20 cpu20 1=5", "-1", "-1"}},
	{"stat", "odd", "cpux 1\ncpu99999999 1\ncpu\nctxt\nctxt x\n", []string{"", "-1", "-1"}},
	{"stat", "empty", "", []string{"", "-1", "-1"}},

	{"cpuinfo", "usual", "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some: CPU\ncpu MHz\t\t: 2500.123\ncache size\t: 512 KB\n\nprocessor\t: 1\n",
		[]string{`0 MHz=2500.123 cache_size=512 flags="unknown" model="85" model_name="Some: CPU" processor=0 stepping="unknown" vendor_id="unknown"; 1 flags="unknown" model="unknown" model_name="unknown" processor=1 stepping="unknown" vendor_id="unknown"`}},
	{"cpuinfo", "long key", "processor: 0\n" + string(bytes.Repeat([]byte("k"), 100)) + ": 1\n", []string{`0 flags="unknown" model="unknown" model_name="unknown" processor=0 stepping="unknown" vendor_id="unknown"; 1 flags="unknown" model="unknown" model_name="unknown" processor=1 stepping="unknown" vendor_id="unknown"`}},

	{"swaps", "usual", "Filename Type Size Used Priority\n/dev/sda2 partition 2097148 1024 -2\n/f file 5 0 7\n",
		[]string{"0 /dev/sda2 priority=18446744073709551614 size=2097148 used=1024 zero=0; 1 /f priority=7 size=5 used=0 zero=0"}},
	{"swaps", "none", "Filename Type Size Used Priority\n", []string{""}},
	{"swaps", "cut", "Filename\n/dev/sda2\n/dev/b partition\n/dev/c partition 7 8\n/dev/d partition 7 8 9", []string{"0 /dev/c size=7 used=8 zero=0; 1 /dev/d priority=9 size=7 used=8 zero=0"}},

	{"slabinfo", "usual", "slabinfo - version: 2.1\n# name <active_objs> : tunables <limit> : slabdata <active_slabs>\nTCP 67 117 2368 13 8 : tunables 0 0 0 : slabdata 9 9 0\n",
		[]string{"0 TCP active_objs=67 bytes=168881 num_slabs=9 objperslab=13 pagesperslab=8"}},
	{"slabinfo", "no objects in a slab", "slabinfo - version: 2.0\n#\nx 1 2 3 0 5 : tunables 0 0 0 : slabdata 4 5 6", []string{"0 x active_objs=1 num_slabs=5 objperslab=0 pagesperslab=5"}},
	{"slabinfo", "short", "slabinfo - version: 2.1\nx 1 2 3\n : tunables : slabdata\ny 1 2 3 4 5 : tunables 0 0 0 : slabdata 4 5 6\n", []string{"0 y active_objs=1 bytes=5120 num_slabs=5 objperslab=4 pagesperslab=5"}},

	{"nodemem", "usual", "Node 0 MemTotal: 12 kB\nNode 0 MemFree: 3 kB\n", []string{"-1 MemFree=3 MemTotal=12"}},
	{"nodemem", "cut", "Node 0\nNode\n\n", []string{"-1"}},

	{"buddyinfo", "usual", "Node 0, zone DMA 1 2 \nNode 1, zone Normal 7 \n",
		[]string{"0 DMA::order0::node0 pages=1; 1 DMA::order1::node0 pages=2; 2 Normal::order0::node1 pages=7"}},
	{"buddyinfo", "odd", "Nod 0, zone DMA 1\nNode 0, zon DMA 1\nNode 0, zone\n", []string{""}},

	{"zoneinfo", "no memory", "Node 0, zone X\n  pages free 7\n present 0\n protection: (1, 2)\nNode 0, zone Y\n pages free 0\n present 4\n",
		[]string{"1 Y::node0 free=0 present=16", "0 X::node0::lowmem_reserved0 pages=4; 1 X::node0::lowmem_reserved1 pages=8"}},
	{"zoneinfo", "node", "Node 0, zone X\n  per-node stats\n   nr_mlock 2\n  pages free 1\n   nr_mlock 3\n  pagesets\n   nr_mlock 9\n",
		[]string{"0 node0 nr_mlock=8; 1 X::node0 free=4 nr_mlock=12", ""}},
	{"zoneinfo", "outside", "pages free 7\nnr_mlock 1\nprotection: (x, y)\n", []string{"", ""}},

	{"pairs", "usual", "Ip: A B\nIp: 1 2\nIcmpMsg: InType3 OutType3 InType8\nIcmpMsg: 4 5 6\nUdp: InDatagrams NoPorts\nUdp: 7 8\n",
		[]string{"-1 Ip.A=1 Udp.InDatagrams=7 Udp.NoPorts=8", "3 in=4 out=5; 8 in=6"}},
	{"pairs", "fewer values", "Udp: InDatagrams NoPorts\nUdp: 7\n", []string{"-1 Udp.InDatagrams=7", ""}},
	{"pairs", "other group", "Udp: InDatagrams\nIp: 7\nUdp: NoPorts\nUdp: 1\n", []string{"-1 Udp.NoPorts=1", ""}},
	{"pairs", "odd types", "IcmpMsg: InType InTypex InType256 Foo OutType255\nIcmpMsg: 1 2 3 4 5", []string{"-1", "255 out=5"}},
	{"pairs", "no values", "Udp: InDatagrams", []string{"-1", ""}},

	{"sockstat", "usual", "sockets: used 29\nTCP: inuse 2 orphan 1 mem 3\n", []string{"-1 TCP.inuse=2 TCP.mem=3 sockets.used=29"}},
	{"sockstat", "cut", "sockets: used\nTCP:\n\nTCP: inuse 2 mem", []string{"-1 TCP.inuse=2"}},

	{"softnet", "usual", "0000b680 1 2 3 4 5 6 7 8\n0a 0 0 0 0 0 0 0 0 0\n", []string{"0 1=46720 9=8; 1 1=10 9=0"}},
	{"softnet", "odd", "x\n\n1 2\n", []string{"0; 1; 2 1=1"}},
	{"softnet", "short line", "b 1\n\na 2 3 4 5 6 7 8 9\n", []string{"0 1=11; 1; 2 1=10 9=9"}},

	{"tcp", "usual", "  sl  local_address rem_address   st\n 0: 0:1 0:0 0A 0\n 1: 0:1 0:0 01 0\n 2: 0:1 0:0 0C 0\n 3: 0:1 0:0 07\n",
		[]string{"-1 closing=0 established=1 listen=1 udplisten=1"}},
	{"tcp", "heading only", "sl", []string{"-1 closing=0 established=0 listen=0 udplisten=0"}},
	{"tcp", "odd", "\n0: a b\n1: a b zz\n2: a b ffffffffffffffffffff\n", []string{"-1 closing=0 established=0 listen=0 udplisten=0"}},

	{"unix", "usual", "Num RefCount Protocol Flags Type St Inode Path\n0: 2 0 10000 0001 01 7 /run/a\n1: 3 0 0 0001 03 8\n2: 3 0 0 0002 01 9\n3: 3 0 0 0005 01 9\n",
		[]string{"-1 datagram=1 established=1 listen=1 stream=2"}},
	{"unix", "odd", "Num\n0: 2 0 0 1 x\n0: 2 0 0 100000001 3\n0: 2 0 0 0001 03 8", []string{"-1 datagram=0 established=1 listen=0 stream=1"}},
	{"unix", "cut", "Num\n0: 2 0\n", []string{"-1 datagram=0 established=0 listen=0 stream=0"}},

	{"netdev", "usual", "Inter-|   Receive\n face |bytes    packets\n    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n  eth0:828668288   28192\n",
		[]string{"0 lo 1=1 16=16; 1 eth0 1=828668288", "1 1=828668288"}},
	{"netdev", "odd", ":\n : 1\nx\nveth0: 1\n", []string{"0 veth0 1=1", ""}},

	{"speed", "usual", "10000\n", []string{"-1 bytes=1250000000 mbytes=1192.0928955078125"}},
	{"speed", "unknown", "-1\n", []string{"-1"}},
	{"speed", "unknown, unsigned", "4294967295\n", []string{"-1"}},
	{"speed", "none", "\n", []string{"-1"}},

	{"inet6", "usual", "00000000000000000000000000000001 01 80 10 80 lo\nfe80000000000000020c29fffe3b1c2d 02 40 20 80 eth0\n20010db8000000000000000000000005 02 40 00 80 eth0\n",
		[]string{`0 lo address="::1/128" scope="Host"; 1 eth0 address="2001:db8::5/64" scope="Global"`}},
	{"inet6", "odd", "xyz 1 2 3 4 lo\n00 01 80 10 80 lo\n00000000000000000000000000000001 01 80 10 80 other\n\n", []string{`0 other address="::1/128" scope="Host"`}},

	{"interrupts", "usual", "           CPU0       CPU2\n 24:          1          2  IO-APIC\nNMI: 3 4 Non\nERR: 5\nMIS: 6\n",
		[]string{"0 24 total=3; 1 NMI total=7", "0 24::cpu0 count=1; 1 24::cpu2 count=2; 2 NMI::cpu0 count=3; 3 NMI::cpu2 count=4", "0 count=4; 2 count=6", "-1 ERR=5 MIS=6"}},
	{"interrupts", "another machine", "CPU0\nErr: 5\n", []string{"", "", "0 count=0", "-1 ERR=5"}},
	{"interrupts", "short line", "CPU0 CPU1\n24: 1\n", []string{"0 24 total=1", "0 24::cpu0 count=1; 1 24::cpu1 count=0", "0 count=1; 1 count=0", "-1"}},
	{"interrupts", "odd heading", "x CPU1\n24: 1\n", []string{"", "", "", "-1"}},

	{"sysv", "usual", "key shmid perms size cpid lpid nattch uid\n0 3 1600 4194304 1 2 3 1000\n1627390053 7 640 1024 1 2 3 0\n-1 -1 2666 1 2 3 4 5\n",
		[]string{`0 3 4=4194304 key="0x00000000" perms=600 status="dest" uid=1000; 1 7 4=1024 key="0x61000065" perms=640 status="" uid=0; ` +
			`2 -1 4=1 key="0xffffffff" perms=666 status="locked" uid=5`}},

	{"diskstats", "kinds", "8 0 sda 1\n8 1 sda1 2\n259 0 nvme0n1 3\n259 1 nvme0n1p1 4\n7 0 loop0 5\n252 0 dm-0 6\n9 0 md0 7\n253 0 zram0 8\n11 0 sr0 9\n179 0 mmcblk0 10\n179 8 mmcblk0boot0 11\n",
		[]string{`0 sda 1=1; 1 nvme0n1 1=3; 2 mmcblk0 1=10; 3 mmcblk0boot0 1=11`, `0 sda1 1=2; 1 nvme0n1p1 1=4`, ``, `0 md0 1=7`, `0 zram0 1=8`}},
	{"diskstats", "cut", "8 0\n8\n\n8 0 sda", []string{`0 sda`, "", "", "", ""}},

	{"diskstats", "many", "8 0 sda 101 102 103 104 105 106 107 108 109 110 111\n8 1 sda1 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115\n", []string{`0 sda 1=101 11=111`, "0 sda1 1=101 11=111", "", "", ""}},

	{"time_in_state", "two", "3500000 100\n800000 2000\n", []string{"-1 count=1950000 max=3500 min=800 time=2100"}},
	{"time_in_state", "odd", "x\n\n5000", []string{"-1"}},

	{"pools", "two", "# pool packets-arrived\n0 101 102 103 104\n1 201 202 203 204\n", []string{"-1 1=2 2=302 5=308"}},
	{"pools", "none", "# pool\n", []string{"-1"}},

	{"nfs", "usual", "net 10 11 12 13\nrpc 20 21\nproc3 3 5 6 7\n", []string{"-1 fh.1=0 fh.2=0 net.1=10 net.2=11 proc3=11 rc.6=0", "1 1=5; 2 1=6"}},
	{"nfs", "fewer operations", "proc3 1 5\nnet x\n", []string{"-1 fh.1=0 fh.2=0 net.1=0 net.2=0 proc3=5 rc.6=0", "1 1=5; 2 1=0"}},
	{"nfs", "twice", "proc3 2 5 6\nproc3 1 7\n", []string{"-1 fh.1=0 fh.2=0 net.1=0 net.2=0 proc3=7 rc.6=0", "1 1=7; 2 1=0"}},
	{"nfs", "both", "rc 31 32 33 34 35 36 37 38\nfh 41 42\n", []string{"-1 fh.1=41 fh.2=42 net.1=0 net.2=0 proc3=0 rc.6=36", ""}},
	{"nfs", "cut", "proc3\nnet\n\n", []string{"-1 fh.1=0 fh.2=0 net.1=0 net.2=0 proc3=0 rc.6=0", "1 1=0; 2 1=0"}},

	{"mounts", "kinds", "proc /proc proc rw 0 0\n/dev/sda1 / ext4 ro,relatime 0 0\ntmpfs /dev/shm tmpfs rw 0 0\n/dev/sda1 /again ext4 rw 0 0\nnfs:/x /mnt nfs rw 0 0\noverlay / overlay rw 0 0\n",
		[]string{
			`0 /dev/sda1 dir="/" readonly=1 type="ext4"; 1 overlay dir="/" readonly=0 type="overlay"`, `0 /dev/shm dir="/dev/shm" readonly=0`,
			"0 avail=1200 bsize=4096 capacity=4000 ffree=20 files=50 free=1600 full=66.66666666666667 readonly=1 used=2400; " +
				"1 avail=1200 bsize=4096 capacity=4000 ffree=20 files=50 free=1600 full=66.66666666666667 readonly=0 used=2400",
		}},
}

// utmp returns a record of utmp.
func utmp(kind byte, user string) string {
	b := make([]byte, utmpRecord)
	b[0] = kind
	copy(b[utmpUser:], user)
	return string(b)
}

func TestParsers(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range parserTests {
		tested[c.parser] = true
		t.Run(c.parser+"/"+c.name, func(t *testing.T) {
			for i, table := range parsers[c.parser]([]byte(c.text)) {
				if i >= len(c.want) {
					t.Fatalf("table %d: got %s", i, procfstest.Dump(table))
				}
				if got := procfstest.Dump(table); got != c.want[i] {
					t.Errorf("table %d\n got %s\nwant %s", i, got, c.want[i])
				}
			}
		})
	}
	for name := range parsers {
		if !tested[name] {
			t.Errorf("the parser of %s is not tested", name)
		}
	}
}

// FuzzParsers feeds a text to a parser. Files below /proc and /sys of any text are parsed without a panic.
func FuzzParsers(f *testing.F) {
	for _, c := range parserTests {
		f.Add(c.parser, []byte(c.text))
	}
	f.Fuzz(func(t *testing.T, parser string, text []byte) {
		parse := parsers[parser]
		if parse == nil {
			return
		}
		for _, table := range parse(bytes.Clone(text)) {
			for i := range table.Rows {
				if len(table.Rows[i].Cells) != len(table.Slots) {
					t.Errorf("a row with %d cells of %d", len(table.Rows[i].Cells), len(table.Slots))
				}
			}
		}
	})
}
