package pdu

import (
	"errors"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"

	"github.com/google/go-cmp/cmp"
)

// The first dumps are those of wire.md W5.11.
var namesDumps = []dump{
	{"three names", "00000040 0000700e 00000000 0000001a 00000000 00000003 0000000a 73616d70 6c652e62 696e7e7e" +
		" 00000007 6e6f2e73 7563687e 00000006 73616d70 6c657e7e", &Names{Names: []string{"sample.bin", "no.such", "sample"}}},
	{"identifiers", "00000020 0000700d 00000000 00000001 00000003 07400006 ffffffff ffffffff",
		&IDs{1, []pcp.ID{pcp.NewID(29, 0, 6), pcp.NullID, pcp.NullID}}},
	{"children wanted", "00000024 0000700f 00000000 00000001 0000000d 73616d70 6c652e73 65637265 747e7e7e", &Child{"sample.secret", true}},
	{"children", "00000030 0000700e 00000000 00000008 00000002 00000002 00000001 00000003 666f6f7e 00000000 00000003 6261727e",
		&Names{Names: []string{"foo", "bar"}, Status: []int32{NonLeaf, Leaf}}},
	{"names wanted", "00000018 0000700d 00000000 00000000 00000001 0740000a", &IDs{0, []pcp.ID{pcp.NewID(29, 0, 10)}}},
	{"name", "0000002c 0000700e 00000000 00000010 00000000 00000001 0000000f 73616d70 6c652e6c 6f6e672e 6f6e657e",
		&Names{Names: []string{"sample.long.one"}}},
	{"leaf", "00000018 0000700e 00000000 00000000 00000000 00000000", &Names{}},
	{"error", "00000018 0000700e 00000000 00000000 00000000 ffffcfbb", &Names{Err: pmerr.Name}},
	{"children of the root", "00000014 0000700f 00000000 00000000 00000000", &Child{}},
	{"traverse", `0000001c 00007010 00000000 00000000 00000006 "sample" 7e7e`, &Traverse{"sample"}},
	{"traverse the root", "00000014 00007010 00000000 00000000 00000000", &Traverse{}},
	{"no identifiers", "00000014 0000700d 00000000 00000000 00000000", &IDs{}},
}

func TestNames(t *testing.T) {
	checkDumps(t, namesDumps)
	checkCuts(t, namesDumps[:7], true, true)
	checkCuts(t, namesDumps[8:], true, true)
	checkFlaws(t, TypeNames, []flaw{
		{"status of some", `00000008 00000001 00000002 00000000 00000003 "foo" 7e 00000003 "bar" 7e`},
		{"negative status", `00000004 ffffffff 00000001 00000003 "foo" 7e`},
		{"very many", `00000004 00000000 7fffffff 00000003 "foo" 7e`},
		{"very many with status", `00000004 7fffffff 7fffffff 00000003 "foo" 7e`},
		{"negative length", `00000004 00000000 00000001 ffffffff "foo" 7e`},
		{"long name", `00000004 00000000 00000001 00000009 "foo" 7e`},
		{"bytes less than said", `00000005 00000000 00000001 00000003 "foo" 7e`},
		{"bytes more than said", `00000003 00000000 00000001 00000003 "foo" 7e`},
		{"negative bytes", `ffffffff 00000000 00000001 00000003 "foo" 7e`},
		{"very many bytes", `7fffffff 00000000 00000001 00000003 "foo" 7e`},
		{"one name too many", `00000004 00000000 00000001 00000003 "foo" 7e 00000003 "bar" 7e`},
		{"empty name", "00000001 00000000 00000001 00000000"},
		{"one name too few", `00000008 00000000 00000002 00000003 "foo" 7e`},
	})
}

// TestNamesErr decodes an error, beside which nothing counts.
func TestNamesErr(t *testing.T) {
	m := Names{Names: []string{"old"}, Status: []int32{1}}
	if err := m.Decode(unhex(t, "7fffffff 00000005 ffffcfbb 00000003")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Names{Err: pmerr.Name}, m); diff != "" {
		t.Error(diff)
	}
}

func TestNamesEncodeErrors(t *testing.T) {
	for _, row := range []struct {
		name string
		m    Names
	}{
		{"status of fewer", Names{Names: []string{"a", "b"}, Status: []int32{0}}},
		{"names beside an error", Names{Names: []string{"a"}, Err: pmerr.Name}},
		{"no error", Names{Err: 5}},
	} {
		if msg, err := row.m.Encode([]byte("x")); !errors.Is(err, pmerr.EINVAL) || string(msg) != "x" {
			t.Errorf("%s: error %v, message %q", row.name, err, msg)
		}
	}
}

func TestIDsErrors(t *testing.T) {
	checkFlaws(t, TypeIDs, []flaw{
		{"negative", "00000000 ffffffff"}, {"very many", "00000000 7fffffff 07400006"}, {"one too few", "00000001 00000002 07400006"},
		{"one too many", "00000001 00000001 07400006 07400006"},
	})
}

func TestChildErrors(t *testing.T) {
	for _, of := range []Type{TypeChild, TypeTraverse} {
		checkFlaws(t, of, []flaw{
			{"negative length", "00000000 ffffffff"}, {"long name", `00000000 00000005 "abcd"`}, {"largest length", "00000000 7fffffff"},
			{"name without its pad", `00000000 00000003 "abc"`},
		})
	}
}

// FuzzNames: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzNames(f *testing.F) {
	fuzzMessage(f, TypeNames, namesDumps[0].hex, namesDumps[3].hex, namesDumps[5].hex, namesDumps[6].hex, namesDumps[7].hex)
}

// FuzzIDs: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzIDs(f *testing.F) { fuzzMessage(f, TypeIDs, namesDumps[1].hex, namesDumps[4].hex) }

// FuzzChild: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzChild(f *testing.F) { fuzzMessage(f, TypeChild, namesDumps[2].hex, namesDumps[8].hex) }

// FuzzTraverse: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzTraverse(f *testing.F) { fuzzMessage(f, TypeTraverse, namesDumps[9].hex, namesDumps[10].hex) }
