package test

import (
	"go/parser"
	"go/token"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/lib/pcp"
	"pmtools/lib/pmcd/pmcdtest"
)

// TestExamples builds the programs in docs/examples and runs the session in the comment of each,
// where the archive demo and a file rooms.csv are. The words web1, web2 and web9 of a command line
// stand for hosts: two with a daemon, and one without.
func TestExamples(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob("../docs/examples/*/main.go")
	if err != nil || len(dirs) < 5 {
		t.Fatalf("%d programs, %v", len(dirs), err)
	}
	for _, file := range dirs {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			session := sessionOf(f.Doc.Text())
			if session == "" {
				t.Fatal("no session in the comment of the program")
			}
			if d := cmp.Diff(session, replaySession(t, session, name, build(t, "./docs/examples/"+name))); d != "" {
				t.Errorf("(-comment +now)\n%s", d)
			}
		})
	}
}

// tutorialOutput is the output of the tutorial.
const tutorialOutput = `disk.dev.total_bytes U64 counter Kbyte <nil>
disk.dev.write_bytes U64 counter Kbyte <nil>
disk.dev.read_bytes U64 counter Kbyte <nil>
disk.dev.total U64 counter count <nil>
kernel.all.load 1 0.5 <nil>
kernel.all.load 5 0.75 <nil>
kernel.all.load 15 0.875 <nil>
hinv.ncpu -1 4 <nil>
22:13:20 0.875 <nil>
22:18:20 1.34375 <nil>
unknown metric mem.util.usde
  100 * mem.util.usde / mem.physmem
        ^
  did you mean mem.util.used?
0.50 46.9% 14.0 <nil>
0.50 52.7% 14.2 <nil>
hello, world <nil>
<nil>
`

// TestTutorial runs the pieces of code in the comment of package lib as one program, and finds every
// package of the index.
func TestTutorial(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "../lib/doc.go", nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	doc := f.Doc.Text()
	for _, m := range regexp.MustCompile(`\[pmtools/([a-z/]+)`).FindAllStringSubmatch(doc, -1) {
		if info, err := os.Stat("../" + m[1]); err != nil || !info.IsDir() {
			t.Errorf("the index has %s: %v", m[1], err)
		}
	}
	code := sessionOf(doc)
	var b strings.Builder
	b.WriteString("package main\n")
	for _, path := range []string{
		"context", "errors", "fmt", "log", "os", "time", "pmtools/derive", "pmtools/lib/builtin", "pmtools/lib/fetchgroup",
		"pmtools/lib/mmv", "pmtools/lib/pcp", "pmtools/lib/pmapi", "pmtools/lib/pmda", "pmtools/lib/pmerr",
	} {
		b.WriteString("import \"" + path + "\"\n")
	}
	b.WriteString("func main() {\n" + code + "}\n")
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(tutorialOutput, runDemo(t, build(t, file))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// sessionOf returns the indented lines of a comment.
func sessionOf(doc string) string {
	var b strings.Builder
	for line := range strings.Lines(doc) {
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			b.WriteString(text)
		}
	}
	return b.String()
}

// replaySession runs the command lines of a session and returns it with their output of now, without
// empty lines.
func replaySession(t *testing.T, session, name, program string) string {
	t.Helper()
	dir := demo(t)
	const rooms = "time,office,attic\n1700000000,20.5,17\n1700000060,21,17.5\n1700000120,21.5,16\n"
	if err := os.WriteFile(filepath.Join(dir, "rooms.csv"), []byte(rooms), 0o666); err != nil {
		t.Fatal(err)
	}
	hosts := daemons(t)
	var there, back []string
	for host, address := range hosts {
		there, back = append(there, host, address), append(back, address, host)
	}
	var b strings.Builder
	for line := range strings.Lines(session) {
		if !strings.HasPrefix(line, "$ ") {
			continue
		}
		words := strings.Fields(strings.NewReplacer(there...).Replace(line))[1:]
		if words[0] != name {
			words[0] = command(t, words[0])
		} else {
			words[0] = program
		}
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s%v\n%s", line, err, out)
		}
		b.WriteString(line)
		for l := range strings.Lines(strings.NewReplacer(back...).Replace(string(out))) {
			if l = strings.TrimRight(l, " \n"); l != "" {
				b.WriteString(l + "\n")
			}
		}
	}
	return b.String()
}

// daemons starts the daemons of two hosts and returns the addresses of these and of a host without
// one, as host specifications.
func daemons(t *testing.T) map[string]string {
	t.Helper()
	hosts := make(map[string]string)
	for name, world := range map[string]*pmcdtest.World{"web1": smallHost(2, 0.5, 0.5, 0.75), "web2": smallHost(8, 4.25)} {
		s := pmcdtest.NewServer(world)
		t.Cleanup(func() { s.Close() })
		address, err := s.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		hosts[name] = address.String()
	}
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hosts["web9"] = nobody.Addr().String()
	if err := nobody.Close(); err != nil {
		t.Fatal(err)
	}
	return hosts
}

// smallHost returns the metrics of a host: the number of its processors, its load in each fetch, 16
// GB of memory, and two disks.
func smallHost(cpus uint64, loads ...float32) *pmcdtest.World {
	one := func(w uint64) pcp.Values {
		return pcp.Values{Type: pcp.Uint64, Insts: []int32{pcp.NullInst}, Words: []uint64{w}}
	}
	ofLoad, ofDisk := pcp.NewInDom(60, 2), pcp.NewInDom(60, 1)
	kbyte := pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	var load, used, read []pmcdtest.Answer
	for i, x := range loads {
		i := uint64(max(i-1, 0)) // the first fetch only prepares rates: its answer comes twice
		load = append(load, pmcdtest.Answer{Values: pcp.Values{Type: pcp.Float, Insts: []int32{1}, Words: []uint64{pcp.FloatValue(x).Word()}}})
		used = append(used, pmcdtest.Answer{Values: one(16 << 20 * (40 + 5*i) / 100)})
		read = append(read, pmcdtest.Answer{Values: pcp.Values{Type: pcp.Uint64, Insts: []int32{0, 1}, Words: []uint64{1000 + 8*i, 2000 + 66*i}}})
	}
	return &pmcdtest.World{
		Metrics: []pmcdtest.Metric{
			{Name: "hinv.ncpu", Desc: pcp.Desc{ID: pcp.NewID(60, 0, 32), Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Discrete}, Values: one(cpus)},
			{Name: "kernel.all.load", Desc: pcp.Desc{ID: pcp.NewID(60, 2, 0), Type: pcp.Float, InDom: ofLoad, Sem: pcp.Instant}, Answers: load},
			{Name: "mem.physmem", Desc: pcp.Desc{ID: pcp.NewID(60, 1, 9), Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Discrete, Units: kbyte}, Values: one(16 << 20)},
			{Name: "mem.util.used", Desc: pcp.Desc{ID: pcp.NewID(60, 1, 6), Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Instant, Units: kbyte}, Answers: used},
			{Name: "disk.dev.read", Desc: pcp.Desc{ID: pcp.NewID(60, 0, 4), Type: pcp.Uint64, InDom: ofDisk, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}, Answers: read},
		},
		InDoms: []pmcdtest.InDom{
			{ID: ofLoad, Instances: []pcp.Instance{{ID: 1, Name: "1 minute"}}},
			{ID: ofDisk, Instances: []pcp.Instance{{ID: 0, Name: "sda"}, {ID: 1, Name: "sdb"}}},
		},
	}
}
