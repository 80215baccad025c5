package pmda

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
)

// savedCache is a file of the reference (collector.md C5.3).
const savedCache = "2 1 2147483647\n1 1795171706 sdb two words\n2 1795171706 sdc\n208099984 1795171706 [6b65796564] keyed\n622741395 1795171706 [616263] k2\n"

// TestCacheFile checks that a file is read and written as the reference does.
func TestCacheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "123.9")
	if err := os.WriteFile(file, []byte(savedCache), 0o666); err != nil {
		t.Fatal(err)
	}
	var c Cache
	if err := c.Load(file); err != nil {
		t.Fatal(err)
	}
	if c.Len() != 4 || len(c.Active()) != 0 {
		t.Errorf("%d instances, %d active", c.Len(), len(c.Active()))
	}
	if got := string(c.encode(99)); got != regexp.MustCompile(` \[\w+\]`).ReplaceAllString(savedCache, "") {
		t.Errorf("written again:\n%s", got)
	}
	for _, op := range []string{"add sdc=2", "add keyed=208099984", "add k2=622741395", "add new=0"} {
		i := strings.LastIndex(op, "=")
		if got := do(&c, op[:i]); got != op[i+1:] {
			t.Errorf("%s: %s", op, got)
		}
	}
	want := "2 1 2147483647\n0 99 new\n1 1795171706 sdb two words\n2 99 sdc\n208099984 99 keyed\n622741395 99 k2\n"
	if got := string(c.encode(99)); got != want {
		t.Errorf("changed:\n%s\nwant\n%s", got, want)
	}
	if err := c.Save(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(file); err != nil {
		t.Fatal(err)
	}
	if err := new(Cache).Load(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("saved without a change, or %v", err)
	}
	c.Add("more")
	if err := c.Save(file); err != nil {
		t.Fatal(err)
	}
	var again Cache
	if err := again.Load(file); err != nil || again.Len() != 6 {
		t.Errorf("%v, %d instances", err, again.Len())
	}
	if err := c.Save(filepath.Join(file, "x")); err != nil {
		t.Errorf("nothing has changed: %v", err)
	}
	c.Add("last")
	if err := c.Save(filepath.Join(file, "x")); err == nil {
		t.Error("saved below a file")
	}
}

// TestSavedName checks that a name which a file cannot hold keeps it readable.
func TestSavedName(t *testing.T) {
	var c Cache
	c.Add("a")
	c.Add("b\n7 8 c")
	next, err := parseCache(string(c.encode(1)))
	if err != nil || next.Len() != 1 {
		t.Errorf("%v, %d instances", err, next.Len())
	}
}

// TestBadCacheFiles checks what is not read.
func TestBadCacheFiles(t *testing.T) {
	for _, text := range []string{
		"", "\n", "2\n", "2 0\n", "3 0 5\n", "2 2 5\n", "2 0 -1\n", "2 0 x\n", "2 0 99999999999\n", "2 0 5 6\n",
		"2 0 5\nx 1 a\n", "2 0 5\n-1 1 a\n", "2 0 5\n1 x a\n", "2 0 5\n1 1\n", "2 0 5\n1 1 \n", "2 0 5\n\n",
		"2 0 5\n1 1 a\n1 1 b\n", "2 0 5\n1 1 a\n2 1 a b\n", "2 0 5\n1 1 [61] \n",
	} {
		if _, err := parseCache(text); !errors.Is(err, pmerr.Generic) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, name := range []string{"[zz] a", "[61]", "[61", "[", "[] "} {
		c, err := parseCache("2 0 5\n1 1 " + name + "\n")
		if name == "[] " {
			if err == nil {
				t.Errorf("%q: no error", name)
			}
			continue
		}
		if err != nil || c.sorted[0].Name != name {
			t.Errorf("%q: %v", name, err)
		}
	}
	if c, err := parseCache("1 0\n3 4 a b c\n"); err != nil || c.Len() != 1 {
		t.Errorf("version 1: %v", err)
	}
}

// FuzzCacheFile checks that what can be read is written so that it is read as the same.
func FuzzCacheFile(f *testing.F) {
	f.Add(savedCache)
	f.Add("1 0\n3 4 a b c\n")
	f.Add("2 0 5\n5 -1 [] x\n0 0 y")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCache(text)
		if err != nil {
			return
		}
		out := string(c.encode(1))
		next, err := parseCache(out)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got := string(next.encode(1)); got != out {
			t.Fatalf("%q, want %q", got, out)
		}
	})
}
