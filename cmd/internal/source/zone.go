package source

import (
	"fmt"
	"time"

	"pmtools/lib/when"
)

// KnownZone returns the zone that a value of TZ names, or an error if there is none.
func KnownZone(tz string) (*time.Location, error) {
	if when.CheckZone(tz) != nil || !when.Known(tz) {
		return nil, fmt.Errorf("unknown time zone %q: give a name, such as Europe/Berlin, or a rule, such as CET-1CEST", tz)
	}
	return when.LoadZone(tz), nil
}
