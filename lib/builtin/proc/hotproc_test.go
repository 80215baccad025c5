package proc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// predicateTests are texts of predicates and how the reference's agent of PCP 7.2.2 shows them; ""
// is one that it refuses, or that we do.
var predicateTests = [][2]string{
	{"cpuburn > 0.2 && uid != 3", "((cpuburn > 0.200000) && (uid != 3))"},
	{"cpuburn > 0.2 && (gid == 1 || uid <= 5) || !(iowait < 5)", "(((cpuburn > 0.200000) && ((gid == 1) || (uid <= 5))) || (! (iowait < 5)))"},
	{"! uid == 5", "(! (uid == 5))"},
	{"uid == 5 && gid == 6 && cpuburn > 1 || true", "((((uid == 5) && (gid == 6)) && (cpuburn > 1)) || (true))"},
	{"true || uid == 5 && gid == 6", "((true) || ((uid == 5) && (gid == 6)))"},
	{"psargs ~ /pmda/ && cpuburn > 0.4", `((psargs ~ "pmda") && (cpuburn > 0.400000))`},
	{"psargs !~ /a b/", `(psargs !~ "a b")`},
	{`uname == "root"`, `(uname == "root")`},
	{"(true)", "(true)"}, {"false", "(false)"}, {"iowait>=.5", "(iowait >= 0.500000)"}, {"uid == 1.5", "(uid == 1.500000)"},
	{"uid == gid", "(uid == gid)"}, {"3 > uid", "(3 > uid)"}, {"5 == 5", "(5 == 5)"}, {"cpuburn > 100000000", "(cpuburn > 100000000)"},
	{"cpuburn > 0.123456789", "(cpuburn > 0.123457)"}, {"#x\nVersion 1.0\n\nuid == 0 #comment", "(uid == 0)"},
	{"uid = = 0", ""}, {"uid == uname", ""}, {"cpuburn", ""}, {"uname ~ 5", ""}, {"uid == 0 || ", ""}, {"fname ~ /(/", ""}, {"uid > -1", ""},
	{`uname == "root`, ""}, {"(uid == 0", ""}, {"uid == 0)", ""}, {"uid == 1.2.3", ""}, {"nosuch == 1", ""}, {"/x/ ~ fname", ""}, {"&&", ""}, {"uname < \"a\"", ""},
	{strings.Repeat("(", 200) + "true" + strings.Repeat(")", 200), ""}, {strings.Repeat("!", 200) + "true", ""}, {strings.Repeat("true||", 5000) + "true", ""},
}

func TestPredicate(t *testing.T) {
	for _, c := range predicateTests {
		p, err := parsePredicate(c[0])
		switch {
		case c[1] == "" && !errors.Is(err, pmerr.BadStore):
			t.Errorf("%.40q: %v, %v", c[0], p, err)
		case c[1] != "" && (err != nil || p.text != c[1]):
			t.Errorf("%q: %v, %v, want %s", c[0], p, err, c[1])
		}
	}
	if p, err := parsePredicate(" # nothing"); p != nil || err != nil {
		t.Errorf("an empty predicate: %v, %v", p, err)
	}
	v := &hotVars{numbers: map[string]float64{"uid": 5, "cpuburn": 0.5}, text: func(name string) string { return name + "!" }}
	for text, want := range map[string]bool{
		"uid == 5": true, "uid != 5": false, "uid < 5": false, "uid <= 5": true, "uid >= 5": true, "uid > 4.5": true, "!uid == 5": false, "gid == 0": true,
		"true && false": false, "true || false": true, "false || false && true": false, `uname == "uname!"`: true, `uname != "uname!"`: false,
		"fname ~ /^f.*!$/": true, "fname !~ /x/": true, "psargs ~ /(x|y)/": false, "cpuburn > 0.2 && (uid == 1 || gid == 0)": true,
	} {
		if p, err := parsePredicate(text); err != nil || p.holds(v) != want {
			t.Errorf("%s: %v, want %t", text, err, want)
		}
	}
}

