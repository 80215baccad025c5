package repl

import (
	"context"
	"fmt"
	"io"
	"time"

	"pmtools/lib/pcp"
)

// runExpr evaluates an expression and shows it.
func (s *Session) runExpr(ctx context.Context, text string, w io.Writer) error {
	if s.hosts != nil {
		return s.everywhere(ctx, []string{text}, s.set.Output, &Window{}, w)
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	q, err := s.query(ctx, text, s.noteTo(w))
	if err != nil {
		return err
	}
	sample, err := s.once(ctx, q, nil)
	if err != nil {
		return err
	}
	if s.set.Output != "table" {
		return s.write(ctx, w, q, sample)
	}
	fmt.Fprintln(w, s.head(q.exprs[0], sample.Time))
	return s.showSet(ctx, w, q.exprs[0], &sample.Sets[0])
}

// noteTo returns what writes notes. Forms of output that programs read have none.
func (s *Session) noteTo(w io.Writer) func(string) {
	if s.set.Output != "table" {
		return nil
	}
	return func(text string) { fmt.Fprintln(w, text) }
}

// head is the line of metadata of an expression. Over a recording it has the time of the sample, and
// how far that is from the position: values that need several samples are those of the last one.
func (s *Session) head(c *compiled, at pcp.Timestamp) string {
	if s.line == nil {
		return s.describe(c)
	}
	text := s.describe(c) + " @ " + s.showTime(at)
	if ahead := time.Duration(at.Sub(s.at) * float64(time.Second)).Round(time.Microsecond); ahead > 0 {
		text += fmt.Sprintf(", %v after the position", ahead)
	}
	return text
}

// describe returns the metadata of an expression, and in what its rate is if that is shown.
func (s *Session) describe(c *compiled) string {
	text := metadata(c.info.Root)
	if c.rate && !s.raw() {
		text += "; rate "
		if u := c.rateOf.Root.Units; !u.Dimensionless() {
			text += "in " + units(u)
		} else {
			text += "without units"
		}
	}
	return text
}

// showSet shows the values of an expression.
func (s *Session) showSet(ctx context.Context, w io.Writer, c *compiled, set *Set) error {
	switch {
	case set.Err != nil:
		return &Problem{Msg: "no values: " + set.Err.Error(), Err: set.Err}
	case set.Len() == 0:
		fmt.Fprintln(w, s.noValues(c))
		return nil
	}
	t := &Table{}
	rate := c.rate && !s.raw()
	named := !c.info.Root.Singular()
	for i := range set.Len() {
		if err := ended(ctx, i); err != nil {
			return err
		}
		v := set.At(i)
		var row []string
		if named {
			row = append(row, v.Instance)
		}
		row = append(row, s.set.value(v.Value))
		if rate {
			row = append(row, s.set.value(v.Rate))
		}
		t.Rows = append(t.Rows, row)
	}
	if named {
		t.Right = append(t.Right, false)
	}
	t.Right = append(t.Right, c.info.Root.Type.Arithmetic(), true)
	if rate {
		t.Header = []string{"value", "rate"}
		if named {
			t.Header = append([]string{"instance"}, t.Header...)
		}
	}
	if err := s.table(ctx, w, t); err != nil {
		return err
	}
	showMore(w, set)
	return nil
}

// noValues returns the text shown for an expression without values. Metrics that an archive has in
// different records are never there at once.
func (s *Session) noValues(c *compiled) string {
	if s.line != nil && s.step == 0 && len(c.info.Operands) > 1 {
		return "no values in this record; with :step INTERVAL, values between records are interpolated"
	}
	return "no values"
}
