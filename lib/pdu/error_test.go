package pdu

import (
	"testing"

	"pmtools/lib/pmerr"
)

// The dumps are those of wire.md W3.1, W3.6, W7.5 and W12.
var errorDumps = []dump{
	{"greeting", "00000014 00007000 00000000 00000000 02010e44", &Error{Greeting: true, Info: 0x02010e44}},
	{"greeting with tls", "00000014 00007000 00000000 00000000 02010e55", &Error{Greeting: true, Info: 0x02010e55}},
	{"greeting that refuses", "00000014 00007000 00000000 fffffbed 00000000", &Error{Code: -1043, Greeting: true}},
	{"tls may start", "00000010 00007000 00000000 00000000", &Error{}},
	{"labels changed", "00000010 00007000 00000000 00000008", &Error{Code: 8}},
	{"refusal", "00000010 00007000 00000000 ffffcfbb", &Error{Code: pmerr.Name}},
}

func TestError(t *testing.T) {
	checkDumps(t, errorDumps)
	checkFlaws(t, TypeError, []flaw{
		{"no code", ""}, {"half a code", "0000"}, {"half an info", "00000000 0201"}, {"more", "00000000 02010e44 00000000"},
	})
}

// FuzzError: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzError(f *testing.F) {
	fuzzMessage(f, TypeError, errorDumps[0].hex, errorDumps[2].hex, errorDumps[5].hex)
}
