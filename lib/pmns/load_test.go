package pmns_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// files is a file system of a few texts.
type files map[string]string

// ReadFile returns the text called name.
func (f files) ReadFile(name string) ([]byte, error) {
	text, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// listing returns the leaves of t as pminfo -m prints them.
func listing(t *pmns.Tree) string {
	var b strings.Builder
	_ = t.Walk("", func(name string, id pcp.ID) bool {
		fmt.Fprintf(&b, "%s PMID: %v\n", name, id)
		return true
	})
	return b.String()
}

// TestLoadRecorded compares complete files with the reference's output.
func TestLoadRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/files.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut("\n"+string(data), "\n== -")
	for _, c := range strings.Split(rest, "\n== -") {
		head, body, ok1 := strings.Cut(c, "\n")
		text, want, ok2 := strings.Cut("\n"+body+"\n", "\n== want\n")
		option, name, ok3 := strings.Cut(head, " ")
		if !ok1 || !ok2 || !ok3 {
			t.Fatalf("case %q is incomplete", head)
		}
		text = strings.TrimPrefix(text, "\n")
		if text != "" {
			text += "\n"
		}
		if want = strings.TrimSuffix(want, "\n"); want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		t.Run(head, func(t *testing.T) {
			got := load(t, name, text, option == "n")
			if got != want {
				t.Errorf("text:\n%s\ngot:\n%s\nwant:\n%s", text, got, want)
			}
		})
	}
}

// load returns the output of pminfo -m for a file.
func load(t *testing.T, name, text string, dupOK bool) string {
	t.Helper()
	dir := files{"inc1": "X 1\n", name: text}
	tree, err := pmns.Load(name, &pmns.Options{Preprocess: true, DupOK: dupOK, ReadFile: dir.ReadFile})
	if err == nil {
		return listing(tree)
	}
	var e *pmns.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T) is no *Error", err, err)
	}
	return fmt.Sprintf("%s%spminfo: Cannot load namespace from %q: %v\n", e.Preprocessor, e.Message, name, pmerr.Of(err))
}

// message returns the message of the error that Parse must give.
func message(t *testing.T, text string, opts *pmns.Options) string {
	t.Helper()
	_, err := pmns.Parse("file", []byte(text), opts)
	var e *pmns.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T) is no *Error", err, err)
	}
	if !errors.Is(err, pmerr.PMNS) {
		t.Errorf("error %v does not match pmerr.PMNS", err)
	}
	return e.Message
}

// TestParseErrors holds files without preprocessing: unlike the reference, lines are counted from
// one.
func TestParseErrors(t *testing.T) {
	const head = "Error Parsing ASCII PMNS: "
	for _, c := range []struct{ name, text, want string }{
		{"no root", "a {\n}\n", head + "No name space entry for \"root\"\n"},
		{"comment", "root {\n/* no */\n}\n", "[file:2] " + head + "Expected NAME or }\n    /* no */\n    ^\n"},
		{"caret", "root {\n  a\t1:2:x\n}\n", "[file:2] " + head + "Expected NAME, PMID or }\n    a\t1:2:x\n     \t^\n"},
		{"white space", "root {\n\ta\t \tb!c\v\td \t\n}\n", "[file:2] " + head + "Expected NAME, PMID or }\n    a\tb!c\vd \n     \t^\n"},
		{"hash", "root {\n# x\n}\n", "[file:1] " + head + "Illegal line number control number\n    # x\n         ^\n"},
		{"hash at once", "# x\n", head + "Illegal line number control number\n"},
		{"marker", "# 12 \"other\"\nroot x\n", "[other:12] " + head + "{ expected\n    root x\n         ^\n"},
		{"huge marker", "# 99999999999999999999 \"x\"\nroot x\n", head + "Illegal line number control number\n"},
		{"reported twice", "root {\n a 511:1:1\n}\n", "[file:2] " + head + "Illegal domain field in PMID\n    a 511:1:1\n      ^\n" +
			"[file:2] " + head + "Expected NAME, PMID or }\n      ^\n      ^\n"},
		{"domain wraps in C", "root {\n a 4294967297:1:1\n}\n", "[file:2] " + head + "Illegal domain field in PMID\n    a 4294967297:1:1\n      ^\n" +
			"[file:2] " + head + "Expected NAME, PMID or }\n      ^\n      ^\n"},
		{"binary", "root {\n\xff\xfe\n}\n", "[file:2] " + head + "Expected NAME or }\n    \xff\xfe\n    ^\n"},
		{"duplicate identifier", "root {\n a 1:1:1\n b 1:1:1\n}\n",
			head + "Duplicate metric id (1.1.1) in name space for metrics \"b\" and \"a\"\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := message(t, c.text, nil); got != c.want {
				t.Errorf("message %q, want %q", got, c.want)
			}
		})
	}
}

