package pdu

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"

	"github.com/google/go-cmp/cmp"
)

// The first dumps are those of wire.md W5.12.
var labelDumps = []dump{
	{"request", "00000014 00007012 00000000 0000001d 00000002", &LabelReq{29, pcp.DomainLabels}},
	{"request for the context", "00000014 00007012 00000000 ffffffff 00000001", &LabelReq{NullIdent, pcp.ContextLabels}},
	{"domain", "0000005f 00007013 00000000 0000001d 00000002 00000000 00000001 ffffffff 00000002" +
		` 0000003c 00000023 00020502 00090008 00130402 00190009 "{"agent":"sample","role":"testing"}"`,
		&Label{29, pcp.DomainLabels, []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{
			{Name: "agent", Value: `"sample"`, Flags: 2}, {Name: "role", Value: `"testing"`, Flags: 2},
		}}}}},
	{"none", "0000001c 00007013 00000000 3f400000 00000008 00000000 00000000", &Label{Ident: 0x3f400000, Kind: pcp.ClusterLabels}},
	{"instances", "0000005b 00007013 00000000 07400002 00000020 00000000 00000003" +
		" 00000064 00000001 00000054 00000007 000201a0 00050001" + // instance 100: one label
		" 000000c8 ffffcfb8 0000005b 00000000" + // instance 200: an error
		" 0000012c 00000000 0000005b 00000000" + // instance 300: no label
		` "{"a":1}"`,
		&Label{0x07400002, pcp.InstanceLabels, []pcp.LabelSet{
			{Inst: 100, Labels: []pcp.Label{{Name: "a", Value: "1", Flags: 0xa0}}}, {Inst: 200, Err: pmerr.Inst}, {Inst: 300},
		}}},
}

func TestLabel(t *testing.T) {
	checkDumps(t, labelDumps)
	checkCuts(t, labelDumps, true, true)
	const head = "0000001d 00000002 00000000 "
	checkFlaws(t, TypeLabel, []flaw{
		{"negative count", head + "ffffffff"},
		{"very many", head + "7fffffff ffffffff 00000000 00000000 00000000"},
		{"set that is cut", head + "00000001 ffffffff 00000000 0000002c"},
		{"too many labels", head + "00000001 ffffffff 00000100 0000002c 00000002 " + strings.Repeat("0000000000000000", 256) + " 7b7d"},
		{"more labels than there are", head + "00000001 ffffffff 00000002 00000034 00000007 00020102 00050001 7b226122 3a317d"},
		{"negative text", head + "00000001 ffffffff 00000000 0000002c ffffffff"},
		{"long text", head + "00000001 ffffffff 00000000 0000002c 00010000"},
		{"text before the message", head + "00000001 ffffffff 00000000 00000008 00000002 7b7d"},
		{"text at a negative place", head + "00000001 ffffffff 00000000 ffffffff 00000002 7b7d"},
		{"text behind the end", head + "00000001 ffffffff 00000000 0000002d 00000002 7b7d"},
		{"text at the last place", head + "00000001 ffffffff 00000000 7fffffff 00000002 7b7d"},
		{"more text than the message", head + "00000001 ffffffff 00000000 0000002c 00000003 7b7d"},
		{"bytes behind the text", head + "00000001 ffffffff 00000000 0000002c 00000002 7b7d7b7d"},
		{"text without a set", head + "00000000 7b7d"},
		{"text shared by two", head + "00000002 ffffffff 00000000 0000003c 00000002 ffffffff 00000000 0000003c 00000002 7b7d"},
		{"name outside the text", head + "00000001 ffffffff 00000001 00000034 00000007 00070102 00050001 7b226122 3a317d"},
		{"value outside the text", head + "00000001 ffffffff 00000001 00000034 00000007 00020102 0005ffff 7b226122 3a317d"},
	})
}

// TestLabelLenient decodes harmless deviations that real daemons might send.
func TestLabelLenient(t *testing.T) {
	for _, row := range []struct {
		name, hex string
		want      []pcp.LabelSet
	}{
		{"error without a place", "0000001d 00000002 00000000 00000001 ffffffff ffffcfb7 00000000 00000000",
			[]pcp.LabelSet{{Inst: pcp.NullInst, Err: pmerr.Code(-12361)}}},
		{"no text without a place", "0000001d 00000002 00000000 00000001 ffffffff 00000000 00000000 00000000",
			[]pcp.LabelSet{{Inst: pcp.NullInst}}},
		{"instance that is none", "0000001d 00000002 00000000 00000001 00000007 00000000 00000000 00000000",
			[]pcp.LabelSet{{Inst: pcp.NullInst}}},
	} {
		var m Label
		if err := m.Decode(unhex(t, row.hex)); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if diff := cmp.Diff(row.want, m.Sets, same); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

// TestLabelAmplification decodes many sets that all have the same large text.
func TestLabelAmplification(t *testing.T) {
	const n, text = 1 << 12, 60000
	body := unhex(t, "07400002 00000020 00000000")
	body = wire.AppendUint32(body, n)
	for i := range uint32(n) {
		body = wire.AppendUint32(body, i)
		body = wire.AppendUint32(body, 0)
		body = wire.AppendUint32(body, HeaderSize+16+16*n)
		body = wire.AppendUint32(body, text)
	}
	body = append(body, make([]byte, text)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := new(Label).Decode(body)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrFormat) {
		t.Errorf("error %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

func TestLabelEncodeErrors(t *testing.T) {
	for _, row := range []struct {
		name   string
		labels []pcp.Label
		want   pmerr.Code
	}{
		{"no name", []pcp.Label{{Value: "1"}}, pmerr.EINVAL},
		{"no value", []pcp.Label{{Name: "a"}}, pmerr.EINVAL},
		{"a name twice", []pcp.Label{{Name: "a", Value: "1"}, {Name: "a", Value: "2"}}, pmerr.EINVAL},
		{"long text", []pcp.Label{{Name: "a", Value: strings.Repeat("1", 1<<16)}}, pmerr.TooBig},
	} {
		m := Label{Kind: pcp.ContextLabels, Sets: []pcp.LabelSet{{Labels: row.labels}}}
		if msg, err := m.Encode([]byte("x")); !errors.Is(err, row.want) || string(msg) != "x" {
			t.Errorf("%s: error %v, message %q", row.name, err, msg)
		}
	}
}

// FuzzLabelReq: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzLabelReq(f *testing.F) { fuzzMessage(f, TypeLabelReq, labelDumps[0].hex, labelDumps[1].hex) }

// FuzzLabel: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzLabel(f *testing.F) {
	fuzzMessage(f, TypeLabel, labelDumps[2].hex, labelDumps[3].hex, labelDumps[4].hex)
}
