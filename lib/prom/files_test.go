package prom_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"

	"pmtools/lib/builtin/linux"
	"pmtools/lib/builtin/proc"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// fileCases are the files of the kernel that both the collectors inside and prometheus/procfs read.
var fileCases = []struct {
	file    string
	metrics string // beginnings of the names of the metrics of the file
	read    func(fs procfs.FS, root string) error
}{
	{"stat", "kernel.all.cpu.", func(fs procfs.FS, _ string) error { _, err := fs.Stat(); return err }},
	{"meminfo", "mem.util.", func(fs procfs.FS, _ string) error { _, err := fs.Meminfo(); return err }},
	{"loadavg", "kernel.all.load", func(fs procfs.FS, _ string) error { _, err := fs.LoadAvg(); return err }},
	{"net/dev", "network.interface.in. network.interface.out.", func(fs procfs.FS, _ string) error { _, err := fs.NetDev(); return err }},
	{"net/softnet_stat", "network.softnet.percpu.", func(fs procfs.FS, _ string) error { _, err := fs.NetSoftnetStat(); return err }},
	{"diskstats", "disk.dev.read disk.dev.write disk.dev.blk", func(_ procfs.FS, root string) error {
		fs, err := blockdevice.NewFS(filepath.Join(root, "proc"), filepath.Join(root, "sys"))
		if err == nil {
			_, err = fs.ProcDiskstats()
		}
		return err
	}},
	{"self/stat", "proc.psinfo.utime proc.psinfo.stime proc.psinfo.rss proc.psinfo.vsize", func(fs procfs.FS, _ string) error {
		p, err := fs.Proc(1)
		if err == nil {
			_, err = p.Stat()
		}
		return err
	}},
	{"self/status", "proc.memory.vm", func(fs procfs.FS, _ string) error {
		p, err := fs.Proc(1)
		if err == nil {
			_, err = p.NewStatus()
		}
		return err
	}},
}

// kernelFiles copies the files of this system below a directory, changed by f, those of the process
// itself as those of process 1.
func kernelFiles(t testing.TB, f func(line string) string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("not Linux")
	}
	root := t.TempDir()
	for _, c := range append(fileCases, fileCases[0]) {
		text, err := os.ReadFile("/proc/" + c.file)
		if err != nil {
			t.Skip(err)
		}
		path := filepath.Join(root, "proc", strings.Replace(c.file, "self", "1", 1))
		lines := strings.SplitAfter(string(text), "\n")
		for i, line := range lines {
			if end := strings.TrimRight(line, "\n"); end != "" {
				lines[i] = f(end) + "\n"
			}
		}
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "sys"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

// collect fetches the metrics of a file, and returns the number of values.
func collect(t testing.TB, agent *pmda.Agent, metrics string, res *pcp.Result) func() int {
	t.Helper()
	req := &pmda.Request{}
	for _, n := range agent.Names() {
		for prefix := range strings.FieldsSeq(metrics) {
			if strings.HasPrefix(n.Name, prefix) {
				req.IDs = append(req.IDs, n.ID)
			}
		}
	}
	return func() int {
		if err := agent.Fetch(context.Background(), req, res); err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := range res.Sets {
			n += res.Sets[i].Len()
		}
		return n
	}
}

func agentOf(metrics, root string) *pmda.Agent {
	if strings.HasPrefix(metrics, "proc.") {
		return proc.New(&proc.Options{Root: root})
	}
	return linux.New(&linux.Options{Root: root})
}

// BenchmarkFiles reads each file with the collectors, up to columns of values, and with
// prometheus/procfs. docs/dependencies.md says what follows from it.
func BenchmarkFiles(b *testing.B) {
	root := kernelFiles(b, func(line string) string { return line })
	fs, err := procfs.NewFS(filepath.Join(root, "proc"))
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range fileCases {
		b.Run(c.file+"/pmtools", func(b *testing.B) {
			b.ReportAllocs()
			var res pcp.Result
			fetch := collect(b, agentOf(c.metrics, root), c.metrics, &res)
			for b.Loop() {
				if fetch() == 0 {
					b.Fatal("no values")
				}
			}
		})
		b.Run(c.file+"/procfs", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.read(fs, root); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// guarded returns the error of f, or its panic as one.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// TestDamagedFiles reads files without the last word of each line, and with a number that needs more
// than 64 bits: the collectors have values, as the reference's agents do.
func TestDamagedFiles(t *testing.T) {
	for name, change := range map[string]func(line string) string{
		"last word": func(line string) string {
			if i := strings.LastIndexAny(line, " \t"); i > 0 {
				return line[:i]
			}
			return line
		},
		"large number": func(line string) string { return strings.Replace(line, " 0", " 99999999999999999999", 1) },
	} {
		root := kernelFiles(t, change)
		fs, err := procfs.NewFS(filepath.Join(root, "proc"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range fileCases {
			var res pcp.Result
			n, err := collect(t, agentOf(c.metrics, root), c.metrics, &res)(), guarded(func() error { return c.read(fs, root) })
			if n == 0 && c.file != "diskstats" && c.file != "loadavg" { // a container may have no disks
				t.Errorf("%s: %s: no values", name, c.file)
			}
			t.Logf("%s: %s: %d values; prometheus/procfs: %v", name, c.file, n, err)
		}
	}
}
