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

func (w *re2) set(s *byteSet) {
	if w.bytes {
		w.ranges(s)
		return
	}
	high := 0
	for c := 128; c < 256; c++ {
		if s.has(byte(c)) {
			high++
		}
	}
	list, n := "", 0
	for c := 0; c < 128; c++ {
		if s.has(byte(c)) == (high == 0) {
			list, n = list+fmt.Sprintf(`\x%02x`, c), n+1
			if isAlnum(byte(c)) || c == '_' {
				list = list[:len(list)-4] + string(rune(c))
			}
		}
	}
	w.failed = w.failed || high != 0 && high != 128 || high == 0 && n == 0
	switch {
	case high != 0 && n == 0:
		w.text.WriteString("(?s:.)")
	case high != 0:
		w.text.WriteString("[^" + list + "]")
	case n == 1:
		w.text.WriteString(list)
	default:
		w.text.WriteString("[" + list + "]")
	}
}

func (w *re2) ranges(s *byteSet) {
	if *s == (byteSet{}) {
		w.text.WriteString(`[^\x00-\x{10ffff}]`) // a class must not be empty
		return
	}
	w.text.WriteByte('[')
	for c := 0; c < 256; c++ {
		if first := c; s.has(byte(c)) {
			for c < 255 && s.has(byte(c+1)) {
				c++
			}
			fmt.Fprintf(&w.text, `\x{%02x}-\x{%02x}`, first, c)
		}
	}
	w.text.WriteByte(']')
}
