package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"

	"pmtools/cmd/internal/source"
	"pmtools/internal/timecontrol"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// A control is a time control server that says when samples are due (commands.md T6.9).
type control struct {
	s    *session
	conn *timecontrol.Conn
	*timecontrol.Follower
}

// connectControl connects to the time control server of -p, or starts one for -g.
func (s *session) connectControl(ctx context.Context) error {
	set := &timecontrol.Packet{Delta: s.interval, Position: s.origin}
	if s.timeline != nil {
		set.Kind, set.Start, set.End = timecontrol.Recorded, s.origin, s.end
	}
	var err error
	if set.Zone, set.ZoneLabel, err = s.zoneText(ctx); err != nil {
		return err
	}
	connect := func() (*timecontrol.Conn, error) { return timecontrol.Connect(ctx, s.options.GUIPort, set) }
	if s.options.GUI {
		connect = func() (*timecontrol.Conn, error) { return timecontrol.Start(ctx, set, s.env.Stderr) }
	}
	conn, err := connect()
	if err != nil {
		return s.noControl(err)
	}
	s.control, s.clock.recorded = &control{s, conn, conn.Follow(set)}, true
	return nil
}

// noControl returns the error for a server that cannot be reached. The reference takes the number
// of the step that failed for one of an error (values.md V25.1).
func (s *session) noControl(err error) error {
	number := pmerr.Code(-4)
	failed, ok := errors.AsType[*timecontrol.Error](err)
	switch {
	case ok && failed.Stage == timecontrol.Starting:
		number = -2
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrPermission) {
			fmt.Fprintf(s.env.Stderr, "execvp: %s\n", number.Error())
		}
	case s.options.GUI:
		number = -3
	}
	return fmt.Errorf("pmTimeConnect: %w", number)
}

// zoneText returns the reporting zone in the form of TZ, and its label.
func (s *session) zoneText(ctx context.Context) (zone, label string, err error) {
	switch tz, set := s.env.LookupEnv("TZ"); {
	case s.options.HasTimezone:
		return explicitZone(s.options.Timezone), s.options.Timezone, nil
	case s.options.HostZone:
		zone, err = pmapi.Zone(ctx, s.src)
		zone = explicitZone(zone)
	case set && !strings.HasPrefix(tz, ":"):
		zone = tz
		s.clock.zone, err = source.LoadZone(tz)
	default:
		zone = when.Offset(s.env.Now().In(s.zone))
		s.clock.zone = when.LoadZone(zone)
	}
	if err != nil {
		return "", "", fmt.Errorf("pmTimeConnect: Cannot set timezone to \"%s\": %w", zone, pmerr.Of(err))
	}
	return zone, s.host, nil
}

// explicitZone returns a zone with its offset. For PCP a name of three letters alone is UTC.
func explicitZone(zone string) string {
	if len(zone) == 3 {
		return zone + "+0"
	}
	return zone
}

// say prints a message of time control among the samples. Forms that programs read have none.
func (c *control) say(format string, args ...any) {
	if c.s.flags.output == "" && !c.s.flags.plot {
		fmt.Fprintf(c.s.env.Out, format, args...)
	}
}

func (c *control) wait(ctx context.Context) (moved bool, err error) {
	for {
		if err := c.s.env.Flush(); err != nil {
			return false, err
		}
		event, err := c.Next(ctx)
		if err != nil {
			fmt.Fprintln(c.s.env.Stderr)
			return false, errors.New("Time Control dialog exited, goodbye.")
		}
		switch packet := c.Packet(); event {
		case timecontrol.Rewound:
			c.say("\n[Time Control] Rewind/Reverse ...\n")
		case timecontrol.Resumed:
			c.say("\n[Time Control] Resume ...\n")
		case timecontrol.Repositioned:
			c.say("\n[Time Control] Repositioned in archive ...\n")
		case timecontrol.NewInterval:
			c.say("new interval:  %1.2f sec\n", packet.Delta.Seconds())
		case timecontrol.NewZone:
			c.setZone(packet)
		case timecontrol.Stepped:
			return c.Moved, c.position(packet)
		}
	}
}

func (c *control) setZone(packet *timecontrol.Packet) {
	zone, err := source.LoadZone(packet.Zone)
	if err != nil {
		c.s.env.Errorf("Warning: cannot set timezone to \"%s\": %s", packet.Zone, pmerr.Message(err))
		return
	}
	c.s.clock.zone = zone
	c.say("new timezone: %s (%s)\n", packet.Zone, packet.ZoneLabel)
}

// position moves an archive to where a step begins anew.
func (c *control) position(packet *timecontrol.Packet) error {
	if !c.Moved || c.s.timeline == nil {
		return nil
	}
	if err := c.s.timeline.SetMode(pcp.Interp, &packet.Position, packet.Delta); err != nil {
		return fmt.Errorf("pmSetMode: %s", pmerr.Message(err))
	}
	if c.s.request.Records { // which are for the mode that was left
		fmt.Fprintln(c.s.env.Stderr)
		return fmt.Errorf("pmFetchArchive: %w", pmerr.Mode)
	}
	return nil
}

func (c *control) end() {
	if c.End() {
		c.say("\n[Time Control] End of Archive ...\n")
	}
}
