package proc

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// collectTests are small systems and the values of metrics on them.
var collectTests = []struct {
	name  string
	files map[string]string
	want  []string // a metric, a blank, its values
}{
	{
		"a program",
		map[string]string{
			"proc/7/cmdline":      "/bin/x\x00-v\x00",
			"proc/7/stat":         "7 (x) S 1 2 3 1025 4 5 6 7 8 9 10 11 12 13 20 -1 1 14 15 2048 16 4096 17 18 19 20 21 22 23 24 25 26 27 28 29 3 31 1 33 34 35\n",
			"proc/7/statm":        "10 9 8 7 6 5 4\n",
			"proc/7/status":       "Name:\tx\nTgid:\t7\nNgid:\t2\nUid:\t0\t1\t2\t3\nGid:\t4\t5\t6\t7\nVmSize:\t100 kB\nVmRSS:\t50 kB\nVmLib:\t20 kB\nVmSwap:\t5 kB\nThreads:\t3\nSigCgt:\t0f\nvoluntary_ctxt_switches:\t8\n",
			"proc/7/io":           "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n",
			"proc/7/schedstat":    "1 2 3\n",
			"proc/7/wchan":        "do_wait",
			"proc/7/environ":      "A=1\x00B=2\x00",
			"proc/7/cgroup":       "0::/a\n",
			"proc/7/attr/current": "unconfined\n",
			"proc/7/oom_score":    "12\n",
			"proc/7/maps":         "1-2 r\n3-4 w\n",
			"proc/7/smaps_rollup": "Rss: 5 kB\nPss: 4 kB\n",
			"proc/7/autogroup":    "/autogroup-5 nice -3\n",
			"proc/7/fd/0":         "", "proc/7/fd/1": "",
			"etc/passwd": "root:x:0:\nu:x:2:\n", "etc/group": "g:x:5:\n",
			"proc/sys/kernel/sched_autogroup_enabled": "1\n",
		},
		[]string{
			"proc.nprocs 1",
			"proc.psinfo.pid 000007 /bin/x=7",
			`proc.psinfo.cmd 000007 /bin/x="x"`,
			`proc.psinfo.psargs 000007 /bin/x="/bin/x -v"`,
			`proc.psinfo.sname 000007 /bin/x="S"`,
			"proc.psinfo.ppid 000007 /bin/x=1",
			"proc.psinfo.tty_pgrp 000007 /bin/x=4",
			`proc.psinfo.ttyname 000007 /bin/x="tty1"`,
			"proc.psinfo.minflt 000007 /bin/x=6",
			"proc.psinfo.utime 000007 /bin/x=100",
			"proc.psinfo.cstime 000007 /bin/x=130",
			"proc.psinfo.priority 000007 /bin/x=20",
			"proc.psinfo.nice 000007 /bin/x=-1",
			"proc.psinfo.start_time 000007 /bin/x=150",
			"proc.psinfo.vsize 000007 /bin/x=2",
			"proc.psinfo.rss_rlim 000007 /bin/x=4",
			"proc.psinfo.processor 000007 /bin/x=3",
			"proc.psinfo.rt_priority 000007 /bin/x=31",
			`proc.psinfo.policy_s 000007 /bin/x="FIFO"`,
			"proc.psinfo.delayacct_blkio_time 000007 /bin/x=330",
			"proc.psinfo.tgid 000007 /bin/x=7",
			"proc.psinfo.ngid 000007 /bin/x=2",
			"proc.psinfo.threads 000007 /bin/x=3",
			"proc.psinfo.vctxsw 000007 /bin/x=8",
			"proc.psinfo.nvctxsw 000007 /bin/x=0",
			`proc.psinfo.sigcatch_s 000007 /bin/x="0f"`,
			`proc.psinfo.sigignore_s 000007 /bin/x=""`,
			"proc.psinfo.cpusallowed " + unsupported,
			`proc.psinfo.wchan_s 000007 /bin/x="do_wait"`,
			`proc.psinfo.environ 000007 /bin/x="A=1 B=2"`,
			`proc.psinfo.cgroups 000007 /bin/x=":/a"`,
			`proc.psinfo.labels 000007 /bin/x="unconfined"`,
			"proc.psinfo.oom_score 000007 /bin/x=12",
			"proc.id.uid 000007 /bin/x=0",
			"proc.id.fsuid 000007 /bin/x=3",
			"proc.id.gid 000007 /bin/x=4",
			`proc.id.uid_nm 000007 /bin/x="root"`,
			`proc.id.suid_nm 000007 /bin/x="u"`,
			`proc.id.euid_nm 000007 /bin/x=""`,
			`proc.id.egid_nm 000007 /bin/x="g"`,
			"proc.memory.vmsize 000007 /bin/x=100",
			"proc.memory.vmreal 000007 /bin/x=55",
			"proc.memory.vmnonlib 000007 /bin/x=35",
			"proc.memory.vmpeak 000007 /bin/x=0",
			`proc.memory.maps 000007 /bin/x="1-2 r\n3-4 w"`,
			"proc.io.rchar 000007 /bin/x=1",
			"proc.io.cancelled_write_bytes 000007 /bin/x=7",
			"proc.schedstat.cpu_time 000007 /bin/x=1",
			"proc.schedstat.pcount 000007 /bin/x=3",
			"proc.fd.count 000007 /bin/x=2",
			"proc.smaps.rss 000007 /bin/x=5",
			"proc.smaps.swap 000007 /bin/x=0",
			"proc.autogroup.enabled 1",
			"proc.autogroup.id 000007 /bin/x=5",
			"proc.autogroup.nice 000007 /bin/x=-3",
			"proc.runq.sleeping 1",
			"proc.runq.runnable 0",
		},
	},
	{
		"a process of which nothing is known",
		map[string]string{"proc/8/cmdline": "y\x00"},
		[]string{
			"proc.nprocs 1", "proc.psinfo.pid 000008 y=8", `proc.psinfo.psargs 000008 y="y"`, "proc.psinfo.utime " + unsupported, "proc.memory.size " + unsupported, "proc.id.uid " + unsupported,
			"proc.id.uid_nm " + unsupported, "proc.io.rchar " + unsupported, "proc.schedstat.pcount " + unsupported, "proc.fd.count " + unsupported, `proc.psinfo.environ 000008 y=""`,
			`proc.psinfo.exe 000008 y=""`, `proc.psinfo.cwd 000008 y=""`, "proc.memory.maps " + unsupported, "proc.psinfo.wchan_s ", "proc.smaps.rss ", "proc.autogroup.id ",
			"proc.runq.unknown 0", "proc.autogroup.enabled 0",
		},
	},
	{
		"one of the kernel, and one that ends",
		map[string]string{
			"proc/2/cmdline": "", "proc/2/status": "Name:\tkthreadd\nUid:\t0\t0\t0\t0\n", "proc/2/stat": "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 7 0 0 20 0 1 0 5 0 0\n",
			"proc/9/cmdline": "", "proc/9/stat": "9 (z) Z 2 0 0 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n",
		},
		[]string{
			`proc.psinfo.psargs 000002 (kthreadd)="(kthreadd)"|000009 <exiting>="<exiting>"`, "proc.psinfo.tty_pgrp ",
			`proc.psinfo.ttyname 000002 (kthreadd)="?"|000009 <exiting>="?"`, "proc.runq.swapped 1", "proc.runq.kernel 1", "proc.runq.defunct 1", "proc.runq.sleeping 0",
			"proc.psinfo.stime 000002 (kthreadd)=70|000009 <exiting>=0", "proc.memory.vmsize 000002 (kthreadd)=0",
		},
	},
	{
		"control groups of version 1",
		map[string]string{
			"proc/cgroups":                    "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t3\t7\t1\nblkio\t5\t2\t0\nnet_cls\t6\t1\t1\ncpuacct\t3\t7\t1\n",
			"proc/mounts":                     "x / xfs rw 0 0\ncgroup /cg/cpu cgroup rw,cpuacct,cpu 0 0\ncgroup /cg/b cgroup rw,blkio,net_cls 0 0\ncgroup /cg/s cgroup rw,name=systemd 0 0\n",
			"proc/diskstats":                  "8 0 sda 1\n7 0 loop0 1\n",
			"cg/cpu/cpu.stat":                 "nr_periods 1\nnr_throttled 2\nthrottled_time 3\n",
			"cg/cpu/cpu.cfs_quota_us":         "-1\n",
			"cg/cpu/cpuacct.usage_percpu":     "5 6\n",
			"cg/cpu/a\\x2db/cpu.cfs_quota_us": "100\n",
			"cg/cpu/a\\x2db/docker-" + strings.Repeat("7", 64) + ".scope/cpu.shares": "1024\n",
			"cg/b/blkio.time":                 "8:0 44\n9:9 3\n7:0 5\nTotal 52\n",
			"cg/b/blkio.throttle.io_serviced": "8:0 Read 5\n8:0 Write 6\n8:0 Total 11\nTotal 11\nbad\n",
			"cg/b/net_cls.classid":            "17\n",
		},
		[]string{
			"cgroup.subsys.count 4", "cgroup.subsys.hierarchy blkio=5|cpu=3|cpuacct=3|net_cls=6", "cgroup.subsys.enabled blkio=0|cpu=1|cpuacct=1|net_cls=1",
			"cgroup.mounts.count 3", `cgroup.mounts.subsys /cg/b="blkio,net_cls"|/cg/cpu="cpuacct,cpu"|/cg/s="?"`,
			"cgroup.cpusched.throttled /=2", "cgroup.cpusched.cfs_quota /a-b=100", "cgroup.cpuacct.usage_percpu /::cpu0=5|/::cpu1=6",
			"cgroup.cpusched.shares /a-b/docker-" + strings.Repeat("7", 64) + ".scope=1024",
			`cgroup.cpusched.id.container /=""|/a-b/docker-` + strings.Repeat("7", 64) + `.scope="` + strings.Repeat("7", 64) + `"|/a-b=""`,
			"cgroup.blkio.dev.time /::sda=440", "cgroup.blkio.all.time /=440", "cgroup.blkio.dev.throttle.io_serviced.read /::sda=5",
			"cgroup.blkio.all.throttle.io_serviced.write /=6", "cgroup.blkio.all.sectors /=0", "cgroup.netclass.classid /=17", "cgroup.cpuset.cpus ", "cgroup.cpu.stat.user ",
		},
	},
	{
		"control groups of version 2, and a hierarchy of version 1",
		map[string]string{
			"proc/cgroups": "#subsys_name\nmemory\t4\t7\t1\n",
			"proc/mounts":  "c /cg/memory cgroup rw,memory 0 0\nc /cg/u cgroup2 rw 0 0\n", "proc/diskstats": "8 0 sda 1\n",
			"cg/memory/memory.limit_in_bytes": "18446744073709551615\n", "cg/memory/memory.stat": "cache 1\ntotal_rss 2\n",
			"cg/u/cpu.stat": "usage_usec 7\nuser_usec 5\n", "cg/u/cpuset.cpus": "0-3\n", "cg/u/a/cpuset.cpus": "\n", "cg/u/a/io.stat": "8:0 rbytes=1 wios=2\n9:9 rbytes=3\n8:1\n",
			"cg/u/a/io.pressure": "some avg10=0.25 avg60=1.50 avg300=99.00 total=12\nfull avg10=1.00\n", "cg/u/irq.pressure": "full avg10=3.00 avg60=4.00 avg300=5.00 total=6\n",
		},
		[]string{
			"cgroup.memory.stat.cache /=1", "cgroup.memory.stat.total.rss /=2", "cgroup.memory.limit ", "cgroup.cpu.stat.user /=5", "cgroup.cpu.stat.system ",
			`cgroup.cpuset.cpus /="0-3"|/a=""`, "cgroup.io.stat.rbytes /a::sda=1", "cgroup.io.stat.wios /a::sda=2", "cgroup.pressure.io.some.avg10sec /a=0.25",
			"cgroup.pressure.io.some.total /a=12", "cgroup.pressure.io.full.avg10sec /a=1", "cgroup.pressure.irq.full.avg5min /=5", `cgroup.mounts.subsys /cg/memory="memory"|/cg/u="?"`,
		},
	},
	{
		"control groups of version 2 only",
		map[string]string{
			"proc/mounts": "c /cg cgroup2 rw 0 0\n", "cg/memory.current": "5\n", "cg/a/memory.current": "6\n", "cg/a/memory.stat": "workingset_refault 3\n",
		},
		[]string{"cgroup.memory.current /a=6", "cgroup.memory.stat.workingset.refault /a=3", "cgroup.cpusched.shares ", "cgroup.subsys.count 0", `cgroup.memory.id.container /a=""`},
	},
	{
		"a kernel that does not group processes",
		map[string]string{"proc/7/cmdline": "x\x00", "proc/7/autogroup": "/autogroup-5 nice 2\n", "proc/sys/kernel/sched_autogroup_enabled": "0\n"},
		[]string{"proc.autogroup.enabled 0", "proc.autogroup.id ", "proc.autogroup.nice "},
	},
	{
		"memory beyond 4 TB",
		map[string]string{"proc/7/cmdline": "x\x00", "proc/7/status": "Name:\tx\nVmRSS:\t3000000000 kB\nVmLib:\t7 kB\nVmSwap:\t3000000000 kB\n"},
		[]string{"proc.memory.vmreal 000007 x=6000000000", "proc.memory.vmnonlib 000007 x=5999999993", "proc.memory.vmrss 000007 x=3000000000"},
	},
	{
		"no processes", map[string]string{"proc/version": "x"},
		[]string{"proc.nprocs 0", "proc.psinfo.pid ", "proc.runq.runnable 0"},
	},
}

