package live

import (
	"cmp"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// A recordedRow is a difference over recorded files that is the reference's fault, or on purpose.
type recordedRow struct {
	metric string // pattern of its name
	where  string // pattern of tree and settings; "" means any
	reason string
}

var recordedRows = []recordedRow{
	{`^(filesys|tmpfs)\.(used|free|avail|full)`, "", "the sizes are those of this machine, which change"},
	{`^fchost\.(in\.bytes|out\.frames)$`, "", "the agent shows one as the other"},
	{`^rpc\.server\.nettcpconn$`, "", "the agent shows another column"},
	{`^mem\.hugepages\.overcommit$`, "", "the agent has always 0"},
	{`^mem\.vmstat\.(thp_split|nr_slab)$`, "odd|kernel|machine wraps", "the agent counts a line that is missing as -1"},
	{`^mem\.vmstat\.pg(scan|steal)_khugepaged$`, "kernel 6|machine mem-6", "the agent does not read the line"},
	{`^mem\.vmstat\.balloon_(in|de)flate$`, "machine mem-6", "the agent shows the one as the other"},
	{`^kernel\.percpu\.(interrupts|softirqs|intr|sirq)$`, "machine cpu-x86-offline", "the agent loses columns where processors are switched off"},
	{`^disk\.dev\.scheduler$`, "machine disks-kinds", "the agent looks for a device with a stroke in its name in another directory"},
	{`^disk\.wwid\.discard_bytes$`, "machine disks-kinds", "the agent shows the last path, not the sum of all"},
	{`^hinv\.cpu\.`, `machine cpu-(ARM64-biglittle|POWER9|x86-offline|x86-smt-off)`, "the agent takes the place of a processor in the file for its number"},
	{`^(network\.(interface|all)\.|hinv\.ninterface$)`, `machine net-(6\.16|colons)`, "the agent ends the name of an interface at its first colon"},
	{`^cgroup\.io\.stat\.`, "machine cgroup2-io-5.13", "the agent gives the numbers of a line to its first device, and they are those of the last"},
	{`^swap\.(in|out|pagesin|pagesout)$`, "without vmstat", "the agent takes a system without /proc/vmstat for Linux 2.4"},
	{`^mem\.zoneinfo\.nr_free_pages$`, "", "the agent misses the line"},
	{`^network\.interface\.(speed|baudrate)$`, "", "an unknown speed is not a value"},
	{`^network\.interface\.type$`, "", "the agent has 0 for lo"},
	{`^disk\.wwid\.capacity$`, "", "the agent adds up the sizes of the paths to one disk, or shows none"},
	{`^(hinv\.cpu|network\.softnet\.percpu|kernel\.all\.(interrupts|softirqs))\.`, `machine cpu-(x86-offline|POWER9) LINUX_NCPUS=4 `, "the agent numbers processors beyond LINUX_NCPUS in the order of the directory"},
	{`^(hinv\.map\.cpu_|kernel\.percpu\.|kernel\.pernode\.)`, `NCPUS=4`, "the same"},

	{`^proc\.psinfo\.(priority|rt_priority|policy|policy_s|delayacct_blkio_time|guest_time|cguest_time)$`, "", "the agent is one field late"},
	{`^proc\.(id\.gid|psinfo\.ngid)$`, "", "the agent shows another number"},
	{`^proc\.runq\.kernel$`, "", "the agent has always 0"},
	{`^proc\.runq\.unknown$`, "", "the agent counts processes that are gone"},
	{`^proc\.psinfo\.ttyname$`, "", "the agent looks for terminals of this machine"},
	{`^proc\.psinfo\.labels$`, "unreadable", "the agent has the error of the last process of its hash table for all"},
	{`^proc\.memory\.`, "machine proc-vanish", "the agent has the error of the last process of its hash table for all"},
	{`^proc\.id\.container$`, "machine cgroup", "the agent finds no containers"},
	{`^proc\.delayacct\.swapin_time$`, "", "the agent has another error than for its neighbours"},
	{`^cgroup\.pressure\..*\.avg`, "", "the agent takes the whole part for the bits of a float"},
	{`^cgroup\.netclass\.`, "", "the agent misses the controller net_cls"},
	{`^cgroup\.pressure\.irq\.`, "machine cgroup2", "the agent wants a line before it, which the kernel does not write"},
	{`^cgroup\.cpuset\.cpus$`, "version2|cgroup2", "the agent has empty texts after the first group without the file"},
	{`^cgroup\.`, "hybrid", "the agent numbers groups of version 2 too, and does not show them"},
}

// A recordedTree is what the collectors and the reference's agents are compared over.
type recordedTree struct {
	name, dir string
	cpus      int
}

// recordedPlaces are where files of the reference's test suite belong, by the beginnings of their
// names; the rest of a name stands for "*".
var recordedPlaces = [...]struct{ prefix, path string }{
	{"cpuinfo-", "proc/cpuinfo"}, {"interrupts-", "proc/interrupts"}, {"softirqs-", "proc/softirqs"}, {"proc_net_", "proc/net/*"},
	{"procnet-snmp6-", "proc/net/snmp6"}, {"procnet-snmp-", "proc/net/snmp"}, {"proc_serial_tty", "proc/tty/driver/serial"}, {"sysfs-", "sys/kernel/debug/*"},
}

const maxRecordedCPUs = 256 // the reference needs minutes for more

var (
	recordedCPUs = regexp.MustCompile(`-(\d+)cpu-`)
	recordedRun  = regexp.MustCompile(`-\d+$`) // the number of a recording at the end of a name
	recordedCPU  = regexp.MustCompile(`(?m)^cpu\d+ `)
)

// recordedTrees returns all trees and files of the reference's test suite, and handwritten ones of
// machines that there are few of.
func recordedTrees(t *testing.T, root string) (trees []recordedTree) {
	t.Helper()
	suite := filepath.Join(root, "var/lib/pcp/testsuite/linux")
	entries, err := os.ReadDir(suite)
	if err != nil {
		t.Skip("the reference's test suite is not installed: no recorded files")
	}
	add := func(name, dir string) {
		text, _ := os.ReadFile(filepath.Join(dir, "proc/stat")) // without the file there are no processors
		if n := len(recordedCPU.FindAll(text, -1)); n <= maxRecordedCPUs {
			trees = append(trees, recordedTree{name, dir, n})
		}
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".tgz"); ok {
			dir := t.TempDir()
			// Devices among the files cannot be made everywhere, and are not read.
			_ = exec.Command("tar", "xzf", filepath.Join(suite, e.Name()), "-C", dir).Run()
			add(name, dir)
		} else if files := recordedFile(t, suite, e.Name()); files != nil {
			add(e.Name(), harness.WriteFiles(t, files))
		}
	}
	for name, files := range map[string]map[string]string{"odd": oddMachine, "threads": threads, "version1": cgroups(1), "version2": cgroups(2), "hybrid": cgroups(3)} {
		add(name, harness.WriteFiles(t, files))
	}
	for _, version := range kernels {
		add(fmt.Sprintf("kernel %d.%d.%d", version/10000, version/100%100, version%100), harness.WriteFiles(t, kernelFiles(version)))
	}
	for name, to := range map[string]string{"md/data": "../md127", "md/127": "../md127", "mapper/vg-x": "../dm-1", "disk/by-uuid/6e-7": "../../dm-1"} {
		i := slices.IndexFunc(trees, func(tree recordedTree) bool { return tree.name == "odd" })
		name = filepath.Join(trees[i].dir, "dev", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.Symlink(to, name)); err != nil {
			t.Fatal(err)
		}
	}
	return trees
}

