package archivetest_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
)

// filesOf builds an archive and reads its files.
func filesOf(t *testing.T, name string) archivetest.Files {
	t.Helper()
	f, err := archivetest.ReadFiles(archivetest.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFields takes whole files apart: the fields must follow each other without gaps, and nothing
// may be left unknown.
func TestFields(t *testing.T) {
	names := map[string]bool{}
	for _, name := range archivetest.Names() {
		if strings.HasPrefix(name, "truncated") {
			continue
		}
		f := filesOf(t, name)
		for suffix, b := range f {
			off := 0
			for _, x := range f.Fields(suffix) {
				if x.Off != off || x.Size < 1 || x.Name == "rest" {
					t.Fatalf("%s.%s: at %d is %+v", name, suffix, off, x)
				}
				names[x.Name] = true
				off += x.Size
			}
			if off != len(b) {
				t.Errorf("%s.%s: %d of %d bytes", name, suffix, off, len(b))
			}
		}
	}
	for _, want := range []string{"label.magic", "desc.units", "indom.offset", "delta.inst", "labels.jsonlength", "label.flags",
		"text.type", "entry.volume", "record.trailer", "data.sets", "set.block", "block.type", "event.flags", "param.length"} {
		if !names[want] {
			t.Errorf("no field %s among %q", want, slices.Sorted(maps.Keys(names)))
		}
	}
}

// TestFieldsOfRubbish takes apart files that are not archives.
func TestFieldsOfRubbish(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, suffix := range []string{"meta", "index", "0"} {
		for range 200 {
			b := make([]byte, rng.IntN(2000))
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
			f := archivetest.Files{suffix: b}
			off := 0
			for _, x := range f.Fields(suffix) {
				if x.Off != off || x.Size < 1 {
					t.Fatalf("at %d is %+v", off, x)
				}
				off += x.Size
			}
			if off != len(b) {
				t.Errorf("%d of %d bytes", off, len(b))
			}
		}
	}
}

// TestDamage damages files in many ways: always the same for the same seed, never the original.
func TestDamage(t *testing.T) {
	kinds := map[string]int{}
	for _, name := range []string{"alltypes", "events_v2", "indoms", "labels", "volumes_v2", "noindex", "mini"} {
		whole := filesOf(t, name)
		before := archivetest.Files{}
		for suffix, b := range whole {
			before[suffix] = slices.Clone(b)
		}
		for seed := range uint64(300) {
			a, b := maps.Clone(whole), maps.Clone(whole)
			da, db := a.Damage(rand.New(rand.NewPCG(seed, 0))), b.Damage(rand.New(rand.NewPCG(seed, 0)))
			if da != db || !maps.EqualFunc(a, b, bytes.Equal) {
				t.Fatalf("%s, seed %d: %v and %v", name, seed, da, db)
			}
			if !maps.EqualFunc(whole, before, bytes.Equal) {
				t.Fatalf("%s, seed %d: %v changed the original", name, seed, da)
			}
			if !strings.HasPrefix(da.String(), da.File+": "+da.Kind) {
				t.Errorf("%q is not about %s and %s", da, da.File, da.Kind)
			}
			kinds[da.Kind]++
			checkDamage(t, whole, a, da)
		}
	}
	if len(kinds) != 11 {
		t.Errorf("kinds: %v", kinds)
	}
}

// checkDamage checks that the changed bytes are those of the Damage.
func checkDamage(t *testing.T, whole, now archivetest.Files, d archivetest.Damage) {
	t.Helper()
	for suffix, b := range whole {
		if suffix != d.File && suffix != d.Other && !bytes.Equal(b, now[suffix]) {
			t.Errorf("%v changed %s", d, suffix)
		}
	}
	was, is := whole[d.File], now[d.File]
	ok := true
	switch d.Kind {
	case "number", "bit", "byte":
		ok = len(is) == len(was) && d.Field != ""
		for _, x := range whole.Fields(d.File) {
			if x.Name != d.Field && !bytes.Equal(was[x.Off:x.Off+x.Size], is[x.Off:x.Off+x.Size]) {
				t.Errorf("%v changed %+v", d, x)
			}
		}
	case "cut", "empty":
		ok = bytes.HasPrefix(was, is)
	case "drop":
		ok = len(is) < len(was) || len(whole[d.File]) <= 808
	case "append":
		ok = len(is) > len(was) && bytes.HasPrefix(is, was)
	case "repeat":
		ok = len(is) >= len(was)
	case "exchange":
		ok = len(is) == len(was)
	case "swap":
		ok = bytes.Equal(is, whole[d.Other]) && bytes.Equal(was, now[d.Other])
	case "remove":
		_, there := now[d.File]
		ok = !there
	}
	if !ok {
		t.Errorf("%v: %d bytes became %d", d, len(was), len(is))
	}
}

func TestReadFiles(t *testing.T) {
	f := filesOf(t, "volumes")
	if got := slices.Sorted(maps.Keys(f)); !slices.Equal(got, []string{"0", "1", "2", "index", "meta"}) {
		t.Errorf("files %q", got)
	}
	base := filepath.Join(t.TempDir(), "copy")
	if err := f.Write(base); err != nil {
		t.Fatal(err)
	}
	if again, err := archivetest.ReadFiles(base); err != nil || !maps.EqualFunc(f, again, bytes.Equal) {
		t.Errorf("read again: %v", err)
	}
	if _, err := archivetest.ReadFiles(base + "x"); err == nil {
		t.Error("read files that are not there")
	}
	if err := os.Mkdir(base+".3", 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := archivetest.ReadFiles(base); err == nil {
		t.Error("read a directory")
	}
	if err := f.Write(filepath.Join(base, "none")); err == nil {
		t.Error("wrote into a directory that is not there")
	}
}