// unsupported is the answer about a file that no process has.
const unsupported = "error Metric not supported by this version of monitored application"

func TestCollect(t *testing.T) {
	for _, c := range collectTests {
		t.Run(c.name, func(t *testing.T) {
			a := newCollector(procfstest.Options(procfstest.Files(t, c.files))).agent()
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

// TestEnds: texts end where PCP's agent ends them: a byte before the end of the file, or at it.
func TestEnds(t *testing.T) {
	a := newCollector(procfstest.Options(procfstest.Files(t, map[string]string{
		"proc/7/environ": "A=1\x00\x00\x00", "proc/7/attr/current": "label\x00", "proc/7/wchan": "wait\n", "proc/7/cgroup": "1:x:/a\n2:y:/b\n", "proc/7/maps": "00-01 r\n\n",
		"proc/7/io": "rchar: -3\nwchar: x\n",
	}))).agent()
	want := map[string]string{
		"proc.psinfo.environ": `"A=1  "`, "proc.psinfo.labels": `"label"`, "proc.psinfo.wchan_s": `"wait\n"`, "proc.psinfo.cgroups": `"x:/a;y:/b"`, "proc.memory.maps": `"00-01 r\n"`,
		"proc.io.rchar": "18446744073709551613",
	}
	for name, value := range want {
		if got := procfstest.Values(t, a, name)[0]; got != "000007 <exiting>="+value {
			t.Errorf("%s: got %q, want %q", name, got, value)
		}
	}
}

// TestEmpty: a metric whose files are all empty has an error, as PCP's agent has; beside a process whose file has something it has a value.
func TestEmpty(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  pmerr.Code
	}{
		{map[string]string{"proc/7/oom_score": "", "proc/8/oom_score": ""}, pmerr.Value},
		{map[string]string{"proc/7/oom_score": "", "proc/8/oom_score": "5\n"}, 0},
		{map[string]string{"proc/7/oom_score": "5\n", "proc/8/oom_score": ""}, 0},
		{map[string]string{"proc/7/x": ""}, pmerr.AppVersion},
	} {
		_, failed := procfstest.FetchAll(t, newCollector(procfstest.Options(procfstest.Files(t, c.files))).agent())
		if err := failed["proc.psinfo.oom_score"]; pmerr.Of(err) != c.want {
			t.Errorf("%q: %v, want %v", c.files, err, c.want)
		}
	}
}

// TestVanish checks that a process that ends between fetches is gone, and its number can be that of
// another.
func TestVanish(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{"proc/5/cmdline": "a\x00", "proc/5/statm": "1", "proc/6/cmdline": "b\x00", "proc/6/statm": "2"})
	a := newCollector(procfstest.Options(dir)).agent()
	check := func(want string) {
		t.Helper()
		if got := procfstest.Values(t, a, "proc.memory.size")[0]; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	check("000005 a=4|000006 b=8")
	if err := os.RemoveAll(filepath.Join(dir, "proc/5")); err != nil {
		t.Fatal(err)
	}
	check("000006 b=8")
	procfstest.File(t, dir, "proc/5/cmdline", "c\x00")
	procfstest.File(t, dir, "proc/5/statm", "3")
	check("000005 c=12|000006 b=8")
}

// TestAllocs checks that a steady fetch allocates for opening files only.
func TestAllocs(t *testing.T) {
	a := newCollector(procfstest.Options(procfstest.Files(t, map[string]string{"proc/5/stat": "5 (a) S 1 2 3", "proc/6/stat": "6 (b) S 1 2 3"}))).agent()
	req := &pmda.Request{}
	for _, item := range []uint32{0, 1, 2, 3, 4, 13, 14, 23} {
		req.IDs = append(req.IDs, pcp.NewID(Domain, 8, item))
	}
	var res pcp.Result
	n := testing.AllocsPerRun(20, func() {
		if err := a.Fetch(context.Background(), req, &res); err != nil {
			t.Fatal(err)
		}
	})
	if n > 40 {
		t.Errorf("%v allocations for two processes", n)
	}
}
