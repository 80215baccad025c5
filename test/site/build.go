package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// assets are the template of a page, and what a page loads.
//
//go:embed assets
var assets embed.FS

// A section is a heading of a page.
type section struct {
	Level     int
	ID, Title string
	Text      string // of the section without markup, for the search
}

// A page is one HTML file.
type page struct {
	Source   string // file or directory in the repository
	Name     string // file in the site
	Title    string // in the list of pages
	Group    string // in the list of pages; none for the sources that others refer to
	Body     template.HTML
	Sections []section
}

// A builder makes pages of the files of a repository.
type builder struct {
	root  string
	pages map[string]*page // by the source
	list  []*page          // in the order of the list of pages
	queue []string         // sources that pages refer to, to be made
	files map[string][]byte
}

// groups are the headings of the list of pages, with the Markdown files that come under each.
var groups = []struct{ title, files string }{
	{"Start", "README.md docs/install.md docs/pmderive.md docs/output.md"},
	{"Guides", "docs/*.md"},
	{"Manuals", ""},
	{"Packages", ""},
	{"Project", "CONTRIBUTING.md CHANGELOG.md SECURITY.md test/known-differences.md"},
	{"Specification", "docs/spec/*.md"},
}

// generate returns the files of the site by their names.
func generate(root string) (map[string][]byte, error) {
	b := &builder{root: root, pages: make(map[string]*page), files: make(map[string][]byte)}
	for _, g := range groups {
		var err error
		switch g.title {
		case "Manuals":
			err = b.manuals(g.title)
		case "Packages":
			err = b.packages(g.title)
		default:
			err = b.guides(g.title, strings.Fields(g.files))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := b.bodies(); err != nil {
		return nil, err
	}
	return b.files, b.write()
}

// add lists a page; its body may come later.
func (b *builder) add(p *page) {
	b.pages[p.Source] = p
	b.list = append(b.list, p)
}

// guides lists Markdown files that are not listed yet.
func (b *builder) guides(group string, patterns []string) error {
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(b.root, pattern))
		if err != nil || len(names) == 0 {
			return fmt.Errorf("%s: no such files: %v", pattern, err)
		}
		for _, name := range names {
			src, err := filepath.Rel(b.root, name)
			if err != nil {
				return err
			}
			if src = filepath.ToSlash(src); b.pages[src] != nil {
				continue
			}
			p := &page{Source: src, Name: strings.TrimSuffix(src, ".md") + ".html", Group: group}
			if src == "README.md" {
				p.Name = "index.html"
			}
			b.add(p)
		}
	}
	return nil
}

// bodies makes the pages of Markdown, then those of the sources that any page refers to.
func (b *builder) bodies() error {
	for _, p := range b.list {
		if strings.HasSuffix(p.Source, ".md") {
			text, err := os.ReadFile(filepath.Join(b.root, p.Source))
			if err == nil {
				err = b.markdown(p, text)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", p.Source, err)
			}
		}
	}
	for len(b.queue) > 0 {
		src := b.queue[0]
		b.queue = b.queue[1:]
		if err := b.source(src); err != nil {
			return err
		}
	}
	return nil
}

// source makes the page of a file that is shown as it is, or the list of a directory.
func (b *builder) source(src string) error {
	p := b.pages[src]
	file := filepath.Join(b.root, filepath.FromSlash(src))
	if entries, err := os.ReadDir(file); err == nil {
		var list strings.Builder
		for _, e := range entries {
			to, err := b.target(path.Join(src, e.Name()))
			if err != nil {
				return err
			}
			fmt.Fprintf(&list, "<li><a href=\"%s\">%s</a></li>\n", relative(p.Name, to), template.HTMLEscapeString(e.Name()))
		}
		p.Body = template.HTML(fmt.Sprintf("<h1>%s</h1>\n<ul>\n%s</ul>\n", src, list.String()))
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !strings.HasSuffix(p.Name, ".html") {
		b.files[p.Name] = text
		return nil
	}
	p.Body = template.HTML(fmt.Sprintf("<h1>%s</h1>\n<pre>%s</pre>\n", src, template.HTMLEscapeString(string(text))))
	return nil
}

// target returns the name of the page of a source, which is made if there is none yet.
func (b *builder) target(src string) (string, error) {
	if p := b.pages[src]; p != nil {
		return p.Name, nil
	}
	info, err := os.Stat(filepath.Join(b.root, filepath.FromSlash(src)))
	if err != nil {
		return "", err
	}
	p := &page{Source: src, Title: src, Name: src + ".html"}
	switch {
	case info.IsDir():
		p.Name = src + "/index.html"
	case slices.Contains([]string{".svg", ".png"}, path.Ext(src)):
		p.Name = src
	}
	b.pages[src] = p
	b.queue = append(b.queue, src)
	return p.Name, nil
}

// relative returns the address of a file of the site as it is written in another one.
func relative(from, to string) string {
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(to))
	if err != nil {
		panic(err) // both are relative to the root
	}
	return filepath.ToSlash(rel)
}

// write puts the pages into their frame, and adds what they load.
func (b *builder) write() error {
	frame, err := template.New("page.html").Funcs(template.FuncMap{"relative": relative}).ParseFS(assets, "assets/page.html")
	if err != nil {
		return err
	}
	for _, p := range b.pages {
		if p.Body == "" {
			continue
		}
		var out bytes.Buffer
		data := struct {
			*page
			Groups []group
		}{p, b.groups()}
		if err := frame.Execute(&out, data); err != nil {
			return fmt.Errorf("%s: %w", p.Source, err)
		}
		b.files[p.Name] = out.Bytes()
	}
	for _, name := range []string{"style.css", "search.js"} {
		if b.files[name], err = assets.ReadFile("assets/" + name); err != nil {
			return err
		}
	}
	b.files["index.js"], err = b.index()
	return err
}

// A group is a heading of the list of pages with its pages.
type group struct {
	Title string
	Pages []*page
}

func (b *builder) groups() (list []group) {
	for _, g := range groups {
		pages := slices.DeleteFunc(slices.Clone(b.list), func(p *page) bool { return p.Group != g.title })
		list = append(list, group{g.title, pages})
	}
	return list
}

// index is the table that the search reads: name, anchor, titles and text of each section. It is a
// script, because pages that are opened as files may not read other files.
func (b *builder) index() ([]byte, error) {
	var rows [][5]string
	for _, p := range b.list {
		for _, s := range p.Sections {
			rows = append(rows, [5]string{p.Name, s.ID, p.Title, s.Title, spaces.ReplaceAllString(s.Text, " ")})
		}
	}
	var out bytes.Buffer
	out.WriteString("pmtoolsIndex = ")
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(rows)
	return out.Bytes(), err
}

var spaces = regexp.MustCompile(`\s+`)

// slugs gives headings the anchors that GitHub gives them.
type slugs map[string]int

func (s slugs) of(title string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r == ' ', r == '-':
			return '-'
		case r == '_', '0' <= r && r <= '9', 'a' <= r && r <= 'z', r >= 0x80 && letter(r):
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(title)))
	n := s[slug]
	s[slug]++
	if n > 0 {
		return fmt.Sprintf("%s-%d", slug, n)
	}
	return slug
}
