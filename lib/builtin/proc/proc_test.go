package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

func TestMachines(t *testing.T) {
	procfstest.Machines(t, func(o *Options) *pmda.Agent { return newCollector(o).agent() })
}

func TestGolden(t *testing.T) {
	procfstest.Golden(t, newCollector(procfstest.Options(procfstest.Tree(t))).agent(), Domain, 148)
}

// processFiles makes a directory with files of processes: "12/stat" and their contents.
func processFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, "proc", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestInstances(t *testing.T) {
	dir := processFiles(t, map[string]string{
		"12/cmdline": "sshd: root\x00", "7/cmdline": "", "7/status": "Name:\tkworker/0:1 x\n", "100/cmdline": "", "123456789/cmdline": "x",
		"self/cmdline": "no", "012/cmdline": "no", "+5/cmdline": "no", "0/cmdline": "no", "99999999999/cmdline": "no", "13/stat": "13 (gone) S",
	})
	p := newCollector(procfstest.Options(dir)).agent()
	want := []pcp.Instance{
		{ID: 7, Name: "000007 (kworker/0:1"}, {ID: 12, Name: "000012 sshd:"}, {ID: 13, Name: "000013 <exiting>"},
		{ID: 100, Name: "000100 <exiting>"}, {ID: 123456789, Name: "123456789 x"},
	}
	list, err := p.Instances(context.Background(), nil, pcp.NewInDom(Domain, processSerial))
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("got %v, %v, want %v", list, err, want)
	}
	// The process is another program now.
	if err := os.WriteFile(filepath.Join(dir, "proc/12/cmdline"), []byte("sh"), 0o644); err != nil {
		t.Fatal(err)
	}
	want[1].Name = "000012 sh"
	if list, err = p.Instances(context.Background(), nil, pcp.NewInDom(Domain, processSerial)); err != nil || !slices.Equal(list, want) {
		t.Errorf("got %v, %v, want %v", list, err, want)
	}
	if n := procfstest.Values(t, p, "proc.nprocs")[0]; n != "5" {
		t.Errorf("%s processes", n)
	}
	if id, err := p.FindInstance(context.Background(), nil, pcp.NewInDom(Domain, processSerial), "000012"); err != nil || id != 12 {
		t.Errorf("instance %d, %v", id, err)
	}
}

func TestMissing(t *testing.T) {
	p := newCollector(procfstest.Options(filepath.Join(t.TempDir(), "missing"))).agent()
	names := procfstest.Names(p)
	for i, got := range procfstest.Values(t, p, names...) {
		n := pmda.Name{Name: names[i]}
		switch {
		case n.Name == "proc.nprocs", strings.HasPrefix(n.Name, "proc.runq."), strings.HasSuffix(n.Name, ".count") && strings.HasPrefix(n.Name, "cgroup."), n.Name == "hotproc.nprocs", strings.HasSuffix(n.Name, ".autogroup.enabled"):
			if got != "0" {
				t.Errorf("%s: %s", n.Name, got)
			}
		case strings.Contains(n.Name, ".control."), strings.HasPrefix(n.Name, "hotproc.total."):
		case got != "":
			t.Errorf("%s: %s", n.Name, got)
		}
	}
}

// tracedAgent returns a collector that notes which files it reads, those of processes without their
// numbers.
func tracedAgent(dir string) (*pmda.Agent, *[]string) {
	p, files := newCollector(procfstest.Options(dir)), &[]string{}
	p.Root.Trace = func(name string) { *files = append(*files, name) }
	return p.agent(), files
}

// TestOnce asks for values, and then for the names of their instances: the command lines are read
// once. Names that are asked for again are those of the processes at that time.
func TestOnce(t *testing.T) {
	dir := processFiles(t, map[string]string{"5/stat": "5 (x) R 7", "5/cmdline": "before"})
	p, files := tracedAgent(dir)
	procfstest.Fetch(t, p, nil, "proc.psinfo.psargs", "proc.runq.runnable")
	procfstest.File(t, dir, "proc/5/cmdline", "after")
	for _, want := range []string{"000005 before", "000005 after"} {
		list, err := p.Instances(context.Background(), nil, pcp.NewInDom(Domain, processSerial))
		if err != nil || len(list) != 1 || list[0].Name != want {
			t.Errorf("got %v, %v, want %s", list, err, want)
		}
	}
	slices.Sort(*files)
	if got, want := strings.Join(*files, " "), "proc/5/cmdline proc/5/cmdline proc/5/stat"; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
}

