package linux

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/builtin/proc"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

func TestMachines(t *testing.T) {
	procfstest.Machines(t, func(o *Options) *pmda.Agent { return newCollector(o).agent() })
}

func TestGolden(t *testing.T) {
	procfstest.Golden(t, newCollector(procfstest.Options(procfstest.Tree(t))).agent(), Domain, 1330)
}

// TestRecord writes the collectors' values for the tree, for making the golden file.
func TestRecord(t *testing.T) {
	file := os.Getenv("PMTOOLS_LINUX_RECORD")
	if file == "" {
		t.Skip("PMTOOLS_LINUX_RECORD is not set")
	}
	dir := procfstest.Tree(t)
	var out []byte
	for _, a := range []*pmda.Agent{newCollector(procfstest.Options(dir)).agent(), proc.New(&proc.Options{Root: dir})} {
		names := procfstest.Names(a)
		for i, values := range procfstest.Values(t, a, names...) {
			out = append(out, names[i]+"\t"+values+"\n"...)
		}
	}
	if err := os.WriteFile(file, out, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestMissing asks for everything without any file.
func TestMissing(t *testing.T) {
	var netstat []string // metrics of /proc/net/netstat, whose absence is an error
	for line := range strings.Lines(metricsText) {
		if name, rest, _ := strings.Cut(line, " "); strings.Contains(rest, " netstat:") {
			netstat = append(netstat, name)
		}
	}
	l := newCollector(procfstest.Options(filepath.Join(t.TempDir(), "missing")))
	a := l.agent()
	names := procfstest.Names(a)
	for i, got := range procfstest.Values(t, a, names...) {
		want := ""
		switch name := names[i]; {
		case strings.HasPrefix(name, "network.softnet."), name == "swap.in", name == "swap.out":
			want = "error " + pmerr.AppVersion.Error()
		case slices.Contains(netstat, name):
			want = "error " + pmerr.ENOENT.Error()
		}
		if isError := strings.HasPrefix(got, "error"); isError != (want != "") || isError && got != want {
			t.Errorf("%s: got %q, want %q", names[i], got, want)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{
		"proc/stat": "cpu 1 2\ncpu0 1 2\n", "proc/diskstats": "8 0 sda 1\n252 0 dm-0 2\n", "proc/partitions": "8 0 5 sda\n",
		"proc/net/dev": "eth0: 1 2\n", "sys/class/net/eth0/mtu": "1500", "sys/class/net/eth0/flags": "0x1", "sys/class/net/eth0/operstate": "up",
		"proc/meminfo": "MemTotal: 1 kB", "proc/vmstat": "pgfault 1\n", "proc/sysvipc/msg": "key\n1 2 600 1 2 3 4 5", "etc/passwd": "root:x:0:0",
	})
	for _, c := range []struct{ metrics, want string }{
		{"hinv.pagesize kernel.all.hz", ""},
		{"kernel.uname.release hinv.machine", "proc/sys/kernel/arch proc/sys/kernel/hostname proc/sys/kernel/osrelease proc/sys/kernel/ostype proc/sys/kernel/version"},
		{"kernel.all.cpu.user kernel.percpu.cpu.user kernel.all.intr hinv.ncpu", "proc/stat"},
		{"kernel.all.load kernel.all.lastpid kernel.all.uptime", "proc/loadavg proc/uptime"},
		{"mem.util.used mem.physmem swap.free hinv.physmem", "proc/meminfo"},
		{"mem.vmstat.pgfault swap.pagesin", "proc/vmstat"},
		{"disk.dev.read disk.all.read disk.dm.write disk.partitions.read", "proc/diskstats sys/block/dm-0/dm/name"},
		{"disk.dev.capacity", "proc/diskstats sys/block/dm-0/dm/name proc/partitions"},
		{"disk.dev.scheduler", "proc/diskstats sys/block/dm-0/dm/name sys/block/sda/queue/scheduler"},
		{"network.interface.in.bytes network.all.out.bytes network.interface.mtu", "proc/net/dev sys/class/net/eth0/mtu"},
		{"network.interface.up", "proc/net/dev sys/class/net/eth0/flags"},
		{"network.interface.running network.interface.up", "proc/net/dev sys/class/net/eth0/flags sys/class/net/eth0/operstate"},
		{"network.tcp.insegs network.ip.inreceives network.icmpmsg.intype", "proc/net/snmp"},
		{"network.tcp.listendrops", "proc/net/netstat"},
		{"network.tcpconn.established network.tcpconn.listen", "proc/net/tcp"},
		{"ipc.msg.messages ipc.msg.owner ipc.msg.tot_msg", "proc/sysvipc/msg etc/passwd etc/group"},
		{"filesys.used filesys.free hinv.nfilesys", "proc/self/mounts"},
		{"mem.numa.util.free", "proc/meminfo"},
	} {
		l := newCollector(procfstest.Options(dir))
		var files []string
		l.Root.Trace = func(name string) { files = append(files, name) }
		procfstest.Fetch(t, l.agent(), nil, strings.Fields(c.metrics)...)
		files = slices.DeleteFunc(files, func(name string) bool { return name == "sys/devices/system/node/node0/meminfo" })
		slices.Sort(files)
		want := strings.Fields(c.want)
		if slices.Sort(want); !slices.Equal(files, want) {
			t.Errorf("%s: read %q, want %q", c.metrics, files, want)
		}
	}
}

// TestOnce checks that a fetch of everything reads no file twice.
func TestOnce(t *testing.T) {
	l := newCollector(procfstest.Options(procfstest.Tree(t)))
	count := map[string]int{}
	l.Root.Trace = func(name string) { count[name]++ }
	a := l.agent()
	procfstest.Fetch(t, a, nil, procfstest.Names(a)...)
	for name, n := range count {
		if n > 1 {
			t.Errorf("%s is read %d times", name, n)
		}
	}
	if len(count) < 80 {
		t.Errorf("only %d files are read", len(count))
	}
}

func TestDiskKind(t *testing.T) {
	for name, want := range map[string]int{
		"": -1, "loop0": -1, "ram0": -1, "sr0": -1, "fd0": 1, "sda": 0, "sda1": 1, "sdaa12": 1, "vda": 0, "vdb2": 1, "xvda": 0, "xvda1": 1, "hdc": 0,
		"nvme0n1": 0, "nvme0n1p2": 1, "nvme10n1": 0, "mmcblk0": 0, "mmcblk0p1": 1, "mmcblk0boot0": 0, "dm-0": 2, "dm-12": 2, "md0": 3, "md127": 3,
		"zram0": 4, "nbd0": 0, "nbd0p1": 1, "rbd0": 0, "rbd0p1": 1, "cciss/c0d0": 0, "cciss/c0d0p1": 1, "dasda1": 1, "dasda": 0, "pmem0": 1, "pmem0p1": 1, "drbd0": 1, "nvme0c0n1": 0,
	} {
		if got := diskKind([]byte(name)); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

func TestHidden(t *testing.T) {
	for name, want := range map[string]bool{
		"lo": true, "lo0": false, "eth0": false, "enp3s0": false, "bond0": true, "bond": false, "bond0.5": false, "team12": true, "tun0": true, "tap0": false,
		"virbr0": true, "virbr0-nic": true, "cni0": true, "cni-podman0": true, "docker0": true, "veth1": true, "vethab12": false, "face": true, "wlan0": false,
	} {
		if got := hidden(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestUnescape(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "/a": "/a", `/a\040b`: "/a b", `\134`: `\`, `\011\012x`: "\t\nx", `\04`: `\04`, `\0`: `\0`, `a\`: `a\`, `\999`: `\999`, `\777`: "\xff",
	} {
		if got := procfs.Unescape([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSelected(t *testing.T) {
	for text, want := range map[string]string{
		"": "other", "none": "other", "[none] mq-deadline": "none", "noop [deadline] cfq\n": "deadline", "[": "other", "]x[": "other", "[]": "",
	} {
		if got := selected([]byte(text), "other"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestController(t *testing.T) {
	for link, want := range map[string]string{
		"": "", "../devices/virtual/block/loop0": "", "../devices/pci0000:00/0000:00:02.0/virtio1/block/vda": "00:02.0",
		"../devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/nvme0n1": "3b:00.0", "a/0000-00:02.0/b": "", "0000:00:02,0": "",
	} {
		if got := controller(link); got != want {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
}

func TestWWID(t *testing.T) {
	for text, want := range map[string]string{"naa.50014ee": "350014ee", "eui.0025": "20025", "t10.ATA X": "1ATA X", "other": "other", "": ""} {
		if got := wwid(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestScope(t *testing.T) {
	for scope, want := range map[uint64]string{0: "Global", 0x10: "Host", 0x20: "Link", 0x40: "Site", 0x80: "Compat", 1: "Unknown"} {
		if got := scopeName(scope); got != want {
			t.Errorf("%#x: %s, want %s", scope, got, want)
		}
	}
}

func TestKbytes(t *testing.T) {
	for _, c := range []struct{ blocks, size, want uint64 }{{10, 4096, 40}, {10, 1024, 10}, {11, 512, 5}, {1 << 60, 4096, 1 << 62}, {5, 0, 0}} {
		if got := kbytes(c.blocks, c.size); got != c.want {
			t.Errorf("%d blocks of %d: %d, want %d", c.blocks, c.size, got, c.want)
		}
	}
}

// TestInstances checks that instances keep their numbers when others come and go.
func TestInstances(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{"proc/net/dev": "lo: 1\neth0: 2\nwg0: 3\n"})
	a := newCollector(procfstest.Options(dir)).agent()
	for _, c := range []struct{ dev, want string }{
		{"lo: 1\neth0: 2\nwg0: 3\n", "[{0 lo} {1 eth0} {2 wg0}]"},
		{"wg0: 3\nlo: 1\n", "[{0 lo} {2 wg0}]"},
		{"eth1: 3\nlo: 1\n", "[{0 lo} {3 eth1}]"},
		{"", "[]"},
		{"eth0: 2\n", "[{1 eth0}]"},
	} {
		procfstest.File(t, dir, "proc/net/dev", c.dev)
		list, err := a.Instances(context.Background(), nil, pcp.NewInDom(Domain, 3))
		if got := fmt.Sprint(list); err != nil || got != c.want {
			t.Errorf("%q: %s, %v, want %s", c.dev, got, err, c.want)
		}
	}
}

// TestKeep checks that instances keep their numbers when the collector ends: those of the reference's
// agent if it has been here, else those of an earlier collector. Files that are damaged are like none.
func TestKeep(t *testing.T) {
	const theirs = "2 0 2147483647\n0 1795361705 lo\n7 1795360674 eth0\n9 1795360674 gone\n"
	for _, c := range []struct{ name, theirs, ours, first, second string }{
		{"neither", "", "", "[{0 wg0} {1 lo}]", "[{0 wg0} {1 lo} {2 eth0}]"},
		{"the reference's", theirs, "", "[{0 lo} {10 wg0}]", "[{0 lo} {7 eth0} {10 wg0}]"},
		{"ours", "", "2 0 2147483647\n5 1 lo\n3 1 wg0\n", "[{3 wg0} {5 lo}]", "[{3 wg0} {5 lo} {6 eth0}]"},
		{"both", theirs, "2 0 2147483647\n5 1 lo\n7 1 wg0\n8 1 x\n", "[{0 lo} {10 wg0}]", "[{0 lo} {7 eth0} {10 wg0}]"},
		{"largest number", "2 0 2147483647\n2147483647 1 lo\n", "", "[{0 wg0} {2147483647 lo}]", "[{0 wg0} {1 eth0} {2147483647 lo}]"},
		{"no number", "2 0 2147483647\nx 1 lo\n", "", "[{0 wg0} {1 lo}]", "[{0 wg0} {1 lo} {2 eth0}]"},
		{"negative", "2 0 2147483647\n-5 1 lo\n", "2 0 x\n77 1 lo\n", "[{0 wg0} {1 lo}]", "[{0 wg0} {1 lo} {2 eth0}]"},
		{"another version", "9 0 2147483647\n5 1 lo\n", "\x00\xff\n\n", "[{0 wg0} {1 lo}]", "[{0 wg0} {1 lo} {2 eth0}]"},
		{"cut", theirs[:20], "2", "[{0 wg0} {1 lo}]", "[{0 wg0} {1 lo} {2 eth0}]"},
		{"twice", "2 0 2147483647\n5 1 lo\n5 1 eth0\n", "2 0 2147483647\n5 1 lo\n6 1 lo\n", "[{0 wg0} {1 lo}]", "[{0 wg0} {1 lo} {2 eth0}]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, cache := procfstest.Files(t, map[string]string{"proc/net/dev": "wg0: 1\nlo: 1\n"}), filepath.Join(t.TempDir(), "a", "b")
			if c.theirs != "" {
				procfstest.File(t, dir, "var/lib/pcp/config/pmda/60.3", c.theirs)
			}
			if c.ours != "" {
				procfstest.File(t, cache, "60.3", c.ours)
			}
			for _, want := range []string{c.first, c.second} {
				list, err := New(&Options{Root: dir, CacheDir: cache}).Instances(context.Background(), nil, pcp.NewInDom(Domain, 3))
				if got := fmt.Sprint(list); err != nil || got != want {
					t.Errorf("%s, %v, want %s", got, err, want)
				}
				procfstest.File(t, dir, "proc/net/dev", "eth0: 2\nwg0: 1\nlo: 1\n")
			}
		})
	}
}

// TestKeepNowhere checks that instances have numbers where these cannot be kept.
func TestKeepNowhere(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{"proc/net/dev": "lo: 1\n", "file": "", "var/lib/pcp/config/pmda/60.3/": ""})
	for _, cache := range []string{"", filepath.Join(dir, "file"), filepath.Join(dir, "file", "below")} {
		list, err := New(&Options{Root: dir, CacheDir: cache}).Instances(context.Background(), nil, pcp.NewInDom(Domain, 3))
		if fmt.Sprint(list) != "[{0 lo}]" || err != nil {
			t.Errorf("%q: %v, %v", cache, list, err)
		}
	}
}

// TestFilesystems checks the metrics made of the results of statfs.
func TestFilesystems(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{"proc/self/mounts": "/dev/sda1 /srv/a\\040b xfs rw 0 0\n/dev/sdb1 /gone ext4 rw 0 0\ntmpfs /run tmpfs ro 0 0\n"})
	l := newCollector(procfstest.Options(dir))
	var asked []string
	l.statfs = func(path string, fs *filesystem) error {
		asked = append(asked, path)
		if path == "/gone" {
			return pmerr.ENOENT
		}
		*fs = filesystem{blocks: 100, free: 40, avail: 20, files: 7, ffree: 3, size: 2048}
		return nil
	}
	got := procfstest.Values(t, l.agent(), "filesys.capacity", "filesys.used", "filesys.free", "filesys.avail", "filesys.full", "filesys.usedfiles",
		"filesys.mountdir", "filesys.readonly", "tmpfs.capacity", "tmpfs.full", "hinv.nfilesys")
	want := []string{
		"/dev/sda1=200", "/dev/sda1=120", "/dev/sda1=80", "/dev/sda1=40", "/dev/sda1=75", "/dev/sda1=4",
		`/dev/sda1="/srv/a b"|/dev/sdb1="/gone"`, "/dev/sda1=0", "/run=200", "/run=75", "2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if !slices.Equal(asked[:3], []string{"/srv/a b", "/gone", "/run"}) {
		t.Errorf("asked for %q", asked)
	}
}

// TestSilent: a file system that does not answer has no value, the others have, and it is not asked again meanwhile.
func TestSilent(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{"proc/self/mounts": "/dev/sda1 /gone xfs rw 0 0\n/dev/sdb1 /here ext4 rw 0 0\n"})
	l := newCollector(procfstest.Options(dir))
	var asked atomic.Int32
	answers := make(chan struct{})
	l.statfs = func(path string, fs *filesystem) error {
		if path == "/gone" {
			asked.Add(1)
			<-answers
		}
		*fs = filesystem{blocks: 100, free: 40, size: 2048}
		return nil
	}
	agent := l.agent()
	for range 2 {
		if got := procfstest.Values(t, agent, "filesys.capacity")[0]; got != "/dev/sdb1=200" {
			t.Errorf("got %s", got)
		}
	}
	close(answers)
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestAddresses(t *testing.T) {
	l := newCollector(&Options{Root: "/"})
	l.Root.Dir = ""
	l.addresses = func(name string) string { return map[string]string{"lo": "127.0.0.1"}[name] }
	if _, err := l.Root.Names("sys/class/net"); err != nil {
		t.Skip("no interfaces here")
	}
	if got := procfstest.Values(t, l.agent(), "network.interface.inet_addr")[0]; got != `lo="127.0.0.1"` {
		t.Errorf("got %s", got)
	}
}

func TestUname(t *testing.T) {
	l := newCollector(procfstest.Options(t.TempDir()))
	l.uname = func() uname {
		return uname{sysname: "S", nodename: "n", release: "1.2", version: "#3", machine: "m"}
	}
	got := procfstest.Values(t, l.agent(), "kernel.uname.sysname", "kernel.uname.release", "kernel.uname.version", "hinv.machine", "pmda.uname", "kernel.uname.distro")
	if want := []string{`"S"`, `"1.2"`, `"#3"`, `"m"`, `"S n 1.2 #3 m"`, `"?"`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestLive fetches everything of the running system.
func TestLive(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not Linux")
	}
	for _, p := range []pmda.Provider{New(&Options{Root: "/"}), proc.New(&proc.Options{Root: "/"})} {
		req := &pmda.Request{}
		for _, n := range p.Names() {
			req.IDs = append(req.IDs, n.ID)
		}
		var res pcp.Result
		if err := p.Fetch(context.Background(), req, &res); err != nil {
			t.Fatal(err)
		}
		values := 0
		for i := range res.Sets {
			values += res.Sets[i].Len()
		}
		if values < 200 {
			t.Errorf("domain %d: %d values", p.Domain(), values)
		}
	}
}

// TestAllocs checks that a steady fetch allocates for opening files only, not for values.
func TestAllocs(t *testing.T) {
	a := newCollector(procfstest.Options(procfstest.Tree(t))).agent()
	for _, c := range []struct {
		metrics string
		files   float64
	}{
		{"mem.util.used mem.util.free mem.util.cached mem.util.active mem.util.dirty", 1},
		{"kernel.all.cpu.user kernel.percpu.cpu.user kernel.percpu.cpu.sys kernel.percpu.cpu.idle", 1},
		{"network.interface.in.bytes network.interface.out.bytes network.interface.in.packets", 1},
		{"network.tcp.insegs network.udp.indatagrams network.ip.inreceives", 1},
		{"mem.vmstat.pgfault mem.vmstat.pgfree mem.vmstat.pgmajfault", 1},
	} {
		req := &pmda.Request{}
		for _, name := range strings.Fields(c.metrics) {
			i := slices.IndexFunc(a.Names(), func(n pmda.Name) bool { return n.Name == name })
			req.IDs = append(req.IDs, a.Names()[i].ID)
		}
		var res pcp.Result
		n := testing.AllocsPerRun(20, func() {
			if err := a.Fetch(context.Background(), req, &res); err != nil {
				t.Fatal(err)
			}
		})
		if n > 8*c.files {
			t.Errorf("%s: %v allocations", c.metrics, n)
		}
	}
}

func Benchmark(b *testing.B) {
	dir := procfstest.Tree(b)
	for _, c := range []struct{ name, prefix string }{{"all", ""}, {"cpu", "kernel.all.cpu."}, {"mem", "mem.util."}, {"disk", "disk.dev."}} {
		b.Run(c.name, func(b *testing.B) {
			p := New(&Options{Root: dir})
			req := &pmda.Request{}
			for _, n := range p.Names() {
				if strings.HasPrefix(n.Name, c.prefix) {
					req.IDs = append(req.IDs, n.ID)
				}
			}
			var res pcp.Result
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Fetch(context.Background(), req, &res); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(&Options{Root: "/"})
		proc.New(&proc.Options{Root: "/"})
	}
}

// TestVariables sets the variables of the reference's agent over a machine of three processors and
// two memory nodes.
func TestVariables(t *testing.T) {
	files := map[string]string{
		"proc/stat":             "cpu 60 0 0 0\ncpu0 10 0 0 0\ncpu1 20 0 0 0\ncpu2 30 0 0 0\n",
		"proc/interrupts":       "   CPU0 CPU1 CPU2\n 1:  1  2  4  x\n",
		"proc/net/softnet_stat": "1 0 0 0 0 0 0 0 0\n2 0 0 0 0 0 0 0 0\n4 0 0 0 0 0 0 0 0\n",
		"proc/buddyinfo":        "Node 0, zone DMA 1 \n",
	}
	nodes := map[string]string{
		"sys/devices/system/node/node0/cpu0/x": "", "sys/devices/system/node/node1/cpu2/x": "", "sys/devices/system/node/online": "0-1\n",
	}
	maps.Copy(nodes, files)
	for _, c := range []struct {
		vars  string // NAME=VALUE
		files map[string]string
		want  string
	}{
		{"LINUX_NCPUS=2", files, "2; 300; 3; 3; 4"}, {"LINUX_NCPUS=9", files, "3; 600; 7; 7; 4"}, {"LINUX_NCPUS=2", nodes, "2; 400; 3; 3; 4"},
		{"LINUX_NCPUS=2 LINUX_NNODES=1", nodes, "2; 300; 3; 3; 4"}, {"LINUX_NCPUS=2 LINUX_HERTZ=250 LINUX_PAGESIZE=65536", files, "2; 120; 3; 3; 64"},
	} {
		vars := map[string]string{"LINUX_STATSPATH": procfstest.Files(t, c.files), "LINUX_PAGESIZE": "4096"}
		for _, v := range strings.Fields(c.vars) {
			name, value, _ := strings.Cut(v, "=")
			vars[name] = value
		}
		a := New(&Options{Root: t.TempDir(), Getenv: func(name string) string { return vars[name] }})
		res := procfstest.Fetch(t, a, nil, "hinv.ncpu", "kernel.percpu.cpu.user", "kernel.all.interrupts.total", "network.softnet.processed", "mem.buddyinfo.total")
		var sums []string // of the values of each
		for i := range res.Sets {
			var sum uint64
			for _, w := range res.Sets[i].Words {
				sum += w
			}
			sums = append(sums, fmt.Sprint(sum))
		}
		if got := strings.Join(sums, "; "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.vars, got, c.want)
		}
	}
}

// TestDevices reads the names that devices were given, and leaves out further names of tapes.
func TestDevices(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{
		"proc/diskstats":            "9 127 md127 1 0 2 0\n9 0 md0 3 0 4 0\n253 0 dm-0 5 0 6 0\n253 1 dm-1 7 0 8 0\n8 0 sda 9 0 9 0\n",
		"sys/block/dm-1/dm/name":    "vg-x\n",
		"sys/block/sda/wwid":        "",
		"sys/class/scsi_tape/st0/x": "", "sys/class/scsi_tape/st0a/x": "", "sys/class/scsi_tape/nst0/x": "",
		"dev/md/0 (link)": "../md0", "dev/md/data (link)": "../md127", "dev/mapper/vg-x (link)": "../dm-1", "dev/disk/by-uuid/6e-7 (link)": "../../dm-1",
		"proc/self/mounts": "/dev/mapper/vg-x / ext4 rw 0 0\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "1234567\n",
		"proc/stat": "cpu0 1 2 3 4\n",
	})
	a := newCollector(procfstest.Options(dir)).agent()
	for name, want := range map[string]string{
		"hinv.map.mdname": `data="md127"|md0="md0"`, "hinv.map.dmname": `vg-x="dm-1"`, "disk.dm.read": "vg-x=7", "hinv.ntape": "1",
		"filesys.uuid": `/dev/mapper/vg-x="6e-7"`, "hinv.map.scsi_id": `sda="unknown"`, "hinv.cpu.frequency_scaling.current": "cpu0=1234.567",
	} {
		if got := procfstest.Values(t, a, name)[0]; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestRecordedInterfaces reads files of interfaces that were recorded elsewhere; those that this system has, too, are this system's.
func TestRecordedInterfaces(t *testing.T) {
	recorded := procfstest.Files(t, map[string]string{
		"proc/net/dev":           "eth0: 1\nwan0: 2\nwan1: 3\nwan2: 4\n",
		"sys/class/net/eth0/mtu": "1400\n", "sys/class/net/wan0/mtu": "9000\n", "sys/class/net/wan2/mtu": "8000\n",
		"sys/class/net/eth0/duplex": "full\n", "sys/class/net/wan0/duplex": "full\n", "sys/class/net/wan2/duplex": "half\n", "sys/class/net/wan1/x": "",
		"sys/class/net/eth0/flags": "0x1002\n", "sys/class/net/wan0/flags": "0x1043\n", "sys/class/net/wan1/flags": "0x1003\n",
	})
	system := procfstest.Files(t, map[string]string{"sys/class/net/eth0/mtu": "1500\n", "sys/class/net/eth0/flags": "0x1003\n", "sys/class/net/eth0/operstate": "up\n", "sys/class/net/eth0/duplex": "unknown\n"})
	a := newCollector(&Options{Root: system, Getenv: func(key string) string {
		return map[string]string{"LINUX_STATSPATH": recorded}[key]
	}}).agent()
	for name, want := range map[string]string{
		"mtu": "eth0=1500|wan0=9000|wan2=8000", "duplex": "wan0=2|wan2=1", "up": "eth0=1|wan0=1|wan1=1|wan2=0", "running": "eth0=1|wan0=1|wan1=0|wan2=0",
	} {
		if got := procfstest.Values(t, a, "network.interface."+name)[0]; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestUsage checks that a file system is asked for its space only for metrics of it: one may not answer.
func TestUsage(t *testing.T) {
	l := newCollector(procfstest.Options(procfstest.Files(t, map[string]string{"proc/self/mounts": "/dev/a / ext4 rw 0 0\nx /tmp tmpfs rw 0 0\n"})))
	var asked []string
	l.statfs = func(path string, _ *filesystem) error {
		asked = append(asked, path)
		return nil
	}
	for metrics, want := range map[string]string{
		"filesys.mountdir filesys.type filesys.uuid hinv.nfilesys": "", "filesys.used filesys.readonly": "/", "tmpfs.used": "/tmp",
	} {
		asked = nil
		procfstest.Fetch(t, l.agent(), nil, strings.Fields(metrics)...)
		if got := strings.Join(asked, " "); got != want {
			t.Errorf("%s: asked %q, want %q", metrics, got, want)
		}
	}
}