// recordedFile returns the files of a machine for a single file of the suite, nil for others.
func recordedFile(t *testing.T, dir, name string) map[string]string {
	t.Helper()
	i := slices.IndexFunc(recordedPlaces[:], func(p struct{ prefix, path string }) bool { return strings.HasPrefix(name, p.prefix) })
	if i < 0 {
		return nil
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".bz2") {
		r = bzip2.NewReader(f)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	p := recordedPlaces[i]
	files := map[string]string{strings.Replace(p.path, "*", recordedRun.ReplaceAllString(name[len(p.prefix):], ""), 1): string(text)}
	if m := recordedCPUs.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[1])
		stat := "cpu 0 0 0 0 0 0 0 0 0\n"
		for i := range n {
			stat += fmt.Sprintf("cpu%d 0 0 0 0 0 0 0 0 0\n", i)
		}
		files["proc/stat"] = stat
	}
	return files
}

// cgroups returns files of control groups of version 1, 2, or both (3), in the order in which
// systemd mounts them.
func cgroups(version int) map[string]string {
	files := map[string]string{
		"proc/cgroups":   "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t3\t1\t1\ncpu\t1\t1\t1\ncpuacct\t2\t1\t1\nblkio\t7\t1\t1\nmemory\t4\t14\t1\nnet_cls\t5\t1\t1\n",
		"proc/diskstats": "   8       0 sda 100 1 2000 30 40 5 600 70 0 80 90\n   7       0 loop0 100 1 2000 30 40 5 600 70 0 80 90\n 253       0 dm-0 1 2 3 4 5 6 7 8 9 10 11\n",
		"proc/mounts":    "/dev/sda1 / ext4 rw 0 0\n",
	}
	const v1, id = "sys/fs/cgroup/", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	v2 := map[int]string{2: "sys/fs/cgroup", 3: "sys/fs/cgroup/unified"}[version]
	if v2 != "" {
		files["proc/mounts"] += "cgroup2 /" + v2 + " cgroup2 rw,relatime 0 0\n"
		for _, group := range []string{"", "/user.slice", "/machine.slice/libpod-" + id + ".scope"} {
			files[v2+group+"/cpu.stat"] = "usage_usec 100\nuser_usec 60\nsystem_usec 40\nnr_periods 1\nnr_throttled 2\nthrottled_usec 3\n"
			files[v2+group+"/io.stat"] = "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6\n253:0 rbytes=10 wbytes=20 rios=30 wios=40 dbytes=50 dios=60\n"
			files[v2+group+"/memory.stat"] = "anon 1\nfile 2\nkernel_stack 3\nslab 4\nsock 5\nfile_mapped 6\npgfault 7\n"
			files[v2+group+"/memory.pressure"] = "some avg10=1.50 avg60=2.25 avg300=3.00 total=1234\nfull avg10=0.50 avg60=0.25 avg300=0.00 total=234\n"
			if group != "" {
				files[v2+group+"/memory.current"] = "4096\n"
				files[v2+group+"/cpuset.cpus"] = "0-3\n"
			}
		}
	}
	if version == 2 {
		return files
	}
	for _, controllers := range []string{"cpu,cpuacct", "cpuset", "memory", "blkio", "net_cls"} {
		files["proc/mounts"] += "cgroup /" + v1 + controllers + " cgroup rw,relatime," + controllers + " 0 0\n"
	}
	for _, group := range []string{"", "/system.slice", "/system.slice/docker-" + id + ".scope", `/a\x2db.slice`} {
		for name, text := range map[string]string{
			"cpu,cpuacct%s/cpu.stat": "nr_periods 3\nnr_throttled 4\nthrottled_time 5\n", "cpu,cpuacct%s/cpu.shares": "1024\n",
			"cpu,cpuacct%s/cpu.cfs_quota_us": "-1\n", "cpu,cpuacct%s/cpu.cfs_period_us": "100000\n",
			"cpu,cpuacct%s/cpuacct.stat": "user 11\nsystem 12\n", "cpu,cpuacct%s/cpuacct.usage": "123456\n", "cpu,cpuacct%s/cpuacct.usage_percpu": "100 23356 \n",
			"cpuset%s/cpuset.cpus": "0-1\n", "cpuset%s/cpuset.mems": "0\n", "memory%s/memory.usage_in_bytes": "77\n", "memory%s/memory.failcnt": "3\n",
			"memory%s/memory.stat":                    "cache 1\nrss 2\nmapped_file 3\npgpgin 4\nactive_anon 5\ntotal_cache 7\n",
			"memory%s/memory.limit_in_bytes":          "9223372036854771712\n",
			"net_cls%s/net_cls.classid":               "1048577\n",
			"blkio%s/blkio.throttle.io_serviced":      "8:0 Read 1\n8:0 Write 2\n8:0 Sync 3\n8:0 Async 4\n8:0 Total 3\nTotal 3\n",
			"blkio%s/blkio.throttle.io_service_bytes": "8:0 Read 10\n8:0 Write 20\n8:0 Sync 30\n8:0 Async 40\n8:0 Total 30\nTotal 30\n",
			"blkio%s/blkio.sectors":                   "8:0 99\n",
		} {
			files[v1+fmt.Sprintf(name, group)] = text
		}
	}
	return files
}

