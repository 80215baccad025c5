package fetchgroup

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/env"
)

// TestMonitor runs the program of docs/fetchgroup.md over two daemons and a host without one.
func TestMonitor(t *testing.T) {
	text, err := os.ReadFile("../../docs/fetchgroup.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(text), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	if lines := len(strings.FieldsFunc(code, func(r rune) bool { return r == '\n' })); lines < 10 || lines > 25 {
		t.Errorf("the program has %d lines", lines)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "monitor")
	if out, err := env.Go("build", "-o", program, filepath.Join(dir, "main.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := []string{}
	for range 2 {
		s := pmcdtest.NewServer(monitored())
		t.Cleanup(func() { s.Close() })
		addr, err := s.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, addr.String())
	}
	cmd := exec.Command(program, append(args, "127.0.0.1:1")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // it runs until it is ended
		_ = cmd.Wait()
	}()
	seen := make(map[string]bool)
	for s := bufio.NewScanner(out); len(seen) < 5 && s.Scan(); {
		line := s.Text()
		for i, a := range args {
			line = strings.Replace(line, a, []string{"one", "two"}[i], 1)
		}
		if strings.HasPrefix(line, "127.0.0.1:1: ") {
			line = "none"
		}
		seen[line] = true
	}
	for _, want := range []string{
		"one: load 0.50, 2048 MB free, map[]", "one: load 0.50, 2048 MB free, map[sda:0]", "two: load 0.50, 2048 MB free, map[]", "two: load 0.50, 2048 MB free, map[sda:0]", "none",
	} {
		if !seen[want] {
			t.Errorf("no line %q in %v", want, seen)
		}
	}
}

// monitored returns the metrics of the program.
func monitored() *pmcdtest.World {
	loads, disks := pcp.NewInDom(60, 2), pcp.NewInDom(60, 1)
	metric := func(name string, d pcp.Desc, inst int32, word uint64) pmcdtest.Metric {
		return pmcdtest.Metric{Name: name, Desc: d, Values: pcp.Values{Insts: []int32{inst}, Words: []uint64{word}}}
	}
	return &pmcdtest.World{
		Metrics: []pmcdtest.Metric{
			metric("kernel.all.load", pcp.Desc{ID: pcp.NewID(60, 2, 0), Type: pcp.Float, InDom: loads, Sem: pcp.Instant}, 1, pcp.FloatValue(0.5).Word()),
			metric("mem.freemem", pcp.Desc{ID: pcp.NewID(60, 1, 10), Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Instant, Units: pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}}, pcp.NullInst, 2<<20),
			metric("disk.dev.total", pcp.Desc{ID: pcp.NewID(60, 0, 28), Type: pcp.Uint64, InDom: disks, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}, 0, 100),
		},
		InDoms: []pmcdtest.InDom{
			{ID: loads, Instances: []pcp.Instance{{ID: 1, Name: "1 minute"}}},
			{ID: disks, Instances: []pcp.Instance{{ID: 0, Name: "sda"}}},
		},
	}
}
