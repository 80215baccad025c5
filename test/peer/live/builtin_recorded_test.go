package live

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// recordedKnown are the metrics whose values of recorded files differ on purpose, beside linuxKnown.
var recordedKnown = []struct{ re, reason string }{
	{`^(network\.interface\.(type|virtual|mtu|up|running|inet_addr|ipv6_)|ipc\.|kernel\.all\.n(users|roots|sessions)$|hinv\.cpu\.online$)`, "the agent asks this system"},
	{`^disk\.wwid\.(capacity|scsi_paths)$`, "the agent adds the sizes of paths to the same disk, and has them in the order of its cache"},
	{`^fchost\.(in\.bytes|out\.frames)$`, "the agent shows one as the other"},
	{`^disk\.md\.status$`, "the agent runs mdadm, which is not there"},
	{`^cgroup\.pressure\..*\.avg`, "the agent takes the whole part for the bits of a float"},
	{`^proc\.runq\.unknown$`, "the agent counts processes that are gone"},
	{`^hinv\.cpu\.(clock|frequency_scaling\.count)$`, "the agent shows the present frequency where there is no other"},
	{`^mem\.vmstat\.thp_split$`, "the agent counts a line that is missing as -1"},
	{`^hinv\.map\.cpu_num$`, "the agent numbers processors without /proc/cpuinfo"},
	{`^rpc\.server\.nettcpconn$`, "the agent shows another column"},
}

// invented reports whether a value that the reference shows without a file is none that a file has
// had.
func invented(value string) bool {
	return slices.Contains([]string{"0", `""`, `"unknown"`, "18446744073709551615", "4194304"}, value)
}

// A recordedTree is what a collector and the reference's agent are compared over.
type recordedTree struct {
	name, agent string // linux or proc
	dir         string
	env         []string
}

// recordedTrees returns the trees of the reference's test suite, and handwritten ones of machines
// that there are few of, each with several settings.
func recordedTrees(t *testing.T, root string) []recordedTree {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(root, "var/lib/pcp/testsuite/linux/*.tgz"))
	if err != nil || len(archives) == 0 {
		t.Skip("the reference's test suite is not installed: no recorded files")
	}
	var trees []recordedTree
	settings := map[string][][]string{
		"proc":  {nil, {"PROC_THREADS=1", "PROC_HERTZ=1000", "PROC_PAGESIZE=16384"}},
		"linux": {nil, {"LINUX_NCPUS=4", "LINUX_HERTZ=250", "LINUX_PAGESIZE=16384"}, {"LINUX_NCPUS=8", "LINUX_NNODES=1"}},
	}
	for i, a := range archives {
		name := strings.TrimSuffix(filepath.Base(a), ".tgz")
		agent := "linux"
		if strings.HasPrefix(name, "procpid") || strings.HasPrefix(name, "cgroups") || strings.HasPrefix(name, "containers") {
			agent = "proc"
		}
		dir := t.TempDir()
		// Devices among the files cannot be made everywhere, and are not read.
		_ = exec.Command("tar", "xzf", a, "-C", dir).Run()
		trees = append(trees, recordedTree{name, agent, dir, settings[agent][i%len(settings[agent])]})
	}
	for _, machine := range []string{"2cpu-s390x-linux-2.6.32", "32cpu-4830", "4cpu-ia64-linux-2.6.32"} {
		text, err := os.ReadFile(filepath.Join(root, "var/lib/pcp/testsuite/linux/cpuinfo-"+machine))
		if err != nil {
			t.Fatal(err)
		}
		files := harness.WriteFiles(t, map[string]string{"proc/cpuinfo": string(text), "proc/stat": oddMachine["proc/stat"]})
		trees = append(trees, recordedTree{machine, "linux", files, []string{"LINUX_NCPUS=3"}})
	}
	odd := harness.WriteFiles(t, oddMachine)
	for name, to := range map[string]string{"md/data": "../md127", "md/127": "../md127", "mapper/vg-x": "../dm-1", "disk/by-uuid/6e-7": "../../dm-1"} {
		name = filepath.Join(odd, "dev", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	return append(trees,
		recordedTree{"odd", "linux", odd, []string{"LINUX_NCPUS=3"}}, recordedTree{"odd", "linux", odd, []string{"LINUX_NCPUS=2"}},
		recordedTree{"threads", "proc", harness.WriteFiles(t, threads), []string{"PROC_THREADS=1"}},
		recordedTree{"threads", "proc", harness.WriteFiles(t, threads), []string{"PROC_THREADS=0"}})
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

// TestBuiltinRecorded compares the linux and proc collectors, chosen by -K, with the reference's
// agents over files that were recorded on many machines: values by the names of instances. Without
// a file the agents invent values, or show errors.
func TestBuiltinRecorded(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	equal, known := 0, 0
	for _, tree := range recordedTrees(t, root) {
		domain := map[string]string{"linux": "60", "proc": "3"}[tree.agent]
		c := harness.Command{
			Env:  append([]string{strings.ToUpper(tree.agent) + "_STATSPATH=" + tree.dir, "PCP_PMDAS_DIR=" + root + "/usr/lib/pcp/pmdas"}, tree.env...),
			Args: []string{"pminfo", "-L", "-K", "clear", "-K", "add," + domain + "," + tree.agent + "/pmda_" + tree.agent + ".so," + tree.agent + "_init"},
		}
		o, err := ours.Run(c, root)
		if err != nil {
			t.Fatal(err)
		}
		names := strings.Fields(string(o.Stdout))
		want := map[string]bool{}
		for _, n := range names {
			want[n] = true
		}
		c.Args = append(append(c.Args, "-b", "1", "-f"), names...) // one by one: an error of the agent's ends a fetch
		o, err = ours.Run(c, root)
		r, err2 := theirs.Run(c, root)
		if err = cmp.Or(err, err2); err != nil {
			t.Fatal(err)
		}
		_, mine := blocks(o.Stdout, want)
		_, original := blocks(r.Stdout, want)
		for _, n := range names {
			problems, same := compareRecorded(mine[n], original[n])
			equal += same
			switch {
			case len(problems) == 0:
			case slices.ContainsFunc(append(recordedKnown, linuxKnown...), func(k struct{ re, reason string }) bool {
				return regexp.MustCompile(k.re).MatchString(n)
			}):
				known++
			default:
				t.Errorf("%s %v: %s: %d: %s", tree.name, tree.env, n, len(problems), strings.Join(problems[:min(3, len(problems))], "; "))
			}
		}
	}
	t.Logf("%d values agree; %d times metrics differ for known reasons", equal, known)
	if equal < 50000 {
		t.Errorf("only %d values were compared", equal)
	}
}

// compareRecorded compares the values of a metric, as pminfo -f shows them, and returns how many
// agree.
func compareRecorded(mine, original string) (problems []string, equal int) {
	ours, _ := linuxParse(mine)
	theirs, _ := linuxParse(original)
	for name, v := range ours {
		w, ok := theirs[name]
		switch {
		case ok && v == w:
			equal++
		case ok, v != "0" && v != `""`:
			problems = append(problems, fmt.Sprintf("[%s] ours %s, theirs %s", name, v, cmp.Or(w, "none")))
		}
	}
	for name, w := range theirs {
		if _, ok := ours[name]; !ok && !invented(w) {
			problems = append(problems, fmt.Sprintf("[%s] ours none, theirs %s", name, w))
		}
	}
	slices.Sort(problems)
	return problems, equal
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
