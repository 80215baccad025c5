package pdu

import (
	"errors"
	"strings"
	"testing"
)

// The dumps are those of wire.md W3.7, W3.8 and W9.4. Values are not padded.
var attrDumps = []dump{
	{"mechanisms", `0000003d 00007011 00000000 00000000 "PLAIN_LOGIN_DIGEST-MD5_SCRAM-SHA-256_CRAM-MD5"`,
		&Attr{AttrSASL, []byte("PLAIN LOGIN DIGEST-MD5 SCRAM-SHA-256 CRAM-MD5")}},
	{"plain", "00000024 00007011 00000000 00000000 504c4149 4e00626f 6200626f 62007365 6b726974",
		&Attr{AttrSASL, []byte("PLAIN\x00bob\x00bob\x00sekrit")}},
	{"nothing to say", "00000010 00007011 00000000 00000000", &Attr{AttrSASL, nil}},
	{"container", "00000013 00007011 00000000 0000000f 666f6f", &Attr{AttrContainer, []byte("foo")}},
	{"user of a client", "00000012 00007011 00000000 0000000b 3000", &Attr{AttrUserID, []byte("0\x00")}},
	{"container of a client", "00000014 00007011 00000000 0000000f 666f6f00", &Attr{AttrContainer, []byte("foo\x00")}},
	{"unknown code", "00000011 00007011 00000000 ffffffff 41", &Attr{-1, []byte("A")}},
}

func TestAttr(t *testing.T) {
	checkDumps(t, attrDumps)
	checkFlaws(t, TypeAttr, []flaw{
		{"no code", ""}, {"half a code", "000000"},
		{"long step", "00000000" + strings.Repeat("41", maxSASL)},
		{"long value", "0000000f" + strings.Repeat("41", maxAttr)},
	})
}

func TestAttrLimits(t *testing.T) {
	for _, row := range []struct {
		code AttrCode
		size int
		ok   bool
	}{
		{AttrSASL, maxSASL - 1, true}, {AttrSASL, maxSASL, false}, {AttrContainer, maxAttr - 1, true}, {AttrContainer, maxAttr, false},
	} {
		a := Attr{row.code, make([]byte, row.size)}
		msg, err := a.Encode([]byte("x"))
		if (err == nil) != row.ok || err != nil && (!errors.Is(err, ErrFormat) || string(msg) != "x") {
			t.Errorf("%d bytes of %d: error %v, message of %d bytes", row.size, row.code, err, len(msg))
		}
	}
}

// TestAttrOwnsMemory changes the body after it was decoded.
func TestAttrOwnsMemory(t *testing.T) {
	body := []byte("\x00\x00\x00\x0fabc")
	var a Attr
	if err := a.Decode(body); err != nil {
		t.Fatal(err)
	}
	clear(body)
	if string(a.Value) != "abc" {
		t.Errorf("value %q", a.Value)
	}
}

// FuzzAttr: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzAttr(f *testing.F) {
	fuzzMessage(f, TypeAttr, attrDumps[0].hex, attrDumps[1].hex, attrDumps[3].hex)
}
