package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"pmtools/derive/query"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

func runExpr(ctx context.Context, s *Session, q *query.Query, w io.Writer) error {
	st, err := s.query(ctx, q)
	if err != nil {
		return first(err)
	}
	s.answer = keep(st, q)
	return s.showAnswer(ctx, w)
}

func (s *Session) showAnswer(ctx context.Context, w io.Writer) error {
	st := s.answer.Stream
	if s.set.Output != "table" || st.Exprs == nil {
		_, err := s.Write(ctx, w, st, s.form(&s.answer.sel))
		return err
	}
	s.noteExpanded(w, st.Used())
	for smp, err := range st.Samples {
		if err != nil {
			return err
		}
		if s.set.Verbose {
			fmt.Fprintln(w, st.Header.Metrics[0].Summary())
		}
		return s.showSet(ctx, w, st, smp)
	}
	return nil
}

func first(err error) error {
	if bad, ok := errors.AsType[query.Problems](err); ok {
		return bad[0]
	}
	return err
}

// noteExpanded tells which definitions stand in the places of their names.
func (s *Session) noteExpanded(w io.Writer, names []string) {
	for _, name := range names {
		s.note(w, "expanded "+name)
	}
}

// note writes a line about how an item was understood.
func (s *Session) note(w io.Writer, line string) {
	if s.opt.Note != nil {
		s.opt.Note(line)
	} else {
		fmt.Fprintln(w, line)
	}
}

// when returns the time of a sample over a recording, and how far that is from the position: values that
// need several samples are those of the last one. It is empty over live metrics.
func (s *Session) when(at pcp.Timestamp) string {
	if s.src.Line == nil {
		return ""
	}
	text := s.showTime(at)
	if ahead := time.Duration(at.Sub(s.src.At) * float64(time.Second)).Round(time.Microsecond); ahead > 0 {
		text += fmt.Sprintf(", %v after the position", ahead)
	}
	return text
}

// showSet shows the values of an expression: a single one and its time in one line, others below the
// time.
func (s *Session) showSet(ctx context.Context, w io.Writer, st *query.Stream, smp *sampling.Sample) error {
	m, set, when := &st.Header.Metrics[0], &smp.Sets[0], s.when(smp.Time)
	switch {
	case set.Err != nil:
		p := &Problem{Msg: "no values: " + set.Err.Error(), Err: set.Err}
		if s.scattered(st.Exprs[0]) {
			p.Notes = []string{"no record may have all of these metrics; with :step INTERVAL, values between records are interpolated"}
		}
		return p
	case set.Len() == 0:
		fmt.Fprintln(w, s.noValues(st.Exprs[0]))
		return nil
	}
	t, err := s.valueTable(ctx, m, set)
	if err != nil {
		return err
	}
	if m.Singular() && m.Counter == nil {
		line := strings.TrimSpace(t.Rows[0][0])
		if when != "" {
			line += " @ " + when
		}
		_, err := fmt.Fprintln(w, line)
		return err
	}
	if when != "" {
		fmt.Fprintln(w, when)
	}
	if err := s.table(ctx, w, t); err != nil {
		return err
	}
	if set.More > 0 {
		fmt.Fprintf(w, "+%d more\n", set.More)
	}
	return nil
}

// valueTable returns a table of values: instances, the values and their unit or, of rates, the counters
// and the rates below their units.
func (s *Session) valueTable(ctx context.Context, m *sampling.Metric, set *sampling.Set) (*Table, error) {
	numbers, err := s.column(ctx, m, set)
	if err != nil {
		return nil, err
	}
	var counters column
	if m.Counter != nil {
		set := set.Counters()
		if counters, err = s.column(ctx, &sampling.Metric{Desc: *m.Counter}, &set); err != nil {
			return nil, err
		}
	}
	t := &Table{}
	for i := range set.Len() {
		if err := sampling.Ended(ctx, i); err != nil {
			return nil, err
		}
		v := set.At(i)
		var row []string
		if !m.Singular() {
			row = append(row, v.Instance)
		}
		if m.Counter != nil {
			row = append(row, counters.cell(v.Counter))
		}
		cell := numbers.cell(v.Value)
		if m.Counter == nil && numbers.Unit != "" {
			cell += " " + numbers.Unit
		}
		t.Rows = append(t.Rows, append(row, cell))
	}
	if !m.Singular() {
		t.Right = append(t.Right, false)
	}
	t.Right = append(t.Right, m.Desc.Type.Arithmetic(), true)
	if m.Counter == nil {
		return t, nil
	}
	t.Header, t.Units = []string{"value", "rate"}, []string{counters.Unit, numbers.Unit}
	if !m.Singular() {
		t.Header, t.Units = append([]string{"instance"}, t.Header...), append([]string{""}, t.Units...)
	}
	return t, nil
}

// A column is the numbers of a table, or other values.
type column struct {
	format.Numbers
	width int
}

func (s *Session) column(ctx context.Context, m *sampling.Metric, set *sampling.Set) (c column, err error) {
	c.Numbers, c.width, err = set.Numbers(ctx, s.set.Numbers.Form(), m)
	return c, err
}

func (c *column) cell(v pcp.Value) string {
	return string(c.AppendAligned(nil, v, c.width))
}

// noValues returns the text shown for an expression without values. Metrics that an archive has in
// different records are never there at once.
func (s *Session) noValues(c *query.Expr) string {
	if s.scattered(c) {
		return "no values in this record; with :step INTERVAL, values between records are interpolated"
	}
	return "no values"
}

// scattered reports whether an expression may have no values because its metrics are in different
// records.
func (s *Session) scattered(c *query.Expr) bool {
	return s.src.Line != nil && s.src.Step == 0 && len(c.Info.Operands) > 1
}
