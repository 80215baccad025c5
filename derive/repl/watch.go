package repl

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"pmtools/lib/when"
)

// sparks are the heights of a sparkline.
var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkWidth is how many samples of the past a sparkline shows.
const sparkWidth = 12

// spark draws numbers as bars between the smallest and the largest of them. What is not a number is
// a blank.
func spark(past []float64) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, f := range past {
		if !math.IsNaN(f) && !math.IsInf(f, 0) {
			low, high = min(low, f), max(high, f)
		}
	}
	var b strings.Builder
	for _, f := range past {
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			b.WriteByte(' ')
		case high == low:
			b.WriteRune(sparks[0])
		default:
			// Halves, because the difference of two numbers may be too large for one.
			part := (f/2 - low/2) / (high/2 - low/2)
			b.WriteRune(sparks[min(int(part*float64(len(sparks))), len(sparks)-1)])
		}
	}
	return b.String()
}

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
	q, err := s.query(ctx, text, func(note string) { fmt.Fprintln(w, note) })
	if err != nil {
		return err
	}
	fmt.Fprintln(w, s.describe(q.exprs[0]))
	watch := &watcher{s: s, q: q, w: w, past: make(map[int32][]float64)}
	win := &Window{Timed: true, Interval: interval, Samples: s.set.Samples}
	defer s.stepBy(interval)()
	_, err = s.over(ctx, q, win, watch)
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

// A watcher writes a line for each sample.
type watcher struct {
	s    *Session
	q    *query
	w    io.Writer
	past map[int32][]float64
}

// Sample implements Writer.
func (h *watcher) Sample(smp *Sample) error {
	var b strings.Builder
	b.WriteString(h.s.showTime(smp.Time))
	set := &smp.Sets[0]
	c := h.q.exprs[0]
	switch {
	case set.Err != nil:
		b.WriteString("  " + set.Err.Error())
	case len(set.Values) == 0:
		b.WriteString("  no values")
	}
	seen := make(map[int32]bool)
	for _, v := range set.Values {
		val := h.s.shownValue(c, v)
		b.WriteString("  ")
		if v.Instance != "" {
			b.WriteString(v.Instance + "=")
		}
		b.WriteString(h.s.set.value(val))
		if !c.info.Root.Type.Arithmetic() {
			continue
		}
		f := math.NaN()
		if val.IsSet() {
			f, _ = val.Float64()
		}
		past := append(h.past[v.ID], f)
		past = past[max(0, len(past)-sparkWidth):]
		h.past[v.ID] = past
		seen[v.ID] = true
		if line := spark(past); strings.TrimSpace(line) != "" {
			b.WriteString(" " + line)
		}
	}
	for id := range h.past {
		if !seen[id] {
			delete(h.past, id) // instances that go do not pile up
		}
	}
	_, err := io.WriteString(h.w, b.String()+"\n")
	return err
}

// Close implements Writer.
func (h *watcher) Close() error { return nil }
