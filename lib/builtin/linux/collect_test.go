package linux

import (
	"cmp"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs/procfstest"
)

// collectTests are small systems and the values of metrics on them.
var collectTests = []struct {
	name  string
	files map[string]string
	want  []string // a metric, a blank, its values
}{
	{ // the values are those of the reference's agent
		"a processor that is switched off",
		map[string]string{
			"proc/stat":             "cpu 1 2\ncpu0 1 2\ncpu2 1 2\ncpu3 1 2\n",
			"proc/net/softnet_stat": strings.Repeat("00000001 0 0 0 0 0 0 0 0\n", 2) + "00000003 0 0 0 0 0 0 0 0\n",
		},
		[]string{"network.softnet.percpu.processed cpu0=1|cpu2=1|cpu3=3", "network.softnet.processed 5"},
	},
	{ // the values are those of the reference's agent
		"files with little in them",
		map[string]string{
			"proc/stat":     "cpu 1\ncpu0 1\ncpu1 1\n",
			"proc/net/snmp": "Ip: InReceives\nTcp: 1\nUdp: InDatagrams\nUdp: 7\n", "proc/diskstats": "8 0 sda 1 2 3 4\n8 16 sdb 1 2 3 4\n", "proc/partitions": "8 0 0 sda\n8 16 9 sdb\n",
			"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "0\n", "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq": "5000\n",
			"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "\n", "sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq": "9000\n",
		},
		[]string{
			"network.udp.indatagrams 7", "disk.dev.capacity sdb=9", "hinv.cpu.frequency_scaling.current cpu1=5", "hinv.cpu.frequency_scaling.max cpu1=9",
			"hinv.cpu.frequency_scaling.count cpu0=0|cpu1=5",
		},
	},
	{ // the values are those of the reference's agent
		"frequencies that a double does not have",
		map[string]string{
			"proc/stat": "cpu 1\ncpu0 1\ncpu1 1\n",
			"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "18446744073709551615\n", "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq": "9223372036854775807\n",
		},
		[]string{"hinv.cpu.frequency_scaling.count cpu0=18446744073709551|cpu1=9223372036854775"},
	},
	{ // the values are those of the reference's agent
		"interfaces without /sys",
		map[string]string{"proc/net/if_inet6": "20010db8000000000000000000000005 02 40 00 80     qq0\n"},
		[]string{`network.interface.ipv6_addr qq0="2001:db8::5/64"`, `network.interface.ipv6_scope qq0="Global"`, "network.interface.hw_addr "},
	},
	{ // the values are those of the reference's agent, as far as it has them
		"devices that few have",
		map[string]string{
			"proc/scsi/scsi": "Attached devices:\nHost: scsi0 Channel: 00 Id: 00 Lun: 00\n  Vendor: VMware,  Model: x Rev: 1.0 \n  Type:   Direct-Access                    ANSI  SCSI revision: 02\n" +
				"Host: scsi2 Channel: 01 Id: 03 Lun: 04\n  Type:   CD-ROM     ANSI  SCSI revision: 05\nHost: scsi3\n  Type: x\n",
			"sys/class/scsi_device/0:0:0:0/device/block/sda/": "", "sys/class/scsi_device/2:1:3:4/device/block/sr0/": "",
			"sys/class/scsi_tape/st0/stats/io_ns": "2\n", "sys/class/scsi_tape/st0/stats/read_cnt": "5\n", "sys/class/scsi_tape/nst0/stats/io_ns": "3\n",
			"sys/class/fc_host/host1/statistics/rx_words": "0x8b0848\n", "sys/class/fc_host/host1/statistics/rx_frames": "0x6e22\n", "sys/class/fc_host/host1/statistics/tx_frames": "0x39ce\n",
			"proc/tty/driver/serial":                  "serinfo:1.0 driver revision:\n0: uart:16550A port:000003F8 irq:4 tx:11 rx:22 fe:3 pe:1 brk:5 oe:7 RTS|CTS|DTR\n1: uart:unknown port:000002F8 irq:3\n12: uart:16550A mmio:0x91 irq:17 tx:5 rx:0\n",
			"sys/kernel/debug/hv-balloon":             "host_version : 2.0\nstate : 3 (Initialized)\npage_size : 4096\npages_added : 10\npages_onlined : 20\ntotal_pages_committed : 40\n",
			"sys/kernel/debug/vmmemctl":               "target:                    10 pages\ncurrent:                   20 pages\n",
			"sys/kernel/debug/extfrag/unusable_index": "Node 0, zone      DMA 0.000 0.100 0.500 \nNode 0, zone   Normal 0.000 0.250 0.750 \n",
			"var/lib/pcp/pmdas/linux/bandwidth.conf":  "Version:1.0\n# a node\nnode0:4000.5\nnode7:1\n", "sys/devices/system/node/node0/cpu0/": "", "proc/stat": "cpu 1\ncpu0 1\n",
			"proc/net/dev": "lo: 1\neth0: 2\n", "sys/class/net/lo/type": "772\n", "sys/class/net/eth0/type": "1\n", "sys/devices/virtual/net/lo/": "",
			"proc/diskstats": "9 127 md127 1 2\n9 1 md1 1 2\n", "sys/block/md127/md/degraded": "0\n", "sys/block/md1/md/degraded": "2\n",
			"proc/sysvipc/shm": "key\n1 0 644 12345 1 1 0 0 0\n", "proc/fs/nfsd/clients/5/info": "clientid: 0x2c\naddress: \"192.168.1.5:901\"\nstatus: confirmed\nname: \"Linux NFSv4.2 client.example.com\"\n" +
				"callback state: UP\ncallback address: \"192.168.1.5:0\"\nadmin-revoked states: 3\nsession slots: 7 10\nsession target slots: 8\n",
			"proc/fs/nfsd/clients/5/states": "- 0x1: { type: open, access: rw, deny: --, superblock: \"fd:10:13649\", filename: \"/d/a: b, c\", owner: \"open id:x\" }\n- 0x2: { type: deleg, superblock: \"\" }\nx\n",
			"proc/fs/nfsd/clients/6/info":   "clientid: 0x1\nname: \"x\"\n", "proc/fs/nfsd/clients/7/info": "nothing\n",
		},
		[]string{
			`hinv.map.scsi scsi0:0:0:0_Direct-Access="sda"|scsi2:1:3:4_CD-ROM="sr0"`, "tape.dev.io_ns st0=2", "tape.dev.read_cnt st0=5", "tape.dev.write_ns st0=0",
			"fchost.in.bytes host1=36446496", "fchost.in.frames host1=28194", "fchost.out.frames host1=14798", "fchost.lip_count host1=0",
			"tty.serial.tx 0=11|12=5", "tty.serial.overrun 0=7|12=0", "tty.serial.irq 0=4|12=17", "hyperv.balloon.added 40960", "hyperv.balloon.onlined 81920", "hyperv.balloon.state 3",
			"hyperv.balloon.total_committed 163840", "mem.vmmemctl.target 40960", "mem.vmmemctl.current 81920", "sysfs.kernel.debug.extfrag_unusable node0=1",
			"mem.numa.max_bandwidth node0=4000.5", "network.interface.type eth0=1|lo=772", "network.interface.virtual eth0=0|lo=1", "disk.md.status md127=0|md1=1",
			"ipc.shm.tot 16384", "ipc.shm.swap_attempts 0", `nfs4.server.clients.hostname 0x1=""|0x2c="client.example.com"`, "nfs4.server.clients.session_slots 0x1=0|0x2c=7",
			`nfs4.server.clients.callback_state 0x1=""|0x2c="UP"`, "nfs4.server.clients.admin_revoked_states 0x1=0|0x2c=3", "nfs4.server.open.inode 13649:0x2c=13649",
			`nfs4.server.open.filename 13649:0x2c="a: b, c"`, `nfs4.server.open.client_hostname 13649:0x2c="client.example.com"`, `nfs4.server.open.access 13649:0x2c="rw"`,
		},
	},
	{
		"processors",
		map[string]string{
			"proc/stat":                          "cpu  10 20 30 40 50 60 70 80 4 5\ncpu0 1 2 3 4 5 6 7 8 1 2\ncpu3 9 18 27 36 45 54 63 72 3 3\nintr 7 1\nctxt 8\nbtime 9\nprocesses 10\nprocs_running 1\nprocs_blocked 2\n",
			"sys/devices/system/cpu/cpu3/online": "0\n",
		},
		[]string{
			"hinv.ncpu 2",
			"kernel.all.cpu.user 100",
			"kernel.all.cpu.vuser 60",
			"kernel.all.cpu.vnice 150",
			"kernel.all.cpu.intr 1300",
			"kernel.all.cpu.irq.hard 600",
			"kernel.all.cpu.irq.soft 700",
			"kernel.all.cpu.wait.total 500",
			"kernel.all.cpu.steal 800",
			"kernel.percpu.cpu.idle cpu0=40|cpu3=360",
			"kernel.percpu.cpu.guest cpu0=10|cpu3=30",
			"kernel.pernode.cpu.idle node0=400",
			"kernel.all.intr 7",
			"kernel.all.pswitch 8",
			"kernel.all.boottime 9",
			"kernel.all.sysfork 10",
			"kernel.all.running 1",
			"kernel.all.blocked 2",
			"hinv.cpu.online cpu0=1|cpu3=0",
			"hinv.cpu.thermal_throttle.core.count cpu0=0|cpu3=0",
			"hinv.cpu.frequency_scaling.max ",
		},
	},
	{
		"a kernel that counts less",
		map[string]string{"proc/stat": "cpu  10 20 30 40\ncpu0 10 20 30 40\n"},
		[]string{
			"kernel.all.cpu.user 100", "kernel.all.cpu.vuser 100", "kernel.all.cpu.wait.total 0", "kernel.all.cpu.intr 0", "kernel.all.cpu.guest 0",
			"kernel.percpu.cpu.steal cpu0=0", "kernel.all.intr 0",
		},
	},
	{
		"memory nodes",
		map[string]string{
			"proc/stat":                           "cpu 3 0 0 0\ncpu0 1 0 0 0\ncpu1 2 0 0 0\ncpu2 4 0 0 0\n",
			"sys/devices/system/node/node0/cpu0/": "", "sys/devices/system/node/node1/cpu1/": "", "sys/devices/system/node/node1/cpu2/": "",
			"sys/devices/system/node/node1/cpu9/": "", "sys/devices/system/node/node1/cpulist": "1-2", "sys/devices/system/node/possible": "0-1",
			"sys/devices/system/node/node1/meminfo":  "Node 1 MemTotal: 100 kB\nNode 1 MemUsed: 30 kB\nNode 1 HugePages_Total: 3\n",
			"sys/devices/system/node/node1/numastat": "numa_hit 5\nother_node 6\n",
			"proc/meminfo":                           "Hugepagesize: 2048 kB\n",
			"sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages":   "3\n",
			"sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages": "1\n",
		},
		[]string{
			"hinv.nnode 2",
			"hinv.map.cpu_node cpu0=0|cpu1=1|cpu2=1",
			"kernel.pernode.cpu.user node0=10|node1=60",
			"mem.numa.util.total node1=100",
			"mem.numa.util.used node1=30",
			"mem.numa.util.hugepagesTotalBytes node1=6291456",
			"mem.numa.alloc.hit node1=5",
			"mem.numa.alloc.other_node node1=6",
			"mem.numa.alloc.miss ",
			"mem.numa.hugepages.totalsize node1::2048kB=6144",
			"mem.numa.hugepages.free node1::2048kB=2048",
			"mem.numa.hugepages.surplus node1::2048kB=0",
			"hinv.node.online node0=1|node1=1",
		},
	},
	{
		"memory",
		map[string]string{
			"proc/meminfo": "MemTotal: 4096 kB\nMemFree: 1000 kB\nBuffers: 2000 kB\nCached: 3000 kB\nDirty: 10 kB\nWriteback: 5 kB\nSwapTotal: 100 kB\nSwapFree: 40 kB\n" +
				"HugePages_Total: 2\nHugepagesize: 2048 kB\n",
			"proc/vmstat":           "pswpin 3\npswpout 4\npgfault 5\nnr_slab_reclaimable 6\nnr_slab_unreclaimable 7\npgdemote_kswapd 8\n",
			"proc/swaps":            "Filename Type Size Used Priority\n/dev/sdb file 100 60 -2\n",
			"sys/kernel/mm/ksm/run": "1\n", "sys/kernel/mm/ksm/sleep_millisecs": "20\n",
			"sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages": "2\n", "sys/kernel/mm/hugepages/other": "",
		},
		[]string{
			"hinv.physmem 4", "mem.physmem 4096", "mem.util.used 3096", "mem.util.other 0", "mem.util.cache_clean 2985", "mem.util.available ",
			"mem.util.hugepagesTotalBytes 4194304", "hinv.hugepagesize 2097152",
			"swap.length 102400", "swap.used 61440", "swap.free 40960", "swap.pagesin 3", "swap.pagesout 4",
			"swapdev.free /dev/sdb=40", "swapdev.length /dev/sdb=100", "swapdev.priority /dev/sdb=-2", "swapdev.vlength /dev/sdb=0",
			"mem.vmstat.pgfault 5", "mem.vmstat.nr_slab 13", "mem.vmstat.pgdemote_total 8", "mem.vmstat.oom_kill ",
			"mem.ksm.run_state 1", "mem.ksm.sleep_time 20", "mem.ksm.full_scans 0",
			"mem.hugepages.pagesize 1048576kB=1048576", "mem.hugepages.totalsize 1048576kB=2097152",
		},
	},
	{
		"disks",
		map[string]string{
			"proc/diskstats":         "8 0 sda 1 2 31 4 5 6 71 8 9 10 11 12 13 141 15 16 17\n8 1 sda1 1 2 3 4 5 6 7 8 9 10 11\n8 16 sdb 10 0 1 0 0 0 0 0 0 0 0\n253 0 dm-0 3 0 0 0 4 0 0 0 0 0 0\n",
			"proc/partitions":        "major minor #blocks name\n\n8 0 1000 sda\n8 1 900 sda1\n253 0 800 dm-0\n8 32 5 sdc\n",
			"sys/block/dm-0/dm/name": "vg-root\n", "sys/block/sda/queue/scheduler": "none [bfq]\n", "sys/block/sdb/queue/scheduler": "none",
			"sys/block/sda/wwid": "eui.12\n",
		},
		[]string{
			"hinv.ndisk 2", "disk.dev.read sda=1|sdb=10", "disk.dev.total sda=6|sdb=10", "disk.dev.read_bytes sda=15|sdb=0", "disk.dev.total_bytes sda=51|sdb=0",
			"disk.dev.inflight sda=9|sdb=0", "disk.dev.flush sda=16|sdb=0", "disk.dev.discard_bytes sda=70|sdb=0",
			"disk.all.read 11", "disk.all.read_bytes 15", "disk.all.blkread 32", "disk.all.inflight 9",
			"disk.partitions.write sda1=5", "disk.partitions.capacity sda1=900", "disk.dev.capacity sda=1000",
			"disk.dm.read vg-root=3", "disk.dm.capacity vg-root=800", "hinv.map.dmname vg-root=\"dm-0\"", "disk.md.read ",
			`disk.dev.scheduler sda="bfq"|sdb="unknown"`, `hinv.map.scsi_id sda="212"|sdb="unknown"`,
		},
	},
	{
		"last lines without their ends",
		map[string]string{
			"proc/stat": "cpu  1 2 3 4\ncpu0 1 2 3 4\nctxt 8\nprocs_blocked 7", "sys/module/zswap/parameters/enabled": "Yx",
			"proc/net/tcp": "sl\n0: a b 01 c\n1: a b 01 c", "proc/diskstats": "8 0 sda 1 0 0 0 0 0 0 0 0 0 0", "sys/block/sda/wwid": "naa.51",
		},
		[]string{"kernel.all.blocked 7", "kernel.all.pswitch 8", `sysfs.module.zswap.enabled "Y"`, "network.tcpconn.established 2", "disk.dev.read sda=1", `hinv.map.scsi_id sda="35"`},
	},
	{
		"disks with several paths",
		map[string]string{
			"proc/diskstats":  "8 0 sda 1 2 31 4 5 6 71 8 9 10 11\n8 16 sdb 10 0 1 0 0 0 0 0 1 0 0\n8 32 sdc 7 0 1 0 0 0 0 0 1 0 0\n",
			"proc/partitions": "8 0 1000 sda\n8 16 1000 sdb\n", "sys/block/sda/device/wwid": "naa.5\n", "sys/block/sdb/device/wwid": "naa.5\n",
			"sys/block/sdb/queue/scheduler": "[none]\n",
		},
		[]string{
			`disk.wwid.scsi_paths 35="sda sdb"`, "disk.wwid.read 35=11", "disk.wwid.read_bytes 35=16", "disk.wwid.inflight 35=10", "disk.wwid.capacity 35=1000",
			`disk.wwid.scheduler 35="none"`, "disk.dev.read sda=1|sdb=10|sdc=7",
		},
	},
	{
		"networks",
		map[string]string{
			"proc/net/dev":           "heading | x\nface |bytes\n lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\neth0:10 20 30 40 50 60 70 80 90 100 110 120 130 140 150 160\nbr0: 1 1 1 1 0 0 0 0 1 1 1 1\n",
			"sys/class/net/eth0/mtu": "1500\n", "sys/class/net/eth0/speed": "1000\n", "sys/class/net/eth0/duplex": "full\n", "sys/class/net/eth0/flags": "0x1003\n",
			"sys/class/net/eth0/operstate": "down\n", "sys/class/net/lo/flags": "0x9\n", "sys/class/net/lo/operstate": "unknown\n", "sys/class/net/br0/speed": "-1\n",
			"sys/class/net/br0/duplex": "unknown\n", "sys/class/net/eth0/address": "00:11:22:33:44:55\n", "sys/class/net/eth0/wireless/": "",
			"proc/net/if_inet6": "fe800000000000000000000000000001 02 40 20 80 eth0\n",
			"proc/net/snmp":     "Tcp: MaxConn InSegs\nTcp: -1 12\nIcmpMsg: InType8\nIcmpMsg: 3\n", "proc/net/netstat": "TcpExt: ListenDrops\nTcpExt: 4\n", "proc/net/snmp6": "Ip6InReceives 5\n",
			"proc/net/sockstat": "sockets: used 7\nTCP: inuse 1\n", "proc/net/tcp": "sl\n0: a b 01 c\n1: a b 0A c\n", "proc/net/udp6": "sl\n0: a b 07 c\n",
			"proc/net/softnet_stat": "1 2 3 0 0 0 0 0 9\n10 20 30 0 0 0 0 0 9\n1 2 3\n", "proc/stat": "cpu0 1\ncpu1 1\n",
		},
		[]string{
			"hinv.ninterface 3", "network.interface.in.bytes br0=1|eth0=10|lo=1", "network.interface.out.drops br0=1|eth0=120|lo=12", "network.interface.collisions eth0=140|lo=14",
			"network.interface.total.bytes br0=2|eth0=100|lo=10", "network.all.in.bytes 11", "network.all.total.packets 122",
			"network.interface.mtu eth0=1500", "network.interface.speed eth0=119.20929", "network.interface.baudrate eth0=125000000", "network.interface.duplex eth0=2",
			"network.interface.up br0=0|eth0=1|lo=1", "network.interface.running br0=0|eth0=0|lo=1", "network.interface.wireless br0=0|eth0=1|lo=0",
			`network.interface.hw_addr eth0="00:11:22:33:44:55"`, `network.interface.ipv6_addr eth0="fe80::1/64"`, `network.interface.ipv6_scope eth0="Link"`, "network.interface.inet_addr ",
			"network.tcp.maxconn 18446744073709551615", "network.tcp.insegs 12", "network.icmpmsg.intype Type8=3", "network.icmpmsg.outtype ", "network.tcp.listendrops 4",
			"network.ip6.inreceives 5", "network.sockstat.total 7", "network.sockstat.udp.inuse 0", "network.tcpconn.established 1", "network.tcpconn.listen 1",
			"network.udpconn6.listen 1", "network.softnet.processed 17", "network.softnet.percpu.dropped cpu0=2|cpu1=32",
		},
	},
	{
		"kernel",
		map[string]string{
			"proc/loadavg": "1.5 2.25 3 4/50 600\n", "proc/uptime": "100.5 200.25\n", "proc/sys/kernel/pid_max": "32768\n", "proc/sys/kernel/random/entropy_avail": "256\n",
			"proc/sys/fs/file-nr": "10\t20\t30\n", "proc/sys/fs/inode-state": "1 2 0\n", "proc/sys/fs/dentry-state": "3 4 5\n", "proc/sys/fs/aio-nr": "6\n", "proc/sys/fs/aio-max-nr": "7\n",
			"proc/pressure/cpu": "some avg10=1.50 avg60=2.00 avg300=0.25 total=9\n", "proc/locks": "1: POSIX ADVISORY READ 1\n2: POSIX ADVISORY WRITE 1\n",
			"proc/interrupts": " CPU0 CPU1\n 1: 2 3 chip edge dev\nERR: 4\n", "proc/softirqs": " CPU0 CPU1\n HI: 5 6\n", "proc/stat": "cpu0 1\ncpu1 1\n",
			"etc/debian_version": "13.1\n", "etc/os-release": "PRETTY_NAME=x\n",
		},
		[]string{
			"kernel.all.load 1 minute=1.5|15 minute=3|5 minute=2.25", "kernel.all.runnable 4", "kernel.all.nprocs 50", "kernel.all.lastpid 600", "kernel.all.uptime 100.5",
			"kernel.all.idletime 200.25", "kernel.all.pid_max 32768", "kernel.all.entropy.avail 256", "vfs.files.count 10", "vfs.files.max 30", "vfs.inodes.free 2",
			"vfs.dentry.count 3", "vfs.aio.count 6", "vfs.aio.max 7", "kernel.all.pressure.cpu.some.avg 1 minute=2|10 second=1.5|5 minute=0.25",
			"kernel.all.pressure.cpu.some.total 9", "kernel.all.pressure.memory.some.total ", "vfs.locks.posix.count 2", "vfs.locks.flock.count 0",
			"kernel.all.interrupts.total 1=5", "kernel.percpu.interrupts 1::cpu0=2|1::cpu1=3", "kernel.percpu.intr cpu0=2|cpu1=3", "kernel.all.interrupts.errors 4",
			"kernel.all.softirqs.total HI=11", "kernel.percpu.softirqs HI::cpu0=5|HI::cpu1=6", "kernel.percpu.sirq cpu0=5|cpu1=6",
			`kernel.uname.distro "Debian 13.1"`, "kernel.all.nusers 0", "kernel.all.hz 100",
		},
	},
	{
		"another distribution",
		map[string]string{"etc/os-release": "PRETTY_NAME='Some Linux'\n", "var/run/utmp": utmp(utmpOfUser, "root") + utmp(utmpOfUser, "bob")},
		[]string{`kernel.uname.distro "Some Linux"`, "kernel.all.nusers 2", "kernel.all.nroots 1"},
	},
	{
		"interprocess communication",
		map[string]string{
			"proc/sysvipc/shm": "key shmid perms size cpid lpid nattch uid\n1 2 1600 4096 10 11 2 1000\n", "proc/sysvipc/msg": "key msqid perms cbytes qnum lspid lrpid uid\n1 5 644 12 3 4 5 0\n2 6 600 8 1 0 0 7\n",
			"proc/sysvipc/sem": "key semid perms nsems uid\n3 9 600 4 1000\n", "etc/passwd": "root:x:0:0::/:/bin/sh\nbob:x:1000:1000::/:/bin/sh\n",
			"proc/sys/kernel/sem": "250\t32000\t100\t128\n", "proc/sys/kernel/msgmni": "10\n", "proc/sys/kernel/msgmnb": "16384\n", "proc/sys/kernel/shmmax": "5\n",
		},
		[]string{
			`ipc.shm.key 2="0x00000001"`, `ipc.shm.owner 2="bob"`, "ipc.shm.perms 2=600", "ipc.shm.segsz 2=4096", `ipc.shm.status 2="dest"`, "ipc.shm.nattch 2=2", "ipc.shm.used_ids 1",
			`ipc.msg.owner 5="root"|6="7"`, "ipc.msg.messages 5=3|6=1", "ipc.msg.tot_msg 4", "ipc.msg.tot_bytes 20", "ipc.msg.used_queues 2", "ipc.msg.sz_pool 160",
			`ipc.sem.owner 9="bob"`, "ipc.sem.nsems 9=4", "ipc.sem.tot_sem 4", "ipc.sem.max_perid 250", "ipc.sem.max_sem 32000", "ipc.sem.max_ops 100", "ipc.sem.max_semid 128",
			"ipc.sem.max_semval 32767", "ipc.shm.max_segsz 5", "ipc.shm.max_seg ", "ipc.msg.max_defmsgq 16384",
		},
	},
	{
		"compressed disks in memory",
		map[string]string{
			"proc/diskstats": "253 0 zram0 11 0 88 1 12 0 96 2 0 3 3\n", "sys/block/zram0/disksize": "8192\n", "sys/block/zram0/io_stat": "1 2 3 4\n",
			"sys/block/zram0/mm_stat": "4096000 1024000 2048000 0 2052000 5 6 7 8\n", "sys/block/zram0/bd_stat": "1 3\n",
		},
		[]string{
			"zram.read zram0=11", "zram.capacity zram0=8", "zram.io_stat.failed.reads zram0=1", "zram.io_stat.notify_free zram0=4", "zram.mm_stat.data_size.original zram0=4000",
			"zram.mm_stat.pages.same zram0=20", "zram.bd_stat.count ", "hinv.ndisk 0",
		},
	},
}

func TestCollect(t *testing.T) {
	for _, c := range collectTests {
		t.Run(c.name, func(t *testing.T) {
			o := procfstest.Options(procfstest.Files(t, c.files))
			usual := o.Getenv
			o.Getenv = func(name string) string { return cmp.Or(c.files[name], usual(name)) } // a name without a slash is a variable
			a := newCollector(o).agent()
			var names, want []string
			for _, line := range c.want {
				name, values, _ := strings.Cut(line, " ")
				names, want = append(names, name), append(want, values)
			}
			for i, got := range procfstest.Values(t, a, names...) {
				if got != want[i] {
					t.Errorf("%s: got %s, want %s", names[i], got, want[i])
				}
			}
		})
	}
}
