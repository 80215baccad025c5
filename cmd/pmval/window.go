package main

import (
	"context"
	"math"
	"time"

	"pmtools/cmd/internal/source"
	"pmtools/lib/pcp"
)

// setTime applies the options about time zones and time windows.
func (s *session) setTime(ctx context.Context) error {
	zone, note, err := source.Zone(ctx, s.env, s.options, s.src)
	if err != nil {
		return err
	}
	if s.flags.output == "" {
		s.env.Out.WriteString(note)
	}
	s.zone, s.values.Location = zone, zone
	_, s.values.Squash = s.env.LookupEnv("PCP_SQUASH_NEWLINES")
	if s.interval = s.options.Interval; s.interval == 0 {
		s.interval = time.Second
	}
	return s.setWindow()
}

// setWindow works out the time window.
func (s *session) setWindow() error {
	w, err := s.options.Window(source.Base(s.env, s.options, s.src, s.zone))
	if err != nil {
		return err
	}
	s.origin = pcp.TimestampOf(w.Origin)
	// To the reference, an archive that ends when the epoch begins has no end.
	if s.bounded = !w.End.IsZero() && w.End.Unix() != 0; s.bounded {
		s.end = pcp.TimestampOf(w.End)
	}
	return nil
}

// setSamples works out how many samples are taken.
func (s *session) setSamples() {
	switch {
	case s.options.HasSamples:
		s.samples = s.options.Samples
	case !s.bounded || s.flags.recorded || s.events():
		s.samples = -1
	default:
		s.samples = 0
		if n := s.end.Sub(s.origin) / s.interval.Seconds(); n > -1 {
			s.samples = int(min(n, math.MaxInt32-1)) + 1
		}
	}
}
