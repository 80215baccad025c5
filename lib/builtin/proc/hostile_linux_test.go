package proc

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pmerr"
)

// TestHostile asks for everything over a tree in which files of a process are huge, endless, pipes,
// links to themselves or out of the tree, and control groups are mounted outside of it: each answer
// comes, and none is about files outside, or of a process that is sound.
func TestHostile(t *testing.T) {
	outside := procfstest.Files(t, map[string]string{"group/cpuset.cpus": "0-7\n", "group/memory.stat": "cache 5\n"})
	dir := procfstest.Files(t, map[string]string{
		"proc/7/cmdline": "a\x00", "proc/7/statm": "2 1\n", "proc/7/io": "rchar: 5\n", "proc/8/cmdline": "b\x00", "proc/8/statm": "", "proc/8/maps": "x\n", "proc/9/x": "",
		"proc/mounts": "c /../../../../../../../.." + outside + "/group cgroup2 rw 0 0\n", "proc/cgroups": "#x\ncpuset 1 1 1\n",
	})
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, to := range map[string]string{
		"9/stat": "/dev/zero", "9/status": "/dev/zero", "9/cmdline": "cmdline", "9/io": strings.Repeat("../", 40) + "etc/passwd", "9/maps": "/dev/zero", "9/fd": "/", "9/environ": "/proc/self/mem",
	} {
		if err := os.Symlink(to, path("proc/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(path("proc/8/statm"), 1<<30); err != nil {
		t.Skipf("no huge files here: %v", err)
	}
	if err := syscall.Mkfifo(path("proc/9/schedstat"), 0o666); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	p := newCollector(procfstest.Options(dir))
	a := p.agent()
	_, failed := procfstest.FetchAll(t, a)
	for name, err := range failed {
		if code := pmerr.Of(err); code != pmerr.AppVersion && code != pmerr.Value {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"proc.psinfo.psargs": `000007 a="a"|000008 b="b"|000009 <exiting>="<exiting>"`, "proc.io.rchar": "000007 a=5|000009 <exiting>=0", "cgroup.cpuset.cpus": `/=""`, "cgroup.memory.stat.cache": "",
	} {
		if got := procfstest.Values(t, a, name)[0]; got != want {
			t.Errorf("%s: got %.300s, want %s", name, got, want)
		}
	}
	if n := len(p.Root.Buf); n > 64<<20 {
		t.Errorf("the buffer has %d bytes", n)
	}
}
