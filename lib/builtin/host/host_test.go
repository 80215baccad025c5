package host

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/builtin/linux"
	"pmtools/lib/builtin/proc"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	_ "pmtools/test/env"
)

// values fetches all metrics of a provider: their values by names of metrics, and of instances or ""
// for none.
func values(t *testing.T, p pmda.Provider) map[string]map[string]pcp.Value {
	t.Helper()
	names := procfstest.Names(p)
	res := procfstest.Fetch(t, p, nil, names...)
	out, instances := map[string]map[string]pcp.Value{}, map[pcp.InDom]map[int32]string{}
	for i := range res.Sets {
		d, err := p.Desc(context.Background(), nil, res.Sets[i].ID)
		if err != nil {
			t.Fatal(err)
		}
		if instances[d.InDom] == nil {
			instances[d.InDom] = map[int32]string{}
			list, _ := p.Instances(context.Background(), nil, d.InDom) // there are none of no domain
			for _, in := range list {
				instances[d.InDom][in.ID] = in.Name
				if d.InDom.Serial() == processSerial { // their names differ
					instances[d.InDom][in.ID] = strconv.Itoa(int(in.ID))
				}
			}
		}
		out[names[i]] = map[string]pcp.Value{}
		for k, inst := range res.Sets[i].Insts {
			out[names[i]][instances[d.InDom][inst]] = res.Sets[i].Value(k)
		}
	}
	return out
}

// TestSystem checks the metrics that every system has.
func TestSystem(t *testing.T) {
	v := values(t, New(0))
	for _, name := range []string{"hinv.ncpu", "hinv.physmem", "hinv.pagesize", "mem.physmem", "mem.util.used", "mem.freemem", "kernel.all.boottime", "kernel.all.cpu.idle", "hinv.ninterface"} {
		if w, ok := v[name][""]; !ok || w.Word() == 0 {
			t.Errorf("%s: %v", name, v[name])
		}
	}
	if n := len(v["kernel.percpu.cpu.user"]); n != 0 && uint64(n) != v["hinv.ncpu"][""].Word() {
		t.Errorf("%d processors", n)
	}
	own := strconv.Itoa(os.Getpid())
	v = values(t, NewProcesses(0))
	if v["proc.psinfo.pid"][own].Word() != uint64(os.Getpid()) || v["proc.memory.rss"][own].Word() == 0 || v["proc.nprocs"][""].Word() == 0 {
		t.Errorf("this process: %v, %v of %v", v["proc.psinfo.pid"][own], v["proc.memory.rss"][own], v["proc.nprocs"])
	}
}

// same are the metrics whose values do not change; the values of other counters are between those
// before and after.
var same = map[string]bool{
	"hinv.physmem": true, "hinv.pagesize": true, "hinv.ncpu": true, "hinv.machine": true, "kernel.uname.sysname": true, "kernel.uname.release": true, "kernel.uname.machine": true,
	"kernel.uname.nodename": true, "mem.physmem": true, "mem.util.swapTotal": true, "swap.length": true, "filesys.capacity": true, "filesys.mountdir": true, "network.interface.mtu": true,
	"network.interface.hw_addr": true, "network.interface.inet_addr": true, "hinv.cpu.vendor": true, "hinv.cpu.model_name": true,
	"proc.psinfo.pid": true, "proc.psinfo.ppid": true, "proc.id.uid": true,
}

// apart reports whether a metric is counted otherwise, or may go backwards.
func apart(name string) bool {
	return strings.HasPrefix(name, "network.all.") || strings.HasSuffix(name, "cpu.wait.total") || strings.HasSuffix(name, "cpu.idle")
}

// emulated reports whether a metric describes the machine below an emulator of processors: qemu
// shows its /proc/cpuinfo in part only, and the two readers take different lines of it.
func emulated(name string) bool {
	return strings.HasPrefix(name, "hinv.cpu.") && !strings.HasSuffix(runtime.GOARCH, "86") && runtime.GOARCH != "amd64"
}

// rounded are counters that are hundredths of seconds there, and cut differently here.
const rounded = 20

// TestLinux compares descriptions and values with those of the linux and proc collectors: constant
// values are the same, and counters are between two values of those collectors.
func TestLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not Linux")
	}
	for _, c := range []struct{ ours, theirs pmda.Provider }{{New(0), linux.New(&linux.Options{})}, {NewProcesses(0), proc.New(&proc.Options{})}} {
		before := values(t, c.theirs)
		v := values(t, c.ours)
		after := values(t, c.theirs)
		compared := 0
		ids := map[string]pcp.ID{}
		for _, n := range c.theirs.Names() {
			ids[n.Name] = n.ID
		}
		for _, n := range c.ours.Names() {
			d, err := c.ours.Desc(context.Background(), nil, n.ID)
			w, err2 := c.theirs.Desc(context.Background(), nil, ids[n.Name])
			if err != nil || err2 != nil || d != w {
				t.Errorf("%s: %+v, %v; linux has %+v, %v", n.Name, d, err, w, err2)
			}
			for inst, x := range v[n.Name] {
				a, ok := before[n.Name][inst]
				b, ok2 := after[n.Name][inst]
				if !ok || !ok2 || apart(n.Name) || emulated(n.Name) || inst == "" && d.InDom != pcp.NullInDom {
					continue
				}
				switch {
				case same[n.Name]:
					if compared++; fmt.Sprint(x) != fmt.Sprint(a) && fmt.Sprint(x) != fmt.Sprint(b) {
						t.Errorf("%s %s: %v, linux has %v", n.Name, inst, x, a)
					}
				case d.Sem == pcp.Counter && x.Type() != pcp.Uint32:
					if compared++; x.Word()+rounded < a.Word() || x.Word() > b.Word()+rounded {
						t.Errorf("%s %s: %v, linux has %v to %v", n.Name, inst, x, a, b)
					}
				}
			}
		}
		if compared < 20 {
			t.Errorf("only %d values compared", compared)
		}
	}
}