// oddMachine are files of a machine with devices that few have.
var oddMachine = map[string]string{
	"proc/stat": "cpu  60 6 30 600 12 3 3 0 0 0\ncpu0 20 2 10 200 4 1 1 0 0 0\ncpu1 20 2 10 200 4 1 1 0 0 0\ncpu2 20 2 10 200 4 1 1 0 0 0\n" +
		"intr 300 1 2 3\nctxt 400\nbtime 1700000000\nprocesses 500\nprocs_running 2\nprocs_blocked 1\n",
	"proc/diskstats": "   8       0 sda 100 1 2000 30 40 5 600 70 0 80 90\n   8       1 sda1 10 1 200 3 4 5 60 7 0 8 9\n" +
		"   9     127 md127 11 0 22 0 33 0 44 0 0 0 0\n   9       0 md0 1 0 2 0 3 0 4 0 0 0 0\n 253       0 dm-0 1 2 3 4 5 6 7 8 9 10 11 \n" +
		" 253       1 dm-1 21 22 23 24 25 26 27 28 29 30 31\n 104       0 cciss/c0d0 5 0 6 0 7 0 8 0 0 0 0\n 259       0 nvme3n1 9 0 8 0 7 0 6 0 5 4 3 2 1 2 3 4 5\n",
	"proc/partitions":                              "major minor  #blocks  name\n\n   8        0 1000 sda\n   8        1 900 sda1\n   9      127 800 md127\n 253        1 700 dm-1\n",
	"sys/block/dm-1/dm/name":                       "vg-x\n",
	"sys/block/sda/device/wwid":                    "naa.5000c5\n",
	"sys/block/sda/queue/scheduler":                "none [bfq] kyber\n",
	"sys/block/nvme3n1/wwid":                       "\n",
	"sys/class/scsi_tape/st0/stats/in_flight":      "",
	"sys/class/scsi_tape/nst0/x":                   "",
	"sys/class/scsi_tape/st0a/x":                   "",
	"sys/class/fc_host/host7/statistics/rx_frames": "",
	"proc/self/mounts":                             "/dev/mapper/vg-x / ext4 rw,relatime 0 0\n/dev/sda1 /boot ext2 ro 0 0\n",
	"proc/net/softnet_stat":                        "0000000a 00000001 00000002 0 0 0 0 0 0 0 0\n0000000b 0 0 0 0 0 0 0 0 0 0\n0000000c 0 0 0 0 0 0 0 0 0 0\n",
	"proc/interrupts":                              "       CPU0 CPU1 CPU2\n  1:  10  20  30  XT-PIC timer\nLOC:   4   5   6  Local timer interrupts\nERR:   3\n",
	"proc/softirqs":                                "       CPU0 CPU1 CPU2\n    HI:  1  2  3\n TIMER:  4  5  6\n",
	"proc/meminfo":                                 "MemTotal: 2097152 kB\nMemFree: 1048576 kB\nBuffers: 10 kB\nCached: 20 kB\nHugepagesize: 2048 kB\nHugePages_Total: 3\n",
	"proc/loadavg":                                 "1.25 2.5 3.75 2/100 4321\n",
	"proc/uptime":                                  "1234.56 7890.12\n",
	"proc/vmstat":                                  "pgpgin 1\npgpgout 2\npswpin 3\npswpout 4\nnr_slab_reclaimable 5\nnr_slab_unreclaimable 6\nthp_split_page 7\n",
	"proc/buddyinfo":                               "Node 0, zone   Normal      1      2      3 4 5 6 7 8 9 10 11 \n",
	"proc/swaps":                                   "Filename Type Size Used Priority\n/dev/sda5 partition 1000 10 -2\n/swap file 2000 20 5\n",
	"proc/sys/kernel/pid_max":                      "777\n",
	"proc/net/snmp":                                "Ip: Forwarding DefaultTTL InReceives\nIp: 1 64 99\nUdp: InDatagrams NoPorts\nUdp: 5 6\n",
	"proc/cpuinfo":                                 "processor : 0\nvendor_id : X\nmodel : 7\nmodel name : Odd\ncpu MHz : 1000.5\n\nprocessor : 1\nvendor_id : X\nmodel : 7\nmodel name : Odd\ncpu MHz : 2000.25\n\nprocessor : 2\nvendor_id : X\nmodel : 8\nmodel name : Odd\n",
	"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq":    "2000000\n",
	"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq":    "1000000\n",
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq":    "1234567\n",
	"sys/devices/system/cpu/cpu0/cpufreq/stats/time_in_state": "1000000 10\n2000000 20\n",
}

