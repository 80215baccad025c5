package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// runExpr evaluates an expression and shows it.
func runExpr(ctx context.Context, s *Session, q *query.Query, w io.Writer) error {
	st, err := s.query(ctx, q)
	if err != nil {
		return first(err)
	}
	s.answer = keep(st, q)
	return s.showAnswer(ctx, w)
}

// showAnswer shows the values of the last expression.
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
		fmt.Fprintln(w, s.head(&st.Header.Metrics[0], smp.Time))
		return s.showSet(ctx, w, st, &smp.Sets[0])
	}
	return nil
}

// first returns the only problem of one expression.
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

// head is the line of metadata of an expression. Over a recording it has the time of the sample, and
// how far that is from the position: values that need several samples are those of the last one.
func (s *Session) head(m *sampling.Metric, at pcp.Timestamp) string {
	if s.src.Line == nil {
		return m.Summary()
	}
	text := m.Summary() + " @ " + s.showTime(at)
	if ahead := time.Duration(at.Sub(s.src.At) * float64(time.Second)).Round(time.Microsecond); ahead > 0 {
		text += fmt.Sprintf(", %v after the position", ahead)
	}
	return text
}

// showSet shows the values of an expression.
func (s *Session) showSet(ctx context.Context, w io.Writer, st *query.Stream, set *sampling.Set) error {
	m := &st.Header.Metrics[0]
	switch {
	case set.Err != nil:
		return &Problem{Msg: "no values: " + set.Err.Error(), Err: set.Err}
	case set.Len() == 0:
		fmt.Fprintln(w, s.noValues(st.Exprs[0]))
		return nil
	}
	t := &Table{}
	for i := range set.Len() {
		if err := sampling.Ended(ctx, i); err != nil {
			return err
		}
		v := set.At(i)
		var row []string
		if !m.Singular() {
			row = append(row, v.Instance)
		}
		if m.Counter != nil {
			row = append(row, s.set.value(v.Counter))
		}
		t.Rows = append(t.Rows, append(row, s.set.value(v.Value)))
	}
	if !m.Singular() {
		t.Right = append(t.Right, false)
	}
	t.Right = append(t.Right, m.Desc.Type.Arithmetic(), true)
	if m.Counter != nil {
		t.Header = []string{"value", "rate"}
		if !m.Singular() {
			t.Header = append([]string{"instance"}, t.Header...)
		}
	}
	if err := s.table(ctx, w, t); err != nil {
		return err
	}
	if set.More > 0 {
		fmt.Fprintf(w, "+%d more\n", set.More)
	}
	return nil
}

// noValues returns the text shown for an expression without values. Metrics that an archive has in
// different records are never there at once.
func (s *Session) noValues(c *query.Expr) string {
	if s.src.Line != nil && s.src.Step == 0 && len(c.Info.Operands) > 1 {
		return "no values in this record; with :step INTERVAL, values between records are interpolated"
	}
	return "no values"
}
