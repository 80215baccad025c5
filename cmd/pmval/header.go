package main

import (
	"fmt"
	"strconv"

	"pmtools/lib/format"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
)

// start decides how the metric is shown and prints what stands above the values (commands.md T6.2).
func (s *session) start() error {
	s.rate = s.desc.Sem == pcp.Counter && !s.flags.raw && !s.events()
	s.setSamples()
	if err := s.setColumnWidth(); err != nil {
		return err
	}
	if err := s.setMode(); err != nil {
		return err
	}
	if s.flags.output == "" && !s.redrawn() {
		s.printHeader()
	}
	return s.newReporter()
}

func (s *session) newReporter() (err error) {
	f := s.flags
	switch {
	case f.output != "" || f.plot:
		s.out, err = s.newForm()
	case s.events():
		s.out = &eventReporter{out: s.env.Out, errs: s.env.Stderr, clock: &s.clock, src: s.src, name: s.name, desc: s.desc,
			verbose: f.verbose, values: s.values}
	default:
		s.out = &textReporter{out: s.env.Out, clock: &s.clock, singular: s.singular(), rate: s.rate,
			precision: f.precision, width: s.width, values: s.values, colored: s.colored()}
		s.env.Paints(s.colored(), false)
	}
	return err
}

// defaultWidth returns the width of a column for values of a type, 0 for events, which have no
// columns, and for types without values.
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

// setColumnWidth decides how wide columns are: as the options say or, for a type that has values,
// as the type wants; and checks that the precision fits.
func (s *session) setColumnWidth() error {
	if s.width = s.flags.width; s.width == 0 {
		s.width = defaultWidth(s.desc.Type)
	}
	if s.width == 0 && !s.events() {
		return fmt.Errorf("unknown performance metric value type %s", s.desc.Type)
	}
	if s.flags.precision > 0 && s.flags.precision > s.width-2 {
		return fmt.Errorf("-f %d too large for column width %d", s.flags.precision, s.width)
	}
	return nil
}

// space returns the empty line above the header, which the note about the time zone ends in
// already.
func (s *session) space() string {
	if s.options.HasTimezone || s.options.HostZone || s.events() {
		return ""
	}
	return "\n"
}

func (s *session) printHeader() {
	out := s.env.Out
	kind, _ := s.options.Source()
	field := func(name, text string) { fmt.Fprintf(out, "%-11s%s\n", name+":", text) }
	if !s.events() {
		field("metric", s.name)
	}
	if kind == option.Archive {
		field("archive", s.options.Archive)
	}
	field("host", s.host)
	if kind == option.Archive {
		field("start", string(s.clock.appendDate(nil, s.origin)))
		if s.bounded {
			field("end", string(s.clock.appendDate(nil, s.end)))
		}
	}
	if !s.events() {
		semantics, units := semanticsText(s.desc.Sem), string(format.AppendUnits(nil, s.desc.Units))
		if s.rate {
			semantics += " (converting to rate)"
			units += " (converting to " + convertedUnits(s.desc.Units) + ")"
		}
		field("semantics", semantics)
		field("units", units)
	}
	if s.samples < 0 {
		field("samples", "all")
	} else {
		field("samples", strconv.Itoa(s.samples))
	}
	if s.samples > 1 && !s.request.Records {
		field("interval", fmt.Sprintf("%.2f sec", s.interval.Seconds()))
	}
	if s.flags.plot {
		out.WriteByte('\n')
	}
}

func semanticsText(sem pcp.Sem) string {
	switch sem {
	case pcp.Counter:
		return "cumulative counter"
	case pcp.Instant:
		return "instantaneous value"
	case pcp.Discrete:
		return "discrete instantaneous value"
	}
	return "unknown"
}

func convertedUnits(u pcp.Units) string {
	if u = rateUnits(u); u.DimSpace == 0 && u.DimTime == 0 && u.DimCount == 0 {
		return "time utilization"
	}
	return string(format.AppendUnits(nil, u))
}
