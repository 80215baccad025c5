package pdu

import (
	"testing"

	"pmtools/lib/pcp"
)

// The first dumps are those of wire.md W5.6.
var profileDumps = []dump{
	{"all", "0000001c 00007002 00000000 00000000 00000000 00000000 00000000", &Profile{}},
	{"two instances", "00000034 00007002 00000000 00000000 00000001 00000001 00000000 07400002 00000001 00000002 00000000 00000064 0000012c",
		&Profile{Exclude: true, Entries: []pcp.ProfileEntry{{InDom: pcp.NewInDom(29, 2), Exclude: true, Insts: []int32{100, 300}}}}},
	{"two domains", "00000044 00007002 00000000 00000003 00000000 00000002 00000000 07400001 00000000 00000001 00000000" +
		" 07400002 00000001 00000001 00000000 ffffffff 00000007",
		&Profile{Slot: 3, Entries: []pcp.ProfileEntry{
			{InDom: pcp.NewInDom(29, 1), Insts: []int32{-1}}, {InDom: pcp.NewInDom(29, 2), Exclude: true, Insts: []int32{7}},
		}}},
	{"entry without instances", "0000002c 00007002 00000000 00000000 00000000 00000001 00000000 07400001 00000001 00000000 00000000",
		&Profile{Entries: []pcp.ProfileEntry{{InDom: pcp.NewInDom(29, 1), Exclude: true}}}},
}

func TestProfile(t *testing.T) {
	checkDumps(t, profileDumps)
	checkCuts(t, profileDumps, true, true)
	checkFlaws(t, TypeProfile, []flaw{
		{"negative slot", "ffffffff 00000000 00000000 00000000"},
		{"negative count", "00000000 00000000 ffffffff 00000000"},
		{"count at the end", "00000000 00000000 7fffffff"}, // would be eight gigabytes
		{"count of more than there is", "00000000 00000000 00000002 00000000 07400001 00000000 00000000 00000000"},
		{"negative list", "00000000 00000000 00000001 00000000 07400001 00000000 ffffffff 00000000"},
		{"list of more than there is", "00000000 00000000 00000001 00000000 07400001 00000000 7fffffff 00000000 00000001"},
		{"second list of more than there is", "00000000 00000000 00000002 00000000 07400001 00000000 00000001 00000000" +
			" 07400001 00000000 00000001 00000000 00000001"},
	})
}

// FuzzProfile: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzProfile(f *testing.F) {
	fuzzMessage(f, TypeProfile, profileDumps[0].hex, profileDumps[1].hex, profileDumps[2].hex, profileDumps[3].hex)
}
