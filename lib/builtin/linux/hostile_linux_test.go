package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/builtin/proc"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestHostile asks for everything over a tree in which files are huge, endless, pipes, links to
// themselves or out of the tree, and not readable: each answer comes, and is an error at most.
func TestHostile(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{
		"proc/cpuinfo": "processor : 0\nvendor_id : x\n\nprocessor : 1\nvendor_id : y\n", "proc/net/snmp6": "Ip6InReceives 5\n", "proc/uptime": "1.5 2\n",
		"proc/stat": "cpu 18446744073709551615 4294967296 -1\ncpu0 18446744073709551616 1\ncpu1 4294967297 2\n",
	})
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, to := range map[string]string{
		"meminfo": "/dev/zero", "vmstat": "/dev/urandom", "loadavg": "loadavg", "diskstats": "/etc/passwd", "swaps": strings.Repeat("../", 40) + "etc/passwd", "slabinfo": "/proc/self/mem",
	} {
		if err := os.Symlink(to, path("proc/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(path("proc/cpuinfo"), 1<<30); err != nil {
		t.Skipf("no huge files here: %v", err)
	}
	if err := syscall.Mkfifo(path("proc/net/dev"), 0o666); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if err := os.Chmod(path("proc/uptime"), 0); err != nil {
		t.Fatal(err)
	}
	a := newCollector(procfstest.Options(dir)).agent()
	_, failed := procfstest.FetchAll(t, a)
	for name, err := range failed {
		if code := pmerr.Of(err); code != pmerr.AppVersion && code != pmerr.ENOENT && code != pmerr.Of(syscall.ELOOP) && code != pmerr.Of(syscall.EIO) {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := map[string]string{
		"hinv.cpu.vendor": `cpu0="x"|cpu1="y"`, "network.ip6.inreceives": "5", "network.interface.in.bytes": "",
		"kernel.percpu.cpu.nice": "cpu0=10|cpu1=20", "kernel.all.cpu.sys": "0",
	}
	for name, w := range want {
		if got := procfstest.Values(t, a, name)[0]; got != w {
			t.Errorf("%s: got %s, want %s", name, got, w)
		}
	}
}

// TestOpenFails reads interfaces of which one has a file that cannot be opened: it has no value, or the value 0 of a flag. Only without
// free descriptors are there no values, but the error.
func TestOpenFails(t *testing.T) {
	files := map[string]string{"proc/net/dev": "eth0: 1\neth1: 2\n"}
	for _, dev := range []string{"eth0", "eth1"} {
		for name, text := range map[string]string{"mtu": "1500\n", "flags": "0x1003\n", "operstate": "up\n", "type": "1\n"} {
			files["sys/class/net/"+dev+"/"+name] = text
		}
	}
	dir := procfstest.Files(t, files)
	l := newCollector(procfstest.Options(dir))
	a := l.agent()
	check := func(t *testing.T, mtu, up, running string) {
		t.Helper()
		for name, want := range map[string]string{"mtu": mtu, "up": up, "running": running} {
			if got := procfstest.Values(t, a, "network.interface."+name)[0]; got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
	}
	check(t, "eth0=1500|eth1=1500", "eth0=1|eth1=1", "eth0=1|eth1=1")
	for what, target := range map[string]func(*testing.T) string{
		"ENOENT": func(*testing.T) string { return "missing" }, "ENOTDIR": func(*testing.T) string { return "type/x" }, "EIO": lockedTerminal,
	} {
		t.Run(what, func(t *testing.T) {
			to := target(t)
			for _, name := range []string{"mtu", "flags"} {
				path := filepath.Join(dir, "sys/class/net/eth1", name)
				err := os.Remove(path)
				if err == nil {
					err = os.Symlink(to, path)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			check(t, "eth0=1500", "eth0=1|eth1=0", "eth0=1|eth1=0")
		})
	}
	var old, none unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &old)
	none.Max = old.Max
	l.Root.Trace = func(name string) {
		limit := &none
		if strings.HasPrefix(name, "proc/") { // the list of interfaces
			limit = &old
		}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, limit); err != nil {
			t.Skip(err)
		}
	}
	names := []string{"network.interface.mtu", "network.interface.up", "network.interface.running"}
	res := procfstest.Fetch(t, a, nil, names...)
	for i := range res.Sets {
		if set := &res.Sets[i]; set.Err != pmerr.Of(syscall.EMFILE) || set.Len() != 0 {
			t.Errorf("%s without descriptors: %v, %d values", names[i], set.Err, set.Len())
		}
	}
}

// lockedTerminal returns a file that is there, and cannot be opened (EIO).
func lockedTerminal(t *testing.T) string {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	n, err := unix.IoctlGetUint32(int(f.Fd()), unix.TIOCGPTN)
	path := fmt.Sprintf("/dev/pts/%d", n)
	if _, failed := os.Open(path); err != nil || !errors.Is(failed, syscall.EIO) {
		t.Skipf("%s can be opened here: %v, %v", path, err, failed)
	}
	return path
}

// TestThousands reads files of a machine with thousands of processors and disks.
func TestThousands(t *testing.T) {
	const n = 2000
	var stat, info, disks, parts, names strings.Builder
	stat.WriteString("cpu 1 2 3 4\n")
	for i := range n {
		fmt.Fprintf(&stat, "cpu%d %d 2 3 4\n", i, i)
		fmt.Fprintf(&info, "processor : %d\nmodel name : m%d\n\n", i, i)
		fmt.Fprintf(&disks, "8 %d sd%s 1 2 3 4 5 6 7 8 9 10 11\n 253 %d dm-%d 1 2 3 4 5 6 7 8 9 10 11\n", i, letters(i), i, i)
		fmt.Fprintf(&parts, "8 %d %d sd%s\n", i, i+1, letters(i))
		fmt.Fprintf(&names, "eth%d: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", i)
	}
	a := newCollector(procfstest.Options(procfstest.Files(t, map[string]string{
		"proc/stat": stat.String(), "proc/cpuinfo": info.String(), "proc/diskstats": disks.String(), "proc/partitions": parts.String(), "proc/net/dev": names.String(),
	}))).agent()
	for name, want := range map[string]int{
		"kernel.percpu.cpu.user": n, "hinv.cpu.model_name": n, "disk.dev.read": n, "disk.dev.capacity": n, "disk.dm.read": 0, "network.interface.in.bytes": n,
	} {
		if res := procfstest.Fetch(t, a, nil, name); res.Sets[0].Len() != want {
			t.Errorf("%s: %d values, want %d", name, res.Sets[0].Len(), want)
		}
	}
	if got := procfstest.Values(t, a, "hinv.ncpu", "hinv.ndisk", "hinv.ninterface"); strings.Join(got, " ") != "2000 2000 2000" {
		t.Errorf("counts: %v", got)
	}
}

// letters returns a number in letters: the kernel's name of a disk.
func letters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
}

// TestDirectories checks metrics whose files are directories: they are errors, and those of processes have no values.
func TestDirectories(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"proc/stat", "proc/meminfo", "proc/net/dev", "proc/diskstats", "proc/7/stat", "proc/7/cmdline", "proc/7/fd"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l, p := newCollector(procfstest.Options(dir)).agent(), proc.New(&proc.Options{Root: dir})
	for name, want := range map[string]int{"kernel.all.cpu.user": 0, "mem.util.free": 0, "network.interface.in.bytes": 0, "disk.dev.read": 0} {
		if res := procfstest.Fetch(t, l, nil, name); res.Sets[0].Err != pmerr.Of(syscall.EISDIR) || res.Sets[0].Len() != want {
			t.Errorf("%s: %+v", name, res.Sets[0])
		}
	}
	for name, want := range map[string]int{"proc.psinfo.psargs": 1, "proc.psinfo.pid": 1, "proc.fd.count": 1} {
		if res := procfstest.Fetch(t, p, nil, name); res.Sets[0].Err != nil || res.Sets[0].Len() != want {
			t.Errorf("%s: %+v", name, res.Sets[0])
		}
	}
	if list, err := p.Instances(context.Background(), nil, pcp.NewInDom(3, 9)); err != nil || len(list) != 1 || list[0].Name != "000007 <exiting>" {
		t.Errorf("a process whose name cannot be read: %v, %v", list, err)
	}
}
