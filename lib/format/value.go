// Package format turns values, units, descriptors and times into the text that the tools of the
// Performance Co-Pilot print. It appends to byte slices, knows widths but no terminals, and does no
// I/O.
//
// [Options] holds the settings for the text of a value; its zero value is the default.
package format

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"time"

	"pmtools/lib/pcp"
)

// Options are the choices for the text of values. The zero Options, and nil, are the defaults.
// Options may be shared by goroutines.
type Options struct {
	// Squash replaces each white space character in strings by a blank (PCP_SQUASH_NEWLINES).
	Squash bool
	// Location is the reporting time zone; nil means UTC.
	Location *time.Location
}

func (o *Options) location() *time.Location {
	if o == nil {
		return nil
	}
	return o.Location
}

// AppendValue appends value i of column v as pmPrintValue prints it, right aligned in at least
// width characters.
func (o *Options) AppendValue(dst []byte, v *pcp.Values, i, width int) []byte {
	if v.Odd != nil && v.Odd[i].Bad {
		return o.AppendOdd(dst, &v.Odd[i], width)
	}
	if v.Type.Arithmetic() {
		return appendNumber(dst, v.Type, v.Words[i], width)
	}
	return o.appendBlob(dst, v.Type, v.Blobs[i], width)
}

// AppendOne appends a single value as AppendValue does; a Value that is not set appends nothing.
func (o *Options) AppendOne(dst []byte, v pcp.Value, width int) []byte {
	switch {
	case !v.IsSet():
		return dst
	case v.Type().Arithmetic():
		return appendNumber(dst, v.Type(), v.Word(), width)
	}
	return o.appendBlob(dst, v.Type(), v.Bytes(), width)
}

// AppendPlain appends a single value for people: a floating-point number with precision digits
// after the point or, if precision is negative, with as many digits as distinguish it from other
// numbers of its type; other values as AppendOne; a hyphen for a Value that is not set.
func AppendPlain(dst []byte, v pcp.Value, precision int) []byte {
	t := v.Type()
	f, err := v.Float64()
	switch {
	case !v.IsSet():
		return append(dst, '-')
	case err != nil || t != pcp.Float && t != pcp.Double:
	case precision >= 0:
		return AppendFixed(dst, f, 1, precision)
	case t == pcp.Float:
		return AppendShort(dst, f, 32)
	}
	return (*Options)(nil).AppendOne(dst, v, 1)
}

// appendNumber appends word w of arithmetic type t, right aligned in width characters.
func appendNumber(dst []byte, t pcp.Type, w uint64, width int) []byte {
	start := len(dst)
	switch t {
	case pcp.Int32, pcp.Int64:
		dst = strconv.AppendInt(dst, int64(w), 10)
	case pcp.Uint32, pcp.Uint64:
		dst = strconv.AppendUint(dst, w, 10)
	case pcp.Float:
		dst = pcp.AppendG(dst, float64(math.Float32frombits(uint32(w))), 8)
	default:
		dst = pcp.AppendG(dst, math.Float64frombits(w), 16)
	}
	return alignRight(dst, start, width)
}

func (o *Options) appendBlob(dst []byte, t pcp.Type, b []byte, width int) []byte {
	switch t {
	case pcp.String:
		return o.appendString(dst, b, width)
	case pcp.Event, pcp.HighResEvent:
		start := len(dst)
		return alignRight(o.appendEvents(dst, t, b), start, width)
	}
	return appendParts(dst, b, nil, width)
}

// appendString appends b in quotes, up to its first NUL, as the reference prints strings.
func (o *Options) appendString(dst []byte, b []byte, width int) []byte {
	start := len(dst)
	dst = append(dst, '"')
	for _, c := range b {
		if c == 0 {
			break
		}
		if o != nil && o.Squash && c >= '\t' && c <= '\r' {
			c = ' '
		}
		dst = append(dst, c)
	}
	return alignRight(append(dst, '"'), start, width)
}

// AppendOdd appends a value that does not fit its metric's type: all readings of its bits that make
// sense.
func (o *Options) AppendOdd(dst []byte, odd *pcp.Odd, width int) []byte {
	if odd.InSitu {
		return appendInSitu(dst, odd.Word, width)
	}
	// The reference has put a number into the order of its machine before it finds out that the
	// value does not fit.
	var first [8]byte
	n := copy(first[:], odd.Blob)
	switch {
	case n >= 8 && (odd.Type == pcp.Int64 || odd.Type == pcp.Uint64 || odd.Type == pcp.Double):
		slices.Reverse(first[:8])
	case n >= 4 && odd.Type == pcp.Float:
		slices.Reverse(first[:4])
	}
	return appendParts(dst, first[:n], odd.Blob[n:], width)
}

func appendInSitu(dst []byte, w uint32, width int) []byte {
	start := len(dst)
	dst = alignRight(strconv.AppendUint(dst, uint64(w), 10), start, width)
	if f := math.Float32frombits(w); f == f {
		dst = append(dst, ' ')
		start = len(dst)
		dst = alignRight(pcp.AppendG(dst, float64(f), 8), start, width)
	}
	dst = append(dst, " 0x"...)
	start = len(dst)
	if width > 2 {
		width -= 2
	}
	return alignRight(strconv.AppendUint(dst, uint64(w), 16), start, width)
}

// appendParts appends the readings of a value block, the bytes a and b: numbers as on a little-endian
// machine, the text, and always the bytes in hexadecimal. Two parts save copying all bytes.
func appendParts(dst []byte, a, b []byte, width int) []byte {
	if len(b) == 0 {
		dst = appendReadings(dst, a, width)
	}
	start := len(dst)
	if printable(a) && printable(b) {
		dst = append(dst, '"')
		dst = append(append(dst, a...), b...)
		dst = append(alignRight(append(dst, '"'), start, width), ' ')
	}
	start = len(dst)
	dst = append(dst, '[')
	dst = hex.AppendEncode(hex.AppendEncode(dst, a), b)
	return alignRight(append(dst, ']'), start, width)
}

// appendReadings appends the numbers that 4 or 8 bytes may be, each with a blank after it.
func appendReadings(dst []byte, b []byte, width int) []byte {
	start := len(dst)
	switch len(b) {
	case 8:
		w := binary.LittleEndian.Uint64(b)
		dst = append(alignRight(strconv.AppendUint(dst, w, 10), start, width), ' ')
		start = len(dst)
		if f := math.Float64frombits(w); f == f {
			dst = append(alignRight(pcp.AppendG(dst, f, 16), start, width), ' ')
		}
	case 4:
		if f := math.Float32frombits(binary.LittleEndian.Uint32(b)); f == f {
			dst = append(alignRight(pcp.AppendG(dst, float64(f), 8), start, width), ' ')
		}
	}
	return dst
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

func alignRight(dst []byte, start, width int) []byte {
	n := len(dst)
	dst = alignLeft(dst, start, width)
	pad := len(dst) - n
	copy(dst[start+pad:], dst[start:n])
	for i := range pad {
		dst[start+i] = ' '
	}
	return dst
}
