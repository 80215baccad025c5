package main

import (
	"fmt"
	"html"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// manuals makes a page of each manual page.
func (b *builder) manuals(group string) error {
	files, err := filepath.Glob(filepath.Join(b.root, "man", "*.[1-9]"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no manual pages: %v", err)
	}
	for _, file := range files {
		src := "man/" + filepath.Base(file)
		name, chapter := strings.TrimSuffix(filepath.Base(file), path.Ext(file)), path.Ext(file)[1:]
		b.add(&page{Source: src, Name: src + ".html", Title: name + "(" + chapter + ")", Group: group})
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		p := b.pages["man/"+filepath.Base(file)]
		m := &manual{ids: make(slugs)}
		if err := m.read(string(text)); err != nil {
			return fmt.Errorf("%s: %w", p.Source, err)
		}
		p.Body = template.HTML("<div class=\"manual\">\n<h1>" + p.Title + "</h1>\n" + b.references(p, m.out.String()) + "</div>\n")
		p.Sections = append([]section{{Level: 1, Title: p.Title}}, m.sections...)
	}
	return nil
}

var (
	manualPage = regexp.MustCompile(`<b>(pm[a-z]+)</b> ?\(([1-9])\)`)
	guide      = regexp.MustCompile(`\b[a-z-]+\.md\b`)
)

// references links what a manual page names: other pages, and guides.
func (b *builder) references(p *page, body string) string {
	body = manualPage.ReplaceAllStringFunc(body, func(s string) string {
		m := manualPage.FindStringSubmatch(s)
		to := b.pages["man/"+m[1]+"."+m[2]]
		if to == nil || to == p {
			return s
		}
		return fmt.Sprintf(`<a href="%s">%s</a>`, relative(p.Name, to.Name), s)
	})
	return guide.ReplaceAllStringFunc(body, func(s string) string {
		to := b.pages["docs/"+s]
		if to == nil {
			return s
		}
		return fmt.Sprintf(`<a href="%s">%s</a>`, relative(p.Name, to.Name), s)
	})
}

// A manual turns the macros of man(7) that our pages use into HTML; another macro is an error.
type manual struct {
	out      strings.Builder
	ids      slugs
	sections []section
	block    string // the open element, "p" or "pre", or none
	depth    []bool // for each indentation, whether a list is open there
	tag      bool   // the next line is the tag of an item
}

func (m *manual) read(text string) error {
	m.depth = []bool{false}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, ".") {
			m.text(inline(line))
			continue
		}
		macro, rest, _ := strings.Cut(line[1:], " ")
		if err := m.macro(macro, arguments(rest)); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	m.end()
	return nil
}

func (m *manual) macro(macro string, args []string) error {
	switch macro {
	case `\"`, "TH":
	case "SH", "SS":
		m.end()
		m.heading(map[string]int{"SH": 2, "SS": 3}[macro], plain(strings.Join(args, " ")))
	case "PP":
		m.endList()
	case "TP", "IP":
		m.close()
		if !m.depth[len(m.depth)-1] {
			m.out.WriteString("<dl>\n")
		}
		m.depth[len(m.depth)-1], m.tag = true, true
		if macro == "IP" && len(args) > 0 {
			m.text(inline(args[0]))
		}
	case "nf":
		m.close()
		m.open("pre")
	case "fi":
		m.close()
	case "br":
		m.out.WriteString("<br>\n")
	case "RS":
		m.close()
		m.out.WriteString("<div class=\"inset\">\n")
		m.depth = append(m.depth, false)
	case "RE":
		if len(m.depth) < 2 {
			return fmt.Errorf("nothing to end")
		}
		m.endList()
		m.out.WriteString("</div>\n")
		m.depth = m.depth[:len(m.depth)-1]
	case "B", "I":
		m.text(font(macro[0], strings.Join(args, " ")))
	case "BR", "RB", "IR", "RI":
		var text string
		for i, a := range args {
			text += font(macro[i%2], a)
		}
		m.text(text)
	default:
		return fmt.Errorf("an unknown macro")
	}
	return nil
}

func (m *manual) heading(level int, title string) {
	s := section{Level: level, ID: m.ids.of(title), Title: title}
	fmt.Fprintf(&m.out, "<h%d id=\"%s\">%s</h%d>\n", level, s.ID, html.EscapeString(title), level)
	m.sections = append(m.sections, s)
}

// text writes a line of text where it belongs: into the tag of an item, or into the open block.
func (m *manual) text(line string) {
	if n := len(m.sections); n > 0 {
		m.sections[n-1].Text += html.UnescapeString(tags.ReplaceAllString(line, "")) + " "
	}
	if m.tag {
		m.tag = false
		fmt.Fprintf(&m.out, "<dt>%s</dt>\n<dd>", line)
		return
	}
	if m.block == "" && !m.depth[len(m.depth)-1] {
		m.open("p")
	}
	m.out.WriteString(line + "\n")
}

var tags = regexp.MustCompile(`<[^>]*>`)

func (m *manual) open(element string) {
	m.block = element
	m.out.WriteString("<" + element + ">")
}

// close ends the open block.
func (m *manual) close() {
	if m.block != "" {
		m.out.WriteString("</" + m.block + ">\n")
		m.block = ""
	}
}

// endList ends the open block and the list of this indentation.
func (m *manual) endList() {
	m.close()
	if top := &m.depth[len(m.depth)-1]; *top {
		m.out.WriteString("</dl>\n")
		*top = false
	}
}

func (m *manual) end() {
	m.endList()
	for len(m.depth) > 1 {
		m.out.WriteString("</div>\n")
		m.depth = m.depth[:len(m.depth)-1]
		m.endList()
	}
}

// arguments splits the arguments of a macro, which may be quoted.
func arguments(text string) (list []string) {
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		var arg string
		if text[0] == '"' {
			arg, text, _ = strings.Cut(text[1:], `"`)
		} else {
			arg, text, _ = strings.Cut(text, " ")
		}
		list = append(list, arg)
	}
	return list
}

