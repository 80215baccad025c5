package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// setTime applies the options about time zones and time windows.
func (s *session) setTime(ctx context.Context) error {
	s.zone = s.env.Zone()
	_, s.values.Squash = s.env.LookupEnv("PCP_SQUASH_NEWLINES")
	if err := s.setZone(ctx); err != nil {
		return err
	}
	s.values.Location = s.zone
	if s.interval = s.options.Interval; s.interval == 0 {
		s.interval = time.Second
	}
	return s.setWindow()
}

// setZone applies -z and -Z.
func (s *session) setZone(ctx context.Context) error {
	o := s.options
	switch {
	case o.HostZone:
		zone, err := pmapi.Zone(ctx, s.src)
		from := ""
		if s.timeline != nil {
			from = " from archive"
		}
		if err == nil {
			err = s.useZone(zone)
		}
		if err != nil {
			return fmt.Errorf("Cannot set context timezone: %w", pmerr.Of(err))
		}
		s.note("local timezone of host \"%s\"%s", s.hostName(ctx), from)
	case o.HasTimezone:
		if err := s.useZone(o.Timezone); err != nil {
			return fmt.Errorf("Cannot set timezone to \"%s\": %w", o.Timezone, pmerr.Of(err))
		}
		s.note("\"TZ=%s\"", o.Timezone)
	}
	return nil
}

// note tells which time zone is used, where people read it.
func (s *session) note(format string, args ...any) {
	if s.output == columnOutput {
		fmt.Fprintf(s.env.Out, "Note: timezone set to "+format+"\n\n", args...)
	}
}

// useZone makes zone the reporting zone.
func (s *session) useZone(zone string) error {
	if err := when.CheckZone(zone); err != nil {
		return err
	}
	s.zone = when.LoadZone(zone)
	return nil
}

// setWindow works out the time window.
func (s *session) setWindow() error {
	o := s.options
	base := when.Base{Start: s.env.Now(), Now: s.env.Now(), Zone: s.zone}
	if s.timeline != nil {
		start, end, err := s.timeline.Bounds()
		base.Start = start.Time()
		if err != nil {
			fmt.Fprintf(s.env.Stderr, "%s: Cannot locate end of archive %s: %s\n\n"+
				"WARNING: This archive is sufficiently damaged that it may not be possible to\n"+
				"         produce complete information.  Continuing and hoping for the best.\n\n",
				s.env.Prog, o.Archive, reason(err))
		} else {
			base.End = end.Time()
		}
	}
	w, err := o.Window(base)
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
	case !s.bounded || s.recorded || s.events():
		s.samples = -1
	default:
		s.samples = 0
		if n := s.end.Sub(s.origin) / s.interval.Seconds(); n > -1 {
			s.samples = int(min(n, math.MaxInt32-1)) + 1
		}
	}
}
