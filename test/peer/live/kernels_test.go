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
var kernels = [...]int{41800, 51000, 60100, 61600}

// kernelFiles returns the files of a small machine with a version of Linux: 4.18 is 41800, 6.16 is
// 61600.
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
	cpu := 10
	disk := columns(15, 50500, 2)
	softnet := columns(11, 51000, 2, 60800, 2)
	hex := func(count int) string { return strings.TrimSpace(strings.Repeat("0000000a ", count)) }
	files := map[string]string{
		"proc/stat": "cpu  " + numbers(cpu) + "\ncpu0 " + numbers(cpu) + "\ncpu1 " + numbers(cpu) + "\nintr 300 1 2\nctxt 400\nbtime 1700000000\nprocesses 500\nprocs_running 2\nprocs_blocked 1\n" +
			"softirq 10 1 2 3\n",
		"proc/diskstats":        "   8       0 sda " + numbers(disk) + "\n   8       1 sda1 " + numbers(disk) + "\n",
		"proc/partitions":       "major minor  #blocks  name\n\n   8     0  1000 sda\n   8     1  900 sda1\n",
		"proc/net/softnet_stat": hex(softnet) + "\n" + hex(softnet) + "\n",
		"proc/net/dev":          "Inter-|   Receive |  Transmit\n face |bytes packets|bytes packets\n  eth0:" + numbers(16) + "\n",
		"proc/net/snmp": "Ip: Forwarding DefaultTTL InReceives" + since(60100, " InHdrErrors") + "\nIp: 1 64 " + numbers(columns(1, 60100, 1)) + "\nTcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens InCsumErrors" +
			"\nTcp: 1 200 120000 -1 " + numbers(2) + "\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti\nUdp: " +
			numbers(8) + "\n",
		"proc/net/netstat":  "TcpExt: SyncookiesSent ListenDrops TCPFastOpenActive TCPOrigDataSent\nTcpExt: " + numbers(4) + "\n",
		"proc/net/sockstat": "sockets: used 7\nTCP: inuse 1 orphan 0 tw 0 alloc 2 mem 1\nUDP: inuse 3 mem 1\n",
		"proc/meminfo": "MemTotal: 4000000 kB\nMemFree: 1000000 kB\nMemAvailable: 2000000 kB\nBuffers: 1 kB\nCached: 2 kB\nSwapCached: 3 kB\nActive: 4 kB\nInactive: 5 kB\n" +
			"Active(anon): 6 kB\nInactive(anon): 7 kB\nActive(file): 8 kB\nInactive(file): 9 kB\nUnevictable: 10 kB\nMlocked: 11 kB\nSwapTotal: 12 kB\nSwapFree: 13 kB\nDirty: 14 kB\nWriteback: 15 kB\nMapped: 16 kB\nSlab: 17 kB\n" +
			"Shmem: 18 kB\nKernelStack: 19 kB\nShmemHugePages: 20 kB\n" + since(51000, "Percpu: 21 kB\nFileHugePages: 22 kB\n") + since(61600, "Balloon: 23 kB\n") + "HugePages_Total: 24\nHugepagesize: 2048 kB\n",
		"proc/vmstat": "nr_dirty 1\npgpgin 2\npgpgout 3\npswpin 4\npswpout 5\npgfault 6\npgmajfault 7\nnr_anon_pages 8\nnr_unevictable 9\nunevictable_pgs_culled 10\n" +
			"thp_fault_alloc 11\nnr_zone_inactive_anon 12\n" + since(50800, "workingset_refault_anon 13\n") + since(60100, "pgdemote_kswapd 14\npgscan_khugepaged 15\n"),
		"proc/loadavg": "0.10 0.20 0.30 1/50 77\n", "proc/uptime": "100.25 50.50\n", "proc/interrupts": "   CPU0 CPU1\n  1: 2 3 IO-APIC edge timer\nNMI: 4 5 Non-maskable interrupts\n",
		"proc/cpuinfo": "processor : 0\nvendor_id : X\nmodel : 7\nmodel name : Old\ncpu MHz : 1000.5\ncache size : 512 KB\n\nprocessor : 1\nvendor_id : X\nmodel : 7\nmodel name : Old\ncpu MHz : 1000.5\ncache size : 512 KB\n",

		"proc/7/cmdline": "prog\x00",
		"proc/7/stat":    "7 (prog) S 1 7 7 0 -1 4194304 " + numbers(4) + " 1 2 3 4 20 0 1 0 100 4096000 50 18446744073709551615 1 2 3 4 5 0 0 0 0 0 0 0 17 0 0 0 9 8 7 1 2 3 4 5 6 7 0\n",
		"proc/7/status": "Name:\tprog\nState:\tS (sleeping)\nTgid:\t7\nNgid:\t0\nPid:\t7\nPPid:\t1\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nNStgid:\t7\nNSpid:\t7\nNSpgid:\t7\nNSsid:\t7\n" +
			"VmPeak:\t5000 kB\nVmSize:\t4000 kB\nVmLck:\t0 kB\nVmPin:\t0 kB\nVmHWM:\t210 kB\nVmRSS:\t200 kB\nRssAnon:\t100 kB\nVmData:\t50 kB\nVmStk:\t60 kB\nVmExe:\t70 kB\nVmLib:\t80 kB\nVmPTE:\t9 kB\n" +
			"VmSwap:\t0 kB\nThreads:\t1\nSigPnd:\t0000000000000000\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000000000\n" +
			"Cpus_allowed_list:\t0-1\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n",
		"proc/7/statm": "1000 50 10 17 0 27 0\n", "proc/7/wchan": "do_wait", "proc/7/environ": "A=1\x00",
	}
	for name, file := range map[string]struct {
		first int
		text  string
	}{
		"proc/7/schedstat": {0, "1 2 3\n"}, "proc/7/io": {0, "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n"},
		"proc/7/oom_score": {0, "5\n"}, "proc/7/cgroup": {0, "1:cpu:/a\n"}, "proc/7/autogroup": {0, "/autogroup-5 nice 0\n"},
		"proc/sys/kernel/sched_autogroup_enabled": {0, "1\n"}, "proc/7/smaps_rollup": {0, "00400000-7ffd rollup\nRss: 200 kB\nPss: 100 kB\n" + since(51400, "Pss_Dirty: 5 kB\n")},
		"proc/softirqs": {0, "   CPU0 CPU1\nTIMER: 1 2\n"}, "proc/pressure/cpu": {42000, "some avg10=1.00 avg60=2.00 avg300=3.00 total=4\n" + since(51300, "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")},
		"proc/pressure/io": {42000, "some avg10=1.00 avg60=2.00 avg300=3.00 total=4\nfull avg10=1.00 avg60=2.00 avg300=3.00 total=5\n"}, "proc/pressure/irq": {60100, "full avg10=1.00 avg60=2.00 avg300=3.00 total=6\n"},
		"sys/block/sda/queue/scheduler": {0, "[none] x\n"}, "sys/devices/system/node/node0/meminfo": {0, "Node 0 MemTotal: 4000000 kB\nNode 0 MemFree: 1000000 kB\n"},
		"sys/devices/system/node/node0/cpu0/online": {0, "1\n"}, "sys/devices/system/node/node0/cpu1/online": {0, "1\n"}, "sys/devices/system/node/online": {0, "0\n"},
	} {
		if version >= file.first {
			files[name] = file.text
		}
	}
	return files
}
