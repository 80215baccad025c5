package main

import "strings"

// A metricSpec is the operand of pmval taken apart (commands.md T3.1):
//
//	[HOST:]metric[[inst,...]]   [ARCHIVE/]metric[[inst,...]]   @:metric
type metricSpec struct {
	kind     specKind
	source   string
	metric   string
	insts    []string
	hasInsts bool // there are brackets with something between them
}

// A specKind says what kind of source stands before a metric's name.
type specKind int

// The kinds.
const (
	specNone specKind = iota
	specHost
	specArchive
	specLocal
)

// A specError says where an operand is wrong.
type specError struct {
	text   string
	pos    int
	reason string
}

// Error returns the two lines that the reference prints; there is no name of a
// program before them.
func (e *specError) Error() string {
	b := append([]byte(e.text), '\n')
	for _, c := range []byte(e.text[:e.pos]) {
		if c >= ' ' && c <= '~' {
			c = ' ' // anything else, such as a tab, is as wide as it is above
		}
		b = append(b, c)
	}
	return string(b) + "^ -- " + e.reason + "\n"
}

// specScanner walks over an operand.
type specScanner struct {
	s   string
	pos int
}

// parseSpec takes an operand apart.
func parseSpec(s string) (metricSpec, error) {
	sc := &specScanner{s: s}
	var m metricSpec
	if err := sc.sourcePart(&m); err != nil {
		return m, err
	}
	var err *specError
	if m.metric, err = sc.metricPart(); err != nil {
		return m, err
	}
	if m.insts, m.hasInsts, err = sc.instPart(); err != nil {
		return m, err
	}
	return m, nil
}

// fail returns an error at the current place.
func (sc *specScanner) fail(reason string) *specError {
	return &specError{text: sc.s, pos: sc.pos, reason: reason}
}

// more reports whether there is anything left.
func (sc *specScanner) more() bool { return sc.pos < len(sc.s) }

// skipSpace moves over blanks.
func (sc *specScanner) skipSpace() {
	for sc.more() && isSpace(sc.s[sc.pos]) {
		sc.pos++
	}
}

// isSpace reports whether C takes c for white space.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// take returns the next character, without the backslash that may quote it.
func (sc *specScanner) take() byte {
	if sc.s[sc.pos] == '\\' && sc.pos+1 < len(sc.s) {
		sc.pos++
	}
	sc.pos++
	return sc.s[sc.pos-1]
}

// unquote returns s without the backslashes that quote characters.
func unquote(s string) string {
	sc := &specScanner{s: s}
	b := make([]byte, 0, len(s))
	for sc.more() {
		b = append(b, sc.take())
	}
	return string(b)
}

// sourcePart reads the source, up to the last : or / before the first bracket.
func (sc *specScanner) sourcePart(m *metricSpec) error {
	sc.skipSpace()
	head := sc.s
	if i := strings.IndexByte(head, '['); i >= 0 {
		head = head[:i]
	}
	end := strings.LastIndexAny(head, ":/")
	if end < 0 {
		return nil
	}
	m.kind = specHost
	if head[end] == '/' {
		m.kind = specArchive
	}
	m.source = unquote(strings.TrimRight(sc.s[min(sc.pos, end):end], " \t\n\v\f\r"))
	switch {
	case m.source == "" && m.kind == specHost:
		sc.pos = end
		return sc.fail("host name expected")
	case m.source == "":
		sc.pos = end
		return sc.fail("archive name expected")
	case m.source == "@" && m.kind == specHost:
		m.kind = specLocal
	}
	sc.pos = end + 1
	return nil
}

// metricPart reads the metric's name.
func (sc *specScanner) metricPart() (string, *specError) {
	sc.skipSpace()
	var name []byte
	for sc.more() && !isSpace(sc.s[sc.pos]) && sc.s[sc.pos] != '[' {
		if c := sc.s[sc.pos]; c == ']' || c == ',' {
			return "", sc.fail("unexpected character in metric name")
		}
		name = append(name, sc.take())
	}
	if len(name) == 0 {
		return "", sc.fail("performance metric name expected")
	}
	sc.skipSpace()
	if sc.more() && sc.s[sc.pos] != '[' {
		return "", sc.fail("unexpected extra characters")
	}
	return string(name), nil
}

// instPart reads the instances in brackets, if there are any.
func (sc *specScanner) instPart() (insts []string, ok bool, err *specError) {
	if !sc.more() {
		return nil, false, nil
	}
	sc.pos++
	start := sc.pos
	if err := sc.bracket(); err != nil {
		return nil, false, err
	}
	list := &specScanner{s: sc.s[start:sc.pos]}
	sc.pos++
	sc.skipSpace()
	if sc.more() {
		return nil, false, sc.fail("unexpected extra characters")
	}
	for {
		for list.more() && (isSpace(list.s[list.pos]) || list.s[list.pos] == ',') {
			list.pos++
		}
		if !list.more() {
			return insts, len(insts) > 0, nil
		}
		insts = append(insts, list.inst())
	}
}

// bracket moves to the closing bracket: one that is not between quotes.
func (sc *specScanner) bracket() *specError {
	quoted := false
	for sc.more() && (quoted || sc.s[sc.pos] != ']') {
		if sc.s[sc.pos] == '"' {
			quoted = !quoted
		}
		sc.take()
	}
	switch {
	case sc.more():
		return nil
	case quoted:
		return sc.fail(`closing " and ] expected`)
	}
	return sc.fail("closing ] expected")
}

// inst reads one instance. Quotes count where they begin it.
func (sc *specScanner) inst() string {
	var name []byte
	if sc.s[sc.pos] == '"' {
		sc.pos++
		for sc.more() && sc.s[sc.pos] != '"' {
			name = append(name, sc.take())
		}
		sc.pos++
		return string(name)
	}
	for sc.more() && !isSpace(sc.s[sc.pos]) && sc.s[sc.pos] != ',' {
		name = append(name, sc.take())
	}
	return string(name)
}

// splitInsts takes the argument of -i apart: names between blanks and commas, in
// quotes of either kind if they contain such.
func splitInsts(list string) []string {
	var names []string
	for {
		list = strings.TrimLeft(list, " \t\n,")
		if list == "" {
			return names
		}
		var name string
		if q := list[:1]; q == `"` || q == "'" {
			name, list, _ = strings.Cut(list[1:], q)
		} else {
			end := strings.IndexAny(list, " \t\n,")
			if end < 0 {
				end = len(list)
			}
			name, list = list[:end], list[end:]
		}
		names = append(names, name)
	}
}
