package repl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/diagnose"
	"pmtools/derive/lint"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// showOne shows the only sample of an expression.
func (s *Session) showOne(ctx context.Context, w io.Writer, st *query.Stream) error {
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

// noteExprs tells which definitions stand in the places of their names, and which counters are compared.
func (s *Session) noteExprs(w io.Writer, st *query.Stream) {
	var used, list []string
	for _, e := range st.Exprs {
		used, list = append(used, e.Used...), append(list, lint.Compared(e.Tree, e.Info)...)
	}
	if len(used) > 0 {
		s.noteExpanded(w, used)
	}
	if len(list) > 0 {
		for _, about := range answer.Notes(list) {
			s.note(w, about)
		}
	}
}

// noteExpanded tells which definitions stand in the places of their names, each once.
func (s *Session) noteExpanded(w io.Writer, names []string) {
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	if once != nil {
		s.note(w, "expanded "+textwidth.Few(once, shownExpanded))
	}
}

// shownExpanded is how many of these definitions are named.
const shownExpanded = 8

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
	text := s.showZoned(at)
	if ahead := time.Duration(at.Sub(s.src.At) * float64(time.Second)).Round(time.Microsecond); ahead > 0 {
		text += fmt.Sprintf(", %v after the position", ahead)
	}
	return text
}

// maxRows is how many values a table of the prompt has: all rows are needed for the widths of columns.
const maxRows = 200_000

// showSet shows the values of an expression: a single one and its time in one line, others below the
// time.
func (s *Session) showSet(ctx context.Context, w io.Writer, st *query.Stream, smp *sampling.Sample) error {
	m, set, when := &st.Header.Metrics[0], &smp.Sets[0], s.when(smp.Time)
	switch {
	case set.Err != nil:
		p := &diagnose.Problem{Msg: "no values: " + set.Err.Error(), Err: set.Err}
		if s.scattered(st.Exprs[0]) {
			p.Notes = []string{"no record may have all of these metrics; with :step INTERVAL, values between records are interpolated"}
		}
		return p
	case set.Len() == 0:
		none := "no values"
		if s.scattered(st.Exprs[0]) { // metrics that an archive has in different records are never there at once
			none += " in this record; with :step INTERVAL, values between records are interpolated"
		}
		fmt.Fprintln(w, none)
		return nil
	}
	if set.Len() > maxRows {
		set.Keep(maxRows)
	}
	t, err := answer.Values(ctx, m, set, s.set.Numbers.Form())
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

// scattered reports whether an expression may have no values because its metrics are in different
// records.
func (s *Session) scattered(c *query.Expr) bool {
	return s.src.Line != nil && s.src.Step == 0 && len(c.Info.Operands) > 1
}