func TestFiles(t *testing.T) {
	dir := processFiles(t, map[string]string{
		"5/stat": "5 (x) R 7", "5/status": "Uid:\t0\t0\t0\t0\n", "5/statm": "1 2 3", "5/cmdline": "x", "5/io": "rchar: 3\n", "6/stat": "6 (y) R 7",
	})
	const passwd, group = "etc/passwd", "etc/group"
	for _, c := range []struct {
		metrics string
		want    string
	}{
		{"proc.nprocs", ""},
		{"proc.psinfo.pid", ""},
		{"proc.psinfo.utime proc.psinfo.stime proc.psinfo.ttyname", "proc/5/stat proc/6/stat"},
		{"proc.memory.vmsize proc.id.uid proc.psinfo.threads", "proc/5/status proc/6/status"},
		{"proc.id.uid_nm proc.id.gid_nm proc.id.uid", "proc/5/status proc/6/status " + passwd + " " + group},
		{"proc.io.rchar proc.io.wchar", "proc/5/io proc/6/io"},
		{"proc.psinfo.psargs", "proc/5/cmdline proc/6/cmdline proc/6/status"},
		{"proc.runq.runnable proc.runq.blocked", "proc/5/stat proc/6/stat"},
		{"proc.runq.runnable proc.psinfo.utime", "proc/5/stat proc/6/stat"},
		{"proc.memory.rss proc.fd.count proc.psinfo.exe", "proc/5/statm proc/6/statm"},
	} {
		p, files := tracedAgent(dir)
		procfstest.Fetch(t, p, nil, strings.Fields(c.metrics)...)
		if got := strings.Join(*files, " "); got != c.want {
			t.Errorf("%s: read %s, want %s", c.metrics, got, c.want)
		}
	}
}

func TestProfile(t *testing.T) {
	dir := processFiles(t, map[string]string{"5/statm": "1", "6/statm": "2", "7/statm": "3"})
	p, files := tracedAgent(dir)
	var profile pcp.Profile
	profile.DelAll()
	profile.Add(pcp.NewInDom(Domain, processSerial), 6, 99)
	var res pcp.Result
	req := &pmda.Request{IDs: []pcp.ID{pcp.NewID(Domain, 9, 0)}, Profile: &profile}
	if err := p.Fetch(context.Background(), req, &res); err != nil {
		t.Fatal(err)
	}
	if v := &res.Sets[0]; v.Len() != 1 || v.Insts[0] != 6 {
		t.Errorf("%+v", v)
	}
	if !slices.Equal(*files, []string{"proc/6/statm"}) {
		t.Errorf("read %q", *files)
	}
}

// testClient returns a client with a user's number.
func testClient(uid string) *pmda.Client {
	return &pmda.Client{Attrs: map[pdu.AttrCode]string{pmda.UserID: uid}}
}