// threads are files of a process with two threads, of which one is seen from outside.
var threads = map[string]string{
	"proc/10/cmdline":        "prog\x00-x\x00",
	"proc/10/stat":           "10 (prog) S 1 10 10 0 -1 4194304 100 0 0 0 50 60 0 0 20 0 2 0 1000 4096000 200 18446744073709551615 1 2 3 4 5 0 0 0 0 0 0 0 17 1 0 0 9 8 7 1 2 3 4 5 6 7 0",
	"proc/10/status":         "Name:\tprog\nTgid:\t10\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nThreads:\t2\n",
	"proc/10/statm":          "1000 200 100 10 0 50 0\n",
	"proc/10/task/10/stat":   "10 (prog) S 1 10 10 0 -1 4194304 70 0 0 0 5 6 0 0 20 0 2 0 1000 4096000 200 18446744073709551615 1 2 3 4 5 0 0 0 0 0 0 0 17 1 0 0 9 8 7 1 2 3 4 5 6 7 0",
	"proc/10/task/10/status": "Name:\tprog\nTgid:\t10\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nThreads:\t2\n",
	"proc/10/task/11/stat":   "11 (work) R 1 10 10 0 -1 4194304 30 0 0 0 45 54 0 0 20 0 2 0 1001 4096000 200 18446744073709551615 1 2 3 4 5 0 0 0 0 0 0 0 17 1 0 0 9 8 7 1 2 3 4 5 6 7 0",
	"proc/11/cmdline":        "prog\x00-x\x00",
	"proc/11/task/11/stat":   "11 (work) R 1 10 10 0 -1 4194304 30 0 0 0 45 54 0 0 20 0 2 0 1001 4096000 200 18446744073709551615 1 2 3 4 5 0 0 0 0 0 0 0 17 1 0 0 9 8 7 1 2 3 4 5 6 7 0",
	"proc/11/task/11/status": "Name:\twork\nTgid:\t10\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nThreads:\t2\n",
	"proc/10/task/12/stat":   "12 (work) S 1 10 10 0 -1 4194304 30 0 0 0 45 54 0 0 20 0 2 0 1001 4096000 200 18446744073709551615 1 2 3 4 5 0 0 0 0 0 0 0 17 1 0 0 9 8 7 1 2 3 4 5 6 7 0",
}

