package pdu

import (
	"testing"

	"pmtools/lib/pcp"
)

// The first dumps are those of wire.md W5.9.
var instanceDumps = []dump{
	{"request for a name", "00000028 00007006 00000000 07400002 00000000 00000000 ffffffff 00000007 62696e2d 3130307e",
		&InstanceReq{InDom: pcp.NewInDom(29, 2), Inst: pcp.NullInst, Name: "bin-100"}},
	{"request for all", "00000020 00007006 00000000 07400002 00000000 00000000 ffffffff 00000000",
		&InstanceReq{InDom: pcp.NewInDom(29, 2), Inst: pcp.NullInst}},
	{"request for an instance", "00000020 00007006 00000000 07400002 00000000 00000000 00000064 00000000",
		&InstanceReq{InDom: pcp.NewInDom(29, 2), Inst: 100}},
	{"number of a name", "0000001c 00007007 00000000 07400002 00000001 00000064 00000000",
		&Instance{pcp.NewInDom(29, 2), []pcp.Instance{{ID: 100}}}},
	{"all", "0000003c 00007007 00000000 3f400000 00000003 00000000 00000003 7265647e 00000001 00000005 67726565 6e7e7e7e 00000002 00000004 626c7565",
		&Instance{pcp.NewInDom(253, 0), []pcp.Instance{{ID: 0, Name: "red"}, {ID: 1, Name: "green"}, {ID: 2, Name: "blue"}}}},
	{"name of an instance", "00000024 00007007 00000000 07400002 00000001 ffffffff 00000007 62696e2d 3130307e",
		&Instance{pcp.NewInDom(29, 2), []pcp.Instance{{ID: -1, Name: "bin-100"}}}},
	{"empty domain", "00000014 00007007 00000000 07400002 00000000", &Instance{InDom: pcp.NewInDom(29, 2)}},
}

func TestInstance(t *testing.T) {
	checkDumps(t, instanceDumps)
	checkCuts(t, instanceDumps, true, true)
}

func TestInstanceReqErrors(t *testing.T) {
	checkFlaws(t, TypeInstanceReq, []flaw{
		{"negative length", "07400002 00000000 00000000 ffffffff ffffffff"},
		{"long name", "07400002 00000000 00000000 ffffffff 7fffffff 62696e2d"},
		{"name without its pad", `07400002 00000000 00000000 ffffffff 00000007 "bin-100"`},
	})
}

func TestInstanceErrors(t *testing.T) {
	checkFlaws(t, TypeInstance, []flaw{
		{"negative count", "07400002 ffffffff"}, {"very many", "07400002 7fffffff 00000064 00000000"},
		{"one too few", "07400002 00000002 00000064 00000000"}, {"one too many", "07400002 00000000 00000064 00000000"},
		{"negative length", "07400002 00000001 00000064 ffffffff"}, {"long name", "07400002 00000001 00000064 00000009 62696e2d 3130307e"},
		{"largest length", "07400002 00000001 00000064 7fffffff 62696e2d"},
	})
}

// FuzzInstanceReq: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzInstanceReq(f *testing.F) {
	fuzzMessage(f, TypeInstanceReq, instanceDumps[0].hex, instanceDumps[1].hex, instanceDumps[2].hex)
}

// FuzzInstance: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzInstance(f *testing.F) {
	fuzzMessage(f, TypeInstance, instanceDumps[3].hex, instanceDumps[4].hex, instanceDumps[5].hex, instanceDumps[6].hex)
}
