package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd/pmcdtest"
)

// serveHosts starts daemons whose metrics have the number of the host in their values, and returns their
// addresses.
func serveHosts(t *testing.T, n int) []string {
	t.Helper()
	hosts, _ := daemons(t, n)
	return hosts
}

// daemons is fleet for tests that close daemons.
func daemons(t *testing.T, n int) (hosts []string, servers []*pmcdtest.Server) {
	t.Helper()
	for i := range uint64(n) {
		d := pcp.NewInDom(60, 1)
		metric := func(name string, item uint32, d pcp.InDom, sem pcp.Sem, insts []int32, words ...uint64) pmcdtest.Metric {
			return pmcdtest.Metric{Name: name, Desc: pcp.Desc{ID: pcp.NewID(60, 0, item), Type: pcp.Uint64, InDom: d, Sem: sem,
				Units: pcp.Units{DimSpace: 1, ScaleSpace: int8(i % 2)}}, Values: pcp.Values{Insts: insts, Words: words}}
		}
		w := &pmcdtest.World{
			Now: time.Now,
			Metrics: []pmcdtest.Metric{
				metric("h.one", 0, pcp.NullInDom, pcp.Instant, []int32{-1}, 1024*(i+1)),
				metric("h.disk", 1, d, pcp.Instant, []int32{0, 1}, 10*(i+1), 20*(i+1)),
				metric("h.ctr", 2, pcp.NullInDom, pcp.Counter, []int32{-1}, 5),
			},
			InDoms: []pmcdtest.InDom{{ID: d, Instances: []pcp.Instance{{ID: 0, Name: "sda"}, {ID: 1, Name: "sdb"}}}},
		}
		s := pmcdtest.NewServer(w)
		t.Cleanup(func() { s.Close() })
		addr, err := s.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		hosts, servers = append(hosts, addr.String()), append(servers, s)
	}
	return hosts, servers
}

