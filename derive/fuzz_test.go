package derive_test

import (
	"os"
	"testing"

	"pmtools/derive"
	"pmtools/derive/load"
	"pmtools/lib/pcp"
)

// FuzzLoadConfig loads a file of any bytes and uses whatever it defines. Nothing may panic, and the
// number is that of the definitions.
func FuzzLoadConfig(f *testing.F) {
	f.Add([]byte("a.b = sample.byte_ctr\n#control OPTION_NOVALUE=1,GLOBAL_LIMIT=3\na.b(oneline) = 'x\ny'\nc = rate(sample.mirage)[m-10]\n"))
	f.Add([]byte("t.a = 1 + \\\n2\nt.a(helptext) = \"x\n\n= =()\nq.r. = matchinst(!/x/, sample.mirage)/0\nz=z\ny=z\n"))
	f.Add([]byte("x = sample.bin > 500 ? sample.bin : novalue()\ny = mkconst(5,indom=29.1)\nw = mkconst(1,meta=x)\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		name := t.TempDir() + "/f"
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		var w lines
		reg := derive.NewRegistry(w.warn)
		n, err := load.Config(reg, name)
		if err != nil {
			t.Fatal(err)
		}
		base := newFake(qa)
		src := derive.NewSource(base, reg.Set(), nil)
		ids := []pcp.ID{}
		for _, name := range reg.Set().Names() {
			ids = append(ids, lookup(t, src, name))
		}
		if len(ids) != n+2 {
			t.Errorf("%d definitions, but %d", n, len(ids)-2)
		}
		for range 3 {
			fetch(t, base, src, ids...)
		}
		walk(t, src, "")
		walk(t, derive.NewSource(fakeArchive{base}, reg.Set(), nil), "")
	})
}
