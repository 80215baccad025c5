package main

import (
	"context"
	"fmt"

	"pmtools/lib/format"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
)

// start decides how the metric is shown and prints what stands above the values
// (commands.md T6.2).
func (s *session) start(ctx context.Context) error {
	s.rate = s.desc.Sem == pcp.Counter && !s.raw && !s.events()
	_, s.wraps = s.env.LookupEnv("PCP_COUNTER_WRAP")
	s.setSamples()
	if err := s.setColumnWidth(); err != nil {
		return err
	}
	if err := s.setMode(); err != nil {
		return err
	}
	s.newReporter()
	return s.out.begin(s.header(ctx))
}

// defaultWidth returns the width of a column for values of a type, 0 for events,
// which have no columns, and for types without values.
func defaultWidth(t pcp.Type) int {
	switch t {
	case pcp.Int32, pcp.Uint32:
		return 11
	case pcp.Int64, pcp.Uint64, pcp.Double, pcp.String, pcp.Aggregate, pcp.AggregateStatic:
		return 21
	case pcp.Float:
		return 13
	}
	return 0
}

// setColumnWidth decides how wide columns are: as the options say or, for a type
// that has values, as the type wants; and checks that the precision fits. The
// reference has printed the header's empty line by then.
func (s *session) setColumnWidth() error {
	if s.width == 0 {
		s.width = defaultWidth(s.desc.Type)
	}
	if s.width == 0 && !s.events() {
		s.env.Out.WriteString(s.space())
		return fmt.Errorf("unknown performance metric value type %s", s.desc.Type)
	}
	if s.precision > 0 && s.precision > s.width-2 {
		s.env.Out.WriteString(s.space())
		return fmt.Errorf("-f %d too large for column width %d", s.precision, s.width)
	}
	return nil
}

// space returns the empty line above the header, which the note about the time zone
// ends in already.
func (s *session) space() string {
	if s.options.HasTimezone || s.options.HostZone || s.events() {
		return ""
	}
	return "\n"
}

// A header is what is said about a metric above its values.
type header struct {
	metric, archive, host string
	start, end            pcp.Timestamp
	semantics, units      string
	converted             string // the units of rates; "" if there are none
	interval              bool   // the interval matters
}

// header returns what is said about the metric.
func (s *session) header(ctx context.Context) *header {
	h := &header{metric: s.name, host: s.hostName(ctx), units: string(format.AppendUnits(nil, s.desc.Units))}
	switch s.desc.Sem {
	case pcp.Counter:
		h.semantics = "cumulative counter"
	case pcp.Instant:
		h.semantics = "instantaneous value"
	case pcp.Discrete:
		h.semantics = "discrete instantaneous value"
	default:
		h.semantics = "unknown"
	}
	if s.rate {
		h.converted = convertedUnits(s.desc.Units)
	}
	if s.kind == option.Archive {
		h.archive, h.start, h.end = s.options.Archive, s.origin, s.end
	}
	h.interval = s.samples > 1 && s.records == nil
	return h
}

// convertedUnits returns the units of a counter's rate as text.
func convertedUnits(u pcp.Units) string {
	if u.DimTime == 0 {
		u.ScaleTime = pcp.Sec
	}
	u.DimTime--
	if u.DimSpace == 0 && u.DimTime == 0 && u.DimCount == 0 {
		return "time utilization"
	}
	return string(format.AppendUnits(nil, u))
}