// FuzzPredicate: an accepted predicate can be evaluated.
func FuzzPredicate(f *testing.F) {
	for _, c := range predicateTests {
		f.Add(c[0])
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePredicate(text)
		if err != nil || p == nil {
			return
		}
		p.holds(&hotVars{text: func(name string) string { return name }})
	})
}

// hotFilesOf are the files of a process after it has used some seconds.
func hotFilesOf(pid, uid, seconds int) map[string]string {
	dir := fmt.Sprintf("proc/%d/", pid)
	return map[string]string{
		dir + "cmdline":   fmt.Sprintf("prog%d\x00-x\x00", pid),
		dir + "stat":      fmt.Sprintf("%d (prog%d) S 1 2 3 0 -1 0 0 0 0 0 %d %d 0 0 20 0 1 0 5 2048 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %d\n", pid, pid, 60*seconds, 40*seconds, 10*seconds),
		dir + "status":    fmt.Sprintf("Uid:\t%d\t0\t0\t0\nGid:\t7\nvoluntary_ctxt_switches: %d\nnonvoluntary_ctxt_switches: %d\n", uid, 2*seconds, seconds),
		dir + "io":        fmt.Sprintf("read_bytes: %d\nwrite_bytes: %d\n", 2048*seconds, 1024*seconds),
		dir + "schedstat": fmt.Sprintf("1 %d 3\n", 250000000*int64(seconds)),
	}
}

func TestHotproc(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{
		hotConfig: "#pmdahotproc\nVersion 1.0\n\nuid == 5 || cpuburn > 0.75 && uname == \"bob\"\n", "etc/passwd": "bob:x:6:1::/:\n", "proc/stat": "cpu 0 0 0 0 0 0 0 0 0 0\n",
	})
	write := func(files map[string]string) {
		for name, content := range files {
			procfstest.File(t, dir, name, content)
		}
	}
	write(hotFilesOf(10, 5, 0))
	write(hotFilesOf(11, 6, 0))
	write(hotFilesOf(12, 6, 0))
	p := newCollector(procfstest.Options(dir))
	at := time.Unix(1000, 0)
	p.hot.now = func() time.Time { return at }
	a := p.agent()
	check := func(when, name, want string) {
		t.Helper()
		if got := procfstest.Values(t, a, name)[0]; got != want {
			t.Errorf("%s: %s is %s, want %s", when, name, got, want)
		}
	}
	check("at first", "hotproc.psinfo.pid", "000010 prog10=10")
	check("at first", "hotproc.predicate.cpuburn", "000010 prog10=0")
	check("at first", "hotproc.control.config", `"((uid == 5) || ((cpuburn > 0.750000) && (uname == \"bob\")))"`)
	write(hotFilesOf(10, 5, 5))
	write(hotFilesOf(11, 6, 9))
	write(hotFilesOf(13, 6, 9)) // new: without a rate
	procfstest.File(t, dir, "proc/stat", "cpu 1000 0 500 400 100 0 0 0 0 0\n")
	check("too early", "hotproc.nprocs", "1")
	at = at.Add(10 * time.Second)
	for name, want := range map[string]string{
		"hotproc.nprocs": "2", "hotproc.psinfo.cmd": `000010 prog10="prog10"|000011 prog11="prog11"`, "hotproc.predicate.cpuburn": "000010 prog10=0.5|000011 prog11=0.89999998",
		"hotproc.predicate.ctxswitch": "000010 prog10=1.5|000011 prog11=2.7", "hotproc.predicate.iodemand": "000010 prog10=1.5|000011 prog11=2.7",
		"hotproc.predicate.schedwait": "000010 prog10=0.125|000011 prog11=0.22499999",
		"hotproc.predicate.iowait":    "000010 prog10=0.050000001|000011 prog11=0.090000004", "hotproc.predicate.virtualsize": "000010 prog10=2|000011 prog11=2",
		"hotproc.predicate.residentsize": "000010 prog10=16|000011 prog11=16", "hotproc.total.cpuidle": "0.5", "hotproc.total.cpuburn": "1.4", "hotproc.total.cpuother.transient": "0.1",
		"hotproc.total.cpuother.not_cpuburn": "0", "hotproc.id.uid_nm": `000010 prog10=""|000011 prog11="bob"`, "proc.nprocs": "4",
	} {
		check("after ten seconds", name, want)
	}
	store := func(name string, client *pmda.Client, v pcp.Values) error {
		t.Helper()
		for _, n := range a.Names() {
			if n.Name == name {
				v.ID = n.ID
			}
		}
		v.Insts = []int32{pcp.NullInst}
		return a.Store(context.Background(), client, []pcp.Values{v})
	}
	text := func(s string) pcp.Values { return pcp.Values{Type: pcp.String, Blobs: [][]byte{[]byte(s)}} }
	root, user := testClient("0"), testClient("7")
	if err := store("hotproc.control.config", user, text("true")); !errors.Is(err, pmerr.Permission) {
		t.Errorf("a store of a user: %v", err)
	}
	if err := store("hotproc.control.config", root, text("uid = 3")); !errors.Is(err, pmerr.BadStore) {
		t.Errorf("a wrong predicate: %v", err)
	}
	if err := store("hotproc.control.config", root, text("fname ~ /2/")); err != nil {
		t.Fatal(err)
	}
	check("after a store", "hotproc.nprocs", "0")
	check("after a store", "hotproc.control.config_gen", "2")
	at = at.Add(10 * time.Second)
	check("ten seconds later", "hotproc.psinfo.pid", "000012 prog12=12")
	if err := store("hotproc.control.reload_config", root, pcp.Values{Words: []uint64{1}}); err != nil {
		t.Fatal(err)
	}
	if err := store("hotproc.control.refresh", root, pcp.Values{Words: []uint64{1}}); err != nil {
		t.Fatal(err)
	}
	at = at.Add(time.Second)
	check("with the file again", "hotproc.nprocs", "1")
}

