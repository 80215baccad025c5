package main

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

var once = sync.OnceValues(func() (map[string][]byte, error) { return generate(root) })

// site is the site of this repository.
func site(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSite: each guide, manual page and package has a page that others lead to, nothing is broken,
// and the same files give the same bytes.
func TestSite(t *testing.T) {
	files := site(t)
	if err := errors.Join(broken(files)...); err != nil {
		t.Error(err)
	}
	again, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if !bytes.Equal(again[name], text) {
			t.Errorf("%s differs between two runs", name)
		}
	}
	first := string(files["index.html"])
	for _, pattern := range []string{"docs/*.md", "docs/spec/*.md", "man/*.[1-9]", "lib/*/*.go", "derive/*/*.go"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			src := filepath.ToSlash(strings.TrimPrefix(name, filepath.FromSlash(root+"/")))
			want := src + ".html"
			switch filepath.Ext(name) {
			case ".md":
				want = strings.TrimSuffix(src, ".md") + ".html"
			case ".go":
				want = "pkg/" + filepath.ToSlash(filepath.Dir(src)) + ".html"
			}
			if files[want] == nil && !strings.HasPrefix(want, "pkg/lib/internal") && !strings.HasPrefix(want, "pkg/derive/internal") {
				t.Errorf("%s has no page %s", src, want)
			}
			if files[want] != nil && !strings.Contains(first, `href="`+want+`"`) {
				t.Errorf("the list of pages lacks %s", want)
			}
		}
	}
	if len(again) != len(files) {
		t.Errorf("%d files, then %d", len(files), len(again))
	}
}

// TestBroken finds what is wrong with references.
func TestBroken(t *testing.T) {
	files := map[string][]byte{"a/b.html": []byte(`<h2 id="x&amp;y">`), "c.png": {1}}
	for _, tt := range []struct{ page, want string }{
		{`<a href="a/b.html">`, ""}, {`<a href="a/b.html#x&amp;y">`, ""}, {`<img src="c.png">`, ""}, {`<a href="https://pcp.io#x">`, ""},
		{`<h1 id="top"><a href="#top">`, ""}, {`<a href="">`, ""},
		{`<a href="b.html">`, "no such file"}, {`<a href="a/b.html#z">`, "no such section"}, {`<a href="#z">`, "no such section"},
		{`<a href="/a/b.html">`, "no such file"}, {`<script src="https://pcp.io/x.js">`, "another site"}, {`<img src="//pcp.io/x.png">`, "another site"},
		{`<a href="c.png#z">`, "no such section"},
	} {
		files["index.html"] = []byte(tt.page)
		switch err := errors.Join(broken(files)...); {
		case err == nil && tt.want != "", err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.page, err, tt.want)
		}
	}
}

// TestOffline: styles and scripts load nothing from elsewhere.
func TestOffline(t *testing.T) {
	for _, name := range []string{"style.css", "search.js", "page.html"} {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`https?:|//[a-z]+\.|@import|url\(|fetch\(|XMLHttp`).Find(text); m != nil {
			t.Errorf("%s has %q", name, m)
		}
	}
}

// TestErrors: a repository whose documents refer to nothing, or have HTML, gives no site.
func TestErrors(t *testing.T) {
	for _, tt := range []struct{ file, text, want string }{
		{"docs/install.md", "# I\n\n[x](none.md)\n", "none.md"},
		{"docs/install.md", "# I\n\na <b>c</b>\n", `line 3: HTML in Markdown: "<b>"`},
		{"man/pmval.1", ".TH PMVAL 1\n.SH NAME\n.XY z\n", `".XY z": an unknown macro`},
		{"lib/x/x.go", "package x\n\nfunc (", "x.go:3"},
		{"go.mod", "nothing\n", "names no module"},
	} {
		dir := t.TempDir()
		files := map[string]string{"go.mod": "module m\n", "lib/x/x.go": "// Package x is one.\npackage x\n", "derive/y/y.go": "package y\n", "man/pmval.1": ".SH NAME\npmval\n"}
		for _, name := range []string{"README", "docs/install", "docs/pmderive", "docs/output", "docs/spec/wire", "CONTRIBUTING", "CHANGELOG", "SECURITY", "test/known-differences"} {
			files[name+".md"] = "# " + name + "\n"
		}
		lay(t, dir, files)
		if _, err := generate(dir); err != nil {
			t.Errorf("a whole repository: %v", err)
		}
		lay(t, dir, map[string]string{tt.file: tt.text})
		if _, err := generate(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, want %q", tt.file, err, tt.want)
		}
	}
}

