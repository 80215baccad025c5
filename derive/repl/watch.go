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

func runWatch(ctx context.Context, s *Session, arg string, w io.Writer) error {
	interval, text := cutInterval(arg)
	if s.fleet == nil && s.src.Line == nil {
		interval = cmp.Or(interval, s.set.Interval)
	}
	st, err := s.query(ctx, s.over(text, interval, s.set.Samples))
	if err != nil {
		return first(err)
	}
	if s.fleet == nil {
		s.noteExpanded(w, st.Used())
		fmt.Fprintln(w, st.Header.Metrics[0].Summary())
	}
	_, err = s.Write(ctx, w, st, Form{Output: Watch, Settings: &s.set})
	if ctx.Err() != nil {
		_ = s.noteLost(err)
		return nil // that is how it ends
	}
	return err
}
