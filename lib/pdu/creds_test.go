package pdu

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The dumps are those of wire.md W3.3, W3.6, W3.8 and W9.2.
var credsDumps = []dump{
	{"plain", "00000014 0000700c 0000686e 00000001 01020000", &Creds{Version: 2}},
	{"secure", "00000014 0000700c 000005fb 00000001 01020011", &Creds{Version: 2, Flags: 0x11}},
	{"container", "00000014 0000700c 00000000 00000001 01020040", &Creds{Version: 2, Flags: 0x40}},
	{"agent", "00000014 0000700c 00000467 00000001 01020044", &Creds{Version: 2, Flags: 0x44}},
	{"to an agent", "00000014 0000700c 0000045d 00000001 01020004", &Creds{Version: 2, Flags: 4}},
}

func TestCreds(t *testing.T) {
	checkDumps(t, credsDumps)
	checkCuts(t, credsDumps, true, true)
	checkFlaws(t, TypeCreds, []flaw{
		{"none", "00000000"}, {"negative", "ffffffff 01020000"}, {"two announced", "00000002 01020000"},
		{"two there", "00000001 01020000 01020000"}, {"too many", "00000401" + strings.Repeat(" 01020000", 1025)},
		{"very many", "7fffffff 01020000"},
	})
}

// TestCredsKinds decodes entries of other kinds.
func TestCredsKinds(t *testing.T) {
	for _, row := range []struct {
		name, hex string
		want      Creds
	}{
		{"other kind only", "00000001 02030405", Creds{}},
		{"other kind first", "00000002 02030405 01020044", Creds{Version: 2, Flags: 0x44}},
		{"other kind last", "00000002 01020044 09ffffff", Creds{Version: 2, Flags: 0x44}},
		{"as many as can be", "00000400" + strings.Repeat(" 01020040", 1024), Creds{Version: 2, Flags: 0x40}},
	} {
		var got Creds
		if err := got.Decode(unhex(t, row.hex)); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

// FuzzCreds: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzCreds(f *testing.F) {
	fuzzMessage(f, TypeCreds, credsDumps[0].hex, credsDumps[3].hex, "00000018 0000700c 00000000 00000002 02030405 01020044")
}
