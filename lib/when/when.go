// Package when reads the texts of times: intervals ("10sec"), points in time ("@14:00", "-10min",
// "yesterday 9am"), windows made of them, and the time zones for reading and showing times.
//
// [ParseInterval] reads an interval. A [Spec] holds the four texts of a time window; [Spec.Window]
// applies them to a [Base]: the bounds of the source, the current time, and the zone. [LoadZone],
// [CheckZone] and [Local] turn zone texts into a [time.Location].
//
// All functions are pure, except for [LoadZone] and [Local], which read the zone files of the
// system. On a system without these files the program has to import time/tzdata.
package when

import (
	"math/bits"
	"time"
)

// A Base is the reference of time specifications.
type Base struct {
	Start time.Time      // the first moment of the source; now for a live one
	End   time.Time      // the last moment; zero for a live source, which has none
	Now   time.Time      // the current time, for dates such as "yesterday"
	Zone  *time.Location // the reporting zone; nil means UTC

	// Printed accepts more: times with an offset from UTC, Z or a fraction, and @ with the seconds
	// since 1970. The reference refuses the first, and takes the last for something else.
	Printed bool
}

// A Spec holds the texts of a time window as the user gave them. The text of an option that was not
// given is empty; an option given with an empty text must also be named in Empty.
type Spec struct {
	Start  string // -S
	Finish string // -T
	Align  string // -A, an interval
	Origin string // -O
	Empty  Part   // the options that were given with an empty text
}

// A Part is a set of the four texts of a [Spec].
type Part int

// The parts.
const (
	PartStart Part = 1 << iota
	PartFinish
	PartAlign
	PartOrigin
)

// A Window is a stretch of time and the moment of the first sample within it.
type Window struct {
	Start  time.Time
	End    time.Time // may be before Start; zero without an end
	Origin time.Time
	// AlignErr is not nil if the start or the origin could not be aligned inside the source, and
	// was left as it was.
	AlignErr *SyntaxError
}

// Window works out the window that s means. An error is a *[SyntaxError].
func (s Spec) Window(b Base) (Window, error) {
	if b.Zone == nil {
		b.Zone = time.UTC
	}
	c := &clock{zone: b.Zone, printed: b.Printed}
	w := Window{Start: b.Start, End: b.End}
	if s.has(s.Start, PartStart) {
		t, err := parseTime(s.Start, w.Start, w.End, b.Now, c)
		if err != nil {
			return Window{}, err
		}
		if w.Start = t; t.Before(b.Start) {
			w.Start = b.Start
		}
	}
	step := time.Duration(0)
	if s.has(s.Align, PartAlign) {
		total, err := parseSeconds(s.Align)
		if err != nil {
			return Window{}, err
		}
		if step = toDuration(total); step == 0 {
			return Window{}, s.alignError()
		}
		if !w.use(&w.Start, alignUp(w.Start, step), b.Start, b.End) {
			w.AlignErr = s.alignError()
		}
	}
	if s.has(s.Finish, PartFinish) {
		t, err := parseTime(s.Finish, w.Start, w.End, b.Now, c)
		if err != nil {
			return Window{}, err
		}
		w.End = t
		if !b.End.IsZero() && t.After(b.End) {
			w.End = b.End
		}
	}
	w.Origin = w.Start
	if !s.has(s.Origin, PartOrigin) {
		return w, nil
	}
	return s.setOrigin(w, step, b.Now, c)
}

func (s Spec) setOrigin(w Window, step time.Duration, now time.Time, c *clock) (Window, error) {
	t, err := parseTime(s.Origin, w.Start, w.End, now, c)
	if err != nil {
		return Window{}, err
	}
	switch {
	case t.Before(w.Start):
	case !w.End.IsZero() && t.After(w.End):
		w.Origin = w.End // even before the start
	default:
		w.Origin = t
	}
	if step > 0 && !w.End.IsZero() {
		aligned := alignUp(w.Origin, step)
		if aligned.After(w.End) {
			aligned = aligned.Add(-step)
		}
		if !w.use(&w.Origin, aligned, w.Start, w.End) {
			w.AlignErr = s.alignError()
		}
	}
	return w, nil
}

func (s Spec) has(text string, p Part) bool {
	return text != "" || s.Empty&p != 0
}

func (s Spec) alignError() *SyntaxError {
	return &SyntaxError{Text: s.Align, Reason: reasonAlign}
}

func (w *Window) use(dst *time.Time, t, low, high time.Time) bool {
	if t.Before(low) || !high.IsZero() && t.After(high) {
		return false
	}
	*dst = t
	return true
}

// alignUp rounds t up to a multiple of step since the epoch. Times before the epoch are unchanged.
func alignUp(t time.Time, step time.Duration) time.Time {
	if t.Unix() < 0 {
		return t
	}
	high, low := bits.Mul64(uint64(t.Unix()), uint64(time.Second))
	low, carry := bits.Add64(low, uint64(t.Nanosecond()), 0)
	rest := bits.Rem64(high+carry, low, uint64(step))
	if rest == 0 {
		return t
	}
	return t.Add(step - time.Duration(rest))
}
