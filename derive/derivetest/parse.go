package derivetest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/lib/pcp"
	"pmtools/lib/when"
)

// keywords begin all lines but rows of values. An instance of such a name is quoted.
var keywords = map[string]bool{
	"definitions": true, "step": true, "start": true, "expand": true, "metric": true,
	"case": true, "eval": true, "at": true, "is": true, "error": true, "recorded": true, "value": true,
}

var defaultStart = pcp.TimestampOf(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))

const defaultStep = 10 * time.Second

type parser struct {
	*File
	line  int
	left  int // how many more values there may be
	metr  *metric
	cas   *Case
	check *expectation
	seen  map[string]int // lines of the rows of the metric or the expression
}

// Parse reads a file of cases. The error is a *diagnose.Problem.
func Parse(name string, text []byte) (*File, error) {
	p := &parser{File: &File{Name: name, Start: defaultStart, Step: defaultStep}, left: maxPoints}
	p.lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range p.lines {
		p.line = i + 1
		if err := p.statement(strings.TrimSpace(line)); err != nil {
			return nil, mistake(name, p.line, err.Error())
		}
	}
	if err := p.complete(); err != nil {
		return nil, err
	}
	return p.File, nil
}

func (p *parser) statement(line string) error {
	key, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch key { // those whose text is taken as it is
	case "case":
		if rest == "" {
			return fmt.Errorf("a case needs a name")
		}
		p.cas, p.check, p.metr = &Case{Name: rest, Line: p.line}, nil, nil
		p.Cases = append(p.Cases, p.cas)
		return nil
	case "eval":
		if p.cas == nil || rest == "" {
			return fmt.Errorf("eval needs a case before it and an expression after it")
		}
		p.check = &expectation{expr: rest, line: p.line, end: p.line, empty: true}
		p.cas.checks = append(p.cas.checks, p.check)
		return nil
	case "error":
		if p.check == nil || rest == "" {
			return fmt.Errorf("error needs an eval before it and a text after it")
		}
		p.check.err = rest
		p.expected()
		return nil
	}
	list, err := words(line)
	if err != nil || len(list) == 0 {
		return err
	}
	if list[0].quoted || !keywords[key] {
		if p.check == nil && p.metr == nil {
			all := slices.Sorted(maps.Keys(keywords))
			hint := diagnose.DidYouMean(key, all)
			if hint == nil {
				hint = []string{"lines begin with " + strings.Join(all, ", ")}
			}
			return fmt.Errorf("%s begins no line; %s", key, strings.Join(hint, "; "))
		}
		return p.row(list[0].text, list[1:])
	}
	return p.keyword(key, list[1:])
}

// needed are the words that must follow a keyword.
var needed = map[string]struct {
	words int
	what  string
}{
	"definitions": {1, "the names of files"},
	"step":        {1, "a time such as 10s"},
	"start":       {1, "a time such as 2024-01-01T00:00:00Z"},
	"metric":      {2, "a name and a description, such as: metric disk.dev.read u64 counter count indom 60.1"},
}

func (p *parser) keyword(key string, args []word) (err error) {
	if n := needed[key]; len(args) < n.words {
		return fmt.Errorf("%s needs %s", key, n.what)
	}
	switch key {
	case "definitions":
		for _, w := range args {
			p.Definitions = append(p.Definitions, w.text)
		}
	case "step":
		p.Step, err = duration(args[0])
	case "start":
		var t time.Time
		t, err = time.Parse(time.RFC3339Nano, args[0].text)
		p.Start = pcp.TimestampOf(t)
	case "expand":
		p.Expand = true
	case "metric":
		return p.metric(args)
	case "value":
		return p.row("", args)
	default:
		return p.expectationWord(key, args)
	}
	return err
}

func (p *parser) expectationWord(key string, args []word) error {
	switch {
	case p.cas == nil:
		return fmt.Errorf("%s needs a case before it", key)
	case key == "recorded":
		p.cas.Recorded = true
		return nil
	case p.check == nil:
		return fmt.Errorf("%s needs an eval before it", key)
	case key == "at":
		return p.at(args)
	}
	d, err := describe(args) // is
	d.line = p.line
	p.check.desc = d
	p.expected()
	return err
}

// expected notes that there are expectations up to this line.
func (p *parser) expected() { p.check.end, p.check.empty = p.line, false }

func duration(w word) (time.Duration, error) {
	d, err := when.ParseInterval(w.text)
	if err != nil {
		return 0, fmt.Errorf("%s is not a time such as 10s", w.text)
	}
	return d, nil
}

// at reads the part of the time that rows of values are for: 10s or 10s..30s.
func (p *parser) at(args []word) (err error) {
	if len(args) != 1 {
		return fmt.Errorf("at needs a time such as 10s or 10s..30s")
	}
	from, to, two := strings.Cut(args[0].text, "..")
	s := span{set: true}
	if s.from, err = duration(word{text: from}); err != nil {
		return err
	}
	if s.to = s.from; two {
		s.to, err = duration(word{text: to})
	}
	p.check.at, p.check.end = s, p.line
	return err
}

