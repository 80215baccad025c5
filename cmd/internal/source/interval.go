package source

import (
	"fmt"
	"time"

	"pmtools/lib/option"
	"pmtools/lib/when"
)

// KnownZone returns the zone that a value of TZ names, or an error if there is none.
func KnownZone(tz string) (*time.Location, error) {
	if when.CheckZone(tz) != nil || !when.Known(tz) {
		return nil, fmt.Errorf("unknown time zone %q: give a name, such as Europe/Berlin, or a rule, such as CET-1CEST", tz)
	}
	return when.LoadZone(tz), nil
}

// Interval makes an interval of 0 an error of -t. If records is set, -t takes "record" too, for the
// records of an archive as they are: that is an interval of 0. An interval in "ms" is doubtful.
func Interval(p *option.Options, interval *option.Option, records bool, warn func(format string, args ...any)) *option.Option {
	set, instead := interval.Set, ""
	if records {
		interval.Text += ", or record: an archive's records as they are"
		instead = "; 'record' is a sample for each record of an archive"
	}
	interval.Set = func(text string) error {
		if records && (text == "record" || text == "records") {
			p.Interval, p.HasInterval = 0, true
			return nil
		}
		err := set(text)
		if err == nil && when.Millis(text) {
			warn("-t %s is %v: ms means minutes, and msec milliseconds", text, p.Interval)
		}
		if err == nil && p.Interval == 0 {
			err = fmt.Errorf("-t %s: an interval is longer than 0%s", text, instead)
		}
		return err
	}
	return interval
}
