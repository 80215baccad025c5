package load_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/load"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
	_ "pmtools/test/env"
)

// lines are warnings.
type lines []string

func (l *lines) warn(line string) { *l = append(*l, line) }

// loadFiles writes files into a directory, loads what paths say there, and returns the number of
// metrics, the warnings with the directory's name removed, and the registry.
func loadFiles(t *testing.T, files map[string]string, paths ...string) (int, []string, *derive.Registry, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var w lines
	reg := derive.NewRegistry(func(s string) { w.warn(strings.ReplaceAll(s, dir+"/", "")) })
	for i, p := range paths {
		parts := strings.Split(p, ":")
		for k, s := range parts {
			if s != "" {
				parts[k] = dir + "/" + s
			}
		}
		paths[i] = strings.Join(parts, string(os.PathListSeparator))
	}
	n, err := load.Config(reg, paths...)
	return n, w, reg, err
}

// names returns the names of the definitions after those that every Registry has.
func names(reg *derive.Registry) string {
	return strings.Join(reg.Set().Names()[2:], " ")
}

// TestLoadPaths covers lists of files and directories.
func TestLoadPaths(t *testing.T) {
	files := map[string]string{"a": "a.a = 1\n", "d/z": "d.z = 1\n", "d/b": "d.b = 1\n", "d/m/x": "d.x = 1\n", "e/q": "a.a = 2\n", "c": "c = 1"}
	tests := []struct {
		name  string
		paths []string
		n     int
		err   bool
		names string
		warns int
	}{
		{"file", []string{"a"}, 1, false, "a.a", 0},
		{"directory in order of names", []string{"d"}, 3, false, "d.b d.x d.z", 0},
		{"list", []string{"d/z:a"}, 2, false, "d.z a.a", 0},
		{"several", []string{"d/z", "a"}, 2, false, "d.z a.a", 0},
		{"stops at an error", []string{"d:nosuch:a"}, 3, true, "d.b d.x d.z", 0},
		{"colon at the end", []string{"a:"}, 1, false, "a.a", 0},
		{"colon in front", []string{":a"}, 0, true, "", 0},
		{"two colons", []string{"a::d"}, 1, true, "a.a", 0},
		{"nothing", []string{""}, 0, false, "", 0},
		{"first wins", []string{"a:e"}, 1, false, "a.a", 1},
		{"no newline at the end", []string{"c"}, 1, false, "c", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, w, reg, err := loadFiles(t, files, tt.paths...)
			if n != tt.n || (err != nil) != tt.err {
				t.Errorf("%d, %v, %s, %q", n, err, names(reg), w)
			} else if names(reg) != tt.names || len(w) != tt.warns {
				t.Errorf("%d, %v, %s, %q", n, err, names(reg), w)
			}
			if err != nil && (!errors.Is(err, fs.ErrNotExist) || pmerr.Of(err) != pmerr.ENOENT) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestLoadDefault passes over what is missing.
func TestLoadDefault(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/a", []byte("a.a = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	reg, sep := derive.NewRegistry(nil), string(os.PathListSeparator)
	if n := load.Default(reg, sep+dir+"/nosuch"+sep+dir+"/a"); n != 1 || names(reg) != "a.a" {
		t.Errorf("%d: %s", n, names(reg))
	}
	if n := load.Default(reg, ""); n != 0 {
		t.Errorf("%d of nothing", n)
	}
}

// TestLoadLinks covers directories that contain themselves.
func TestLoadLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(dir, dir+"/loop"); err != nil {
		t.Skip(err)
	}
	if n, err := load.Config(derive.NewRegistry(nil), dir); n != 0 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := os.Symlink(dir, dir+"/again"); err != nil {
		t.Skip(err)
	}
	load.Default(derive.NewRegistry(nil), dir) // comes to an end
}

// TestLoadBrokenLink covers a directory with a link to nothing, which ends LoadConfig but not
// LoadDefault.
func TestLoadBrokenLink(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "c"} {
		if err := os.WriteFile(dir+"/"+name, []byte("m."+name+" = 1\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir+"/nosuch", dir+"/b"); err != nil {
		t.Skip(err)
	}
	reg := derive.NewRegistry(nil)
	if n, err := load.Config(reg, dir); n != 1 || !errors.Is(err, fs.ErrNotExist) || names(reg) != "m.a" {
		t.Errorf("%d, %v: %s", n, err, names(reg))
	}
	reg = derive.NewRegistry(nil)
	if n := load.Default(reg, dir); n != 2 || names(reg) != "m.a m.c" {
		t.Errorf("%d: %s", n, names(reg))
	}
}

// TestLoadMessages covers the messages about the lines of a file.
func TestLoadMessages(t *testing.T) {
	const file = `# comment
a.b = 1
a.b =  2
a.c = 1 +    2 +	
a.d(oneline) = x
a.b(foo) = x
a.b(oneline) = one  ` + `
a.b(oneline) = two
a.b(helptext) = "hello
 world" tail
#control GLOBAL_LIMIT=1
a.e = 3
#control GLOBAL_LIMIT=-1,nothing
#Control GLOBAL_LIMIT=x
 # indented
a..b = 1
a.f = sum(1)
a.g = 4`
	n, w, reg, err := loadFiles(t, map[string]string{"t": file}, "t")
	want := []string{
		"[t:3] Error: pmRegisterDerived(a.b, ...) syntax error\n  2\n  ^\nDuplicate global derived metric name",
		"[t:4] Error: pmRegisterDerived(a.c, ...) syntax error\n 1 +    2 +\t\n           ^\nArithmetic expression expected to follow PLUS",
		"[t:5] Error: pmLoadDerivedConfig: cannot set attribute, derived metric (a.d) not defined\na.d(oneline) = x",
		"[t:6] Error: pmLoadDerivedConfig: attribute (foo) is unknown for metric (a.b)\na.b(foo) = x",
		"[t:8] Error: pmLoadDerivedConfig: duplicate value for attribute (oneline) of metric (a.b)\na.b(oneline) = two",
		"[t:9] Warning: pmLoadDerivedConfig: extra text (tail) after attribute value will be ignored",
		"[t:12] Error: pmRegisterDerived(a.e, ...) syntax error\n 3\n ^\nToo many global derived metrics",
		"[t:13] Error: missing '=' in derived metric control (nothing)",
		"[t:14] Warning: bad value (x) for derived metric control (GLOBAL_LIMIT)",
		"[t:15] Error: pmLoadDerivedConfig: missing ``='' after derived metric name\n # indented",
		"[t:16] Error: pmLoadDerivedConfig: illegal derived metric name (a..b)",
		"[t:17] Error: pmRegisterDerived(a.f, ...) syntax error\n sum(1)\n     ^ \nMetric name expected to follow sum(",
	}
	if n != 2 || err != nil || names(reg) != "a.b a.g" {
		t.Errorf("%d, %v, %s", n, err, names(reg))
	}
	for i := range max(len(w), len(want)) {
		switch {
		case i >= len(w):
			t.Errorf("not said: %q", want[i])
		case i >= len(want):
			t.Errorf("said: %q", w[i])
		case w[i] != want[i]:
			t.Errorf("said %q, want %q", w[i], want[i])
		}
	}
	src := derive.NewSource(pmapi.WithNames(nil, new(pmns.Tree)), reg.Set(), nil)
	id, _ := pmapi.LookupName(context.Background(), src, "a.b")
	for kind, want := range map[pcp.TextKind]string{pcp.OneLine: "one  ", pcp.Help: "hello\n world"} {
		if s, err := pmapi.LookupText(context.Background(), src, kind, uint32(id)); s != want || err != nil {
			t.Errorf("text %d: %q, %v", kind, s, err)
		}
	}
}

// TestLoadLarge covers a file that is longer than the limit, by itself and in a directory, and files that
// are too long together.
func TestLoadLarge(t *testing.T) {
	dir := t.TempDir()
	sparse := filepath.Join(dir, "sparse")
	if err := os.WriteFile(sparse, []byte("a = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 20<<30); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{sparse, dir} {
		var said []string
		_, err := load.Config(derive.NewRegistry(func(line string) { said = append(said, line) }), path)
		if want := []string{sparse + ": a file of definitions has at most 16777216 bytes, and all together 67108864"}; !errors.Is(err, pmerr.TooBig) || !slices.Equal(said, want) {
			t.Errorf("%v, %q, want %q", err, said, want)
		}
	}
	many := t.TempDir()
	for i := range 5 {
		if err := os.WriteFile(filepath.Join(many, fmt.Sprint(i)), []byte(strings.Repeat("#", load.MaxFile-1)+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := load.Config(derive.NewRegistry(nil), many); !errors.Is(err, pmerr.TooBig) || !strings.Contains(err.Error(), filepath.Join(many, "4")) {
		t.Errorf("files of 80 MiB: %v", err)
	}
}
