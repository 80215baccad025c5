package derivetest

import (
	"os"
	"path/filepath"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
)

// TestBench: values in memory are those of the archive, with instances that come and go, between records, and after a mark.
func TestBench(t *testing.T) {
	const metrics = `
metric c u32 counter count indom 60.1
  sda   4294967290+10x4
  "sd b" 5 _x2 9 _
metric t string discrete
  value "a" "b" _ "c" "d"
metric f float instant
  value 0.5+0.1x4
`
	exprs := []string{"rate(c)", "matchinst(/^sd$/, c)", "c[sd b]", "t", "scalar(c)", "mkconst(7, indom=60.1)", "f", "count(c)", "defined(g) ? g : f"}
	for _, head := range []string{"", "interpolate\n", "mark 15s\n"} {
		dir := t.TempDir()
		conf, cases := "", head+metrics
		for i, x := range exprs {
			name := string(rune('a' + i))
			conf += "x." + name + " = " + x + "\n"
			cases += "case " + name + "\n  eval x." + name + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, "d.conf"), []byte(conf), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Parse(filepath.Join(dir, "d.cases"), []byte("definitions d.conf\n"+cases))
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.Record(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if f, err = Parse(f.Name, text); err != nil {
			t.Fatal(err)
		}
		b, _, err := f.Bench(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range exprs {
			name := "x." + string(rune('a'+i))
			p, err := derive.CompileIn(check.PCP, name, x)
			if err != nil {
				t.Fatal(err)
			}
			b.plans[name] = b.plans["event.flags"] // not that of the definition, so that the cases are run
			if v, err := b.Try(t.Context(), p); err != nil || v != Passed {
				t.Errorf("%q: %s: verdict %d, %v", head, x, v, err)
			}
			other, _ := derive.CompileIn(check.PCP, name, "99")
			if v, err := b.Try(t.Context(), other); err != nil || v != Failed {
				t.Errorf("%q: 99 for %s: verdict %d, %v", head, x, v, err)
			}
		}
	}
}