func TestAccess(t *testing.T) {
	own, other := strconv.Itoa(os.Geteuid()), strconv.Itoa(os.Geteuid()+4711)
	dir := processFiles(t, map[string]string{
		"5/stat": "5 (x) R 7", "5/io": "rchar: 3\n", "5/status": "Uid:\t" + other + "\t0\n", "5/environ": "A=1\x00", "5/maps": "m\n", "5/fd/0": "",
		"6/stat": "6 (y) R 7", "6/io": "rchar: 4\n", "6/status": "Uid:\t" + own + "\t0\n", "6/environ": "B=2\x00", "6/maps": "n\n",
		"7/stat": "7 (z) R 7", "7/io": "rchar: 5\n",
	})
	p := newCollector(procfstest.Options(dir)).agent()
	for _, c := range []struct {
		name   string
		client *pmda.Client
		want   string // of psinfo.ppid, io.rchar, psinfo.environ, memory.maps, fd.count
	}{
		{"none", nil, `3 3 ["A=1" "B=2" ""] ["m" "n"] [1]`},
		{"superuser", testClient("0"), `3 3 ["A=1" "B=2" ""] ["m" "n"] [1]`},
		{"the same", testClient(own), `3 3 ["A=1" "B=2" ""] ["m" "n"] [1]`},
		{"other", testClient(other), `3 1 ["A=1" "" ""] ["m" ""] [1]`},
		{"nobody's", testClient("65533"), `3 0 ["" "" ""] ["" ""] [0]`},
		{"odd", testClient("x"), `3 0 ["" "" ""] ["" ""] [0]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := procfstest.Fetch(t, p, c.client, "proc.psinfo.ppid", "proc.io.rchar", "proc.psinfo.environ", "proc.memory.maps", "proc.fd.count")
			got := []string{strconv.Itoa(res.Sets[0].Len()), strconv.Itoa(res.Sets[1].Len())}
			for _, set := range res.Sets[2:] {
				var parts []string
				for i := range set.Insts {
					parts = append(parts, procfstest.Shown(set.Value(i)))
				}
				got = append(got, "["+strings.Join(parts, " ")+"]")
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %s, want %s", strings.Join(got, " "), c.want)
			}
		})
	}
	for _, client := range []*pmda.Client{{}, testClient("")} {
		res := procfstest.Fetch(t, p, client, "proc.psinfo.ppid", "proc.nprocs", "proc.runq.runnable")
		if res.Sets[0].Err != pmerr.Permission || res.Sets[1].Err != nil || res.Sets[2].Err != nil {
			t.Errorf("a client that nothing is known of: %v %v %v", res.Sets[0].Err, res.Sets[1].Err, res.Sets[2].Err)
		}
	}
}

func TestUnknown(t *testing.T) {
	p := New(&Options{Root: t.TempDir()})
	if _, err := p.Desc(context.Background(), nil, pcp.NewID(Domain, 4000, 0)); !errors.Is(err, pmerr.PMID) {
		t.Errorf("%v", err)
	}
	if _, err := p.Instances(context.Background(), nil, pcp.NewInDom(Domain, 1234)); !errors.Is(err, pmerr.InDom) {
		t.Errorf("%v", err)
	}
	if p.Domain() != Domain {
		t.Errorf("domain %d", p.Domain())
	}
}

func Benchmark(b *testing.B) {
	dir := procfstest.Tree(b)
	for _, names := range []string{"proc.psinfo.utime", "proc.memory.vmsize", "proc.psinfo.psargs"} {
		b.Run(names, func(b *testing.B) {
			p := New(&Options{Root: dir})
			i := slices.IndexFunc(p.Names(), func(n pmda.Name) bool { return n.Name == names })
			req := &pmda.Request{IDs: []pcp.ID{p.Names()[i].ID}}
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

// TestVariables sets the variables of the reference's agent.
func TestVariables(t *testing.T) {
	dir := processFiles(t, map[string]string{
		"10/cmdline": "x", "10/stat": "10 (x) S 1 1 1 0 -1 0 0 0 0 0 50 60 0 0 20 0 2 0 1000 4096 200", "10/status": "Tgid:\t10\nUid:\t5\n", "10/io": "rchar: 7\n",
		"10/task/10/stat": "10 (x) S 1 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 2 0 1000 4096 200", "10/task/11/stat": "11 (y) R 1", "10/task/12/stat": "12 (z) R 1",
		"11/task/11/stat": "11 (y) R 1 1 1 0 -1 0 0 0 0 0 45 54 0 0 20 0 2 0 1001 4096 300",
	})
	other := &pmda.Client{Attrs: map[pdu.AttrCode]string{pmda.UserID: "77"}}
	for _, c := range []struct {
		vars string // NAME=VALUE
		want string // processes, their time in the program and their size; the metrics of io for another user
	}{
		{"", "2; 000010 x=500; 000010 x=800; 0"},
		{"PROC_HERTZ=1000 PROC_PAGESIZE=16384", "2; 000010 x=50; 000010 x=3200; 0"},
		{"PROC_HERTZ=0 PROC_PAGESIZE=x PROC_THREADS=0 PROC_ACCESS=0", "2; 000010 x=500; 000010 x=800; 0"},
		{"PROC_THREADS=1", "3; 000010 x=50|000011 <exiting>=450; 000010 x=800|000011 <exiting>=1200; 0"},
		{"PROC_ACCESS=1", "2; 000010 x=500; 000010 x=800; 1"},
	} {
		vars := map[string]string{"PROC_STATSPATH": dir}
		for _, v := range strings.Fields(c.vars) {
			name, value, _ := strings.Cut(v, "=")
			vars[name] = value
		}
		p := New(&Options{Root: t.TempDir(), Getenv: func(name string) string { return vars[name] }})
		values := procfstest.Values(t, p, "proc.nprocs", "proc.psinfo.utime", "proc.psinfo.rss")
		seen := procfstest.Fetch(t, p, other, "proc.io.rchar")
		if got := fmt.Sprintf("%s; %d", strings.Join(values, "; "), seen.Sets[0].Len()); got != c.want {
			t.Errorf("%s: got %s, want %s", c.vars, got, c.want)
		}
	}
}
