package ere

import (
	"fmt"
	"strings"
)

// RE2 returns the expression in the syntax of RE2, which most databases have. It is false for what
// that cannot say: back references, places in words, large intervals, and sets that have some but
// not all of the bytes that are not ASCII. Expressions of RE2 work on characters: one that is not
// ASCII counts as one.
func (re *Regexp) RE2() (string, bool) {
	var w re2
	w.node(re.tree)
	return w.text.String(), !w.failed
}

type re2 struct {
	text   strings.Builder
	bytes  bool // for a text that has a character for each byte, see characters
	failed bool
}

func (w *re2) node(n *node) {
	switch n.op {
	case opEmpty:
	case opSet:
		w.set(n.set)
	case opAssert:
		w.place(n.place)
	case opCat:
		for _, part := range n.parts {
			w.node(part)
		}
	case opAlt:
		w.text.WriteString("(?:")
		for i, part := range n.parts {
			if i > 0 {
				w.text.WriteByte('|')
			}
			w.node(part)
		}
		w.text.WriteByte(')')
	case opRepeat:
		w.repeat(n)
	case opGroup:
		w.text.WriteString("(?:")
		w.node(n.parts[0])
		w.text.WriteByte(')')
	default:
		w.failed = true
	}
}

func (w *re2) place(p place) {
	switch {
	case p == placeStart:
		w.text.WriteString(`\A`)
	case p == placeEnd:
		w.text.WriteString(`\z`)
	case p == placeWordEdge && w.bytes:
		w.text.WriteString(`\b`)
	case p == placeNoWordEdge && w.bytes:
		w.text.WriteString(`\B`)
	default:
		w.failed = true
	}
}

func (w *re2) repeat(n *node) {
	const most = 1000 // RE2 allows no more
	w.failed = w.failed || n.min > most || n.max > most
	w.text.WriteString("(?:")
	w.node(n.parts[0])
	switch {
	case n.max < 0 && n.min == 0:
		w.text.WriteString(")*")
	case n.max < 0:
		fmt.Fprintf(&w.text, "){%d,}", n.min)
	default:
		fmt.Fprintf(&w.text, "){%d,%d}", n.min, n.max)
	}
}

// set writes a set as a list of its bytes, or of those that are missing if it has all that are not ASCII.
func (w *re2) set(s *byteSet) {
	high := 0
	for c := 128; c < 256; c++ {
		if s.has(byte(c)) {
			high++
		}
	}
	negated, size := high == 128, 128
	if high != 0 && !negated { // some characters, of the length of a byte each
		size, w.failed = 256, w.failed || !w.bytes
	}
	var list []string
	for c := range size {
		switch {
		case s.has(byte(c)) == negated:
		case isAlnum(byte(c)) || c == '_':
			list = append(list, string(rune(c)))
		default:
			list = append(list, fmt.Sprintf(`\x%02x`, c))
		}
	}
	switch {
	case list == nil && negated:
		w.text.WriteString("(?s:.)")
	case list == nil:
		w.failed = w.failed || !w.bytes
		w.text.WriteString(`[^\x00-\x{10ffff}]`) // a class must not be empty
	case negated:
		w.text.WriteString("[^" + strings.Join(list, "") + "]")
	case len(list) == 1:
		w.text.WriteString(list[0])
	default:
		w.text.WriteString("[" + strings.Join(list, "") + "]")
	}
}
