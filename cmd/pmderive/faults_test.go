package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/golden"
)

// TestFaults runs each command, and items of each kind, over a daemon that fails.
func TestFaults(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "conf")
	if err := os.WriteFile(conf, []byte("a.b = sample.bin + sample.longlong\na.c = delta(sample.bin)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, items string }{
		{"eval sample.bin+1 sample.long.one", ""},
		{"eval -s 2 -t 0.01 -o csv sample.longlong", ""},
		{"eval -s 2 -t 0.01 --plot sample.bin*sample.long.one", ""},
		{"explain sample.bin+sample.long.one", ""},
		{"check " + conf, ""},
		{"-h local: export -s 2 -t 0.01 -o " + filepath.Join(t.TempDir(), "out") + " sample.bin sample.long.one", ""},
		{"", "sample.bin + sample.long.one\nx.y = sample.bin * 2\nx.y\n:explain x.y\n:metrics sample.l*\n"},
		{"", ":desc sample.bin\n:inst sample.longlong\n:text sample.longlong\n:labels sample.bin\n:source\n"},
		{"", ":set raw on\n:plot 2 sample.bin\n:load " + conf + "\na.b\n"},
	} {
		t.Run(tt.line+tt.items, func(t *testing.T) {
			args := strings.Fields(tt.line)
			clitest.Faults(t, pmcdtest.Sample, func(vars map[string]string) golden.Entry {
				return clitest.RunWith("pmderive", newCommand, tt.items, args, vars)
			})
		})
	}
}

// TestDamage evaluates expressions over archives with damage, and moves in them.
func TestDamage(t *testing.T) {
	for _, tt := range []struct{ line, items string }{
		{"eval t.d+t.b t.a", ""},
		{"eval -s 4 -o csv delta(t.b)", ""},
		{"", "instant(t.a) + count(t.b)\n:next 2\nt.b\n:prev\n:labels t.b\n:step record\n:next\n:time @01:46:42\nt.d\n"},
	} {
		t.Run(tt.line+tt.items, func(t *testing.T) {
			clitest.Damage(t, "ta", func(base string) golden.Entry {
				return clitest.RunWith("pmderive", newCommand, tt.items, append([]string{"-a", base}, strings.Fields(tt.line)...), nil)
			})
		})
	}
}
