package main

import (
	"bytes"
	"fmt"
	"html/template"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// markdown makes the body of a page, with links to the pages of what the text refers to.
func (b *builder) markdown(p *page, src []byte) error {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAttribute()))
	tree := md.Parser().Parse(text.NewReader(src))
	ids, comments := make(slugs), []ast.Node(nil)
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Heading:
			title := plainText(n, src)
			s := section{Level: n.Level, ID: ids.of(title), Title: title}
			n.SetAttributeString("id", s.ID)
			p.Sections = append(p.Sections, s)
		case *ast.Link:
			n.Destination, err = b.link(p, n.Destination)
		case *ast.Image:
			n.Destination, err = b.link(p, n.Destination)
		case *ast.RawHTML:
			err = fmt.Errorf("line %d: HTML in Markdown: %q", 1+bytes.Count(src[:n.Segments.At(0).Start], []byte("\n")), n.Segments.Value(src))
		case *ast.HTMLBlock:
			if comments = append(comments, n); n.HTMLBlockType != ast.HTMLBlockType2 {
				err = fmt.Errorf("HTML in Markdown: %q", n.Lines().Value(src))
			}
		}
		return ast.WalkContinue, err
	})
	if err != nil {
		return err
	}
	for _, n := range comments {
		n.Parent().RemoveChild(n.Parent(), n)
	}
	b.texts(p, tree, src)
	var out bytes.Buffer
	if err := md.Renderer().Render(&out, src, tree); err != nil {
		return err
	}
	// A wide table scrolls by itself, not with the page.
	wrap := strings.NewReplacer("<table>", `<div class="wide"><table>`, "</table>", "</table></div>")
	p.Body = template.HTML(wrap.Replace(out.String()))
	if p.Title = path.Base(p.Source); len(p.Sections) > 0 {
		p.Title = p.Sections[0].Title
	}
	return nil
}

// link returns a link of a page as the site has it. Anchors and other sites stay.
func (b *builder) link(p *page, to []byte) ([]byte, error) {
	file, anchor, _ := strings.Cut(string(to), "#")
	if file == "" || strings.Contains(file, ":") {
		return to, nil
	}
	name, err := b.target(path.Join(path.Dir(p.Source), file))
	if err != nil {
		return nil, err
	}
	rel := relative(p.Name, name)
	if anchor != "" {
		rel += "#" + anchor
	}
	return []byte(rel), nil
}

// texts gives each section the text below its heading.
func (b *builder) texts(p *page, tree ast.Node, src []byte) {
	i := -1
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHeading {
			i++
		} else if i >= 0 {
			p.Sections[i].Text += plainText(n, src) + " "
		}
	}
}

// plainText returns the text of a node without markup.
func plainText(n ast.Node, src []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				out.Write(n.Segment.Value(src))
				if n.SoftLineBreak() {
					out.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				out.Write(n.Value)
			}
		default:
			if entering && n.Type() == ast.TypeBlock && n.Lines() != nil && n.FirstChild() == nil {
				out.Write(n.Lines().Value(src))
			}
			if !entering && n.Type() == ast.TypeBlock {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(out.String())
}