// where says where a difference was found, for the patterns of rows.
func (tree *recordedTree) where(env []string) string {
	where := tree.name + " " + strings.Join(env, " ")
	if _, err := os.Stat(filepath.Join(tree.dir, "proc/vmstat")); err != nil {
		where += " without vmstat"
	}
	return where
}

// settings returns the variables of the runs over a tree: those of the reference's own tests first.
func (tree *recordedTree) settings(agent string) [][]string {
	if agent == "proc" {
		return [][]string{
			{"PROC_THREADS=0", "PROC_HERTZ=100", "PROC_PAGESIZE=4096"}, {"PROC_THREADS=1", "PROC_HERTZ=100", "PROC_PAGESIZE=4096"},
			nil, {"PROC_THREADS=1", "PROC_HERTZ=1000", "PROC_PAGESIZE=16384", "PROC_ACCESS=1"},
		}
	}
	return [][]string{
		{fmt.Sprintf("LINUX_NCPUS=%d", tree.cpus), "LINUX_HERTZ=100", "LINUX_PAGESIZE=4096"}, {fmt.Sprintf("LINUX_NCPUS=%d", tree.cpus+7)},
		{"LINUX_NCPUS=4", "LINUX_HERTZ=250", "LINUX_PAGESIZE=16384"}, {"LINUX_NCPUS=8", "LINUX_NNODES=1"},
	}
}

