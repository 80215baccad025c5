package format

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"pmtools/lib/pcp"
)

// AppendTime appends t as HH:MM:SS.mmm in loc, the milliseconds cut, not rounded. Here and in the
// functions below, a nil loc means UTC.
func AppendTime(dst []byte, t pcp.Timestamp, loc *time.Location) []byte {
	return appendClock(dst, t.Sec, int64(t.Nsec/1e6), 3, loc)
}

// AppendTimeNanos appends t as HH:MM:SS.nnnnnnnnn in loc.
func AppendTimeNanos(dst []byte, t pcp.Timestamp, loc *time.Location) []byte {
	return appendClock(dst, t.Sec, int64(t.Nsec), 9, loc)
}

// AppendCtime appends t as C's ctime does, without the newline that ends it: "Thu Jan 1 00:00:00
// 1970" in loc.
func AppendCtime(dst []byte, t pcp.Timestamp, loc *time.Location) []byte {
	return local(t.Sec, loc).AppendFormat(dst, "Mon Jan _2 15:04:05 2006")
}

// AppendInterval appends the time span sec seconds and nsec nanoseconds as
// [HOURSh][MINUTESm]SECONDS[.FRACTION]s. As in the reference, exactly one hour is "60m0s" and
// exactly one minute "60s".
func AppendInterval(dst []byte, sec int64, nsec int32) []byte {
	if sec > 3600 {
		dst = append(strconv.AppendInt(dst, sec/3600, 10), 'h')
		sec %= 3600
	}
	if sec > 60 {
		dst = append(strconv.AppendInt(dst, sec/60, 10), 'm')
		sec %= 60
	}
	dst = strconv.AppendInt(dst, sec, 10)
	if nsec > 0 {
		dst = appendZeros(append(dst, '.'), int64(nsec), 9)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return append(dst, 's')
}

func appendClock(dst []byte, sec, fraction int64, digits int, loc *time.Location) []byte {
	dst = local(sec, loc).AppendFormat(dst, "15:04:05")
	return appendZeros(append(dst, '.'), fraction, digits)
}

func local(sec int64, loc *time.Location) time.Time {
	if loc == nil {
		loc = time.UTC
	}
	return time.Unix(sec, 0).In(loc)
}

// appendZeros appends n with leading zeros, at least width wide with the sign, as C's %0*d does.
func appendZeros(dst []byte, n int64, width int) []byte {
	if n < 0 {
		dst = append(dst, '-')
		n = -n
		width--
	}
	var buf [20]byte
	digits := strconv.AppendInt(buf[:0], n, 10)
	for range width - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// AppendDate appends t with its date and digits places of the fraction of its second: "Thu Jan 1
// 00:00:00.000000 1970" in loc.
func AppendDate(dst []byte, t pcp.Timestamp, digits int, loc *time.Location) []byte {
	at := local(t.Sec, loc)
	dst = append(at.AppendFormat(dst, "Mon Jan _2 15:04:05"), '.')
	fraction := int64(t.Nsec)
	for range 9 - digits {
		fraction /= 10
	}
	dst = append(appendZeros(dst, fraction, digits), ' ')
	return strconv.AppendInt(dst, int64(at.Year()), 10)
}

// strftime has the conversions of AppendStrftime as layouts of package time.
var strftime = [...]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM", 'j': "002",
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January", 'z': "-0700", 'Z': "MST", 'F': "2006-01-02", 'T': "15:04:05",
	'R': "15:04", 'D': "01/02/06", 'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05", 'n': "\n", 't': "\t", '%': "%",
}

// AppendStrftime appends a time as strftime(3) formats it in the C locale, with %f for microseconds
// and %s for seconds since 1970. The error names the first conversion that is not known.
func AppendStrftime(dst []byte, layout string, t time.Time) ([]byte, error) {
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' {
			dst = append(dst, layout[i])
			continue
		}
		if i++; i == len(layout) {
			return dst, errors.New("a time format ends in %")
		}
		form := ""
		if int(layout[i]) < len(strftime) {
			form = strftime[layout[i]]
		}
		switch {
		case layout[i] == 's':
			dst = strconv.AppendInt(dst, t.Unix(), 10)
		case layout[i] == 'f':
			dst = append(dst, t.Format(".000000")[1:]...)
		case form == "":
			return dst, fmt.Errorf("a time format has no %%%c", layout[i])
		default:
			dst = t.AppendFormat(dst, form)
		}
	}
	return dst, nil
}

// Zone returns the zone of a time: its name, or its difference from UTC where the name is long.
func Zone(t time.Time) string {
	if name, _ := t.Zone(); len(name) <= len("-0700") {
		return name
	}
	return t.Format("-0700")
}

// Span returns from when to when something is, in a zone.
func Span(from, to time.Time, zone *time.Location) string {
	if zone == nil {
		zone = time.UTC
	}
	from, to = from.In(zone), to.In(zone)
	layout := time.DateTime
	if from.Format(time.DateOnly) == to.Format(time.DateOnly) {
		layout = time.TimeOnly
	}
	return from.Format(time.DateTime) + " to " + to.Format(layout)
}
