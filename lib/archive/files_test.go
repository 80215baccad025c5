package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
)

// touch makes empty files in a new directory, which it returns.
func touch(t testing.TB, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// describe prints the result of findFiles, without the directory.
func describe(f *files, dir string) string {
	parts := []string{f.base, f.meta, f.index}
	for _, v := range f.volumes {
		parts = append(parts, fmt.Sprintf("%d:%s", v.number, v.path))
	}
	return strings.ReplaceAll(strings.Join(parts, " "), dir+string(filepath.Separator), "")
}

func TestFindFiles(t *testing.T) {
	dir := touch(t,
		"a.meta", "a.index", "a.0", "a.1", "a.10", "a.2",
		"axz.meta.xz", "axz.0.xz", "axz.1.gz",
		"20180102.03.04.meta", "20180102.03.04.7",
		"both.meta", "both.meta.xz", "both.0.xz", "both.0", "both.index.gz", "both.index",
		"ab.meta", "ab.0", "nometa.0", "novol.meta", "b.0.x", "b.notes", "a.0.bak",
	)
	tests := []struct {
		name string
		want string
	}{
		{"a", "a a.meta a.index 0:a.0 1:a.1 2:a.2 10:a.10"},
		{"a//", "a a.meta a.index 0:a.0 1:a.1 2:a.2 10:a.10"},
		{"a.0", "a a.meta a.index 0:a.0 1:a.1 2:a.2 10:a.10"},
		{"a.10", "a a.meta a.index 0:a.0 1:a.1 2:a.2 10:a.10"},
		{"a.meta", "a a.meta a.index 0:a.0 1:a.1 2:a.2 10:a.10"},
		{"a.index", "a a.meta a.index 0:a.0 1:a.1 2:a.2 10:a.10"},
		{"a.3", "PM_ERR -2"},
		{"axz", "axz axz.meta.xz  0:axz.0.xz 1:axz.1.gz"},
		{"axz.0", "axz axz.meta.xz  0:axz.0.xz 1:axz.1.gz"},
		{"axz.0.xz", "axz axz.meta.xz  0:axz.0.xz 1:axz.1.gz"},
		{"axz.meta", "axz axz.meta.xz  0:axz.0.xz 1:axz.1.gz"},
		{"20180102.03.04", "20180102.03.04 20180102.03.04.meta  7:20180102.03.04.7"},
		{"20180102.03.04.7", "20180102.03.04 20180102.03.04.meta  7:20180102.03.04.7"},
		{"20180102.03", "PM_ERR -2"},
		{"both", "both both.meta both.index 0:both.0"},
		{"nometa", "PM_ERR -12375"},
		{"novol", "PM_ERR -12375"},
		{"b", "PM_ERR -2"},
		{"nothing", "PM_ERR -2"},
		{"", "PM_ERR -2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := new(lister).findFiles(dir + string(filepath.Separator) + tt.name)
			got := ""
			if err != nil {
				got = fmt.Sprintf("PM_ERR %d", pmerr.Of(err))
			} else {
				got = describe(f, dir)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestFindFilesHere(t *testing.T) {
	t.Chdir(touch(t, "a.meta", "a.0"))
	for name, want := range map[string]string{"a": "a a.meta  0:a.0", "./a.0": "./a ./a.meta  0:./a.0"} {
		f, err := new(lister).findFiles(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := filepath.ToSlash(describe(f, "no directory")); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestExpandNames(t *testing.T) {
	dir := touch(t, "b.meta", "b.0", "c.meta.xz", "c.0", "d.0", ".meta")
	empty := touch(t)
	inside := []string{filepath.Join(dir, "b"), filepath.Join(dir, "c")}
	tests := []struct {
		name string
		want []string
	}{
		{"x", []string{"x"}},
		{"x,", []string{"x"}},
		{"x,y", []string{"x", "y"}},
		{"x,y,x", []string{"x", "y", "x"}},
		{",x", []string{"", "x"}},
		{",", nil},
		{",,", []string{""}},
		{"x,,", []string{"x"}},
		{dir, inside},
		{"x," + dir, append([]string{"x"}, inside...)},
	}
	for _, tt := range tests {
		got, err := new(lister).expandNames(tt.name)
		if len(got) >= 2 && strings.Contains(tt.name, dir) {
			slices.Sort(got[len(got)-2:]) // the order of a directory is its own
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	for _, name := range []string{"", empty, "x," + empty} {
		if got, err := new(lister).expandNames(name); !errors.Is(err, pmerr.LogFile) {
			t.Errorf("%q: got %q, %v", name, got, err)
		}
	}
}

func TestMemberBase(t *testing.T) {
	for file, want := range map[string]string{
		"a.0": "a", "a.meta": "a", "a.index.xz": "a", "a.b.12.zst": "a.b", "a": "a", "a.b": "a.b", ".0": ".0", "a.-1": "a.-1",
		"a.99999999999999": "a.99999999999999", "a.xz": "a",
	} {
		if got := memberBase(file); got != want {
			t.Errorf("%s: got %s, want %s", file, got, want)
		}
	}
}
