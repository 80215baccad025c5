package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/archive/archivetest"
)

// extremes are numbers at which arithmetic overflows.
var extremes = []string{"9223372036854775807", "-9223372036854775808", "2147483647", "1e300"}

// numeric are the names that the help gives to the values of options that are numbers or times.
var numeric = []string{"N", "TIME", "DELTA", "SIZE", "DURATION"}

// TestExtremeOptions gives extreme numbers to each option that takes one: the commands answer or refuse,
// without delay.
func TestExtremeOptions(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.Build(dir, "ta"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.WriteFile("d.conf", []byte("a.b = t.d + t.s\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	operands := map[string]string{"eval": "t.d", "find": "t", "summarize": "t.d", "compare": "ta ta", "sql": "t.d", "export": "ta --output-dir out",
		"push": "t.d", "check": "d.conf", "install": "d.conf --dry-run", "deps": "t.d", "describe": "t.d", "explain": "t.d"}
	root := newCommand(&cli.Env{LookupEnv: func(string) (string, bool) { return "", false }}).newRoot()
	tried := 0
	for _, c := range root.Commands() {
		operand, ok := operands[c.Name()]
		if !ok {
			continue
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); !slices.Contains(numeric, name) {
				return
			}
			for _, value := range extremes {
				tried++
				args := append([]string{"-a", "ta", c.Name(), "--" + f.Name + "=" + value}, strings.Fields(operand)...)
				began := time.Now()
				out := runIn("", args...)
				if took := time.Since(began); took > 30*time.Second || strings.Contains(out, "panic") {
					t.Errorf("%q takes %v: %.200s", args, took, out)
				}
			}
		})
	}
	if tried < 100 {
		t.Errorf("%d options", tried)
	}
}

// TestExtremeItems gives extreme numbers to the items of the prompt.
func TestExtremeItems(t *testing.T) {
	path := archivetest.Path(t, "ta")
	for _, n := range extremes {
		for _, item := range []string{
			":top %s t.d", ":watch %s t.d", ":plot %s t.d", ":next %s", ":prev %s", ":time %s", ":time +%ss", ":time -%sd", ":step %s", ":step %sd", ":find %s",
			":set top %s\nt.d", ":set width %s\nt.d", ":set precision %s\nt.d", ":set samples %s\n:set interval 1000\n:watch t.d",
			":set interval %s\n:watch t.d", ":eval -f %s t.d", ":summarize --top %s t.d", ":summarize --every %s t.d", ":compare --top %s ta",
		} {
			lines := strings.Split(strings.ReplaceAll(item, "%s", n), "\n")
			began := time.Now()
			out := runIn("", append([]string{"-a", path}, lines...)...)
			if took := time.Since(began); took > 30*time.Second || strings.Contains(out, "panic") {
				t.Errorf("%q takes %v: %.200s", lines, took, out)
			}
		}
	}
}

// TestExtremeReports gives extreme numbers to each option of a report.
func TestExtremeReports(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.Build(dir, "ta"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, n := range extremes {
		for _, setting := range []string{"rank = %s", "limit_filter = %s", "limit_filter_force = %s", "width = %s", "width_force = %s",
			"precision = %s", "precision_force = %s", "samples = %s", "interval = %s", "interval = %sd", "repeat_header = %s", "t.s = s,,,,%s", "t.s = s,,,,8,%s"} {
			text := fmt.Sprintf("[r]\n%s\nt.d = d,,,,8\n", strings.ReplaceAll(setting, "%s", n))
			if err := os.WriteFile("r.conf", []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"eval", "summarize"} {
				if out := runIn("", "-a", "ta", "--config", "r.conf", command, ":r"); strings.Contains(out, "panic") {
					t.Errorf("%s: %s: %.200s", command, text, out)
				}
			}
		}
	}
}
