package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// usual are answers that describe proposes, and the metrics that the reference's reports, such as iostat and sar, show for them. That of size
// is not: interpolated totals are one more or less than the reads and writes it is made of there.
var usual = []struct{ metric, answer, theirs string }{
	{"disk.dev.total_rawactive", "await", "disk.dev.await"},
	{"disk.dev.read_rawactive", "r_await", "disk.dev.r_await"},
	{"disk.dev.write", "w_await", "disk.dev.w_await"},
	{"disk.dev.total_rawactive", "queue", "disk.dev.avg_qlen"},
	{"disk.dev.avactive", "util", "disk.dev.util"},
	{"disk.dev.read", "r_size", "disk.dev.r_avg_rqsz"},
	{"disk.dev.write_bytes", "w_size", "disk.dev.w_avg_rqsz"},
	{"kernel.all.cpu.user", "util", "kernel.cpu.util.user"},
	{"kernel.all.cpu.wait.total", "util", "kernel.cpu.util.wait"},
}

// TestUsual: the answers that describe proposes have the values of the reference's own derived metrics.
func TestUsual(t *testing.T) {
	p := begin(t)
	archive := "/var/lib/pcp/testsuite/archives/20180416"
	line := []string{"pmderive", "-a", filepath.Join(p.root, archive), "describe", "-o", "json"}
	for _, u := range usual {
		line = append(line, u.metric)
	}
	o, err := p.ours.Run(harness.Command{Args: line}, p.root)
	if err != nil {
		t.Fatal(err)
	}
	proposed := make(map[string]string)
	for text := range strings.Lines(string(o.Stdout)) {
		var d struct {
			Metric string
			Try    []struct{ Name, Expression string }
		}
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		for _, x := range d.Try {
			proposed[d.Metric+" "+x.Name] = x.Expression
		}
	}
	ours, theirs := "[x-usual]\n", "[x-usual]\n"
	for i, u := range usual {
		expr := proposed[u.metric+" "+u.answer]
		if expr == "" {
			t.Errorf("%s is not proposed for %s", u.answer, u.metric)
		}
		ours += fmt.Sprintf("u%d = %s\nu%d.formula = %s\n", i, u.theirs, i, expr)
		theirs += fmt.Sprintf("%s = %s\n", u.theirs, u.answer)
	}
	args := []string{"-a", archive, "-t", "10", "-s", "20"}
	report := func(text string) {
		if err := os.WriteFile(filepath.Join(p.config, "x.conf"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	report(theirs)
	want := p.reference(t, "x-usual", args)
	report(ours)
	p.values(t, "x-usual", args, want, p.own(t, "x-usual", args))
	p.report(t, 100)
}
