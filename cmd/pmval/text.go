package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A textReporter prints columns as the reference does.
type textReporter struct {
	out       *bufio.Writer
	clock     *clock
	singular  bool // the metric has no instances
	rate      bool // counters are converted
	precision int
	width     int
	values    format.Options
	colored   bool // the terminal's colours are used
	style     labelStyle
	buf       []byte
}

// A clock writes times as -X asks for.
type clock struct {
	zone     *time.Location
	stamps   int
	recorded bool // samples have their times in front
}

// The control sequences for colours.
const (
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

func (t *textReporter) paint(b []byte, color string) []byte {
	if !t.colored {
		return b
	}
	return append(b, color...)
}

// A labelStyle says how the names of instances fit their columns. It is decided when they are first
// printed.
type labelStyle int

const (
	undecided  labelStyle = iota
	overDigits            // short enough to stand over the digits of rates
	overColumn            // short enough for the column
	cutOff                // at least one is cut
)

// flush writes a line that was put together and keeps its memory.
func (t *textReporter) flush(b []byte) {
	// Write errors are noticed when the program ends.
	_, _ = t.out.Write(b)
	t.buf = b
}

func (c *clock) appendDate(b []byte, at pcp.Timestamp) []byte {
	if c.stamps > 0 {
		return c.appendStamp(b, at)
	}
	return format.AppendCtime(b, at, c.zone)
}

func (c *clock) appendStamp(b []byte, at pcp.Timestamp) []byte {
	switch c.stamps {
	case 0:
		return format.AppendTime(b, at, c.zone)
	case 1:
		return format.AppendDate(b, at, 6, c.zone)
	}
	return format.AppendDate(b, at, 9, c.zone)
}

// appendFront appends what stands before the values of a sample: its time if it is recorded.
func (c *clock) appendFront(b []byte, at pcp.Timestamp, gap string) []byte {
	if !c.recorded {
		return b
	}
	return append(c.appendStamp(b, at), gap...)
}

func (t *textReporter) gap(at pcp.Timestamp, why string) {
	b := t.clock.appendFront(t.buf[:0], at, "  ")
	b = t.paint(append(t.paint(b, faint), why...), plain)
	t.flush(append(b, '\n'))
}

func (t *textReporter) labels(columns []column) {
	if t.singular {
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
	if t.clock.recorded {
		b = appendBlanks(b, [...]int{12, 31, 34}[min(t.clock.stamps, 2)])
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

func appendBlanks(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}

func appendCut(b []byte, name string, width int) []byte {
	if len(name) > width {
		name = name[:max(width, 0)]
	}
	return append(appendBlanks(b, width-len(name)), name...)
}

func (t *textReporter) sample(_ context.Context, s *sample) error {
	b := t.clock.appendFront(t.buf[:0], s.time, "")
	for _, c := range s.cells {
		if c.kind == isOdd {
			t.flush(b)
			return errNotNumber
		}
		b = t.appendCell(b, s.values, c)
		if !t.singular {
			b = append(b, ' ')
		}
	}
	t.flush(append(b, '\n'))
	if s.strange && !t.rate {
		t.warn(s)
	}
	return nil
}

// errNotNumber means that a counter is not a number.
var errNotNumber = fmt.Errorf("printrate prev pmExtractValue: %w", pmerr.Conv)

func (t *textReporter) appendCell(b []byte, v *pcp.Values, c cell) []byte {
	switch {
	case c.kind == isAbsent:
		return t.paint(append(t.paint(appendBlanks(b, t.width-1), yellow), '?'), plain)
	case c.kind == isWrapped:
		return t.paint(append(t.paint(appendBlanks(b, t.width-1), red), '!'), plain)
	case c.kind == isValue:
		return t.values.AppendValue(b, v, c.at, t.width)
	case t.precision >= 0:
		return format.AppendFixed(b, c.real, t.width, t.precision)
	}
	return format.AppendReal(b, c.real, t.width)
}

// warn names the instances that have values but no column, ascending by identifier.
func (t *textReporter) warn(s *sample) {
	v := s.values
	var unknown []int
	for i, inst := range v.Insts {
		if _, ok := findColumn(s.columns, inst); !ok {
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

func (t *textReporter) end() error { return nil }
