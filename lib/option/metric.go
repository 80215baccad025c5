package option

import (
	"strings"

	"pmtools/internal/ctext"
	"pmtools/lib/internal/hostattr"
)

// A Metric is a metric specification (pmParseMetricSpec):
//
//	[HOST:]metric[[inst,...]]   [ARCHIVE/]metric[[inst,...]]   @:metric
type Metric struct {
	Kind      SourceKind // DefaultHost for a name without a source
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

// Error returns the two lines that the reference prints, without the program's name.
func (e *MetricError) Error() string {
	return hostattr.Redact(e.Text) + "\n" + ctext.Caret(hostattr.Redact(e.Text[:e.Pos]), e.Reason)
}

// ParseMetric takes a metric specification apart. The error is a *[MetricError].
func ParseMetric(s string) (m Metric, err error) {
	sc := &metricScanner{s: s}
	if err = sc.source(&m); err == nil {
		m.Name, err = sc.name()
	}
	if err == nil {
		m.Instances, err = sc.instances()
	}
	return m, err
}

type metricScanner struct {
	s   string
	pos int
}

func (sc *metricScanner) fail(reason string) error {
	return &MetricError{Text: sc.s, Pos: sc.pos, Reason: reason}
}

func (sc *metricScanner) more() bool { return sc.pos < len(sc.s) }

func (sc *metricScanner) skip(set string) {
	sc.pos = len(sc.s) - len(strings.TrimLeft(sc.s[sc.pos:], set))
}

// until returns the text before the next of stops, without the backslashes that quote characters.
func (sc *metricScanner) until(stops string) string {
	var b []byte
	for sc.more() && strings.IndexByte(stops, sc.s[sc.pos]) < 0 {
		if sc.s[sc.pos] == '\\' && sc.pos+1 < len(sc.s) {
			sc.pos++
		}
		b = append(b, sc.s[sc.pos])
		sc.pos++
	}
	return string(b)
}

// source reads the source, up to the last : or / before the first bracket.
func (sc *metricScanner) source(m *Metric) error {
	sc.skip(ctext.Space)
	head, _, _ := strings.Cut(sc.s, "[")
	end := strings.LastIndexAny(head, ":/")
	if end < 0 {
		return nil
	}
	what := "host"
	m.Kind = Host
	if head[end] == '/' {
		what, m.Kind = "archive", Archive
	}
	quoted := metricScanner{s: strings.TrimRight(sc.s[min(sc.pos, end):end], ctext.Space)}
	m.Source = quoted.until("")
	sc.pos = end
	switch {
	case m.Source == "":
		return sc.fail(what + " name expected")
	case m.Source == "@" && m.Kind == Host:
		m.Kind = Local
	}
	sc.pos++
	return nil
}

func (sc *metricScanner) name() (string, error) {
	sc.skip(ctext.Space)
	name := sc.until(ctext.Space + "[],")
	if sc.more() && (sc.s[sc.pos] == ']' || sc.s[sc.pos] == ',') {
		return "", sc.fail("unexpected character in metric name")
	}
	if name == "" {
		return "", sc.fail("performance metric name expected")
	}
	sc.skip(ctext.Space)
	if sc.more() && sc.s[sc.pos] != '[' {
		return "", sc.fail("unexpected extra characters")
	}
	return name, nil
}

func (sc *metricScanner) instances() (insts []string, err error) {
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
	sc.skip(ctext.Space)
	if sc.more() {
		return nil, sc.fail("unexpected extra characters")
	}
	// A comma ends an instance without a name where nothing precedes it; further on, several separate two instances.
	for list.skip(ctext.Space); list.more(); list.skip(ctext.Space + ",") {
		stops := ctext.Space + ","
		if list.s[list.pos] == '"' { // elsewhere a quote is a character like others
			list.pos++
			stops = `"`
		}
		insts = append(insts, list.until(stops))
		if stops == `"` {
			list.pos = min(list.pos+1, len(list.s))
		}
	}
	return insts, nil
}

// bracket advances to the closing bracket, which is the first one outside quotes.
func (sc *metricScanner) bracket() error {
	for {
		sc.until(`]"`)
		if !sc.more() {
			return sc.fail("closing ] expected")
		}
		if sc.s[sc.pos] == ']' {
			return nil
		}
		sc.pos++
		sc.until(`"`)
		if !sc.more() {
			return sc.fail(`closing " and ] expected`)
		}
		sc.pos++
	}
}

// SplitInstances takes the argument of pmval -i apart: names between blanks and commas, in quotes
// of either kind if they contain such.
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