func (p *parser) metric(args []word) error {
	d, err := describe(args[1:])
	if err != nil {
		return err
	}
	m := &metric{name: args[0].text, line: p.line, desc: *d}
	for _, old := range p.metrics {
		if old.name == m.name {
			return fmt.Errorf("%s is in line %d already", m.name, old.line)
		}
	}
	if len(p.metrics) == maxMetrics {
		return fmt.Errorf("more than %d metrics", maxMetrics)
	}
	if d.typ == nil || d.sem == nil {
		return fmt.Errorf("%s needs a type (%s) and semantics (counter, instant or discrete)", m.name, diagnose.OrList(typeNames()))
	}
	p.metrics, p.metr, p.check, p.cas = append(p.metrics, m), m, nil, nil
	return nil
}

// maxMetrics is how many metrics a file may have: their identifiers differ by the item.
const maxMetrics = 1024

var types = []pcp.Type{pcp.Int32, pcp.Uint32, pcp.Int64, pcp.Uint64, pcp.Float, pcp.Double, pcp.String}

func typeNames() (names []string) {
	for _, t := range types {
		names = append(names, strings.ToLower(t.String()))
	}
	return names
}

// describe reads a description: type, semantics, units and domain, of which any may be missing.
func describe(args []word) (*description, error) {
	d := new(description)
words:
	for ; len(args) > 0; args = args[1:] {
		text := args[0].text
		for _, t := range types {
			if !args[0].quoted && strings.EqualFold(t.String(), text) {
				d.typ = &t
				continue words
			}
		}
		for _, s := range []pcp.Sem{pcp.Counter, pcp.Instant, pcp.Discrete} {
			if args[0].is(s.String()) {
				d.sem = &s
				continue words
			}
		}
		switch {
		case args[0].is("indom") && len(args) > 1:
			indom, err := parseIndom(args[1].text)
			if err != nil {
				return d, err
			}
			d.indom, args = &indom, args[1:]
		case args[0].is("none"), text == "":
			d.units = new(pcp.Units)
		default:
			u, factor, err := pcp.ParseUnits(text)
			if err != nil || factor != 1 {
				return d, fmt.Errorf("%q is not a type, semantics, units or an indom such as 60.1", text)
			}
			d.units = &u
		}
	}
	return d, nil
}

func parseIndom(text string) (pcp.InDom, error) {
	if text == "null" {
		return pcp.NullInDom, nil
	}
	domain, serial, _ := strings.Cut(text, ".")
	d, err1 := strconv.ParseUint(domain, 10, 9)
	s, err2 := strconv.ParseUint(serial, 10, 22)
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("%s is neither an instance domain such as 60.1 nor null", text)
	}
	return pcp.NewInDom(uint32(d), uint32(s)), nil
}

func (p *parser) row(instance string, args []word) error {
	r := &row{instance: instance, line: p.line}
	for _, w := range args {
		list, err := points(w, &p.left)
		if err != nil {
			return p.lacks(instance, args, err)
		}
		r.points = append(r.points, list...)
	}
	var rows *[]*row
	switch {
	case instance == "" && len(r.points) == 0:
		return fmt.Errorf("there are no values")
	case len(r.points) == 0:
		return p.lacks(instance, args, fmt.Errorf("%s has no values", instance))
	case p.check != nil:
		rows = &p.check.rows
		p.expected()
	case p.metr != nil:
		rows = &p.metr.rows
	default:
		return fmt.Errorf("values need a metric or an eval before them")
	}
	if len(*rows) == 0 {
		p.seen = make(map[string]int)
	}
	if line, twice := p.seen[instance]; twice {
		return fmt.Errorf("%s has values in line %d already", cmp.Or(instance, "value"), line)
	}
	*rows, p.seen[instance] = append(*rows, r), p.line
	return nil
}

// lacks adds to the error of a row the keyword that its line lacks, or has in another spelling.
func (p *parser) lacks(instance string, args []word, err error) error {
	line := append([]word{{text: instance}}, args...)
	_, single := points(line[0], new(maxPoints))
	_, described := describe(line)
	metric, metricErr := describe(args)
	_, parsed := check.Extended.Syntax().Parse(strings.TrimSpace(p.lines[p.line-1]))
	key := ""
	switch {
	case instance == "":
		return err
	case single == nil:
		key = "value"
	case p.check != nil && described == nil:
		key = "is"
	case metricErr == nil && metric.typ != nil:
		key = "metric"
	case p.cas != nil && parsed == nil:
		key = "eval"
	case p.cas == nil && len(args) > 0:
		key = "case"
	default:
		return errors.New(strings.Join(append([]string{err.Error()}, diagnose.DidYouMean(instance, slices.Sorted(maps.Keys(keywords)))...), "; "))
	}
	return fmt.Errorf("%w; is the word %s missing at the beginning of the line?", err, key)
}

// complete returns a mistake in the file as a whole, a *diagnose.Problem.
func (f *File) complete() error {
	switch {
	case f.Step <= 0:
		return mistake(f.Name, 1, "the step is not more than 0")
	case len(f.metrics) == 0:
		return mistake(f.Name, 1, "there is no metric")
	}
	samples := 0
	for _, m := range f.metrics {
		if len(m.rows) == 0 {
			return mistake(f.Name, m.line, fmt.Sprintf("%s has no values", m.name))
		}
		for _, r := range m.rows {
			if samples = cmp.Or(samples, len(r.points)); len(r.points) != samples {
				return mistake(f.Name, r.line, fmt.Sprintf("%d values, and %d in line %d", len(r.points), samples, f.metrics[0].rows[0].line))
			}
		}
	}
	for _, c := range f.Cases {
		if len(c.checks) == 0 {
			return mistake(f.Name, c.Line, fmt.Sprintf("case %s has no eval", c.Name))
		}
	}
	return nil
}
