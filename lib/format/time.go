package format

import (
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

// appendClock appends the time of day as HH:MM:SS and a fraction with as many digits.
func appendClock(dst []byte, sec, fraction int64, digits int, loc *time.Location) []byte {
	dst = local(sec, loc).AppendFormat(dst, "15:04:05")
	return appendZeros(append(dst, '.'), fraction, digits)
}

// local returns a number of seconds as a time in loc.
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
