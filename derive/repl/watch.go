package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"pmtools/lib/when"
)

// cutInterval takes an interval from the front of the argument of :watch: a word that begins with a
// digit, if the text after it can be an expression.
func cutInterval(arg string) (time.Duration, string) {
	word, rest, ok := strings.Cut(arg, " ")
	rest = strings.TrimSpace(rest)
	if !ok || word[0] < '0' || '9' < word[0] || startsOperator(rest) {
		return 0, arg
	}
	d, err := when.ParseInterval(word)
	if err != nil || d <= 0 {
		return 0, arg
	}
	return d, rest
}

// startsOperator reports whether a text goes on with an expression that has begun before.
func startsOperator(s string) bool {
	return s == "" || strings.ContainsRune("+*/<>=!?:&|)", rune(s[0]))
}

// runWatch shows samples as they come.
func runWatch(ctx context.Context, s *Session, arg string, w io.Writer) error {
	interval, text := cutInterval(arg)
	if s.hosts != nil {
		return s.everywhere(ctx, []string{text}, Watch, &Window{Timed: true, Samples: s.set.Samples, Interval: interval}, w)
	}
	q, err := s.query(ctx, text, func(note string) { fmt.Fprintln(w, note) })
	if err != nil {
		return err
	}
	fmt.Fprintln(w, s.describe(q.exprs[0]))
	win := &Window{Timed: true, Samples: s.set.Samples}
	defer s.stepBy(interval)()
	if win.Interval = cmp.Or(interval, s.set.Interval); s.line != nil {
		win.Interval = s.step
	}
	out, err := s.writer(ctx, w, Watch, q, win)
	if err != nil {
		return err
	}
	_, err = s.over(ctx, q, win, out)
	if ctx.Err() != nil {
		_ = s.noteLost(err)
		return nil // that is how it ends
	}
	return err
}

// stepBy makes an archive be read in steps of an interval until the function that it returns is
// called. An interval of 0 changes nothing.
func (s *Session) stepBy(interval time.Duration) (undo func()) {
	before := s.step
	if interval > 0 && s.line != nil {
		s.step = interval
	}
	return func() { s.step = before }
}
