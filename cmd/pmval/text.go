package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/format"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A textReporter prints columns as the reference does.
type textReporter struct {
	*session
	style   labelStyle
	colored bool // the terminal's colours are used
	buf     []byte
}

// The colours, as a terminal is told of them.
const (
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// paint appends what begins a colour, or what ends it.
func (t *textReporter) paint(b []byte, color string) []byte {
	if !t.colored {
		return b
	}
	return append(b, color...)
}

// A labelStyle says how the names of instances fit their columns. It is decided
// when they are first printed.
type labelStyle int

// The styles.
const (
	undecided  labelStyle = iota
	overDigits            // short enough to stand over the digits of rates
	overColumn            // short enough for the column
	cutOff                // at least one is cut
)

// begin implements reporter.
func (t *textReporter) begin(h *header) error {
	b := append(t.buf[:0], t.space()...)
	field := func(name, text string) { b = fmt.Appendf(b, "%-11s%s\n", name+":", text) }
	if !t.events() {
		field("metric", h.metric)
	}
	if h.archive != "" || t.kind == option.Archive {
		field("archive", h.archive)
	}
	field("host", h.host)
	if t.kind == option.Archive {
		field("start", string(t.appendDate(nil, h.start)))
	}
	if t.kind == option.Archive && t.bounded {
		field("end", string(t.appendDate(nil, h.end)))
	}
	if !t.events() {
		if h.converted != "" {
			field("semantics", h.semantics+" (converting to rate)")
			field("units", h.units+" (converting to "+h.converted+")")
		} else {
			field("semantics", h.semantics)
			field("units", h.units)
		}
	}
	if t.samples < 0 {
		field("samples", "all")
	} else {
		field("samples", strconv.Itoa(t.samples))
	}
	if h.interval {
		field("interval", fmt.Sprintf("%.2f sec", t.interval.Seconds()))
	}
	t.flush(b)
	return nil
}

// flush writes a line that was put together and keeps its memory.
func (t *textReporter) flush(b []byte) {
	// What cannot be written is noticed when the program ends.
	_, _ = t.env.Out.Write(b)
	t.buf = b
}

// appendDate appends a time as the header has it.
func (t *textReporter) appendDate(b []byte, at pcp.Timestamp) []byte {
	if t.stamps > 0 {
		return t.appendStamp(b, at)
	}
	return format.AppendCtime(b, at, t.zone)
}

// appendStamp appends the time of a sample.
func (t *textReporter) appendStamp(b []byte, at pcp.Timestamp) []byte {
	switch t.stamps {
	case 0:
		return format.AppendTime(b, at, t.zone)
	case 1:
		return format.AppendDate(b, at, 6, t.zone)
	}
	return format.AppendDate(b, at, 9, t.zone)
}

// gap implements reporter.
func (t *textReporter) gap(at pcp.Timestamp, why string) {
	b := t.buf[:0]
	if t.timeline != nil {
		b = append(t.appendStamp(b, at), "  "...)
	}
	if t.events() && why == unavailable {
		// As in the reference there is no more than the time, and no newline, unless
		// more is asked for.
		if t.verbose {
			b = fmt.Appendf(b, "%s: %s\n", t.name, why)
		}
		t.flush(b)
		return
	}
	b = t.paint(append(t.paint(b, faint), why...), plain)
	t.flush(append(b, '\n'))
}

// labels implements reporter.
func (t *textReporter) labels(columns []column) {
	if t.singular() || t.events() {
		return
	}
	if t.style == undecided {
		t.decide(columns)
	}
	b := append(t.buf[:0], '\n')
	if len(columns) == 0 {
		t.flush(b)
		return
	}
	if t.timeline != nil {
		b = appendBlanks(b, [...]int{12, 31, 34}[min(t.stamps, 2)])
	}
	b = t.paint(b, bold)
	for i := range columns {
		if t.rate && t.precision < 0 && t.style == overDigits {
			b = append(appendCut(b, columns[i].name, t.width-3), "    "...)
		} else {
			b = append(appendCut(b, columns[i].name, t.width), ' ')
		}
	}
	t.flush(append(t.paint(b, plain), '\n'))
}

// decide decides the style, and prints the names in full if some are too long.
func (t *textReporter) decide(columns []column) {
	t.style = overDigits
	for i := range columns {
		switch n := len(columns[i].name); {
		case n > t.width:
			t.style = cutOff
		case n > t.width-3:
			t.style = max(t.style, overColumn)
		}
	}
	if t.style != cutOff {
		return
	}
	b := t.buf[:0]
	for i := range columns {
		b = fmt.Appendf(b, "full label for instance[%d]: %s\n", i, columns[i].name)
	}
	t.flush(b)
}

// appendBlanks appends n blanks.
func appendBlanks(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}

// appendCut appends a name right aligned in width characters, cut to them.
func appendCut(b []byte, name string, width int) []byte {
	if len(name) > width {
		name = name[:max(width, 0)]
	}
	return append(appendBlanks(b, width-len(name)), name...)
}

// sample implements reporter.
func (t *textReporter) sample(s *sample) error {
	if t.events() {
		t.printEvents(s)
		return nil
	}
	b := t.buf[:0]
	if t.timeline != nil {
		b = t.appendStamp(b, s.now.Time)
	}
	for i := range t.columns {
		c := s.cell(&t.columns[i])
		if c.kind == isOdd {
			t.flush(b)
			fmt.Fprintf(t.env.Stderr, "%s:printrate prev pmExtractValue: %s\n", t.env.Prog, pmerr.Conv.Error())
			return cli.Exit(1)
		}
		b = t.appendCell(b, s, c)
		if !t.singular() {
			b = append(b, ' ')
		}
	}
	t.flush(append(b, '\n'))
	if !t.rate && t.unknown(s.column()) {
		t.warn(s.column())
	}
	return nil
}

// appendCell appends a value in its column.
func (t *textReporter) appendCell(b []byte, s *sample, c cell) []byte {
	switch {
	case c.kind == isAbsent:
		return t.paint(append(t.paint(appendBlanks(b, t.width-1), yellow), '?'), plain)
	case c.kind == isWrapped:
		return t.paint(append(t.paint(appendBlanks(b, t.width-1), red), '!'), plain)
	case c.kind == isValue:
		return t.values.AppendValue(b, s.column(), c.at, t.width)
	case t.precision >= 0:
		return format.AppendFixed(b, c.real, t.width, t.precision)
	}
	return format.AppendReal(b, c.real, t.width)
}

// warn tells of instances that have values but no column, ascending by identifier.
func (t *textReporter) warn(v *pcp.Values) {
	var unknown []int
	for i, inst := range v.Insts {
		if !t.hasColumn(inst) {
			unknown = append(unknown, i)
		}
	}
	slices.SortStableFunc(unknown, func(i, j int) int { return cmp.Compare(v.Insts[i], v.Insts[j]) })
	for _, i := range unknown {
		b := append(t.buf[:0], "Warning: value="...)
		b = t.values.AppendValue(b, v, i, 1)
		t.flush(fmt.Appendf(b, ", but instance=%d is unknown\n", v.Insts[i]))
	}
}

// end implements reporter.
func (t *textReporter) end() error { return nil }
