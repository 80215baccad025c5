package proc

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

func TestFaults(t *testing.T) {
	procfstest.Faults(t, func(dir string) (*pmda.Agent, *procfs.Root) {
		p := newCollector(procfstest.Options(dir))
		return p.agent(), p.Root
	}, `^$`, "/stat", "/statm", "/status", "/io", "/schedstat", "/oom_score", "/wchan", "/autogroup", "/cgroup", "/smaps_rollup", "/cmdline", "/environ", "/current")
}

// TestProcessGoes removes a process after each number of its files was read: the others have all
// their values, and it has those that were read.
func TestProcessGoes(t *testing.T) {
	files := map[string]string{}
	for _, pid := range []string{"5", "6"} {
		for name, text := range map[string]string{
			"stat": pid + " (a) S 1 2 3\n", "statm": "1 2\n", "status": "Name:\ta\nUid:\t0\t0\t0\t0\n", "cmdline": "a\x00", "io": "rchar: 1\n", "schedstat": "1 2 3\n", "fd/0": "",
			"wchan": "x", "environ": "A=1\x00", "maps": "1-2\n", "numa_maps": "1 default heap N0=1\n", "cgroup": "0::/\n", "oom_score": "1\n", "autogroup": "/autogroup-5 nice 2\n",
		} {
			files["proc/"+pid+"/"+name] = text
		}
	}
	most := 0
	for n := 0; n <= most; n++ { // 0 removes nothing
		dir := procfstest.Files(t, files)
		p := newCollector(procfstest.Options(dir))
		a := p.agent()
		reads := 0
		p.Root.Through = func(name string, r io.Reader) io.Reader {
			if strings.HasPrefix(name, "proc/5/") {
				if reads++; reads == n {
					if err := os.RemoveAll(filepath.Join(dir, "proc/5")); err != nil {
						t.Fatal(err)
					}
				}
			}
			return r
		}
		names := slices.DeleteFunc(procfstest.Names(a), func(name string) bool { return !strings.HasPrefix(name, "proc.") })
		res := procfstest.Fetch(t, a, nil, names...)
		for i := range res.Sets {
			set := &res.Sets[i]
			switch at := slices.Index(set.Insts, 6); {
			case set.Err != nil && set.Err != pmerr.AppVersion:
				t.Errorf("after %d files: %s: %v", n, names[i], set.Err)
			case slices.Index(set.Insts, 5) >= 0 && at < 0:
				t.Errorf("after %d files: %s is about the process that has gone only", n, names[i])
			}
		}
		if n == 0 {
			most = reads
			continue
		}
		for name, want := range map[string]string{"proc.memory.size": "000006 a=4", "proc.io.rchar": "000006 a=1", "proc.fd.count": "000006 a=1", "proc.nprocs": "1"} {
			if got := procfstest.Values(t, a, name)[0]; got != want {
				t.Errorf("after %d files: %s is %s in the next fetch, want %s", n, name, got, want)
			}
		}
	}
	if most < 12 {
		t.Errorf("%d files of the process are read", most)
	}
}

// TestHidden reads processes whose files the kernel hides, as with hidepid=1: a metric without any
// value has that error, others have the values of the processes that are shown.
func TestHidden(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{
		"proc/1/cmdline": "a\x00", "proc/1/attr/current": "x", "proc/1/statm": "1", "proc/7/cmdline": "b\x00", "proc/7/statm": "2",
	})
	p := newCollector(procfstest.Options(dir))
	a := p.agent()
	p.Root.Through = func(name string, r io.Reader) io.Reader {
		if strings.HasPrefix(name, "proc/1/") {
			return iotest.ErrReader(syscall.EPERM)
		}
		return r
	}
	for name, want := range map[string]string{
		"proc.psinfo.labels": "error Operation not permitted", "proc.memory.size": "000007 b=8", "proc.psinfo.pid": "000001 <exiting>=1|000007 b=7",
	} {
		if got := procfstest.Values(t, a, name)[0]; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