// font returns an argument in the font of a letter of a macro: B, I or R.
func font(letter byte, text string) string {
	switch letter {
	case 'B':
		return "<b>" + inline(text) + "</b>"
	case 'I':
		return "<i>" + inline(text) + "</i>"
	}
	return inline(text)
}

// inline returns a text with its escapes as HTML.
func inline(text string) string {
	var out strings.Builder
	element := ""
	change := func(to string) {
		if element != "" {
			out.WriteString("</" + element + ">")
		}
		if element = to; to != "" {
			out.WriteString("<" + to + ">")
		}
	}
	for text != "" {
		before, after, found := strings.Cut(text, `\`)
		out.WriteString(html.EscapeString(before))
		if !found {
			break
		}
		switch {
		case strings.HasPrefix(after, "fB"):
			change("b")
		case strings.HasPrefix(after, "fI"):
			change("i")
		case strings.HasPrefix(after, "fR"), strings.HasPrefix(after, "fP"):
			change("")
		default:
			s, rest := unescape(after)
			out.WriteString(html.EscapeString(s))
			text = rest
			continue
		}
		text = after[2:]
	}
	change("")
	return out.String()
}

// unescape returns the character of an escape without its backslash, and what follows.
func unescape(text string) (string, string) {
	switch {
	case strings.HasPrefix(text, "(aq"):
		return "'", text[3:]
	case strings.HasPrefix(text, "e"):
		return `\`, text[1:]
	case strings.HasPrefix(text, "&"):
		return "", text[1:]
	case text == "":
		return "", ""
	}
	return text[:1], text[1:] // \- and others that stand for themselves
}

// plain returns a text without escapes.
func plain(text string) string { return html.UnescapeString(tags.ReplaceAllString(inline(text), "")) }