// TestBuiltinRecorded compares the linux and proc collectors, chosen by -K, with the reference's
// agents over files that were recorded on many machines: descriptions, instances with their numbers,
// values, errors and statuses, each metric in a fetch of its own. Help texts and messages of the
// agents aside, each difference needs a row. Each tree has the settings of the reference's own tests,
// some have others, too; all have all with PMTOOLS_RUNS.
func TestBuiltinRecorded(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	used := make([]int, len(recordedRows))
	equal := 0
	for i, tree := range slices.Concat(recordedTrees(t, root), machineTrees(t)) {
		if only := os.Getenv("PMTOOLS_TREE"); !strings.Contains(tree.name, only) {
			continue
		} else if only == "" && strings.HasPrefix(tree.name, "kernel") && harness.Number("PMTOOLS_RUNS", 0) == 0 && i%3 > 0 {
			continue
		}
		for agent, domain := range map[string]string{"linux": "60", "proc": "3"} {
			settings := tree.settings(agent)
			if harness.Number("PMTOOLS_RUNS", 0) == 0 {
				other := settings[1+i/4%3]
				if settings = settings[:1]; i%4 == 0 {
					settings = append(settings, other)
				}
			}
			for _, env := range settings {
				vars := recordedVars(t, root)
				env = append([]string{"PCP_VAR_DIR=" + vars, "PCP_PMDAS_DIR=" + root + "/usr/lib/pcp/pmdas", "LINUX_MDADM=/bin/true", strings.ToUpper(agent) + "_STATSPATH=" + tree.dir}, env...)
				c := harness.Command{
					Env:  env,
					Args: []string{"pminfo", "-L", "-K", "clear", "-K", "add," + domain + "," + agent + "/pmda_" + agent + ".so," + agent + "_init"},
				}
				same, problems := compareRecorded(t, ours, theirs, root, c)
				equal += same
				for metric, text := range problems {
					where := tree.where(env[4:])
					row := slices.IndexFunc(recordedRows, func(r recordedRow) bool {
						return regexp.MustCompile(r.metric).MatchString(metric) && regexp.MustCompile(r.where).MatchString(where)
					})
					if row < 0 {
						t.Errorf("%s: %s: %s", where, metric, text)
						continue
					}
					used[row]++
				}
			}
		}
	}
	for i, n := range used {
		if n == 0 && recordedRows[i].where == "" && os.Getenv("PMTOOLS_TREE") == "" && !moves(recordedRows[i]) {
			t.Errorf("no difference for the row %s any more", recordedRows[i].metric)
		}
	}
	t.Logf("%d answers agree; differences by row: %v", equal, used)
}

// moves reports whether a row is about what this machine decides.
func moves(r recordedRow) bool {
	return strings.Contains(r.reason, "this machine") || strings.Contains(r.metric, "network")
}

