package live

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// machineTrees returns the machines of the collectors' own tests: processors of many kinds, disks,
// control groups, and files of many kernels.
func machineTrees(t *testing.T) (trees []recordedTree) {
	t.Helper()
	names, err := filepath.Glob(procfstest + "machines/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no machines: %v", err)
	}
	for _, name := range names {
		dir := treeOf(t, name)
		text, _ := os.ReadFile(filepath.Join(dir, "proc/stat")) // without the file there are no processors
		tree := recordedTree{name: "machine " + strings.TrimSuffix(filepath.Base(name), ".txt"), dir: dir}
		for _, m := range regexp.MustCompile(`(?m)^cpu(\d+) `).FindAllSubmatch(text, -1) {
			n, _ := strconv.Atoi(string(m[1]))
			tree.cpus = n + 1 // LINUX_NCPUS counts those that are switched off
		}
		trees = append(trees, tree)
	}
	return trees
}

// kernels are versions of Linux between which the files that the collectors read have other lines,
// columns and fields.
var kernels = [...]int{20632, 31000, 40400, 41800, 51000, 60100, 61600}

// kernelFiles returns the files of a small machine with a version of Linux: 2.6.32 is 20632, 6.16 is
// 61600. There is no /sys before 3.10, as in a container without it.
func kernelFiles(version int) map[string]string {
	n := 100
	next := func() string { n += 7; return fmt.Sprint(n) }
	numbers := func(count int) string {
		var words []string
		for range count {
			words = append(words, next())
		}
		return strings.Join(words, " ")
	}
	since := func(first int, text string) string { // a part that there is since a version
		if version < first {
			return ""
		}
		return text
	}
	columns := func(first int, more ...int) (count int) { // first columns, and two or one more since each version
		count = first
		for i := 0; i < len(more); i += 2 {
			if version >= more[i] {
				count += more[i+1]
			}
		}
		return count
	}
	cpu := columns(9, 20633, 1)
	disk := columns(11, 41800, 4, 50500, 2)
	softnet := columns(9, 20635, 1, 31100, 1, 51000, 2, 60800, 2)
	hex := func(count int) string { return strings.TrimSpace(strings.Repeat("0000000a ", count)) }
	files := map[string]string{
		"proc/stat": "cpu  " + numbers(cpu) + "\ncpu0 " + numbers(cpu) + "\ncpu1 " + numbers(cpu) + "\nintr 300 1 2\nctxt 400\nbtime 1700000000\nprocesses 500\nprocs_running 2\nprocs_blocked 1\n" +
			"softirq 10 1 2 3\n",
		"proc/diskstats":        "   8       0 sda " + numbers(disk) + "\n   8       1 sda1 " + numbers(disk) + "\n",
		"proc/partitions":       "major minor  #blocks  name\n\n   8     0  1000 sda\n   8     1  900 sda1\n",
		"proc/net/softnet_stat": hex(softnet) + "\n" + hex(softnet) + "\n",
		"proc/net/dev":          "Inter-|   Receive |  Transmit\n face |bytes packets|bytes packets\n  eth0:" + numbers(16) + "\n",
		"proc/net/snmp": "Ip: Forwarding DefaultTTL InReceives" + since(60100, " InHdrErrors") + "\nIp: 1 64 " + numbers(columns(1, 60100, 1)) + "\nTcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens" + since(31000, " InCsumErrors") +
			"\nTcp: 1 200 120000 -1 " + numbers(columns(1, 31000, 1)) + "\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors" + since(31000, " InCsumErrors") + since(40400, " IgnoredMulti") + "\nUdp: " +
			numbers(columns(6, 31000, 1, 40400, 1)) + "\n",
		"proc/net/netstat":  "TcpExt: SyncookiesSent ListenDrops" + since(31000, " TCPFastOpenActive") + since(40400, " TCPOrigDataSent") + "\nTcpExt: " + numbers(columns(2, 31000, 1, 40400, 1)) + "\n",
		"proc/net/sockstat": "sockets: used 7\nTCP: inuse 1 orphan 0 tw 0 alloc 2 mem 1\nUDP: inuse 3 mem 1\n",
		"proc/meminfo": "MemTotal: 4000000 kB\nMemFree: 1000000 kB\n" + since(31400, "MemAvailable: 2000000 kB\n") + "Buffers: 1 kB\nCached: 2 kB\nSwapCached: 3 kB\nActive: 4 kB\nInactive: 5 kB\n" +
			"Active(anon): 6 kB\nInactive(anon): 7 kB\nActive(file): 8 kB\nInactive(file): 9 kB\nUnevictable: 10 kB\nMlocked: 11 kB\nSwapTotal: 12 kB\nSwapFree: 13 kB\nDirty: 14 kB\nWriteback: 15 kB\nMapped: 16 kB\nSlab: 17 kB\n" +
			"Shmem: 18 kB\nKernelStack: 19 kB\n" + since(40900, "ShmemHugePages: 20 kB\n") + since(51000, "Percpu: 21 kB\nFileHugePages: 22 kB\n") + since(61600, "Balloon: 23 kB\n") + "HugePages_Total: 24\nHugepagesize: 2048 kB\n",
		"proc/vmstat": "nr_dirty 1\npgpgin 2\npgpgout 3\npswpin 4\npswpout 5\npgfault 6\npgmajfault 7\nnr_anon_pages 8\nnr_unevictable 9\nunevictable_pgs_culled 10\n" +
			since(20638, "thp_fault_alloc 11\n") + since(40800, "nr_zone_inactive_anon 12\n") + since(50800, "workingset_refault_anon 13\n") + since(60100, "pgdemote_kswapd 14\npgscan_khugepaged 15\n"),
		"proc/loadavg": "0.10 0.20 0.30 1/50 77\n", "proc/uptime": "100.25 50.50\n", "proc/interrupts": "   CPU0 CPU1\n  1: 2 3 IO-APIC edge timer\nNMI: 4 5 Non-maskable interrupts\n",
		"proc/cpuinfo": "processor : 0\nvendor_id : X\nmodel : 7\nmodel name : Old\ncpu MHz : 1000.5\ncache size : 512 KB\n\nprocessor : 1\nvendor_id : X\nmodel : 7\nmodel name : Old\ncpu MHz : 1000.5\ncache size : 512 KB\n",

		"proc/7/cmdline": "prog\x00",
		"proc/7/stat":    "7 (prog) S 1 7 7 0 -1 4194304 " + numbers(4) + " 1 2 3 4 20 0 1 0 100 4096000 50 18446744073709551615 1 2 3 4 5 0 0 0 0 0 0 0 17 0 0 0 9 8 7" + since(30300, " 1 2 3") + since(30500, " 4 5 6 7 0") + "\n",
		"proc/7/status": "Name:\tprog\nState:\tS (sleeping)\nTgid:\t7\n" + since(31300, "Ngid:\t0\n") + "Pid:\t7\nPPid:\t1\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n" + since(40100, "NStgid:\t7\nNSpid:\t7\nNSpgid:\t7\nNSsid:\t7\n") +
			"VmPeak:\t5000 kB\nVmSize:\t4000 kB\nVmLck:\t0 kB\n" + since(30200, "VmPin:\t0 kB\n") + "VmHWM:\t210 kB\nVmRSS:\t200 kB\n" + since(40500, "RssAnon:\t100 kB\n") + "VmData:\t50 kB\nVmStk:\t60 kB\nVmExe:\t70 kB\nVmLib:\t80 kB\nVmPTE:\t9 kB\n" +
			since(20634, "VmSwap:\t0 kB\n") + "Threads:\t1\nSigPnd:\t0000000000000000\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000000000\n" +
			"Cpus_allowed_list:\t0-1\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n",
		"proc/7/statm": "1000 50 10 17 0 27 0\n", "proc/7/wchan": "do_wait", "proc/7/environ": "A=1\x00",
	}
	for name, file := range map[string]struct {
		first int
		text  string
	}{
		"proc/7/schedstat": {0, "1 2 3\n"}, "proc/7/io": {0, "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n"},
		"proc/7/oom_score": {0, "5\n"}, "proc/7/cgroup": {0, "1:cpu:/a\n"}, "proc/7/autogroup": {20638, "/autogroup-5 nice 0\n"},
		"proc/sys/kernel/sched_autogroup_enabled": {20638, "1\n"}, "proc/7/smaps_rollup": {41400, "00400000-7ffd rollup\nRss: 200 kB\nPss: 100 kB\n" + since(51400, "Pss_Dirty: 5 kB\n")},
		"proc/softirqs": {0, "   CPU0 CPU1\nTIMER: 1 2\n"}, "proc/pressure/cpu": {42000, "some avg10=1.00 avg60=2.00 avg300=3.00 total=4\n" + since(51300, "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")},
		"proc/pressure/io": {42000, "some avg10=1.00 avg60=2.00 avg300=3.00 total=4\nfull avg10=1.00 avg60=2.00 avg300=3.00 total=5\n"}, "proc/pressure/irq": {60100, "full avg10=1.00 avg60=2.00 avg300=3.00 total=6\n"},
		"sys/block/sda/queue/scheduler": {31000, "[none] x\n"}, "sys/devices/system/node/node0/meminfo": {31000, "Node 0 MemTotal: 4000000 kB\nNode 0 MemFree: 1000000 kB\n"},
		"sys/devices/system/node/node0/cpu0/online": {31000, "1\n"}, "sys/devices/system/node/node0/cpu1/online": {31000, "1\n"}, "sys/devices/system/node/online": {31000, "0\n"},
	} {
		if version >= file.first {
			files[name] = file.text
		}
	}
	return files
}
