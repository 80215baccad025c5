package linux

import (
	"context"
	"strings"
	"testing"

	"pmtools/lib/builtin/proc"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// descriptions are descriptions of metrics, some of each kind (collector.md C15).
var descriptions = []struct {
	name, id string
	typ      pcp.Type
	indom    string
	sem      pcp.Sem
	units    string
}{
	{"hinv.ncpu", "60.0.32", pcp.Uint32, "", pcp.Discrete, ""},
	{"hinv.physmem", "60.1.9", pcp.Uint32, "", pcp.Discrete, "Mbyte"},
	{"hinv.pagesize", "60.1.11", pcp.Uint32, "", pcp.Discrete, "byte"},
	{"hinv.cpu.clock", "60.18.0", pcp.Float, "60.0", pcp.Discrete, "/ microsec"},
	{"hinv.cpu.online", "60.55.0", pcp.Uint32, "60.0", pcp.Instant, ""},
	{"hinv.map.cpu_node", "60.18.8", pcp.Uint32, "60.0", pcp.Discrete, ""},
	{"kernel.all.load", "60.2.0", pcp.Float, "60.2", pcp.Instant, ""},
	{"kernel.all.uptime", "60.26.0", pcp.Double, "", pcp.Instant, "sec"},
	{"kernel.all.boottime", "60.0.17", pcp.Int64, "", pcp.Discrete, "sec"},
	{"kernel.all.hz", "60.0.48", pcp.Uint32, "", pcp.Discrete, "count / sec"},
	{"kernel.all.pswitch", "60.0.13", pcp.Uint64, "", pcp.Counter, "count"},
	{"kernel.all.cpu.user", "60.0.20", pcp.Uint64, "", pcp.Counter, "millisec"},
	{"kernel.all.cpu.vnice", "60.0.82", pcp.Uint64, "", pcp.Counter, "millisec"},
	{"kernel.percpu.cpu.irq.soft", "60.0.56", pcp.Uint64, "60.0", pcp.Counter, "millisec"},
	{"kernel.pernode.cpu.user", "60.0.62", pcp.Uint64, "60.19", pcp.Counter, "millisec"},
	{"kernel.all.interrupts.total", "60.4.0", pcp.Uint64, "60.4", pcp.Counter, "count"},
	{"kernel.percpu.interrupts", "60.4.1", pcp.Uint32, "60.40", pcp.Counter, "count"},
	{"kernel.all.pressure.cpu.some.avg", "60.83.0", pcp.Float, "60.37", pcp.Instant, ""},
	{"kernel.all.pressure.io.full.total", "60.85.3", pcp.Uint64, "", pcp.Counter, "microsec"},
	{"kernel.uname.release", "60.12.0", pcp.String, "", pcp.Discrete, ""},
	{"mem.physmem", "60.1.0", pcp.Uint64, "", pcp.Discrete, "Kbyte"},
	{"mem.util.available", "60.1.58", pcp.Uint64, "", pcp.Instant, "Kbyte"},
	{"mem.util.hugepagesTotal", "60.1.44", pcp.Uint64, "", pcp.Instant, "count"},
	{"mem.vmstat.pgfault", "60.28.16", pcp.Uint64, "", pcp.Counter, "count"},
	{"mem.vmstat.oom_kill", "60.28.166", pcp.Uint64, "", pcp.Counter, "count"},
	{"mem.numa.util.free", "60.36.1", pcp.Uint64, "60.19", pcp.Instant, "Kbyte"},
	{"mem.slabinfo.objects.size", "60.20.2", pcp.Uint32, "60.12", pcp.Instant, "byte"},
	{"mem.zoneinfo.free", "60.68.0", pcp.Uint64, "60.32", pcp.Instant, "Kbyte"},
	{"mem.buddyinfo.pages", "60.67.0", pcp.Uint64, "60.31", pcp.Instant, ""},
	{"swap.pagesin", "60.0.8", pcp.Uint32, "", pcp.Counter, "count"},
	{"swap.used", "60.1.7", pcp.Uint64, "", pcp.Instant, "byte"},
	{"swapdev.priority", "60.6.4", pcp.Int32, "60.6", pcp.Instant, ""},
	{"disk.dev.read", "60.0.4", pcp.Uint64, "60.1", pcp.Counter, "count"},
	{"disk.dev.read_bytes", "60.0.38", pcp.Uint64, "60.1", pcp.Counter, "Kbyte"},
	{"disk.dev.avactive", "60.0.46", pcp.Uint32, "60.1", pcp.Counter, "millisec"},
	{"disk.dev.scheduler", "60.0.59", pcp.String, "60.1", pcp.Discrete, ""},
	{"disk.all.avactive", "60.0.44", pcp.Uint64, "", pcp.Counter, "millisec"},
	{"disk.partitions.write_bytes", "60.10.7", pcp.Uint64, "60.10", pcp.Counter, "Kbyte"},
	{"disk.dm.read", "60.54.0", pcp.Uint64, "60.24", pcp.Counter, "count"},
	{"disk.md.read", "60.59.0", pcp.Uint64, "60.25", pcp.Counter, "count"},
	{"filesys.capacity", "60.5.1", pcp.Uint64, "60.5", pcp.Discrete, "Kbyte"},
	{"filesys.full", "60.5.8", pcp.Double, "60.5", pcp.Instant, ""},
	{"filesys.mountdir", "60.5.7", pcp.String, "60.5", pcp.Discrete, ""},
	{"tmpfs.used", "60.34.2", pcp.Uint64, "60.18", pcp.Instant, "Kbyte"},
	{"vfs.files.count", "60.27.0", pcp.Int32, "", pcp.Instant, ""},
	{"network.interface.in.bytes", "60.3.0", pcp.Uint64, "60.3", pcp.Counter, "byte"},
	{"network.interface.speed", "60.3.22", pcp.Float, "60.3", pcp.Discrete, "Mbyte / sec"},
	{"network.interface.baudrate", "60.3.23", pcp.Uint64, "60.3", pcp.Discrete, "byte / sec"},
	{"network.interface.inet_addr", "60.33.0", pcp.String, "60.17", pcp.Discrete, ""},
	{"network.sockstat.total", "60.11.9", pcp.Int32, "", pcp.Instant, "count"},
	{"network.tcpconn.established", "60.19.1", pcp.Uint32, "", pcp.Instant, "count"},
	{"network.ip.inreceives", "60.14.2", pcp.Uint64, "", pcp.Counter, "count"},
	{"network.tcp.currestab", "60.14.58", pcp.Uint64, "", pcp.Instant, ""},
	{"network.udp.indatagrams", "60.14.70", pcp.Uint64, "", pcp.Counter, "count"},
	{"network.icmpmsg.intype", "60.14.88", pcp.Uint64, "60.23", pcp.Counter, "count"},
	{"ipc.shm.segsz", "60.64.3", pcp.Uint32, "60.28", pcp.Discrete, "byte"},
	{"proc.nprocs", "3.8.99", pcp.Uint32, "", pcp.Instant, ""},
	{"proc.psinfo.pid", "3.8.0", pcp.Uint32, "3.9", pcp.Discrete, ""},
	{"proc.psinfo.psargs", "3.8.41", pcp.String, "3.9", pcp.Discrete, ""},
	{"proc.psinfo.utime", "3.8.13", pcp.Uint64, "3.9", pcp.Counter, "millisec"},
	{"proc.psinfo.nice", "3.8.18", pcp.Int32, "3.9", pcp.Instant, ""},
	{"proc.psinfo.rss", "3.8.23", pcp.Uint64, "3.9", pcp.Instant, "Kbyte"},
	{"proc.psinfo.threads", "3.24.28", pcp.Uint32, "3.9", pcp.Instant, ""},
	{"proc.memory.size", "3.9.0", pcp.Uint32, "3.9", pcp.Instant, "Kbyte"},
	{"proc.memory.vmrss", "3.24.22", pcp.Uint32, "3.9", pcp.Instant, "Kbyte"},
	{"proc.id.uid", "3.24.0", pcp.Uint32, "3.9", pcp.Discrete, ""},
	{"proc.id.uid_nm", "3.24.8", pcp.String, "3.9", pcp.Discrete, ""},
	{"proc.io.rchar", "3.32.0", pcp.Uint64, "3.9", pcp.Counter, "byte"},
	{"proc.schedstat.cpu_time", "3.31.0", pcp.Uint64, "3.9", pcp.Counter, "nanosec"},
	{"proc.fd.count", "3.51.0", pcp.Uint32, "3.9", pcp.Instant, "count"},
	{"proc.runq.runnable", "3.13.0", pcp.Int32, "", pcp.Instant, "count"},
}

func TestDescriptions(t *testing.T) {
	dir := t.TempDir()
	ids := map[string]pcp.ID{}
	providers := map[uint32]pmda.Provider{Domain: New(&Options{Root: dir}), proc.Domain: proc.New(&proc.Options{Root: dir})}
	for _, p := range providers {
		for _, n := range p.Names() {
			ids[n.Name] = n.ID
		}
	}
	for _, c := range descriptions {
		id, ok := ids[c.name]
		if !ok {
			t.Errorf("there is no %s", c.name)
			continue
		}
		d, err := providers[id.Domain()].Desc(context.Background(), nil, id)
		indom := ""
		if d.InDom != pcp.NullInDom {
			indom = d.InDom.String()
		}
		if err != nil {
			t.Errorf("%s: got %s %s %s %s %q, %v", c.name, d.ID, d.Type, indom, d.Sem, d.Units, err)
		} else if d.ID.String() != c.id || d.Type != c.typ {
			t.Errorf("%s: got %s %s %s %s %q, %v", c.name, d.ID, d.Type, indom, d.Sem, d.Units, err)
		} else if indom != c.indom || d.Sem != c.sem || d.Units.String() != c.units {
			t.Errorf("%s: got %s %s %s %s %q, %v", c.name, d.ID, d.Type, indom, d.Sem, d.Units, err)
		}
	}
}

// TestNames checks the lists of metrics as a whole.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		agent *pmda.Agent
		least int
	}{{newCollector(&Options{Root: dir}).agent(), 1300}, {proc.New(&proc.Options{Root: dir}), 150}} {
		names := map[string]bool{}
		ids := map[pcp.ID]string{}
		for _, n := range c.agent.Names() {
			if names[n.Name] || ids[n.ID] != "" {
				t.Errorf("%s %s is there twice (%s)", n.Name, n.ID, ids[n.ID])
			}
			names[n.Name], ids[n.ID] = true, n.Name
			if n.ID.Domain() != c.agent.Domain() {
				t.Errorf("%s is of domain %d", n.Name, n.ID.Domain())
			}
		}
		if len(names) < c.least {
			t.Errorf("domain %d has %d metrics", c.agent.Domain(), len(names))
		}
		for name := range names { // a name is not the beginning of another
			for i := strings.LastIndexByte(name, '.'); i > 0; i = strings.LastIndexByte(name[:i], '.') {
				if names[name[:i]] {
					t.Errorf("%s is below %s", name, name[:i])
				}
			}
		}
	}
}

// TestTexts checks that all metrics and instance domains have help texts.
func TestTexts(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	for _, a := range []*pmda.Agent{newCollector(&Options{Root: dir}).agent(), proc.New(&proc.Options{Root: dir})} {
		for _, n := range a.Names() {
			for _, kind := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
				text, err := a.Text(ctx, nil, n.ID, kind)
				if err != nil {
					t.Errorf("%s: %q, %v", n.Name, text, err)
				} else if text == "" || strings.TrimSpace(text) != text || strings.HasSuffix(text, ".") {
					t.Errorf("%s: %q, %v", n.Name, text, err)
				}
				if kind == pcp.OneLine && (strings.Contains(text, "\n") || len(text) > 120) {
					t.Errorf("%s: %q is not one line", n.Name, text)
				}
			}
			d, err := a.Desc(ctx, nil, n.ID)
			if err != nil || d.InDom == pcp.NullInDom {
				continue
			}
			if text, err := a.InDomText(ctx, nil, d.InDom, pcp.OneLine); err != nil || text == "" {
				t.Errorf("%s: %q, %v", d.InDom, text, err)
			}
		}
	}
}
