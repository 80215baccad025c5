package option

import "strings"

// A Metric is a metric specification taken apart (pmParseMetricSpec; commands.md T3.1, values.md
// V22.2):
//
//	[HOST:]metric[[inst,...]]   [ARCHIVE/]metric[[inst,...]]   @:metric
type Metric struct {
	Kind      SourceKind // DefaultHost if there is no source before the name
	Source    string     // the host or archive
	Name      string
	Instances []string // nil for all
}

// A MetricError reports where a metric specification is wrong.
type MetricError struct {
	Text   string
	Pos    int // the index in Text
	Reason string
}

// Error returns the two lines that the reference prints; there is no name of a
// program before them.
func (e *MetricError) Error() string {
	b := append([]byte(e.Text), '\n')
	for _, c := range []byte(e.Text[:e.Pos]) {
		if c >= ' ' && c <= '~' {
			c = ' ' // anything else, such as a tab, is as wide as it is above
		}
		b = append(b, c)
	}
	return string(b) + "^ -- " + e.Reason + "\n"
}

// A metricScanner walks over a specification.
type metricScanner struct {
	s   string
	pos int
}

// ParseMetric takes a metric specification apart. The error is a *[MetricError].
func ParseMetric(s string) (Metric, error) {
	sc := &metricScanner{s: s}
	var m Metric
	if err := sc.sourcePart(&m); err != nil {
		return m, err
	}
	var err *MetricError
	if m.Name, err = sc.metricPart(); err != nil {
		return m, err
	}
	if m.Instances, err = sc.instPart(); err != nil {
		return m, err
	}
	return m, nil
}

// fail returns an error at the current place.
func (sc *metricScanner) fail(reason string) *MetricError {
	return &MetricError{Text: sc.s, Pos: sc.pos, Reason: reason}
}

// more reports whether there is anything left.
func (sc *metricScanner) more() bool { return sc.pos < len(sc.s) }

// skipSpace moves over blanks.
func (sc *metricScanner) skipSpace() {
	for sc.more() && isSpace(sc.s[sc.pos]) {
		sc.pos++
	}
}

// isSpace reports whether C takes c for white space.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// take returns the next character, without the backslash that may quote it.
func (sc *metricScanner) take() byte {
	if sc.s[sc.pos] == '\\' && sc.pos+1 < len(sc.s) {
		sc.pos++
	}
	sc.pos++
	return sc.s[sc.pos-1]
}

// unquote returns s without the backslashes that quote characters.
func unquote(s string) string {
	sc := &metricScanner{s: s}
	b := make([]byte, 0, len(s))
	for sc.more() {
		b = append(b, sc.take())
	}
	return string(b)
}

// sourcePart reads the source, up to the last : or / before the first bracket.
func (sc *metricScanner) sourcePart(m *Metric) error {
	sc.skipSpace()
	head := sc.s
	if i := strings.IndexByte(head, '['); i >= 0 {
		head = head[:i]
	}
	end := strings.LastIndexAny(head, ":/")
	if end < 0 {
		return nil
	}
	m.Kind = Host
	if head[end] == '/' {
		m.Kind = Archive
	}
	m.Source = unquote(strings.TrimRight(sc.s[min(sc.pos, end):end], " \t\n\v\f\r"))
	switch {
	case m.Source == "" && m.Kind == Host:
		sc.pos = end
		return sc.fail("host name expected")
	case m.Source == "":
		sc.pos = end
		return sc.fail("archive name expected")
	case m.Source == "@" && m.Kind == Host:
		m.Kind = Local
	}
	sc.pos = end + 1
	return nil
}

// metricPart reads the metric's name.
func (sc *metricScanner) metricPart() (string, *MetricError) {
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
func (sc *metricScanner) instPart() (insts []string, err *MetricError) {
	if !sc.more() {
		return nil, nil
	}
	sc.pos++
	start := sc.pos
	if err := sc.bracket(); err != nil {
		return nil, err
	}
	list := &metricScanner{s: sc.s[start:sc.pos]}
	sc.pos++
	sc.skipSpace()
	if sc.more() {
		return nil, sc.fail("unexpected extra characters")
	}
	for {
		for list.more() && (isSpace(list.s[list.pos]) || list.s[list.pos] == ',') {
			list.pos++
		}
		if !list.more() {
			return insts, nil
		}
		insts = append(insts, list.inst())
	}
}

// bracket moves to the closing bracket: one that is not between quotes.
func (sc *metricScanner) bracket() *MetricError {
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
func (sc *metricScanner) inst() string {
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

// SplitInstances takes the argument of pmval -i apart: names between blanks and commas, in quotes of
// either kind if they contain such.
func SplitInstances(list string) []string {
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
