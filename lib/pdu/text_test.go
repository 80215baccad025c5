package pdu

import (
	"testing"

	"pmtools/lib/pcp"
)

// The first dumps are those of wire.md W5.10. Agents send the identifier in their own byte order.
var textDumps = []dump{
	{"request", "00000014 00007008 00000000 07400006 00000005", &TextReq{Ident: 0x07400006, Kind: pcp.OneLine}},
	{"request for a full text", "00000014 00007008 00000000 07400006 00000006", &TextReq{Ident: 0x07400006, Kind: pcp.Help}},
	{"request for a domain", "00000014 00007008 00000000 07400002 0000000a", &TextReq{Ident: 0x07400002, InDom: true, Kind: pcp.Help}},
	{"text", `00000030 00007009 00000000 06004007 0000001a "Several_constant_instances" 7e7e`, &Text{0x06004007, "Several constant instances"}},
	{"empty text", "00000014 00007009 00000000 07400006 00000000", &Text{0x07400006, ""}},
}

func TestText(t *testing.T) {
	checkDumps(t, textDumps)
	checkCuts(t, textDumps, true, true)
}

func TestTextReqErrors(t *testing.T) {
	checkFlaws(t, TypeTextReq, []flaw{
		{"neither one line nor full", "07400006 00000004"}, {"both", "07400006 00000007"}, {"about nothing", "07400006 00000001"},
		{"about both", "07400006 0000000d"}, {"further bits", "07400006 00000015"}, {"high bits", "07400006 80000005"},
	})
}

func TestTextErrors(t *testing.T) {
	checkFlaws(t, TypeText, []flaw{
		{"negative length", "07400006 ffffffff"}, {"longer than it is", "07400006 00000005 41414141"}, {"largest length", "07400006 7fffffff 41414141"},
		{"shorter than it is", "07400006 00000001 41414141 41414141"},
	})
}

// FuzzTextReq: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzTextReq(f *testing.F) { fuzzMessage(f, TypeTextReq, textDumps[0].hex, textDumps[2].hex) }

// FuzzText: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzText(f *testing.F) { fuzzMessage(f, TypeText, textDumps[3].hex, textDumps[4].hex) }
