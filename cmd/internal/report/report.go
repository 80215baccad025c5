// Package report reads reports: named sets of metrics and formulas with labels, units and filters of
// instances, in the files that pmrep.conf(5) describes, and turns them into expressions.
//
// A [Library] has the reports of files, and a few that need no file. [Report.Bind] fits a report to a
// source: a column becomes an expression NAME = EXPR, which whatever evaluates expressions takes, and
// columns whose metrics the source does not have are left out.
package report

import (
	"slices"
	"strconv"
	"strings"

	"pmtools/derive/diagnose"
)

// A Report is the columns of a section.
type Report struct {
	Name    string
	File    string // "" for a report that needs no file
	Line    int
	About   string // the comment before the section
	Options Options
	Columns []*Column

	end     int      // the line of the next section
	section *section // what it is built of; nil when it has been built
	reader  *reader
}

// A Column is a metric, or a formula, and how it is shown.
type Column struct {
	Metric    string // the name of the metric, or that of the formula
	Formula   string // "" for a metric
	Label     string
	Unit      string
	Type      string   // "raw", "default" or ""
	Instances []Filter // that a name of an instance fits one of; nil for all instances
	Width     int      // at least; 0 for as wide as need be
	Precision int      // digits after the point; less than 0 if the report does not say
	Limit     float64

	from    *setting // the metric
	formula *setting
}

// Title returns what stands above the values.
func (c *Column) Title() string {
	if c.Label != "" {
		return c.Label
	}
	return c.Metric
}

// specifiers are the parts of a column, in the order of the compact form. A formula is not one of them.
func specifiers() []string {
	return []string{"label", "instances", "unit", "type", "width", "precision", "limit"}
}

// set sets a part of a column. It returns the mistake in the value, or "".
func (c *Column) set(part, value string) (wrong string) {
	if value = unquote(value); value == "" {
		return ""
	}
	var err error
	switch part {
	case "label":
		c.Label = value
	case "instances":
		c.Instances, wrong = filters(value)
	case "unit":
		c.Unit, wrong = value, wrongUnit(value)
	case "type":
		c.Type = value
	case "width", "precision":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > maxWidth {
			return "a number of 0 or more is expected as " + part
		}
		if part == "width" {
			c.Width = n
		} else {
			c.Precision = n
		}
	case "limit":
		if c.Limit, err = strconv.ParseFloat(value, 64); err != nil {
			return "a number is expected as limit"
		}
	}
	return wrong
}

// maxWidth is the largest width, and the largest precision.
const maxWidth = 1000

// A builder makes the columns of a section.
type builder struct {
	*reader
	report  *Report
	columns map[string]*Column // by identifier
}

// build makes the options and the columns of a section, once. Mistakes in it become faults of the reader.
func (r *Report) build() {
	s := r.section
	if s == nil {
		return
	}
	r.section = nil
	r.Options = Options{{file: s.file, name: s.name}}
	b := &builder{reader: r.reader, report: r, columns: make(map[string]*Column)}
	for _, x := range s.settings {
		b.setting(x)
	}
	r.Columns = merged(nil, r.Columns)
}

// merged returns columns with more of them. A later column of the same metric takes the place of an
// earlier one.
func merged(list, more []*Column) []*Column {
	at := make(map[string]int)
	var out []*Column
	for _, columns := range [][]*Column{list, more} {
		for _, c := range columns {
			if i, twice := at[c.Metric]; twice {
				out[i] = c
				continue
			}
			at[c.Metric] = len(out)
			out = append(out, c)
		}
	}
	return out
}

// wrong notes a mistake at a byte of a value.
func (b *builder) wrong(s *setting, pos int, format string, args ...any) {
	line, column, source := s.place(pos)
	b.fault(line, column, source, format, args...)
	b.faults[len(b.faults)-1].Metric = s.key
}

func (b *builder) setting(s *setting) {
	if kind, option := kindOf(s.key); option {
		if wrong := kind.wrong(unquote(s.value)); wrong != "" && s.value != "" {
			b.wrong(s, 0, "%s = %s: %s", s.key, s.value, wrong)
			return
		}
		own := b.report.Options[0]
		own.settings = append(own.settings, s)
		return
	}
	ident, part, dotted := strings.Cut(s.key, ".")
	c := b.columns[ident]
	known := dotted && (part == "formula" || slices.Contains(specifiers(), part))
	switch {
	case dotted && c != nil && part == "formula":
		c.Formula, c.formula = s.value, s
		if strings.TrimSpace(s.value) == "" {
			b.wrong(s, 0, "%s has no formula", ident)
		}
	case dotted && c != nil && known:
		if wrong := c.set(part, s.value); wrong != "" {
			b.wrong(s, 0, "%s: %s", s.key, wrong)
		}
	case dotted && c != nil && !strings.Contains(part, "."):
		b.wrong(s, 0, "there is no specifier %s; there are formula, %s", part, strings.Join(specifiers(), ", "))
		b.faults[len(b.faults)-1].Notes = diagnose.DidYouMean(part, append(specifiers(), "formula"))
	case dotted && known && !strings.Contains(s.value, ","): // filesys.type = type,,,,12 is a metric
		b.wrong(s, 0, "%s is not declared before %s: write %s = METRIC", ident, s.key, ident)
	case s.value == "":
		b.wrong(s, 0, "%s has no value", s.key)
		b.faults[len(b.faults)-1].Notes = diagnose.DidYouMean(s.key, optionNames())
	default:
		b.column(s, dotted)
	}
}

// column adds the column that a setting declares: METRIC = SPECIFIERS, or IDENTIFIER = METRIC, or
// IDENTIFIER = SPECIFIERS with a formula of that name.
func (b *builder) column(s *setting, dotted bool) {
	c := &Column{Metric: s.key, Precision: -1, from: s}
	b.report.Columns = append(b.report.Columns, c)
	if !dotted {
		b.columns[s.key] = c
		if !strings.Contains(s.value, ",") {
			c.Metric = strings.TrimSpace(s.value)
			return
		}
	}
	pos, parts := 0, specifiers()
	for i, value := range splitQuoted(s.value) {
		switch {
		case i < len(parts):
			if wrong := c.set(parts[i], strings.TrimSpace(value)); wrong != "" {
				b.wrong(s, pos, "%s: %s", s.key, wrong)
			}
		case strings.TrimSpace(value) != "":
			b.wrong(s, pos, "%s: a column has at most %s", s.key, strings.Join(parts, ", "))
		}
		pos += len(value) + 1
	}
}
