package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"html"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// packages makes a page of each package of lib and derive that programs may import.
func (b *builder) packages(group string) error {
	module, err := modulePath(b.root)
	if err != nil {
		return err
	}
	var list []*pkg
	for _, top := range []string{"lib", "derive"} {
		err := filepath.WalkDir(filepath.Join(b.root, top), func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if slices.Contains([]string{"internal", "testdata"}, d.Name()) {
				return fs.SkipDir
			}
			src, err := filepath.Rel(b.root, dir)
			if err != nil {
				return err
			}
			p, err := readPackage(b.root, module, filepath.ToSlash(src))
			if p != nil {
				list = append(list, p)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, p := range list {
		b.add(&page{Source: p.dir, Name: "pkg/" + p.dir + ".html", Title: p.dir, Group: group})
	}
	for _, p := range list {
		p.page, p.b = b.pages[p.dir], b
		if err := p.write(); err != nil {
			return fmt.Errorf("%s: %w", p.dir, err)
		}
	}
	return nil
}

func modulePath(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	m := regexp.MustCompile(`(?m)^module (\S+)$`).FindSubmatch(text)
	if m == nil {
		return "", errors.New("go.mod names no module")
	}
	return string(m[1]), nil
}

// A pkg is a package with its documentation.
type pkg struct {
	*doc.Package
	module, dir string
	fset        *token.FileSet
	b           *builder
	page        *page
	out         bytes.Buffer
}

// readPackage reads the package of a directory as Linux on amd64 compiles it, nil if there is none.
func readPackage(root, module, dir string) (*pkg, error) {
	linux := build.Default
	linux.GOOS, linux.GOARCH, linux.CgoEnabled = "linux", "amd64", false
	files := filepath.Join(root, filepath.FromSlash(dir))
	found, err := linux.ImportDir(files, 0)
	if nothing := (*build.NoGoError)(nil); errors.As(err, &nothing) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	p := &pkg{module: module, dir: dir, fset: token.NewFileSet()}
	var trees []*ast.File
	for _, name := range slices.Concat(found.GoFiles, found.TestGoFiles, found.XTestGoFiles) {
		tree, err := parser.ParseFile(p.fset, filepath.Join(files, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	p.Package, err = doc.NewFromFiles(p.fset, trees, path.Join(module, dir))
	return p, err
}

// write makes the body of the package's page.
func (p *pkg) write() error {
	fmt.Fprintf(&p.out, "<h1>package %s</h1>\n<pre>import %q</pre>\n", p.Name, p.ImportPath)
	p.section(1, "", p.dir)
	p.text(p.Doc)
	p.examples(p.Examples)
	p.values("Constants", p.Consts)
	p.values("Variables", p.Vars)
	if len(p.Funcs) > 0 {
		p.heading(2, "functions", "Functions")
	}
	p.funcs(3, p.Funcs)
	if len(p.Types) > 0 {
		p.heading(2, "types", "Types")
	}
	for _, t := range p.Types {
		p.heading(3, t.Name, "type "+t.Name)
		p.page.Sections[len(p.page.Sections)-1].Level = 2 // in the list of pages
		p.declaration(t.Decl)
		p.text(t.Doc)
		p.examples(t.Examples)
		p.values("", t.Consts)
		p.values("", t.Vars)
		p.funcs(4, t.Funcs)
		p.funcs(4, t.Methods)
	}
	p.page.Body = template.HTML(p.out.String())
	return nil
}

func (p *pkg) heading(level int, id, title string) {
	fmt.Fprintf(&p.out, "<h%d id=\"%s\">%s</h%d>\n", level, id, html.EscapeString(title), level)
	p.section(level, id, title)
}

func (p *pkg) section(level int, id, title string) {
	p.page.Sections = append(p.page.Sections, section{Level: level, ID: id, Title: title})
}

// values writes groups of constants or variables.
func (p *pkg) values(title string, list []*doc.Value) {
	if title != "" && len(list) > 0 {
		p.heading(2, strings.ToLower(title), title)
	}
	for _, v := range list {
		p.declaration(v.Decl)
		p.text(v.Doc)
	}
}

func (p *pkg) funcs(level int, list []*doc.Func) {
	for _, f := range list {
		id, title := f.Name, "func "+f.Name
		if f.Recv != "" {
			id = strings.TrimLeft(receiver.ReplaceAllString(f.Recv, ""), "*") + "." + f.Name
			title = "func (" + f.Recv + ") " + f.Name
		}
		p.heading(level, id, title)
		p.declaration(f.Decl)
		p.text(f.Doc)
		p.examples(f.Examples)
	}
}

// receiver matches the type parameters of a receiver.
var receiver = regexp.MustCompile(`\[.*\]`)

// declaration writes a declaration after the anchors of what it declares.
func (p *pkg) declaration(d ast.Decl) {
	if g, ok := d.(*ast.GenDecl); ok {
		for _, name := range declared(g) {
			fmt.Fprintf(&p.out, "<span id=\"%s\"></span>", name)
		}
	}
	p.code(d)
}

func (p *pkg) code(node any) {
	var text bytes.Buffer
	if err := format.Node(&text, p.fset, node); err != nil {
		panic(err) // the parser made it
	}
	fmt.Fprintf(&p.out, "<pre>%s</pre>\n", html.EscapeString(text.String()))
}

// declared returns what links may point to in a declaration besides the type itself: constants,
// variables, fields and methods of interfaces.
func declared(g *ast.GenDecl) (names []string) {
	add := func(prefix string, list []*ast.Ident) {
		for _, n := range list {
			if n.IsExported() {
				names = append(names, prefix+n.Name)
			}
		}
	}
	for _, spec := range g.Specs {
		switch s := spec.(type) {
		case *ast.ValueSpec:
			add("", s.Names)
		case *ast.TypeSpec:
			var fields *ast.FieldList
			switch t := s.Type.(type) {
			case *ast.StructType:
				fields = t.Fields
			case *ast.InterfaceType:
				fields = t.Methods
			default:
				continue
			}
			for _, f := range fields.List {
				add(s.Name.Name+".", f.Names)
			}
		}
	}
	return names
}

// text writes a comment.
func (p *pkg) text(text string) {
	sections := p.page.Sections
	sections[len(sections)-1].Text += text + " "
	printer := p.Printer()
	printer.HeadingLevel = 2
	printer.HeadingID = func(h *comment.Heading) string { return "hdr-" + (make(slugs)).of(plainHeading(h)) }
	printer.DocLinkURL = p.link
	d := p.Parser().Parse(text)
	for _, c := range d.Content {
		if h, ok := c.(*comment.Heading); ok {
			p.section(2, printer.HeadingID(h), plainHeading(h))
		}
	}
	p.out.Write(printer.HTML(d))
}

func plainHeading(h *comment.Heading) (text string) {
	for _, t := range h.Text {
		switch t := t.(type) {
		case comment.Plain:
			text += string(t)
		case comment.Italic:
			text += string(t)
		}
	}
	return text
}

// link returns the address of what a comment refers to: a page of ours, or of the documentation of
// Go's packages.
func (p *pkg) link(l *comment.DocLink) string {
	anchor := l.Name
	if l.Recv != "" {
		anchor = l.Recv + "." + l.Name
	}
	if anchor != "" {
		anchor = "#" + anchor
	}
	if l.ImportPath == "" || l.ImportPath == p.ImportPath {
		return anchor
	}
	dir, ours := strings.CutPrefix(l.ImportPath, p.module+"/")
	if !ours {
		return "https://pkg.go.dev/" + l.ImportPath + anchor
	}
	return relative(p.page.Name, "pkg/"+dir+".html") + anchor
}

// examples writes complete examples with their output.
func (p *pkg) examples(list []*doc.Example) {
	for _, e := range list {
		title := strings.TrimSuffix("Example ("+e.Suffix+")", " ()")
		fmt.Fprintf(&p.out, "<details><summary>%s</summary>\n", html.EscapeString(title))
		if e.Doc != "" {
			p.out.Write(p.Printer().HTML(p.Parser().Parse(e.Doc)))
		}
		p.code(e.Code)
		if e.Output != "" {
			fmt.Fprintf(&p.out, "<p>Output:</p>\n<pre>%s</pre>\n", html.EscapeString(e.Output))
		}
		p.out.WriteString("</details>\n")
	}
}
