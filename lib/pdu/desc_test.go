package pdu

import (
	"testing"

	"pmtools/lib/pcp"
)

// The descriptions of wire.md W5.8: a metric with instances, and one without.
var (
	binDesc = pcp.Desc{ID: pcp.NewID(29, 0, 6), Type: pcp.Int32, InDom: pcp.NewInDom(29, 2), Sem: pcp.Instant}
	oneDesc = pcp.Desc{ID: pcp.NewID(29, 0, 10), Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Instant}
)

var descDumps = []dump{
	{"request", "00000010 00007004 00000000 0740000a", &DescReq{pcp.NewID(29, 0, 10)}},
	{"description", "00000020 00007005 00000000 07400003 00000005 ffffffff 00000001 0f103000",
		&Desc{pcp.Desc{ID: pcp.NewID(29, 0, 3), Type: pcp.Double, InDom: pcp.NullInDom, Sem: pcp.Counter, Units: pcp.UnitsOf(0x0f103000)}}},
	{"not supported", "00000020 00007005 00000000 07400003 ffffffff ffffffff 00000003 00000000",
		&Desc{pcp.Desc{ID: pcp.NewID(29, 0, 3), Type: pcp.NoSupport, InDom: pcp.NullInDom, Sem: pcp.Instant}}},
	{"request for several", "0000001c 00007016 00000000 ffffffff 00000002 07400006 0740000a",
		&DescIDs{[]pcp.ID{binDesc.ID, oneDesc.ID}}},
	{"several", "00000038 00007017 00000000 00000002 07400006 00000000 07400002 00000003 00000000 0740000a 00000000 ffffffff 00000003 00000000",
		&Descs{[]pcp.Desc{binDesc, oneDesc}}},
	{"one that failed", "00000024 00007017 00000000 00000001 ffffffff 00000000 00000000 00000000 00000000",
		&Descs{[]pcp.Desc{{ID: pcp.NullID}}}},
}

func TestDesc(t *testing.T) {
	checkDumps(t, descDumps)
	checkCuts(t, descDumps, true, true)
}

func TestDescIDsErrors(t *testing.T) {
	checkFlaws(t, TypeDescIDs, []flaw{
		{"word that is not -1", "00000000 00000001 07400006"}, {"none", "ffffffff 00000000"}, {"negative", "ffffffff ffffffff"},
		{"one too few", "ffffffff 00000002 07400006"}, {"very many", "ffffffff 7fffffff 07400006"},
	})
}

func TestDescsErrors(t *testing.T) {
	checkFlaws(t, TypeDescs, []flaw{
		{"negative", "ffffffff"}, {"very many", "7fffffff 07400006 00000000 07400002 00000003 00000000"},
		{"one too few", "00000002 07400006 00000000 07400002 00000003 00000000"},
	})
}

// FuzzDescReq: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzDescReq(f *testing.F) { fuzzMessage(f, TypeDescReq, descDumps[0].hex) }

// FuzzDesc: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzDesc(f *testing.F) { fuzzMessage(f, TypeDesc, descDumps[1].hex, descDumps[2].hex) }

// FuzzDescIDs: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzDescIDs(f *testing.F) { fuzzMessage(f, TypeDescIDs, descDumps[3].hex) }

// FuzzDescs: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzDescs(f *testing.F) { fuzzMessage(f, TypeDescs, descDumps[4].hex, descDumps[5].hex) }