func TestControl(t *testing.T) {
	dir := procfstest.Files(t, map[string]string{
		"proc/1/cmdline": "a\x00", "proc/1/task/1/stat": "", "proc/1/task/2/stat": "", "proc/1/cgroup": "4:cpu:/\n0::/a\n", "proc/9/cmdline": "b\x00", "proc/9/cgroup": "0::/ab\n",
	})
	a := newCollector(procfstest.Options(dir)).agent()
	root, user := testClient("0"), testClient("0")
	for _, c := range []struct {
		item         uint32
		client       *pmda.Client
		value        pcp.Values
		want         error
		theirs, ours string // numbers of processes
	}{
		{2, root, pcp.Values{Words: []uint64{1}}, nil, "2", "3"},
		{2, root, pcp.Values{Words: []uint64{0}}, nil, "2", "2"},
		{2, nil, pcp.Values{Words: []uint64{1}}, pmerr.NoContext, "2", "2"},
		{3, root, pcp.Values{Type: pcp.String, Blobs: [][]byte{[]byte("/a")}}, nil, "2", "1"},
		{3, root, pcp.Values{Type: pcp.String, Blobs: [][]byte{nil}}, nil, "2", "2"},
		{1, root, pcp.Values{Words: []uint64{2}}, pmerr.BadStore, "2", "2"},
		{1, &pmda.Client{}, pcp.Values{Words: []uint64{1}}, pmerr.Permission, "2", "2"},
		{1, root, pcp.Values{Words: []uint64{1}}, nil, "3", "2"},
	} {
		c.value.ID, c.value.Insts = pcp.NewID(Domain, 10, c.item), []int32{pcp.NullInst}
		if err := a.Store(context.Background(), c.client, []pcp.Values{c.value}); !errors.Is(err, c.want) {
			t.Errorf("item %d: %v, want %v", c.item, err, c.want)
		}
		for client, want := range map[*pmda.Client]string{user: c.theirs, root: c.ours} {
			res := procfstest.Fetch(t, a, client, "proc.nprocs")
			if got := procfstest.Shown(res.Sets[0].Value(0)); got != want {
				t.Errorf("item %d: %s processes, want %s", c.item, got, want)
			}
		}
	}
}
