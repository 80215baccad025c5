package install

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/derive/diagnose"
	"pmtools/lib/config"
	_ "pmtools/test/env"
)

// machine returns the Tools of a machine below a directory, and the name of its system directory. List
// overrides PCP_DERIVED_CONFIG unless it is "-".
func machine(t *testing.T, list string) (*Tools, string) {
	t.Helper()
	root := t.TempDir()
	vars := map[string]string{"PCP_VAR_DIR": root + "/var", "PCP_SYSCONF_DIR": root + "/etc"}
	if list != "-" {
		vars["PCP_DERIVED_CONFIG"] = strings.ReplaceAll(list, "ROOT", root)
	}
	lookup := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	none := func(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }
	tools := NewTools(config.Read(lookup, none), root+"/home/derived")
	for name, text := range map[string]string{
		"var/config/derived/a.conf": "m.a = 1\nm.b = 1 +\n", "var/config/derived/z.conf": "m.z = 1\nm.y = m.a\n",
		"etc/derived/stock.conf": "s.a = 1\nm.z = 2\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(root+"/etc/derived/stock.conf", tools.System+"/stock.conf"); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	return tools, tools.System
}

func TestDefault(t *testing.T) {
	for list, want := range map[string]string{
		"-": "var/config/derived", "": "", "ROOT/nosuch:ROOT/etc:ROOT/var": "etc", "ROOT/etc/derived/stock.conf": "",
	} {
		list = strings.ReplaceAll(list, ":", string(os.PathListSeparator))
		tools, system := machine(t, list)
		root := strings.TrimSuffix(filepath.ToSlash(system), "/var/config/derived")
		got, err := tools.Default()
		if (err != nil) != (want == "") || strings.TrimPrefix(filepath.ToSlash(got), root+"/") != want {
			t.Errorf("%q: %s, %v, want %q", list, got, err, want)
		}
	}
}

func TestCatalog(t *testing.T) {
	tools, system := machine(t, "-")
	c := tools.Catalog([]string{system + "/z.conf"})
	c.Hide("s.a", "3")
	var got bytes.Buffer
	if err := c.Table().WriteCSV(&got); err != nil {
		t.Fatal(err)
	}
	want := `name,origin,file,line,hidden_by,error,expr
s.a,session,,,,,3
m.z,option,D/z.conf,1,,,1
m.y,option,D/z.conf,2,,,m.a
m.a,installed,D/a.conf,1,,,1
m.b,installed,D/a.conf,2,,Arithmetic expression expected to follow PLUS,1 +
s.a,stock,D/stock.conf,1,session,,1
m.z,stock,D/stock.conf,2,D/z.conf:1,,2
m.z,installed,D/z.conf,1,D/z.conf:1,,1
m.y,installed,D/z.conf,2,D/z.conf:2,,m.a
`
	if s := strings.ReplaceAll(strings.ReplaceAll(got.String(), system, "D"), "\r", ""); s != want {
		t.Errorf("got\n%swant\n%s", s, want)
	}
	if err := c.Keep([]string{"m.y", "s"}); err != nil || len(c.Entries) != 4 {
		t.Errorf("%v, %+v", err, c.Entries)
	}
	if err := c.Keep([]string{"m"}); err != nil || len(c.Entries) != 2 {
		t.Errorf("%v, %+v", err, c.Entries)
	}
	if err := c.Keep([]string{"m.q"}); err == nil || !strings.Contains(err.Error(), "m.q is defined in no file") {
		t.Errorf("%v", err)
	}
}

func TestInstall(t *testing.T) {
	tools, system := machine(t, "-")
	var asked []string
	tests := []struct {
		dir, name, text string
		replace, dry    bool
		want, asks      string // the line or the error, the question
		holds           string // what the file has then
		notes           int
	}{
		{name: "new", text: "n.a = 1\n", want: "new is installed in D (system), 1 definition", holds: "n.a = 1\n"},
		{name: "new", text: "n.a = 1\n", want: "new is installed already in D (system)", holds: "n.a = 1\n"},
		{name: "new", text: "n.a = 2\n", want: "D/new has other content and is not replaced", asks: "D/new has other content; replace it?", holds: "n.a = 1\n"},
		{name: "new", text: "n.a = 2\nn.b = 1\n", replace: true, dry: true, want: "new would be installed in D (system), 2 definitions, in the place of a file that has other content", holds: "n.a = 1\n"},
		{name: "new", text: "n.a = 2\n", replace: true, want: "new is installed in D (system), 1 definition", asks: "D/new has other content; replace it?", holds: "n.a = 2\n"},
		{name: "m", text: "m.z = 1\nm.a = 1\nm.b = 1\n", want: "m is installed in D (system), 3 definitions", holds: "m.z = 1\nm.a = 1\nm.b = 1\n", notes: 2},
		{name: "stock.conf", text: "s.a = 7\n", want: "D/stock.conf is a link to E/stock.conf and is not replaced", asks: "D/stock.conf is a link to E/stock.conf; replace it?", holds: "s.a = 1\nm.z = 2\n"},
		{name: "stock.conf", text: "s.a = 7\n", replace: true, want: "stock.conf is installed in D (system), 1 definition", asks: "D/stock.conf is a link to E/stock.conf; replace it?", holds: "s.a = 7\n"},
		{dir: "home/derived", name: "own", text: "m.a = 1\n", dry: true, want: "own would be installed in H (user), 1 definition", notes: 2},
		{dir: "home/derived", name: "own", text: "m.a = 1\n", want: "own is installed in H (user), 1 definition", holds: "m.a = 1\n", notes: 2},
		{dir: "nosuch", name: "own", text: "m.a = 1\n", dry: true, want: "no such file or directory"},
		{dir: "nosuch", name: "own", text: "m.a = 1\n", want: "no such file or directory"},
		{dir: "etc/derived/stock.conf", name: "own", text: "m.a = 1\n", want: "not a directory"},
		{dir: "etc", name: "derived", text: "m.a = 1\n", want: "E is not a file, and is not replaced"},
		{name: "<stdin>", want: "standard input has no name to install it under: write a file"},
	}
	root := strings.TrimSuffix(system, "/var/config/derived")
	short := strings.NewReplacer(system, "D", root+"/etc/derived", "E", root+"/home/derived", "H", root, "ROOT")
	for _, tt := range tests {
		dir := system
		if tt.dir != "" {
			dir = root + "/" + tt.dir
		}
		asked = nil
		j := tools.NewJob(dir, tt.dry)
		j.Replace = func(question string) bool { asked = append(asked, question); return tt.replace }
		got, err := j.Install(tt.name, []byte(tt.text))
		if err != nil {
			got = err.Error()
		}
		if got = strings.ReplaceAll(short.Replace(got), "E/stock.conf is not a dir", "not a dir"); !strings.Contains(got, tt.want) {
			t.Errorf("%s %q: %q, want %q", tt.name, tt.text, got, tt.want)
		}
		if q := short.Replace(strings.Join(asked, "|")); q != tt.asks {
			t.Errorf("%s: asked %q, want %q", tt.name, q, tt.asks)
		}
		if n := j.Notes(); len(n) != tt.notes {
			t.Errorf("%s: %d notes %q, want %d", tt.name, len(n), n, tt.notes)
		}
		if text, _ := os.ReadFile(dir + "/" + tt.name); tt.name != "derived" && string(text) != tt.holds {
			t.Errorf("%s holds %q, want %q", tt.name, text, tt.holds)
		}
	}
	if text, err := os.ReadFile(root + "/etc/derived/stock.conf"); err != nil || string(text) != "s.a = 1\nm.z = 2\n" {
		t.Errorf("the file of PCP's packages has changed: %q, %v", text, err)
	}
	if list, err := os.ReadDir(filepath.Dir(system)); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestUninstall(t *testing.T) {
	tools, system := machine(t, "-")
	root := strings.TrimSuffix(system, "/var/config/derived")
	if err := os.WriteFile(system+"/c.conf", []byte("c.a = 1\nc.b = 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		arg        string
		force, dry bool
		want       string
	}{
		{arg: "c.a", want: "c.a is not a file in H or D; c.a is defined in D/c.conf:1: uninstall the file, or edit it"},
		{arg: "c", dry: true, want: "D/c.conf would be removed"},
		{arg: "c", want: "D/c.conf is removed"},
		{arg: "c", want: "c is not a file in H or D"},
		{arg: "stock", want: "D/stock.conf belongs to PCP's packages and stays; --force removes it"},
		{arg: "stock", force: true, want: "D/stock.conf is removed"},
		{arg: system + "/a.conf", want: "D/a.conf is removed"},
		{arg: root + "/etc/derived/stock.conf", want: "E/stock.conf is not a file in H or D"},
		{arg: "../config", want: "../config is not a file in H or D"},
	}
	short := strings.NewReplacer(system, "D", root+"/etc/derived", "E", root+"/home/derived", "H")
	for _, tt := range tests {
		got, err := tools.Uninstall(tt.arg, "", tt.force, tt.dry)
		if p, ok := errors.AsType[*diagnose.Problem](err); ok {
			got = strings.Join(append([]string{p.Msg}, p.Notes...), "; ")
		} else if err != nil {
			got = err.Error()
		}
		if got = short.Replace(got); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.arg, got, tt.want)
		}
	}
	if _, err := os.Stat(root + "/etc/derived/stock.conf"); err != nil {
		t.Error(err)
	}
}
