package pdu

import (
	"testing"

	"pmtools/lib/pcp"
)

// The dumps are those of wire.md W5.5 and W9.5.
var fetchDumps = []dump{
	{"three metrics", "00000028 00007003 00000000 00000000 00000000 00000000 00000003 0740000a 0740008a 07400036",
		&Fetch{IDs: []pcp.ID{pcp.NewID(29, 0, 10), pcp.NewID(29, 0, 138), pcp.NewID(29, 0, 54)}}},
	{"to an agent", "00000028 00007003 00000000 00000000 00000000 00000000 00000003 7d000000 7d000009 7d000400",
		&Fetch{IDs: []pcp.ID{pcp.NewID(500, 0, 0), pcp.NewID(500, 0, 9), pcp.NewID(500, 1, 0)}}},
	{"slot", "00000020 00007003 00000000 0000003f 00000000 00000000 00000001 ffffffff", &Fetch{Slot: 63, IDs: []pcp.ID{pcp.NullID}}},
	{"high resolution", "00000020 00007014 00000000 00000000 00000000 00000000 00000001 0740000a",
		&HighResFetch{IDs: []pcp.ID{pcp.NewID(29, 0, 10)}}},
}

func TestFetch(t *testing.T) {
	checkDumps(t, fetchDumps)
	checkCuts(t, fetchDumps, true, true)
	checkFlaws(t, TypeFetch, []flaw{
		{"no metrics", "00000000 00000000 00000000 00000000"},
		{"negative", "00000000 00000000 00000000 ffffffff"},
		{"count without metrics", "00000000 00000000 00000000 7fffffff"},
		{"one metric too few", "00000000 00000000 00000000 00000002 0740000a"},
	})
}

// TestFetchAllocs decodes a request into existing memory.
func TestFetchAllocs(t *testing.T) {
	body := frame(t, unhex(t, fetchDumps[0].hex)).Body
	var m Fetch
	if n := testing.AllocsPerRun(100, func() {
		if err := m.Decode(body); err != nil || len(m.IDs) != 3 {
			t.Fatal(err, m.IDs)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzFetch: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzFetch(f *testing.F) {
	fuzzMessage(f, TypeFetch, fetchDumps[0].hex, fetchDumps[2].hex)
}

// FuzzHighResFetch: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzHighResFetch(f *testing.F) {
	fuzzMessage(f, TypeHighResFetch, fetchDumps[3].hex)
}