func TestParseAccepts(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no newline at the end", "root {\n a 1:1:1\n b 1:1:2", "a PMID: 1.1.1\nb PMID: 1.1.2\n"},
		{"carriage returns", "root {\r\n a 1:1:1\r\n}\r\n", "a PMID: 1.1.1\n"},
		{"four fields", "root { a 1:2:3:4 }", "a PMID: 1.2.3\n"},
		{"one field", "root { a 5 }", "a PMID: 5.*.*\n"},
		{"blanks in an identifier", "root { a 1 : 2 : 3 b 4:5:6 }", "a PMID: 1.2.3\nb PMID: 4.5.6\n"},
		{"leading zeros", "root { a 010:020:030 }", "a PMID: 10.20.30\n"},
		{"dynamic roots may be the same", "root { a 30:*:* b 30:*:* }", "a PMID: 30.*.*\nb PMID: 30.*.*\n"},
		{"longest line", "root { " + strings.Repeat("a", 240) + " 1:1:1", strings.Repeat("a", 240) + " PMID: 1.1.1\n"},
		{"zero byte", "root {\n a 1:1:1\n \x00\n b 1:1:2\n}\n", "a PMID: 1.1.1\nb PMID: 1.1.2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, err := pmns.Parse("file", []byte(c.text), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(tree); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLongLine(t *testing.T) {
	got := message(t, "root {\n"+strings.Repeat("a", 255)+"\n}\n", nil)
	if !strings.HasPrefix(got, "[file:1] Error Parsing ASCII PMNS: Absurdly long line, cannot recover\n    aaa") {
		t.Errorf("message %q", got)
	}
}

func TestLoadMissing(t *testing.T) {
	_, err := pmns.Load("nope", &pmns.Options{ReadFile: files{}.ReadFile})
	var e *pmns.Error
	if !errors.As(err, &e) || e.Message != "Error Parsing ASCII PMNS: Cannot open \"nope\"\n" {
		t.Errorf("error %#v", err)
	}
	if !errors.Is(err, fs.ErrNotExist) || pmerr.Of(err) != pmerr.ENOENT {
		t.Errorf("error %v does not match fs.ErrNotExist", err)
	}
	if _, err := pmns.Load(t.TempDir()+"/nope", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v does not match fs.ErrNotExist", err)
	}
}

func TestDeepTree(t *testing.T) {
	var b strings.Builder
	path := "root"
	for i := range 120 {
		fmt.Fprintf(&b, "%s {\n a\n}\n", path)
		path = strings.TrimPrefix(path+".a", "root.")
		if i == 0 {
			path = "a"
		}
	}
	fmt.Fprintf(&b, "%s {\n b 1:1:1\n}\n", path)
	tree, err := pmns.Parse("file", []byte(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := tree.Lookup(path + ".b"); err != nil || id != pcp.NewID(1, 1, 1) {
		t.Errorf("Lookup = %v, %v", id, err)
	}
}

// FuzzParse: each name of an accepted name space leads to its metric and back; an error has a code and a text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"root {\n a\n dyn 30:*:*\n z 29:0:1\n}\na {\n b 29:0:1\n c 29:0:2\n}\n",
		"#define A b\n#ifdef A\nroot { A 1:1:1 /* c\n */ }\n#endif\n",
		"#include \"file\"\n", "# 5 \"x\"\nroot { a 1:2 }\n", "root { a 600:1:1 }", "root\n", "{", "#\n", "#shell \"x\"\n",
		"root { a a }\n", "root {\n}\nroot.a {\n}\n", "/*", "#define x \"a\n", "1:1:1 {\n", "root { : : }",
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, preprocess bool) {
		opts := &pmns.Options{Preprocess: preprocess, DupOK: true, ReadFile: func(string) ([]byte, error) { return text, nil }}
		tree, err := pmns.Parse("file", text, opts)
		if err != nil {
			var e *pmns.Error
			if !errors.As(err, &e) || e.Message == "" || !errors.Is(err, pmerr.PMNS) {
				t.Errorf("error %#v", err)
			}
			return
		}
		n := 0
		_ = tree.Walk("", func(name string, id pcp.ID) bool {
			n++
			if _, err := tree.Lookup(name); err != nil {
				t.Errorf("Lookup(%q) = %v", name, err)
			}
			if _, err := tree.Names(id); err != nil {
				t.Errorf("Names(%v) = %v", id, err)
			}
			return true
		})
		if n != tree.Len() {
			t.Errorf("Walk found %d leaves, Len is %d", n, tree.Len())
		}
	})
}

// bigFile returns a name space file with n metrics in groups of 100.
func bigFile(n int) []byte {
	var root, groups strings.Builder
	for i := range n {
		if i%100 == 0 {
			fmt.Fprintf(&root, "    g%d\n", i/100)
			fmt.Fprintf(&groups, "g%d {\n", i/100)
		}
		fmt.Fprintf(&groups, "    metric%d\t%d:%d:%d\n", i%100, i/100%500, i/50000, i%100)
		if i%100 == 99 || i == n-1 {
			groups.WriteString("}\n")
		}
	}
	return []byte("root {\n" + root.String() + "}\n" + groups.String())
}

func BenchmarkParse(b *testing.B) {
	text := bigFile(10000)
	for _, preprocess := range []bool{false, true} {
		b.Run(fmt.Sprintf("preprocess=%v", preprocess), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := pmns.Parse("file", text, &pmns.Options{Preprocess: preprocess}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
