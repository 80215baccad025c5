package source

import (
	"context"
	"fmt"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/option"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// Zone returns the reporting zone: that of -z or -Z, with the note that is printed then, or else
// that of the process.
func Zone(ctx context.Context, env *cli.Env, o *option.Options, src pmapi.Source) (zone *time.Location, note string, err error) {
	switch {
	case o.HostZone:
		tz, err := pmapi.Zone(ctx, src)
		if err == nil {
			zone, err = LoadZone(tz)
		}
		if err != nil {
			return nil, "", fmt.Errorf("Cannot set context timezone: %w", pmerr.Of(err))
		}
		host, _ := pmapi.HostName(ctx, src) // with an error comes a guess, which is good enough
		note = fmt.Sprintf("local timezone of host \"%s\"", host)
		if _, recorded := pmapi.As[pmapi.Timeline](src); recorded {
			note += " from archive"
		}
	case o.HasTimezone:
		if zone, err = LoadZone(o.Timezone); err != nil {
			return nil, "", fmt.Errorf("Cannot set timezone to \"%s\": %w", o.Timezone, pmerr.Of(err))
		}
		note = fmt.Sprintf("\"TZ=%s\"", o.Timezone)
	default:
		return env.Zone(), "", nil
	}
	return zone, "Note: timezone set to " + note + "\n\n", nil
}

// LoadZone returns the zone that a value of TZ names, or an error if it cannot be one.
func LoadZone(tz string) (*time.Location, error) {
	if err := when.CheckZone(tz); err != nil {
		return nil, err
	}
	return when.LoadZone(tz), nil
}

// Base returns what the texts of times refer to. For an archive whose end cannot be found there is
// a warning, and no end.
func Base(ctx context.Context, env *cli.Env, o *option.Options, src pmapi.Source, zone *time.Location) when.Base {
	now := env.Now()
	base := when.Base{Start: now, Now: now, Zone: zone}
	t, ok := pmapi.As[pmapi.Timeline](src)
	if !ok {
		return base
	}
	start, end, err := t.Bounds(ctx)
	base.Start = start.Time()
	if err == nil {
		base.End = end.Time()
		return base
	}
	fmt.Fprintf(env.Stderr, "%s: Cannot locate end of archive %s: %s\n\n"+
		"WARNING: This archive is sufficiently damaged that it may not be possible to\n"+
		"         produce complete information.  Continuing and hoping for the best.\n\n",
		env.Prog, o.Archive, pmerr.Message(err))
	return base
}