// sampleTime matches times of samples.
var sampleTime = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?|\b1[7-9]\d{8}\.\d+|\b\d\d:\d\d:\d\d\b`)

// dashes and blanks are as many as names of hosts, and their ports, have letters.
var dashes, blanks = regexp.MustCompile(`---+`), regexp.MustCompile(` {2,}`)

// TestHosts evaluates on several hosts, in every form. Every other host has Kbyte instead of byte.
func TestHosts(t *testing.T) {
	hosts := serveHosts(t, 2)
	file := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(file, []byte("# all\n"+hosts[0]+" # the first\n\n"+hosts[1]+"\n127.0.0.1:1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const refused = "pmderive: none: Cannot connect to PMCD: Connection refused\n"
	two := "-h " + hosts[0] + " -h " + hosts[1] + " "
	for _, tt := range []struct{ line, out, errs string }{
		{two + "eval h.one", "time  h.one ---\n  a  b\n  Kbyte  Kbyte\nTIME  1  2048\n", ""},
		{two + "eval h.disk", "TIME  h.disk\n  a  b\n  Kbyte  Kbyte\nsda  0.009766  20\nsdb  0.01953  40\n", ""},
		{two + "eval h.one h.disk", "TIME  h.one  h.disk\n  Kbyte  Kbyte\na  1  -\na  sda  -  0.009766\na  sdb  -  0.01953\nb  2048  -\nb  sda  -  20\nb  sdb  -  40\n", ""},
		{two + "eval --vertical h.one", "TIME  h.one\na  1 Kbyte\nb  2048 Kbyte\n", ""},
		{two + "-h 127.0.0.1:1 eval h.one", "time  h.one ---\n  a  b  127.0.0.1:1\n  Kbyte  Kbyte  Kbyte\nTIME  1  2048  lost\n", refused + "status 1\n"},
		{two + "-h 127.0.0.1:1 eval h.disk", "TIME  h.disk\n  a  b  127.0.0.1:1\n  Kbyte  Kbyte  Kbyte\nsda  0.009766  20  lost\nsdb  0.01953  40  lost\n", refused + "status 1\n"},
		{two + "-h 127.0.0.1:1 eval --vertical h.one", "TIME  h.one\na  1 Kbyte\nb  2048 Kbyte\n127.0.0.1:1  lost\n", refused + "status 1\n"},
		{"-h " + hosts[0] + " -h 127.0.0.1:1 eval h.one h.disk", "TIME  h.one  h.disk\n  byte  byte\na  1024  -\na  sda  -  10\na  sdb  -  20\n127.0.0.1:1  lost\n", refused + "status 1\n"},
		{two + "eval -o csv h.one h.disk", "time,host,metric,instance,value\nTIME,a,h.one,,1024\nTIME,b,h.one,,2097152\n" +
			"TIME,a,h.disk,sda,10\nTIME,a,h.disk,sdb,20\nTIME,b,h.disk,sda,20480\nTIME,b,h.disk,sdb,40960\n", ""},
		{two + "eval -o openmetrics x=h.disk", "# TYPE x_bytes gauge\n# UNIT x_bytes bytes\n# HELP x_bytes x (64-bit unsigned int, instant, byte, indom 60.1)\n" +
			`x_bytes{host="a",instance="sda"} 10 TIME` + "\n" + `x_bytes{host="a",instance="sdb"} 20 TIME` + "\n" +
			`x_bytes{host="b",instance="sda"} 20480 TIME` + "\n" + `x_bytes{host="b",instance="sdb"} 40960 TIME` + "\n# EOF\n", ""},
		{two + "eval -o json h.one", `{"metrics":[{"metric":"h.one","type":"U64","semantics":"instant","units":"byte"}],"source":{"kind":"hosts"},"zone":"UTC","samples":1}` + "\n" +
			`{"time":"TIME","values":[{"metric":"h.one","hosts":[{"host":"a","value":1024},{"host":"b","value":2097152}]}]}` + "\n", ""},
		{two + "eval --across sum -o csv h.disk", "time,metric,instance,value\nTIME,h.disk,sda,20490\nTIME,h.disk,sdb,40980\n", ""},
		{two + "eval --across avg -o csv h.one", "time,h.one\nTIME,1049088\n", ""},
		{two + "eval --across min -o csv h.one", "time,h.one\nTIME,1024\n", ""},
		{two + "eval --across max -o csv h.one", "time,h.one\nTIME,2097152\n", ""},
		{two + "eval --across count -o csv h.disk", "time,metric,instance,value\nTIME,h.disk,sda,2\nTIME,h.disk,sdb,2\n", ""},
		{two + "eval --across top@3 -o csv h.disk", "time,host,metric,instance,value\nTIME,b,h.disk,sdb,40960\nTIME,b,h.disk,sda,20480\nTIME,a,h.disk,sdb,20\n", ""},
		{two + "eval --across bottom@1 -o csv h.disk", "time,host,metric,instance,value\nTIME,a,h.disk,sda,10\n", ""},
		{two + "eval -t 0.1 -s 2 --across sum -o csv h.ctr", "time,h.ctr\nTIME,0\nTIME,0\n", ""},
		{two + "eval -t 0.1 -s 2 -o csv h.one", "time,host,metric,instance,value\nTIME,a,h.one,,1024\nTIME,b,h.one,,2097152\nTIME,a,h.one,,1024\nTIME,b,h.one,,2097152\n", ""},
		{"eval --hosts " + file + " --across count -o csv h.one", "time,h.one\nTIME,2\n", refused + "status 1\n"},
		{two + "eval --all-hosts h.one", "", "pmderive: --all-hosts is gone: the status is 1 unless all hosts answer\nTry 'pmderive eval --help'.\nstatus 2\n"},
		{"-h 127.0.0.1:1 -h 127.0.0.2:1 eval h.one", "", refused + strings.Replace(refused, "none", "127.0.0.2:1", 1) + "status 1\n"},
		{"-h 127.0.0.1:1 -h 127.0.0.2:1 eval -t 0.1 -s 2 h.one", "", refused + strings.Replace(refused, "none", "127.0.0.2:1", 1) + "status 1\n"},
		{"-h " + hosts[0] + " eval --across sum h.on", "", "pmderive: a: unknown metric h.on\n  h.on\n  ^\n  did you mean h.one?\nstatus 1\n"},
		{two + "explain h.one", "", "pmderive: too many hosts requested: b\nTry 'pmderive explain --help'.\nstatus 2\n"},
		{two + "-h " + hosts[0] + " eval h.one", "", "pmderive: host a is named twice\nTry 'pmderive eval --help'.\nstatus 2\n"},
		{two + "eval --sort value --top 3 -o csv h.disk", "time,host,metric,instance,value\nTIME,b,h.disk,sdb,40960\nTIME,b,h.disk,sda,20480\nTIME,a,h.disk,sdb,20\n", ""},
		{two + "eval -i sdb -o csv h.disk", "time,host,metric,instance,value\nTIME,a,h.disk,sdb,20\nTIME,b,h.disk,sdb,40960\n", ""},
		{two + "eval --units=Kbyte -o csv h.one", "time,host,metric,instance,value\nTIME,a,h.one,,1\nTIME,b,h.one,,2048\n", "what converts is in Kbyte; --units=Kbyte --units writes units, too\n"},
		{two + "eval --where h.disk>15 -o csv h.disk", "time,host,metric,instance,value\nTIME,a,h.disk,sdb,20\nTIME,b,h.disk,sda,20480\nTIME,b,h.disk,sdb,40960\n", ""},
		{two + "eval --where h.one>1500 -o csv h.one", "time,host,metric,instance,value\nTIME,b,h.one,,2097152\n", ""},
		{two + "eval -t 0.1 -s 3 --limit 1 -o csv h.one", "time,host,metric,instance,value\nTIME,a,h.one,,1024\nTIME,b,h.one,,2097152\n", ""},
		{two + "h.one", "time  h.one ---\n  a  b\n  Kbyte  Kbyte\nTIME  1  2048\n", ""},
		{two + ":source", "2 hosts; a answers questions about metrics\n", ""},
		{two + "x.y=h.one*2 x.y", "x.y: 64-bit unsigned int, instant, byte\ntime  x.y ---\n  a  b\n  Kbyte  Kbyte\nTIME  2  4096\n", ""},
		{two + ":set@across@sum h.disk", "sum of 2 hosts\ntime  h.disk ---\n  sda  sdb\n  Kbyte  Kbyte\nTIME  20.01  40.02\n", ""},
		{two + ":set@across@top@1 h.disk :set@across", "top 1 of 2 hosts\nTIME  h.disk\nb  sdb  40 Kbyte\ntop 1\n", ""},
		{two + ":top@1@h.disk", "TIME  h.disk\nb  sdb  40 Kbyte\n", ""},
		{two + ":set@samples@2 :set@interval@0.1 :watch@h.one", "TIME  a  1  Kbyte  ▁\nTIME  b  2048  Kbyte  ▁\nTIME  a  1  Kbyte  ▁▁\nTIME  b  2048  Kbyte  ▁▁\n", ""},
		{"-h " + hosts[0] + " :source@host@" + hosts[0] + "@" + hosts[1] + " h.one :source@host@" + hosts[1] + " h.one",
			"2 hosts; a answers questions about metrics\ntime  h.one ---\n  a  b\n  Kbyte  Kbyte\nTIME  1  2048\nhost b\n2048 Kbyte\n", ""},
		{"-h " + hosts[0] + " -h 127.0.0.1:1 h.one", "time  h.one ---\n  a  127.0.0.1:1\n  byte  byte\nTIME  1024  lost\n", refused + "pmderive: not all hosts have answered\nstatus 1\n"},
		{"-h 127.0.0.2:1 -h 127.0.0.1:1 h.one", "", "pmderive: 127.0.0.2:1: Cannot connect to PMCD: Connection refused\n" + refused + "pmderive: not all hosts have answered\nstatus 1\n"},
		{two + "eval --across median h.one", "", "pmderive: values of hosts cannot be combined by 'median'; use sum, avg, min, max, count, 'top N' and 'bottom N'\nTry 'pmderive eval --help'.\nstatus 2\n"},
		{"-L eval --across sum h.one", "", "pmderive: --across and --hosts are for several hosts, which -h, --hosts or the archives of -a name\nTry 'pmderive eval --help'.\nstatus 2\n"},
	} {
		args := strings.Fields(tt.line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "@", " ")
		}
		got := clitest.Run("pmderive", newCommand, args, nil)
		if got.Status != 0 {
			got.Stderr += fmt.Sprintf("status %d\n", got.Status)
		}
		clean := strings.NewReplacer(hosts[0], "a", hosts[1], "b", "127.0.0.1:1:", "none:", "\r\n", "\n")
		out := sampleTime.ReplaceAllString(got.Stdout, "TIME")
		out, errs := blanks.ReplaceAllString(dashes.ReplaceAllString(clean.Replace(out), "---"), "  "), sorted(clean.Replace(got.Stderr))
		if out != tt.out || errs != sorted(tt.errs) {
			t.Errorf("%s:\n%s%s\nwant\n%s%s", tt.line, out, errs, tt.out, tt.errs)
		}
	}
}

// TestCompareHosts compares hosts that are sampled at the same time, and an archive with a host.
func TestCompareHosts(t *testing.T) {
	hosts := serveHosts(t, 3)
	dir := t.TempDir()
	if err := archivetest.Build(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	const said = "a, b: 3 samples, 100ms apart; Ctrl-C ends that\n"
	const head = "metric,instance,units,mean_a,mean_b,p95_a,p95_b,max_a,max_b,difference,ratio,score,score_by\n"
	const changes = head + "h.one,,byte,1024,3072,1024,3072,1024,3072,2048,3,0.0019528389396084556,mean\n" +
		"h.disk,sdb,byte,20,60,20,60,20,60,40,3,0.00003814686351719804,mean\nh.disk,sda,byte,10,30,10,30,10,30,20,3,0.000019073459043322978,mean\n"
	const refused = "pmderive: Cannot connect to PMCD on host \"127.0.0.1:1\": Connection refused\n  no pmcd listens there: it does on port 44321, or on those that -h HOST:PORT names\n"
	for _, tt := range []struct{ line, out, errs string }{
		{"-h A -h B compare --threshold 0 -s 3 -t 0.1 -o csv", changes, said},
		{"-h A -h B compare --threshold 0 -T 0.5 -t 0.1 -o csv", changes, "a, b: 6 samples, 100ms apart; Ctrl-C ends that\n"},
		{"-h A -h B compare -s 3 -t 0.1 -o csv --metrics h.one --threshold 0 --fail-over 0.001", head + "h.one,,byte,1024,3072,1024,3072,1024,3072,2048,3,0.0019528389396084556,mean\n", said + "status 1\n"},
		{"-h A -h B :compare@-s@3@-t@0.1@-o@csv@--threshold@0", changes, said},
		{"-h A :compare@host@B@-s@3@-t@0.1@-o@csv@--threshold@0", changes, said},
		{"-h A -h 127.0.0.1:1 compare", "", refused + "status 1\n"},
		{"-h 127.0.0.1:1 -h A compare", "", refused + "status 1\n"},
		{"-h 127.0.0.1:1 -h 127.0.0.1:1 compare", "", refused + refused + "status 1\n"},
		{"-h A -h B compare -s 3 -t 0.1 --metrics h.on -o csv", "", said + "pmderive: unknown metric h.on\n  h.on\n  ^\n  did you mean h.one?\nstatus 1\n"},
		{"-h A compare demo -s 3 -t 0.1 -o csv --metrics h.one --metrics hinv.ncpu", head + "hinv.ncpu,,,4,,4,,4,,,,,\nh.one,,byte,,1024,,1024,,1024,,,,\n", "a: 3 samples, 100ms apart; Ctrl-C ends that\npmderive: demo: unknown metric h.one\n  h.one\n  ^\npmderive: a: unknown metric hinv.ncpu\n  hinv.ncpu\n  ^\nstatus 1\n"},
		{"-h A compare", "", "pmderive: compare requires a second archive or host, or a second window: --with-S TIME, --with-T TIME, or --baseline BEFORE; or --where EXPR\nTry 'pmderive compare --help'.\nstatus 2\n"},
		{"-h A -h B compare demo", "", "pmderive: compare is for two sources, and there are 3\nTry 'pmderive compare --help'.\nstatus 2\n"},
		{"-h A compare --with-T 1min", "", "pmderive: two windows are those of an archive, and a is live\nstatus 1\n"},
		{"-h A -h B compare --baseline yesterday", "", "pmderive: --baseline is for two windows of one archive\nTry 'pmderive compare --help'.\nstatus 2\n"},
		{"-h A -h B compare -S 1min", "", "pmderive: a: a live source has no start; -T says when it ends\nstatus 1\n"},
		{"-h A -h B :compare@-S@1min", "", "pmderive: a: a live source has no start; -T says when it ends\nstatus 1\n"},
	} {
		args := strings.Fields(strings.NewReplacer("A", hosts[0], "B", hosts[2]).Replace(tt.line))
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "@", " ")
		}
		got := clitest.Run("pmderive", newCommand, args, nil)
		if got.Status != 0 {
			got.Stderr += fmt.Sprintf("status %d\n", got.Status)
		}
		clean := strings.NewReplacer(hosts[0], "a", hosts[2], "b", "\r\n", "\n")
		out, errs := clean.Replace(got.Stdout), sampleTime.ReplaceAllString(clean.Replace(got.Stderr), "TIME")
		if out != tt.out || errs != tt.errs {
			t.Errorf("%s:\n%s%s\nwant\n%s%s", tt.line, out, errs, tt.out, tt.errs)
		}
	}
}

// TestCompareLost: a host that goes away while it is sampled is reported, and what it has said counts.
func TestCompareLost(t *testing.T) {
	world := func(value uint64) *pmcdtest.Server {
		return pmcdtest.NewServer(&pmcdtest.World{Metrics: []pmcdtest.Metric{{
			Name: "h.one", Desc: pcp.Desc{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Instant},
			Values: pcp.Values{Insts: []int32{pcp.NullInst}, Words: []uint64{value}},
		}}})
	}
	a, b := world(10), world(30)
	var addrs []string
	for _, s := range []*pmcdtest.Server{a, b} {
		t.Cleanup(func() { s.Close() })
		addr, err := s.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addrs = append(addrs, addr.String())
	}
	b.SetEdit(pmcdtest.On(pdu.TypeHighResFetch, 3, pmcdtest.Cut(0)))
	got := clitest.Run("pmderive", newCommand, []string{"-h", addrs[0], "-h", addrs[1], "compare", "-s", "6", "-t", "20msec", "-o", "csv"}, nil)
	if want := "\nh.one,,,10,30,10,30,10,30,20,3,"; !strings.Contains(strings.ReplaceAll(got.Stdout, "\r\n", "\n"), want) {
		t.Errorf("%q, want %q", got.Stdout, want)
	}
	if want := "\npmderive: " + addrs[1] + ": "; got.Status != 1 || !strings.Contains(got.Stderr, want) {
		t.Errorf("status %d, %q, want %q", got.Status, got.Stderr, want)
	}
}

// sorted sorts the lines of messages, which come in any order of the hosts, unless they belong
// together.
func sorted(text string) string {
	if strings.Contains(text, "^") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i := range lines {
		for j := i + 1; j < len(lines); j++ {
			if lines[j] != "" && lines[j] < lines[i] && !strings.HasPrefix(lines[j], "status") && !strings.HasPrefix(lines[i], "status") {
				lines[i], lines[j] = lines[j], lines[i]
			}
		}
	}
	return strings.Join(lines, "")
}

// TestHostsCharts: a chart has a line for each host.
func TestHostsCharts(t *testing.T) {
	hosts := serveHosts(t, 2)
	for _, line := range []string{"eval --plot -t 0.1 -s 2 h.one", ":set@samples@2 :set@interval@0.1 :plot@h.one"} {
		args := append([]string{"-h", hosts[0], "-h", hosts[1]}, strings.Fields(line)...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "@", " ")
		}
		got := clitest.Run("pmderive", newCommand, args, nil)
		for _, want := range []string{"   " + hosts[0] + "  1 Kbyte\n", "   " + hosts[1] + "  2048 Kbyte\n"} {
			if got.Status != 0 || !strings.Contains(got.Stdout, want) {
				t.Errorf("%s: %q is not in\n%s%s", line, want, got.Stdout, got.Stderr)
			}
		}
	}
}
