// Package manual holds the manual of the language of derived metrics. The prompt's :help shows its
// topics, and man/pmderived.5 is made of them: it has one source.
package manual

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"pmtools/derive/check"
)

// A Topic is a chapter of the manual. Its text consists of paragraphs; lines that begin with a
// blank are to be shown as they are.
type Topic struct {
	Name    string // a word, as :help takes it
	Summary string
	Text    string // ends in a newline
}

//go:embed language.txt
var language string

// Topics returns the chapters in their order.
func Topics() []Topic { return chapters(language) }

// chapters returns the parts of a text.
func chapters(text string) []Topic {
	var topics []Topic
	for part := range strings.SplitSeq(strings.TrimPrefix(text, "== "), "\n== ") {
		title, text, _ := strings.Cut(part, "\n")
		name, summary, _ := strings.Cut(title, ": ")
		text = strings.Trim(text, "\n") + "\n"
		switch name {
		case "functions":
			text = Functions()
		case "extended":
			text += "\n" + Extensions()
		}
		topics = append(topics, Topic{name, summary, text})
	}
	return topics
}

//go:embed use.txt
var use string

// All returns a list of the chapters as the first one, those about the use of pmderive, and those of the
// manual of the language.
func All() []Topic {
	all := Topics()
	var list strings.Builder
	list.WriteString("The language of derived metrics is that of PCP; each of these words is a topic of its own.\n\n")
	for _, t := range all {
		fmt.Fprintf(&list, "  %-12s %s\n", t.Name, t.Summary)
	}
	first := Topic{"language", "the chapters about expressions", list.String()}
	return slices.Concat([]Topic{first}, chapters(use), all)
}

// Functions returns what there is to know about the functions of PCP's language.
func Functions() string { return about(check.Functions()) }

// Extensions returns what there is to know about the functions of the extended language.
func Extensions() string { return about(check.Extensions()) }

func about(list []check.Function) string {
	var texts []string
	for _, f := range list {
		texts = append(texts, Function(f))
	}
	return strings.Join(texts, "\n")
}

// Write writes about a function or a topic, and reports whether there is one with a name.
func Write(w io.Writer, name string) (known bool, err error) {
	for _, f := range check.Extended.Functions() {
		if known = f.Name == name; known {
			_, err = io.WriteString(w, Function(f))
			return known, err
		}
	}
	for _, t := range All() {
		if known = t.Name == name; known {
			_, err = io.WriteString(w, t.Text)
			return known, err
		}
	}
	return false, nil
}

// Names returns the names that Write knows: topics and functions.
func Names() (names []string) {
	for _, t := range All() {
		names = append(names, t.Name)
	}
	for _, f := range check.Extended.Functions() {
		names = append(names, f.Name)
	}
	return names
}

// Function returns what there is to know about a function: its signature, and indented lines.
func Function(f check.Function) string {
	return fmt.Sprintf("%s\n    %s\n    Metadata: %s.\n    Example: %s\n", f.Signature, f.Summary, f.Metadata, f.Example)
}