// recordedVars returns a directory of PCP's variable files in which no instance has a number yet.
func recordedVars(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range []string{"", "config"} {
		entries, err := os.ReadDir(filepath.Join(root, "var/lib/pcp", part))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if name := filepath.Join(part, e.Name()); name == "config" || name == "config/pmda" {
				err = os.Mkdir(filepath.Join(dir, name), 0o777)
			} else {
				err = os.Symlink(filepath.Join(root, "var/lib/pcp", name), filepath.Join(dir, name))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// A recordedDiff is what two answers about a metric do not have in common: lines.
type recordedDiff struct {
	ours, theirs []string
}

func (d recordedDiff) String() string {
	return fmt.Sprintf("%d lines of ours: %.200q; %d of theirs: %.200q", len(d.ours), d.ours, len(d.theirs), d.theirs)
}

// compareRecorded asks both sides for everything, and returns how many metrics have the same
// answers, and the others.
func compareRecorded(t *testing.T, ours, theirs harness.Side, root string, c harness.Command) (equal int, problems map[string]recordedDiff) {
	t.Helper()
	o, err := ours.Run(c, root)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(o.Stdout))
	want := map[string]bool{}
	for _, n := range names {
		want[n] = true
	}
	c.Args = append(append(c.Args, "-b", "1", "-df"), names...) // one by one: an error of the agent's ends a fetch
	o, err = ours.Run(c, root)
	r, err2 := theirs.Run(c, root)
	if err = cmp.Or(err, err2); err != nil {
		t.Fatal(err)
	}
	problems = map[string]recordedDiff{}
	if o.Status != r.Status {
		problems["status"] = recordedDiff{[]string{strconv.Itoa(o.Status)}, []string{strconv.Itoa(r.Status)}}
	}
	_, mine := blocks(o.Stdout, want)
	_, original := blocks(r.Stdout, want)
	for _, n := range names {
		// The agent has processes in the order of its hash table.
		a, b := strings.Split(mine[n], "\n"), strings.Split(original[n], "\n")
		slices.Sort(a)
		slices.Sort(b)
		if slices.Equal(a, b) {
			equal++
			continue
		}
		a, b = slices.DeleteFunc(slices.Clone(a), func(l string) bool { return slices.Contains(b, l) }), slices.DeleteFunc(b, func(l string) bool { return slices.Contains(a, l) })
		problems[n] = recordedDiff{a, b}
	}
	return equal, problems
}

// TestSpecLocal compares -K: what may be wrong with it, and which agents are left.
func TestSpecLocal(t *testing.T) {
	_, _, root := harness.Setup(t)
	linux, sample := "add,60,linux/pmda_linux.so,linux_init", "add,29,sample/pmda_sample,sample_init"
	names := filepath.Join(root, "var/lib/pcp/pmns/root")
	var commands []harness.Command
	for _, specs := range []string{
		"clear", "clear,", "clear del,60", "clear del,,linux/pmda_linux.so", "clear " + linux, "clear " + linux + " " + linux,
		"clear add,60,linux/pmda_linux,linux_init", "clear " + linux + " del,60", "clear " + linux + " del,60,x", "clear " + linux + " del,,linux/pmda_linux.so",
		"clear " + linux + " del,61", "clear " + linux + " " + linux + " del,60 del,60", "clear " + sample, "clear " + sample + " " + linux,
		"clear add,30,sample/pmda_sample,sample_init", "clear add,61,linux/pmda_linux,linux_init", "clear add,0,linux/pmda_linux,linux_init",
		"add", "add,", "add,x,linux/pmda_linux,linux_init", "add,511,linux/pmda_linux,linux_init", "add,60", "add,60,", "add,60,x", "add,60,x,", "del", "del,", "del,,", "del,999", "del,,nosuch", "bogus", "",
	} {
		args := []string{"pminfo", "-n", names, "-L"}
		for spec := range strings.SplitSeq(specs, " ") {
			args = append(args, "-K", spec)
		}
		commands = append(commands, harness.Command{
			Env:  []string{"PCP_PMDAS_DIR=" + root + "/usr/lib/pcp/pmdas", "PCP_PMCDCONF_PATH=" + root + "/etc/pcp/pmcd/pmcd.conf", "LINUX_STATSPATH=" + harness.WriteFiles(t, oddMachine)},
			Args: append(args, "-f", "kernel.all.load", "sample.bin"),
		})
	}
	harness.Compare(t, commands)
}