func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSlugs: anchors are those of GitHub, which links in Markdown name.
func TestSlugs(t *testing.T) {
	ids := make(slugs)
	for _, tt := range [][2]string{
		{"Few files", "few-files"}, {"pmderive find: what?", "pmderive-find-what"}, {"a_b - c", "a_b---c"}, {"Few files", "few-files-1"}, {"Größe 2", "größe-2"}, {"A `b`.c/d", "a-bcd"},
	} {
		if got := ids.of(tt[0]); got != tt[1] {
			t.Errorf("%q: %q, want %q", tt[0], got, tt[1])
		}
	}
}

// TestManual turns macros into HTML.
func TestManual(t *testing.T) {
	for _, tt := range []struct{ roff, want string }{
		{".SH A B\ntext \\-x\n.B bold\n.PP\nmore", "<h2 id=\"a-b\">A B</h2>\n<p>text -x\n<b>bold</b>\n</p>\n<p>more\n</p>\n"},
		{".TP\n.BR \\-a \", \" \\-b\ntext\n.TP\n.B c\ntext\n.PP\nend", "<dl>\n<dt><b>-a</b>, <b>-b</b></dt>\n<dd>text\n<dt><b>c</b></dt>\n<dd>text\n</dl>\n<p>end\n</p>\n"},
		{".nf\na < b\n  c\\e\n.fi\n", "<pre>a &lt; b\n  c\\\n</pre>\n"},
		{".RS\nin\n.RE\nout", "<div class=\"inset\">\n<p>in\n</p>\n</div>\n<p>out\n</p>\n"},
		{"a \\fBb\\fIc\\fR d\\fPe \\(aqf\\(aq", "<p>a <b>b</b><i>c</i> de &#39;f&#39;\n</p>\n"},
		{".IR FILE | DIR \" ...\"", "<p><i>FILE</i>|<i>DIR</i> ...\n</p>\n"},
		{".RE", "nothing to end"},
	} {
		m := &manual{ids: make(slugs)}
		got := tt.want
		if err := m.read(tt.roff); err == nil {
			got = m.out.String()
		} else if !strings.Contains(err.Error(), tt.want) {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q:\n%s\nwant\n%s", tt.roff, got, tt.want)
		}
	}
}

// TestManualWords: a page has the words that groff prints, in their order.
func TestManualWords(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff here: the words of manual pages are not compared")
	}
	pages, err := fs.Glob(os.DirFS(root), "man/*.[1-9]")
	if err != nil || len(pages) < 7 {
		t.Fatal(pages, err)
	}
	files := site(t)
	for _, name := range pages {
		c := exec.Command(groff, "-man", "-Tascii", "-P-cbou", "-rHY=0", "-rLL=2000n", "-rcR=1", filepath.Join(root, name))
		c.Env = append(os.Environ(), "GROFF_NO_SGR=1")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		want := strings.Fields(strings.Join(lines[1:len(lines)-1], "\n")) // without header and footer
		_, body, _ := strings.Cut(string(files[name+".html"]), `<div class="manual">`)
		body, _, _ = strings.Cut(body, "</main>")
		_, body, _ = strings.Cut(body, "</h1>")
		got := strings.Fields(plainHTML(body))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%s: %q, groff prints %q", name, got[i:min(i+8, len(got))], want[i:min(i+8, len(want))])
				break
			}
		}
		if len(got) != len(want) && !t.Failed() {
			t.Errorf("%s has %d words, groff prints %d", name, len(got), len(want))
		}
	}
}

func plainHTML(body string) string {
	body = regexp.MustCompile(`<(/?(p|pre|dt|dd|dl|div|h[1-6])|br)\b[^>]*>`).ReplaceAllString(body, " ")
	body = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, "")
	return strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(body)
}

// TestWrite replaces what a directory had.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	lay(t, dir, map[string]string{"old.html": "x"})
	if err := write(dir, map[string][]byte{"a/b.html": []byte("y"), "c.css": nil}); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]bool)
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got[d.Name()] = true
		}
		return err
	})
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"b.html", "c.css"}) {
		t.Errorf("files %v", names)
	}
}
