package when

import (
	"encoding/binary"
	"fmt"
	"sort"
	"time"
)

// A rule becomes a time.Location by way of the data of a zone file (RFC 8536): the moments of
// change from 1970 on are listed, the rule itself stands in the footer for the years after that.
//
//	header  "TZif2", 15 zeros, six counts: isutc isstd leap times types chars
//	...     an empty version 1 block, then the header again
//	times   64 bits each
//	indexes one byte each, of the type from that time on
//	types   offset 32 bits, is-daylight 8 bits, index of the name 8 bits
//	chars   the names, each with a zero byte
//	footer  newline, rule, newline

const (
	firstYear = 1970
	lastYear  = 2099
)

type transition struct {
	when int64
	kind byte // 0 standard, 1 daylight saving
}

func (r *posixRule) location(name string) (*time.Location, error) {
	list := r.transitions()
	names := r.std + "\x00"
	types := 1
	if r.dst != "" {
		names += r.dst + "\x00"
		types = 2
	}
	data := appendHeader(nil, 0, 1, 1)
	data = append(data, 0, 0, 0, 0, 0, 0, 0) // one type and an empty name
	data = appendHeader(data, len(list), types, len(names))
	for _, t := range list {
		data = binary.BigEndian.AppendUint64(data, uint64(t.when))
	}
	for _, t := range list {
		data = append(data, t.kind)
	}
	data = binary.BigEndian.AppendUint32(data, uint32(int32(r.stdOff)))
	data = append(data, 0, 0)
	if types == 2 {
		data = binary.BigEndian.AppendUint32(data, uint32(int32(r.dstOff)))
		data = append(data, 1, byte(len(r.std)+1))
	}
	data = append(data, names...)
	data = append(data, "\n"+r.footer()+"\n"...)
	return time.LoadLocationFromTZData(name, data)
}

func appendHeader(dst []byte, times, types, chars int) []byte {
	dst = append(dst, "TZif2"...)
	dst = append(dst, make([]byte, 15)...)
	for _, n := range []int{0, 0, 0, times, types, chars} {
		dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	}
	return dst
}

// transitions returns the changes of the listed years in order. The first one stands for all earlier time.
func (r *posixRule) transitions() []transition {
	list := []transition{{when: -1 << 40}}
	if r.dst == "" {
		return list
	}
	for year := firstYear; year <= lastYear; year++ {
		start, end := r.start, r.end
		if r.american {
			start, end = american(year)
		}
		list = append(list,
			transition{start.at(year) - int64(r.stdOff), 1},
			transition{end.at(year) - int64(r.dstOff), 0})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].when < list[j].when })
	// Where winter is in the middle of the year, the first of January is summer.
	list[0].kind = 1 - list[1].kind
	return list
}

// footer returns r as a rule in the strict form of a zone file.
func (r *posixRule) footer() string {
	s := "<" + r.std + ">" + clockText(-r.stdOff)
	if r.dst == "" {
		return s
	}
	start, end := r.start, r.end
	if r.american {
		start, end = american(lastYear)
	}
	return s + "<" + r.dst + ">" + clockText(-r.dstOff) + "," + start.text() + "," + end.text()
}

func (c change) text() string {
	switch c.form {
	case 'J':
		return fmt.Sprintf("J%d/%s", c.day, clockText(c.clock))
	case 'M':
		return fmt.Sprintf("M%d.%d.%d/%s", c.month, c.week, c.day, clockText(c.clock))
	}
	return fmt.Sprintf("%d/%s", c.day, clockText(c.clock))
}

func clockText(n int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d:%02d:%02d", sign, n/3600, n/60%60, n%60)
}
